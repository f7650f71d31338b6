//! What a run and a call cost: one benchmark for each goal of the project that is about scripts.
//!
//! Criterion gives means and changes; goals about latency are percentiles, which are printed as
//! well. `benches/README.md` holds the figures.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a benchmark that cannot run says so, and its figures are printed"
)]

use cofferdam::{Isolation, Limits, LocalTool, Outcome, Policy, Sandbox, Script, worker};
use criterion::{Criterion, Throughput};
use serde_json::{Value, json};
use std::{
    fs,
    hint::black_box,
    time::{Duration, Instant},
};
use tokio::runtime::Runtime;

fn main() {
    worker::run_if_requested();
    let mut criterion = Criterion::default()
        .configure_from_args()
        .sample_size(20)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(5));
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("tokio");
    for kind in [PROCESS, THREAD] {
        one_run(&mut criterion, &tokio, kind);
        cold_run(&mut criterion, &tokio, kind);
        eight_at_once(&mut criterion, &tokio, kind);
        two_that_wait(&mut criterion, &tokio, kind);
        one_call(&mut criterion, &tokio, kind);
        parallel_calls(&mut criterion, &tokio, kind);
        large_result(&mut criterion, &tokio, kind);
        computation(&mut criterion, &tokio, kind);
        memory(&tokio, kind);
    }
    for kind in [JITLESS, NAMESPACES] {
        one_run(&mut criterion, &tokio, kind);
        cold_run(&mut criterion, &tokio, kind);
        one_call(&mut criterion, &tokio, kind);
        large_result(&mut criterion, &tokio, kind);
        computation(&mut criterion, &tokio, kind);
        memory(&tokio, kind);
    }
    one_run(&mut criterion, &tokio, REUSED);
    eight_at_once(&mut criterion, &tokio, REUSED);
    criterion.final_summary();
}

/// What scripts are run in.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    isolation: Isolation,
    jitless: bool,
    namespaces: bool,
    reuse: u32,
}

const PROCESS: Kind = Kind {
    name: "process",
    isolation: Isolation::Process,
    jitless: false,
    namespaces: false,
    reuse: 1,
};
const THREAD: Kind = Kind { name: "thread", isolation: Isolation::Thread, ..PROCESS };
const JITLESS: Kind = Kind { name: "process, jitless", jitless: true, ..PROCESS };
const NAMESPACES: Kind = Kind { name: "process, namespaces", namespaces: true, ..PROCESS };
const REUSED: Kind = Kind { name: "process, reused", reuse: 100, ..PROCESS };

fn limits() -> Limits {
    Limits { calls: 20_000, calls_in_flight: 100, ..Limits::default() }
}

fn sandbox(tokio: &Runtime, kind: Kind, warm: usize) -> Sandbox {
    let sleep = |input: Value| async move {
        let millis = input["ms"].as_u64().unwrap_or_default();
        tokio::time::sleep(Duration::from_millis(millis)).await;
        Ok(json!({}))
    };
    let entries = json!({ "content": [], "structuredContent": { "entries": entries() } });
    let logs = move |_| {
        let entries = entries.clone();
        async { Ok(entries) }
    };
    let any = json!({ "type": "object" });
    let tools = vec![
        LocalTool::new("echo", |input| async { Ok(input) }).output_schema(any.clone()),
        LocalTool::new("sleep", sleep).output_schema(any.clone()),
        LocalTool::with_whole_result("logs", logs).output_schema(any),
    ];
    let policy = Policy::default().allow("t_*").expect("a pattern");
    let sandbox = Sandbox::builder()
        .tools("t", tools)
        .policy(policy)
        .isolation(kind.isolation)
        .jitless(kind.jitless)
        .namespaces(kind.namespaces)
        .reuse(kind.reuse)
        .limits(limits())
        .server_calls(100)
        .warm(warm)
        .build();
    tokio.block_on(sandbox).expect("a sandbox")
}

/// 20,000 log entries, 4.2 MB of JSON.
fn entries() -> Vec<Value> {
    let entry = |n: u64| {
        json!({
            "timestamp": format!("2026-11-30T12:{:02}:{:02}.000Z", n / 60 % 60, n % 60),
            "level": if n.is_multiple_of(400) { "error" } else { "info" },
            "message": format!("request {n} took longer than expected; retried after {} ms", n % 97),
            "service": "checkout", "host": format!("node-{}", n % 12), "trace": format!("{n:032x}"),
        })
    };
    (0..20_000).map(entry).collect()
}

/// Runs to completion and gives the time that took.
fn timed(tokio: &Runtime, sandbox: &Sandbox, source: &str) -> Duration {
    let started = Instant::now();
    let report = tokio.block_on(sandbox.run(source));
    let took = started.elapsed();
    assert!(report.is_completed(), "{:?}", report.outcome);
    black_box(report);
    took
}

fn percentiles(what: &str, mut times: Vec<Duration>) {
    if times.is_empty() {
        // Another benchmark was asked for.
        return;
    }
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    let (p50, p99) = (at(50), at(99));
    eprintln!("{what}: p50 {p50:.2?}, p99 {p99:.2?} of {}", times.len());
}

/// `return 1`, from request to report, when a worker waits for it.
fn one_run(criterion: &mut Criterion, tokio: &Runtime, kind: Kind) {
    let sandbox = sandbox(tokio, kind, 1);
    let mut times = Vec::new();
    let id = format!("run/warm/{}", kind.name);
    criterion.bench_function(&id, |bench| {
        bench.iter_custom(|count| {
            let mut total = Duration::ZERO;
            for _ in 0..count {
                // The worker that takes the last one's place gets ready meanwhile.
                std::thread::sleep(Duration::from_millis(60));
                let took = timed(tokio, &sandbox, "return 1");
                times.push(took);
                total += took;
            }
            total
        });
    });
    percentiles(&id, times);
}

/// The same when no worker waits: a process or thread and an isolate are started for it.
fn cold_run(criterion: &mut Criterion, tokio: &Runtime, kind: Kind) {
    let sandbox = sandbox(tokio, kind, 0);
    let mut times = Vec::new();
    let id = format!("run/cold/{}", kind.name);
    criterion.bench_function(&id, |bench| {
        bench.iter_custom(|count| {
            let runs = (0..count).map(|_| timed(tokio, &sandbox, "return 1"));
            let runs: Vec<_> = runs.collect();
            times.extend_from_slice(&runs);
            runs.iter().sum()
        });
    });
    percentiles(&id, times);
}

fn eight_at_once(criterion: &mut Criterion, tokio: &Runtime, kind: Kind) {
    let sandbox = sandbox(tokio, kind, 8);
    let mut group = criterion.benchmark_group("runs-per-second");
    group.throughput(Throughput::Elements(64));
    group.sample_size(10);
    group.bench_function(kind.name, |bench| {
        bench.to_async(tokio).iter(|| async {
            let worker = |_| async {
                for _ in 0..8 {
                    assert!(sandbox.run("return 1").await.is_completed());
                }
            };
            futures::future::join_all((0..8).map(worker)).await
        });
    });
    group.finish();
}

/// Two runs that wait a second each: about one second, not two.
fn two_that_wait(criterion: &mut Criterion, tokio: &Runtime, kind: Kind) {
    let sandbox = sandbox(tokio, kind, 2);
    let mut group = criterion.benchmark_group("two-runs-waiting-1s");
    group.sample_size(10).measurement_time(Duration::from_secs(11));
    group.bench_function(kind.name, |bench| {
        bench.to_async(tokio).iter(|| async {
            let source = "await t_sleep({ ms: 1000 })";
            tokio::join!(sandbox.run(source), sandbox.run(source))
        });
    });
    group.finish();
}

/// One call of a tool in memory, one after another, without the cost of the run.
fn one_call(criterion: &mut Criterion, tokio: &Runtime, kind: Kind) {
    let sandbox = sandbox(tokio, kind, 1);
    criterion.bench_function(&format!("call/sequential/{}", kind.name), |bench| {
        bench.iter_custom(|count| {
            let count = count.clamp(1, 10_000);
            let source = format!(
                "for (let n = 0; n < 100; n++) await t_echo({{ n }});
                 const started = performance.now();
                 for (let n = 0; n < {count}; n++) await t_echo({{ n }});
                 return performance.now() - started;"
            );
            let report = tokio.block_on(sandbox.run(source));
            let Outcome::Completed { value: Some(millis) } = report.outcome else {
                panic!("{:?}", report.outcome)
            };
            Duration::from_secs_f64(millis.parse::<f64>().expect("a number") / 1000.0)
        });
    });
}

fn parallel_calls(criterion: &mut Criterion, tokio: &Runtime, kind: Kind) {
    let sandbox = sandbox(tokio, kind, 1);
    let source = "const started = performance.now();
        await Promise.all(Array.from({ length: 100 }, () => t_sleep({ ms: 20 })));
        return performance.now() - started;";
    in_script(criterion, tokio, &sandbox, &format!("call/100-of-20ms/{}", kind.name), source);
}

fn large_result(criterion: &mut Criterion, tokio: &Runtime, kind: Kind) {
    let sandbox = sandbox(tokio, kind, 1);
    let source = "const started = performance.now();
        const { entries } = await t_logs({});
        const errors = entries.filter((entry) => entry.level === 'error');
        for (const error of errors) await t_echo({ message: error.message });
        if (errors.length !== 50) throw new Error('' + errors.length);
        return performance.now() - started;";
    in_script(criterion, tokio, &sandbox, &format!("call/4MB-result/{}", kind.name), source);
}

/// What a script does between its calls: objects are grouped, sorted and matched, a number is
/// computed.
fn computation(criterion: &mut Criterion, tokio: &Runtime, kind: Kind) {
    let sandbox = sandbox(tokio, kind, 1);
    let objects = "const started = performance.now();
        const all = Array.from({ length: 50000 }, (_, n) => ({ n, key: 'k' + n % 100, text: `line ${n}` }));
        const groups = Map.groupBy(all.filter((one) => /[05]$/.test(one.text)), (one) => one.key);
        const sorted = [...groups].sort(([a], [b]) => a < b ? -1 : 1).map(([key, many]) => [key, many.length]);
        JSON.parse(JSON.stringify(sorted));
        return performance.now() - started;";
    in_script(criterion, tokio, &sandbox, &format!("compute/objects/{}", kind.name), objects);
    let numbers = "const started = performance.now();
        const fib = (n: number): number => n < 2 ? n : fib(n - 1) + fib(n - 2);
        fib(27);
        return performance.now() - started;";
    in_script(criterion, tokio, &sandbox, &format!("compute/numbers/{}", kind.name), numbers);
}

/// Measures by the clock of the script, which leaves out the start of the run.
fn in_script(
    criterion: &mut Criterion,
    tokio: &Runtime,
    sandbox: &Sandbox,
    id: &str,
    source: &str,
) {
    criterion.bench_function(id, |bench| {
        bench.iter_custom(|count| {
            let mut total = 0.0;
            for _ in 0..count {
                let report = tokio.block_on(sandbox.run(source));
                let Outcome::Completed { value: Some(millis) } = report.outcome else {
                    panic!("{:?}", report.outcome)
                };
                total += millis.parse::<f64>().expect("a number");
            }
            Duration::from_secs_f64(total / 1000.0)
        });
    });
}

/// Memory of an idle worker, and of a script that makes 10,000 calls. Not times, so not criterion's.
fn memory(tokio: &Runtime, kind: Kind) {
    let sandbox = sandbox(tokio, kind, 1);
    std::thread::sleep(Duration::from_secs(1));
    if kind.isolation == Isolation::Process {
        for worker in workers() {
            let rollup = fs::read_to_string(format!("/proc/{worker}/smaps_rollup"));
            let line = rollup.unwrap_or_default();
            let pss = line.lines().find(|line| line.starts_with("Pss:")).unwrap_or("Pss: unknown");
            eprintln!("idle worker ({}): {pss}", kind.name);
        }
    }
    for calls in [1_000, 10_000] {
        let source = format!(
            "let next = 0;
             const one = async () => {{ while (next++ < {calls}) await t_echo({{ next }}); }};
             await Promise.all(Array.from({{ length: 32 }}, one));"
        );
        let report = tokio.block_on(sandbox.run(Script::new(source)));
        let heap = report.usage.heap_bytes.unwrap_or_default() / 1024;
        eprintln!("{} calls, 32 at once ({}): heap {heap} KiB", report.usage.calls, kind.name);
    }
}

/// Child processes of this one.
fn workers() -> Vec<u32> {
    let parent = std::process::id().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid: &u32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
            fields.split_whitespace().nth(1) == Some(parent.as_str())
        })
        .collect()
}
