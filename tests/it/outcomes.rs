//! How runs end that are ended from outside, and what is left when they have.

use crate::hosts::{Host, ISOLATIONS, block_on, short};
use cofferdam::{
    Approver, Decision, Grant, Isolation, Limits, Outcome, PendingCall, Policy, Script,
    WorkerProgram, broker::State,
};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

const WAITS: &str = "console.log('kept'); await demo_echo({}); await demo_sleep({ ms: 60000 });";
const SPINS: &str = "console.log('kept'); await demo_echo({}); for (;;);";

#[test]
fn cancelled_run_keeps_console_and_ledger() {
    block_on(async {
        for isolation in ISOLATIONS {
            let host = Host::new(isolation, short()).await;
            for (source, states) in
                [(WAITS, vec!["succeeded", "unknown"]), (SPINS, vec!["succeeded"])]
            {
                let cancel = CancellationToken::new();
                let run = host.sandbox.run(Script::new(source).cancel(cancel.clone()));
                let stop = async {
                    tokio::time::sleep(Duration::from_millis(500)).await;
                    cancel.cancel();
                };
                let (report, ()) = tokio::join!(run, stop);
                assert_eq!(report.outcome, Outcome::Cancelled, "{isolation:?}");
                assert_eq!(report.console.lines[0].text, "kept");
                let seen: Vec<_> =
                    report.ledger.entries().iter().map(|e| e.state.as_str()).collect();
                assert_eq!(seen, states, "{isolation:?}: {source}");
            }
            assert!(host.sandbox.run("return 1").await.is_completed());
        }
    });
}

#[test]
fn run_that_is_cancelled_before_it_starts_does_nothing() {
    block_on(async {
        let host = Host::new(Isolation::Process, short()).await;
        let cancel = CancellationToken::new();
        cancel.cancel();
        let report = host.sandbox.run(Script::new("await demo_echo({})").cancel(cancel)).await;
        assert_eq!(report.outcome, Outcome::Cancelled);
        assert_eq!(host.calls(), 0);
    });
}

#[test]
fn denied_call_never_reaches_the_tool() {
    block_on(async {
        for isolation in ISOLATIONS {
            let host = Host::new(isolation, short()).await;
            let script = "try { await demo_denied() } catch (error) { return error.kind }";
            let report = host.sandbox.run(script).await;
            assert_eq!(report.outcome, Outcome::Completed { value: Some("\"denied\"".into()) });
            assert_eq!(host.calls(), 0);
            assert!(matches!(report.ledger.entries()[0].state, State::Refused { .. }));
        }
    });
}

#[test]
fn a_program_that_is_no_worker_is_named_with_what_to_do() {
    block_on(async {
        for (program, says) in [
            ("/no/such/program", "/no/such/program: No such file or directory"),
            ("/bin/true", "does the worker program call run_if_requested() first in main?"),
        ] {
            let program = WorkerProgram::At(program.into());
            let host = Host::with(Isolation::Process, short(), |b| b.worker_program(program));
            let report = host.await.sandbox.run("return 1").await;
            let Outcome::Crashed { message } = report.outcome else { panic!("not a worker") };
            assert!(message.contains(says), "{message}");
        }
    });
}

/// Takes its time.
struct Slow;

#[async_trait::async_trait]
impl Approver for Slow {
    async fn approve(&self, _call: &PendingCall) -> Decision {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        Decision::Allow(Grant::Once)
    }
}

#[test]
fn waiting_for_approval_stops_the_wall_clock() {
    block_on(async {
        for isolation in ISOLATIONS {
            let limits = Limits { wall: Duration::from_secs(1), ..short() };
            let host = Host::with(isolation, limits, |builder| {
                builder.policy(Policy::default()).approver(Arc::new(Slow))
            });
            let report = host.await.sandbox.run("return await demo_echo({ a: 1 })").await;
            assert!(report.is_completed(), "{isolation:?}: {:?}", report.outcome);
            assert!(report.usage.waiting >= Duration::from_millis(1400));
        }
    });
}

#[test]
fn runs_go_on_beside_each_other_and_apart_from_each_other() {
    block_on(async {
        for isolation in ISOLATIONS {
            let host = Host::new(isolation, short()).await;
            let runs = (0..8).map(|n| {
                let source =
                    format!("globalThis.mine ??= {n}; await demo_sleep({{ ms: 50 }}); return mine");
                let sandbox = host.sandbox.clone();
                tokio::spawn(async move { sandbox.run(source).await })
            });
            for (n, run) in futures::future::join_all(runs).await.into_iter().enumerate() {
                let outcome = run.expect("no panic").outcome;
                assert_eq!(
                    outcome,
                    Outcome::Completed { value: Some(n.to_string()) },
                    "{isolation:?}"
                );
            }
        }
    });
}

/// What has to look at the whole process, and therefore has one of its own.
#[cfg(target_os = "linux")]
mod alone {
    use super::{Duration, Isolation, Outcome, WAITS};
    use crate::hosts::{Host, ISOLATIONS, block_on, short};
    use std::{collections::BTreeMap, fs, process::Command};

    #[test]
    fn tests_that_need_a_process_of_their_own_pass() {
        for test in [
            "a_killed_worker_is_a_crash",
            "runs_leave_nothing_behind",
            "workers_end_with_a_host_that_is_killed",
            "a_worker_has_nothing_of_its_host",
        ] {
            let name = format!("outcomes::alone::{test}");
            let status = Command::new(std::env::current_exe().expect("this program"))
                .args(["--exact", &name, "--ignored", "--nocapture"])
                .status();
            assert!(status.expect("it starts").success(), "{test} failed");
        }
    }

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
            let Outcome::Crashed { message } = &report.outcome else {
                panic!("{:?}", report.outcome)
            };
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
                for line in ["NoNewPrivs:\t1", "Seccomp:\t2", "CoreDumping:\t0"] {
                    assert!(status.contains(line), "{line}\n{status}");
                }
                // What follows is for the superuser alone, since a worker is not dumpable.
                let Ok(environment) = read("environ") else { return };
                assert_eq!(environment, "");
                let limits = read("limits").expect("limits");
                for limit in ["Max core file size", "Max file size"] {
                    let line = limits.lines().find(|line| line.starts_with(limit));
                    assert!(line.is_some_and(|line| line.contains(" 0 ")), "{limits}");
                }
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

    /// What a process holds.
    #[derive(Debug, PartialEq, Eq)]
    struct Held {
        descriptors: usize,
        threads: BTreeMap<String, usize>,
        children: usize,
    }

    impl Held {
        /// As it is now.
        fn now() -> Self {
            let descriptors = fs::read_dir("/proc/self/fd").expect("/proc").count();
            let mut threads = BTreeMap::new();
            for task in fs::read_dir("/proc/self/task").expect("/proc").flatten() {
                let name = fs::read_to_string(task.path().join("comm")).unwrap_or_default();
                *threads.entry(name.trim().to_owned()).or_default() += 1;
            }
            Self { descriptors, threads, children: children().len() }
        }

        /// When nothing changes any more: what a run has left is collected behind its back.
        fn settled() -> Self {
            let mut last = Self::now();
            for _ in 0..100 {
                std::thread::sleep(Duration::from_millis(100));
                let now = Self::now();
                if now == last {
                    return now;
                }
                last = now;
            }
            last
        }
    }

    /// The children of this process, zombies included.
    fn children() -> Vec<u32> {
        children_of(std::process::id())
    }

    fn children_of(parent: u32) -> Vec<u32> {
        let parent = parent.to_string();
        let processes = fs::read_dir("/proc").expect("/proc").flatten();
        processes
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|pid: &u32| {
                let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
                let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
                fields.split_whitespace().nth(1) == Some(parent.as_str())
            })
            .collect()
    }

    fn kill(process: u32) {
        let status = Command::new("kill").args(["-9", &process.to_string()]).status();
        assert!(status.expect("kill runs").success());
    }
}
