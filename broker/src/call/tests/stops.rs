//! Runs that end from within, and questions that nobody answers.

use async_trait::async_trait;

use super::*;
use crate::{Approver, Decision, Kind, PendingCall, Scope, Stop};

/// Stops the run when it is asked about `fails`, allows `slow`, and never answers else.
struct Stopper;

#[async_trait]
impl Approver for Stopper {
    async fn approve(&self, call: &PendingCall) -> Decision {
        match call.tool.as_str() {
            "fails" => {
                tokio::time::sleep(Duration::from_secs(1)).await;
                Decision::Stop { reason: "enough".to_owned() }
            }
            "slow" => Decision::Allow(Scope::Session),
            _ => std::future::pending().await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_is_asked_can_end_the_run() {
    let scene = Scene::shut();
    let broker = scene.builder.approver(Arc::new(Stopper)).connect().await.unwrap();
    let run = broker.open_run();
    let (stopped, sent, waiting, ()) = tokio::join!(
        call(&run, "fails", json!({})),
        call(&run, "slow", json!({})),
        call(&run, "other", json!({})),
        run.ended(),
    );
    let error = stopped.unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (Kind::Cancelled, "the run was stopped: enough")
    );
    assert_eq!(sent.unwrap_err().kind, Kind::Cancelled);
    assert_eq!(waiting.unwrap_err().message, "the run was stopped: enough");
    assert_eq!(states(&run), ["refused", "unknown", "refused"]);
    let Some(Stop::Asked { call: id, reason }) = run.stop() else { panic!("not stopped") };
    assert_eq!((id.number(), reason.as_str()), (1, "enough"));
    let late = fault(&run, "slow", json!({})).await;
    assert_eq!(
        (late.kind, late.message.as_str()),
        (Kind::Cancelled, "the run was stopped: enough")
    );
    assert_eq!(count(&scene.reached), 1);
    run.close();
    assert!(run.stop().is_some(), "the first end counts");
    call(&broker.open_run(), "slow", json!({})).await.unwrap();
}

#[tokio::test]
async fn a_run_ends_with_one_denial_more_than_it_may_have() {
    let limits = CallLimits::default().denials(2);
    let policy = Policy::default().deny("s_other").unwrap().allow("s_*").unwrap();
    let scene = Scene::shut().limits(limits);
    let run = scene.builder.policy(policy).connect().await.unwrap().open_run();
    for _ in 0..2 {
        assert_eq!(fault(&run, "other", json!({})).await.kind, Kind::Denied);
    }
    assert_eq!(run.stop(), None);
    call(&run, "number", Value::Null).await.unwrap();
    assert_eq!(fault(&run, "fails", json!({})).await.kind, Kind::Execution, "not a denial");
    assert_eq!(fault(&run, "other", json!({})).await.kind, Kind::Denied);
    let last = "denied by the rule `deny s_other`".to_owned();
    assert_eq!(run.stop(), Some(Stop::Denials { limit: 2, last }));
    let late = fault(&run, "number", Value::Null).await;
    assert_eq!(late.kind, Kind::Cancelled);
    assert_eq!(
        late.message,
        "the run was stopped: more than 2 calls were denied (`denials`), the last: denied by the \
         rule `deny s_other`"
    );
    assert_eq!(count(&scene.reached), 2);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_answers_in_time_is_a_denial() {
    let limits = CallLimits::default().approval_wait(Duration::from_secs(30)).denials(0);
    let scene = Scene::shut().limits(limits);
    let run = scene.builder.approver(Arc::new(Stopper)).connect().await.unwrap().open_run();
    let began = tokio::time::Instant::now();
    let error = fault(&run, "other", json!({})).await;
    assert_eq!(error.kind, Kind::Denied);
    assert_eq!(error.message, "denied: nobody answered within 30s (`approval_wait`)");
    assert_eq!(began.elapsed().as_secs(), 30);
    assert_eq!((states(&run), count(&scene.reached)), (vec!["refused"], 0));
    assert!(matches!(run.stop(), Some(Stop::Denials { limit: 0, .. })), "and counts as one");
}
