//! Many runs in one host: `make soak` runs these, one at a time. They print what they measured.

use crate::{
    alone::{Held, kills::kill_workers},
    hosts::{Host, ISOLATIONS, block_on},
};
use cofferdam::{Limits, Outcome, Script, runtime::Limit};
use futures::{StreamExt, stream};
use std::{
    fs,
    time::{Duration, Instant},
};

const RUNS: usize = 10_000;
const AT_ONCE: usize = 16;

/// How a script has to end.
type Expected = fn(&Outcome) -> bool;

const HONEST: [(&str, Expected); 8] = [
    ("return 1", is_completed),
    ("return (await demo_echo({ a: 'b' })).a", is_completed),
    ("for (let i = 0; i < 20; i++) await demo_echo({ i }); return 'done'", is_completed),
    ("return (await Promise.all([1, 2, 3].map((n) => demo_echo({ n })))).length", is_completed),
    (
        "console.log(new Map([[1, { a: [1, 2] }]])); return new URL('https://a.b/').host",
        is_completed,
    ),
    ("return (await demo_count({ many: 5000 })).json<number[]>().length", is_completed),
    ("await new Promise((r) => setTimeout(r, 20)); enum E { A } return E.A", is_completed),
    ("throw new Error('a mistake')", is_thrown),
];

const HOSTILE: [(&str, Expected); 8] = [
    ("const f = () => f(); f()", is_thrown),
    ("Promise.reject(new Error('nobody waits')); await new Promise(() => {})", is_thrown),
    ("Error.prepareStackTrace = () => { throw 1 }; (null as any).x", is_thrown),
    ("demo_sleep({ ms: 60000 }); throw 1", is_thrown),
    (
        "Object.defineProperty(Object.prototype, 'kind', { set() { throw 1 } }); await demo_echo({})",
        is_completed,
    ),
    ("for (let i = 0; i < 900; i++) setInterval(() => {}, 1); return 1", is_completed),
    ("for (let i = 0; i < 1e4; i++) console.log('x'.repeat(1000)); return 1", is_completed),
    ("try { await import('ext:core/ops') } catch { await demo_denied({}) }", is_thrown),
];

/// These use up a clock or the memory, so there are fewer of them, or the test would only wait.
const GREEDY: [(&str, Expected); 4] = [
    ("for (;;) console.log('x'.repeat(1000))", is_out_of_cpu),
    ("const again = () => { Promise.resolve().then(again) }; again()", is_out_of_cpu),
    ("const kept = []; for (;;) kept.push(new Array(1e6).fill(1))", is_out_of_memory),
    ("const kept = []; for (;;) kept.push(new Uint8Array(1e6))", is_out_of_buffers),
];

fn is_completed(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Completed { .. })
}

fn is_thrown(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Threw { .. })
}

fn is_out_of_cpu(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::TimedOut { .. })
}

fn is_out_of_memory(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::MemoryExceeded { .. })
}

fn is_out_of_buffers(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::LimitExceeded { limit: Limit::ArrayBufferBytes, .. })
}

#[test]
#[ignore = "takes minutes; `make soak` runs it"]
fn ten_thousand_runs_end_as_expected_and_leave_nothing() {
    let limits = Limits {
        cpu: Duration::from_millis(500),
        wall: Duration::from_secs(60),
        heap_bytes: 32 << 20,
        array_buffer_bytes: 16 << 20,
        ..Limits::default()
    };
    for isolation in ISOLATIONS {
        let begun = Held::settled();
        let started = Instant::now();
        let mut memory = Vec::new();
        block_on(async {
            let host =
                Host::with(isolation, limits.clone(), |builder| builder.at_once(AT_ONCE).warm(4))
                    .await;
            let runs = stream::iter(0..RUNS).map(|n| {
                let (source, expected) = script(n);
                let run = host.sandbox.run(Script::new(source));
                async move { (source, expected, run.await) }
            });
            let mut runs = runs.buffer_unordered(AT_ONCE);
            let mut ended = 0;
            while let Some((source, expected, report)) = runs.next().await {
                assert!(expected(&report.outcome), "{isolation:?}: {source}\n{:?}", report.outcome);
                ended += 1;
                if ended % (RUNS / 10) == 0 {
                    memory.push(resident_mib());
                }
            }
            drop(runs);
            host.sandbox.shutdown().await;
        });
        println!(
            "{isolation:?}: {RUNS} runs, {AT_ONCE} at once, in {:.0} s; memory of the host after each tenth, in MiB: {memory:?}",
            started.elapsed().as_secs_f64()
        );
        let (warm, end) = (memory[2], memory[9]);
        assert!(end <= warm + warm / 4 + 16, "{isolation:?}: the host grows: {memory:?}");
        let left = Held::settled();
        assert!(left.is_within(&begun), "{isolation:?}\n{begun:?}\n{left:?}");
    }
}

#[test]
#[ignore = "takes a minute; `make soak` runs it"]
fn five_hundred_workers_are_killed() {
    let started = Instant::now();
    kill_workers(500);
    println!("500 workers killed in {:.0} s", started.elapsed().as_secs_f64());
}

/// Half of them hostile; one in fifty greedy.
fn script(n: usize) -> (&'static str, Expected) {
    match n % 50 {
        49 => GREEDY[n / 50 % GREEDY.len()],
        other if other % 2 == 0 => HONEST[other / 2 % HONEST.len()],
        other => HOSTILE[other / 2 % HOSTILE.len()],
    }
}

fn resident_mib() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("/proc");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    let kib = line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number");
    kib / 1024
}
