//! What is left of workers when their runs, or their host, have ended.

use super::{Held, children, children_of, kill};
use crate::{
    hosts::{Host, ISOLATIONS, block_on, short},
    outcomes::WAITS,
};
use cofferdam::{Isolation, Outcome};
use std::{fs, process::Command, time::Duration};

#[test]
#[ignore = "runs in a process of its own"]
fn a_killed_worker_is_a_crash() {
    block_on(async {
        let host = Host::with(Isolation::Process, short(), |builder| builder.warm(0)).await;
        let kill = async {
            while host.calls() < 2 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            let workers = children();
            assert_eq!(workers.len(), 1);
            kill(workers[0]);
        };
        let (report, ()) = tokio::join!(host.sandbox.run(WAITS), kill);
        let Outcome::Crashed { message } = &report.outcome else { panic!("{:?}", report.outcome) };
        assert!(message.contains("SIGKILL"), "{message}");
        assert_eq!(report.console.lines[0].text, "kept");
        let states: Vec<_> = report.ledger.entries().iter().map(|e| e.state.as_str()).collect();
        assert_eq!(states, ["succeeded", "unknown"]);
        assert!(host.sandbox.run("return 1").await.is_completed());
    });
}

#[test]
#[ignore = "runs in a process of its own"]
fn runs_leave_nothing_behind() {
    let temporary = fs::read_dir(std::env::temp_dir()).expect("a folder").count();
    // What V8 and tokio open once for a process.
    for isolation in ISOLATIONS {
        block_on(async { Host::new(isolation, short()).await.sandbox.run("return 1").await });
    }
    let before = Held::settled();
    block_on(async {
        for isolation in ISOLATIONS {
            let host = Host::new(isolation, short()).await;
            let mut warm = None;
            for n in 0..200 {
                let source = match n % 4 {
                    0 => "return await demo_echo({ a: 1 })",
                    1 => "throw new Error('on purpose')",
                    2 => "demo_sleep({ ms: 60000 }); throw 1",
                    _ => "setInterval(() => {}, 1); return 1",
                };
                host.sandbox.run(source).await;
                if n == 20 {
                    warm = Some(Held::settled());
                }
            }
            let (warm, end) = (warm.expect("a reading"), Held::settled());
            assert_eq!(warm, end, "{isolation:?}: 180 more runs");
        }
    });
    assert_eq!(before, Held::settled(), "the sandboxes are gone");
    let left = fs::read_dir(std::env::temp_dir()).expect("a folder").count();
    assert!(left <= temporary, "temporary files are left");
}

#[test]
#[ignore = "runs in a process of its own"]
fn workers_end_with_a_host_that_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("config.json");
    fs::write(&config, r#"{ "mcpServers": {} }"#).expect("written");
    let script = folder.path().join("script.ts");
    fs::write(&script, "for (;;);").expect("written");
    let mut host = Command::new(env!("CARGO_BIN_EXE_cofferdam"))
        .args(["run", "--cpu", "60s", "--config"])
        .args([&config, &script])
        .spawn()
        .expect("the program starts");
    let mut workers = Vec::new();
    while workers.len() < 2 {
        std::thread::sleep(Duration::from_millis(20));
        workers = children_of(host.id());
    }
    host.kill().expect("it can be killed");
    host.wait().expect("it has ended");
    let lives = |pid: &&u32| fs::exists(format!("/proc/{pid}/exe")).unwrap_or(false);
    for _ in 0..100 {
        if workers.iter().filter(lives).count() == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("workers live on: {workers:?}");
}

#[test]
#[ignore = "runs in a process of its own"]
fn a_worker_has_nothing_of_its_host() {
    block_on(async {
        let host = Host::with(Isolation::Process, short(), |builder| builder.warm(0)).await;
        let look = async {
            while host.calls() < 2 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            let process = format!("/proc/{}", children()[0]);
            let read = |file: &str| fs::read_to_string(format!("{process}/{file}"));
            let status = read("status").expect("everybody may read that");
            for line in [
                "NoNewPrivs:\t1",
                "Seccomp:\t2",
                "CoreDumping:\t0",
                "CapEff:\t0000000000000000",
                "CapPrm:\t0000000000000000",
            ] {
                assert!(status.contains(line), "{line}\n{status}");
            }
            // What follows is for the superuser alone, since a worker is not dumpable.
            let Ok(environment) = read("environ") else { return };
            assert_eq!(environment, "");
            let limits = read("limits").expect("limits");
            let bound = |limit: &str| {
                let line = limits.lines().find_map(|line| line.strip_prefix(limit));
                line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok())
            };
            assert_eq!(bound("Max core file size"), Some(0), "{limits}");
            assert_eq!(bound("Max file size"), Some(0), "{limits}");
            assert_eq!(bound("Max open files"), Some(32), "{limits}");
            assert!(bound("Max cpu time").is_some_and(|seconds| seconds < 20), "{limits}");
            assert!(bound("Max data size").is_some_and(|bytes| bytes < 2 << 30), "{limits}");
            for descriptor in fs::read_dir(format!("{process}/fd")).expect("fd").flatten() {
                let target = fs::read_link(descriptor.path()).unwrap_or_default();
                let target = target.to_string_lossy().into_owned();
                let known = ["/dev/null", "socket:[", "anon_inode:[event"];
                assert!(known.iter().any(|known| target.starts_with(known)), "{target}");
            }
        };
        let script = "await demo_echo({}); await demo_sleep({ ms: 300 });";
        let (report, ()) = tokio::join!(host.sandbox.run(script), look);
        assert!(report.is_completed());
    });
}
