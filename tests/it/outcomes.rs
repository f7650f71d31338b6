//! How runs end that are ended from outside, and what is left when they have.

use crate::hosts::{Host, ISOLATIONS, block_on, short};
use cofferdam::{
    Approver, Decision, Isolation, Limits, Outcome, PendingCall, Policy, Scope, Script,
    WorkerProgram, broker::State,
};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

pub(crate) const WAITS: &str =
    "console.log('kept'); await demo_echo({}); await demo_sleep({ ms: 60000 });";
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
        Decision::Allow(Scope::Once)
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
