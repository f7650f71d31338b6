//! The pool of worker processes: who is used again, who waits, and how it ends.

use super::{Held, children};
use crate::hosts::{Host, block_on, short};
use cofferdam::{Isolation, Limits, Outcome, runtime::Limit};
use std::{collections::BTreeSet, time::Duration};

/// Leaves what it can behind, and tells what it finds.
const MARKS: &str = "
    const seen = [globalThis.mark, ([] as any).mark, (Promise.prototype as any).mark];
    globalThis.mark = (Array.prototype as any).mark = (Promise.prototype as any).mark = 1;
    setInterval(() => {}, 1);
    demo_sleep({ ms: 1 });
    return seen.filter((mark) => mark !== undefined).length;
";

#[test]
#[ignore = "runs in a process of its own"]
fn a_worker_that_is_used_again_keeps_nothing_of_its_runs() {
    block_on(async {
        let host =
            Host::with(Isolation::Process, short(), |builder| builder.warm(0).reuse(3)).await;
        let mut workers = BTreeSet::new();
        for run in 0..9 {
            let report = host.sandbox.run(MARKS).await;
            let nothing = Outcome::Completed { value: Some("0".into()) };
            assert_eq!(report.outcome, nothing, "run {run}");
            workers.extend(children());
        }
        // The last one of each was collected before anybody looked.
        assert!((2..=3).contains(&workers.len()), "{workers:?}");
    });
}

#[test]
#[ignore = "runs in a process of its own"]
fn a_worker_that_passed_a_limit_or_crashed_is_not_used_again() {
    block_on(async {
        let host =
            Host::with(Isolation::Process, short(), |builder| builder.warm(0).reuse(100)).await;
        let limits = Limits { cpu: Duration::from_millis(300), ..short() };
        for bad in ["for (;;);", "const a = []; for (;;) a.push(new Array(1e5))"] {
            assert!(host.sandbox.run("return 1").await.is_completed());
            let before = children();
            assert_eq!(before.len(), 1, "one waits to be used again");
            let report = host.sandbox.run(cofferdam::Script::new(bad).limits(limits.clone())).await;
            assert!(!report.is_completed());
            gone(before[0]).await;
        }
        assert!(host.sandbox.run("return 1").await.is_completed());
    });
}

/// Waits until a worker has been collected.
async fn gone(worker: u32) {
    for _ in 0..1000 {
        if !children().contains(&worker) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{worker} lives on");
}

#[test]
#[ignore = "runs in a process of its own"]
fn runs_wait_in_order_and_not_without_end() {
    block_on(async {
        let host =
            Host::with(Isolation::Process, short(), |builder| builder.at_once(1).waiting(3)).await;
        let script = |n: usize| format!("await demo_sleep({{ ms: 100 }}); return {n}");
        let order = std::sync::Mutex::new(Vec::new());
        let runs = (0..5).map(|n| {
            let (host, order) = (&host, &order);
            async move {
                let report = host.sandbox.run(script(n)).await;
                order.lock().expect("a lock").push(n);
                report.outcome
            }
        });
        let outcomes = futures::future::join_all(runs).await;
        let refused = |outcome: &Outcome| {
            matches!(outcome, Outcome::LimitExceeded { limit: Limit::Waiting, .. })
        };
        let seen: Vec<_> = outcomes.iter().map(refused).collect();
        assert_eq!(seen, [false, false, false, false, true]);
        assert_eq!(*order.lock().expect("a lock"), [4, 0, 1, 2, 3]);
    });
}

#[test]
#[ignore = "runs in a process of its own"]
fn shutdown_lets_runs_end_and_leaves_nothing() {
    // What the process opens once.
    block_on(async { Host::new(Isolation::Process, short()).await.sandbox.run("return 1").await });
    let before = Held::settled();
    block_on(async {
        let host =
            Host::with(Isolation::Process, short(), |builder| builder.at_once(1).warm(3).reuse(5))
                .await;
        let running = host.sandbox.run("await demo_sleep({ ms: 500 }); return 'the end'");
        let under_way = async {
            while host.calls() == 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let shutdown = async {
            under_way.await;
            // Polled first, so the run stands in line before the end comes.
            tokio::join!(host.sandbox.run("return 'never'"), host.sandbox.shutdown()).0
        };
        let (running, waiting) = tokio::join!(running, shutdown);
        let value = Some("\"the end\"".to_owned());
        assert_eq!(running.outcome, Outcome::Completed { value });
        assert_eq!(waiting.outcome, Outcome::Cancelled);
        assert_eq!(host.sandbox.run("return 1").await.outcome, Outcome::Cancelled);
        for worker in children() {
            gone(worker).await;
        }
    });
    assert_eq!(before, Held::settled());
}
