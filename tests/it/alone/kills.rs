//! Workers that are killed at any moment.

use super::{children, kill};
use crate::hosts::{Host, block_on, short};
use cofferdam::{Isolation, Outcome};
use std::time::Duration;

/// Has a call under way at all times, and prints after each that has ended.
const BUSY: &str = "
    demo_sleep({ ms: 60000 });
    for (let n = 0; ; n++) { await demo_echo({ n }); console.log(n) }
";

#[test]
#[ignore = "runs in a process of its own"]
fn a_worker_killed_at_any_moment_is_a_crash_that_keeps_console_and_ledger() {
    kill_workers(40);
}

/// Kills one in each of so many runs.
pub(crate) fn kill_workers(times: u64) {
    block_on(async {
        let host = Host::with(Isolation::Process, short(), |builder| builder.warm(0)).await;
        for round in 0..times {
            let before = host.calls();
            let killer = async {
                while host.calls() == before {
                    tokio::task::yield_now().await;
                }
                // Spread over the next 20 ms, in an order that looks like none.
                let moment = Duration::from_micros(round * 7919 % 20_000);
                tokio::time::sleep(moment).await;
                let workers = children();
                assert_eq!(workers.len(), 1);
                kill(workers[0]);
            };
            let (report, ()) = tokio::join!(host.sandbox.run(BUSY), killer);
            let Outcome::Crashed { message } = &report.outcome else {
                panic!("round {round}: {:?}", report.outcome)
            };
            assert!(message.contains("SIGKILL"), "{message}");
            let entries = report.ledger.entries();
            let states: Vec<_> = entries.iter().map(|entry| entry.state.as_str()).collect();
            assert_eq!(states[0], "unknown", "the long call was under way");
            let (last, done) = states[1..].split_last().unwrap_or((&"unknown", &[]));
            assert!(done.iter().all(|state| *state == "succeeded"), "{states:?}");
            assert!(["unknown", "succeeded"].contains(last), "{states:?}");
            // A line is printed after its call, so there is none without.
            let succeeded = states.iter().filter(|state| **state == "succeeded").count();
            let lines: Vec<_> = report.console.lines.iter().map(|line| line.text.clone()).collect();
            let counted: Vec<_> = (0..lines.len()).map(|n| n.to_string()).collect();
            assert_eq!(lines, counted);
            assert!(
                lines.len() <= succeeded && succeeded <= lines.len() + 1,
                "{states:?} {lines:?}"
            );
            assert_eq!(entries.len(), host.calls() - before, "what the tools saw");
        }
    });
}
