//! What an approval covers, and for how long.

use std::sync::Mutex;

use async_trait::async_trait;
use tokio::sync::Notify;

use super::answers::{Answers, asking};
use super::*;
use crate::policy::ValueIs;
use crate::{Allowance, Approver, ArgumentIs, Decision, Kind, PendingCall, RunOptions, Scope};

fn where_n_is(scope: Scope, least: f64) -> Decision {
    let arguments = vec![ArgumentIs::new("/n", [ValueIs::Min(least)]).unwrap()];
    Decision::AllowWhere { scope, arguments }
}

fn decisions(run: &Run) -> Vec<String> {
    let said = |decision: &Option<Allowance>| decision.as_ref().map(ToString::to_string);
    run.ledger().entries().iter().map(|e| said(&e.decision).unwrap_or_default()).collect()
}

#[tokio::test]
async fn a_grant_with_conditions_covers_the_calls_that_meet_them() {
    let approver = Answers::each([where_n_is(Scope::Run, 10.0)]);
    let (broker, reached) = asking(&approver).await;
    let run = broker.open_run();
    call(&run, "echo", json!({ "n": 10 })).await.unwrap();
    call(&run, "echo", json!({ "n": 11 })).await.unwrap();
    assert_eq!(fault(&run, "echo", json!({ "n": 9 })).await.kind, Kind::Denied);
    assert_eq!(fault(&run, "other", json!({ "n": 11 })).await.kind, Kind::Denied, "another tool");
    assert_eq!(
        decisions(&run),
        ["approved for the run, grant g1", "covered by the grant g1 for the run", "", ""]
    );
    assert_eq!((approver.asked(), count(&reached)), (3, 2));
    let grants: Vec<_> = run.grants().iter().map(ToString::to_string).collect();
    assert_eq!(grants, ["g1: s/echo for the run where /n >= 10"]);
}

#[tokio::test]
async fn grants_are_listed_where_they_hold_and_end_with_their_scope() {
    let approver = Answers::each([Decision::Allow(Scope::Session), Decision::Allow(Scope::Run)]);
    let (broker, _) = asking(&approver).await;
    let run = broker.open_run();
    call(&run, "echo", json!({ "n": 1 })).await.unwrap();
    call(&run, "other", json!({})).await.unwrap();
    let list = |grants: Vec<crate::Grant>| -> Vec<String> {
        grants.iter().map(ToString::to_string).collect()
    };
    assert_eq!(list(broker.grants()), ["g1: s/echo for the session", "g2: s/other for the run"]);
    assert_eq!(list(run.grants()), ["g2: s/other for the run"]);
    assert_eq!(run.grants()[0].given_with.number(), 2);
    assert_eq!(
        broker.grants().iter().map(|grant| grant.run).collect::<Vec<_>>(),
        [None, Some(run.id())]
    );
    run.close();
    assert!(run.grants().is_empty(), "the run is over");
    assert_eq!(broker.grants().len(), 1);
    broker.shutdown().await;
    assert!(broker.grants().is_empty(), "the session is over");
}

#[tokio::test]
async fn a_revoked_grant_covers_nothing_more() {
    let approver = Answers::each([Decision::Allow(Scope::Session), Decision::Allow(Scope::Run)]);
    let (broker, reached) = asking(&approver).await;
    let run = broker.open_run();
    call(&run, "other", json!({})).await.unwrap();
    let session = broker.grants()[0].id;
    assert!(!run.revoke(session), "it is not the run's");
    assert!(broker.revoke(session) && !broker.revoke(session));
    call(&run, "other", json!({})).await.unwrap();
    let of_run = run.grants()[0].id;
    assert!(broker.revoke(of_run) && !run.revoke(of_run));
    assert_eq!(fault(&run, "other", json!({})).await.kind, Kind::Denied);
    assert_eq!((approver.asked(), count(&reached)), (3, 2));
}

#[tokio::test(start_paused = true)]
async fn a_grant_that_is_revoked_while_its_call_waits_for_a_turn_does_not_let_it_pass() {
    let approver = Answers::each([Decision::Allow(Scope::Run)]);
    let (broker, reached) = {
        let limits = CallLimits::default().server_calls(1);
        let scene = Scene::shut().limits(limits);
        let approver: Arc<dyn Approver> = Arc::<Answers>::clone(&approver);
        (scene.builder.approver(approver).connect().await.unwrap(), scene.reached)
    };
    let run = broker.open_run();
    let revoke = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(run.revoke(run.grants()[0].id));
    };
    let (first, second, ()) =
        tokio::join!(call(&run, "slow", json!({})), call(&run, "slow", json!({})), revoke);
    assert!(first.is_ok(), "it was approved itself");
    assert_eq!(second.unwrap_err().kind, Kind::Denied, "it was asked about again");
    assert_eq!(decisions(&run), ["approved for the run, grant g1", ""]);
    assert_eq!((approver.asked(), count(&reached)), (2, 1));
}

#[tokio::test]
async fn whoever_is_asked_sees_the_call_before_of_the_same_tool() {
    let approver = Answers::each([]);
    let (broker, _) = asking(&approver).await;
    let run = broker.open_run_with(RunOptions::default().label("nightly"));
    for (tool, n) in [("echo", 1), ("other", 2), ("echo", 3), ("echo", 4)] {
        fault(&run, tool, json!({ "n": n })).await;
    }
    let long = json!({ "n": 5, "text": "x".repeat(70_000) });
    fault(&run, "echo", long).await;
    fault(&run, "echo", json!({ "n": 6 })).await;
    let another = broker.open_run();
    fault(&another, "echo", json!({ "n": 7 })).await;
    let asked = approver.asked.lock().unwrap();
    let previous: Vec<_> = asked
        .iter()
        .map(|call| call.previous.as_ref().map(|p| (p.id.number(), p.arguments["n"].clone())))
        .collect();
    let expected =
        [None, None, Some((1, json!(1))), Some((3, json!(3))), Some((4, json!(4))), None, None];
    assert_eq!(previous, expected, "what is very long is not kept, and another run is another");
    assert_eq!(asked[0].label.as_deref(), Some("nightly"));
    assert_eq!(asked[3].calls_so_far, 3);
}

/// Waits to be let go on.
#[derive(Default)]
struct Patient {
    waiting: Mutex<Vec<usize>>,
    go_on: Notify,
}

#[async_trait]
impl Approver for Patient {
    async fn approve(&self, call: &PendingCall) -> Decision {
        self.waiting.lock().unwrap().push(call.calls_waiting);
        self.go_on.notified().await;
        Decision::Allow(Scope::Once)
    }
}

#[tokio::test]
async fn whoever_is_asked_hears_how_many_calls_wait_beside() {
    let approver = Arc::new(Patient::default());
    let run = Scene::shut().builder.approver(approver.clone()).connect().await.unwrap().open_run();
    let answer = async {
        while approver.waiting.lock().unwrap().len() < 3 {
            tokio::task::yield_now().await;
        }
        approver.go_on.notify_waiters();
    };
    let call = || call(&run, "other", json!({}));
    let (a, b, c, ()) = tokio::join!(call(), call(), call(), answer);
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    approver.go_on.notify_one();
    call().await.unwrap();
    assert_eq!(*approver.waiting.lock().unwrap(), [0, 1, 2, 0]);
}
