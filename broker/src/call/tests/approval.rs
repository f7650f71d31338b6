use std::sync::Mutex;

use super::answers::{Answers, asking};
use super::*;
use crate::{Allowance, Approver, Decision, Kind, Scope};

fn decision(run: &Run, index: usize) -> Option<Allowance> {
    run.ledger().entries()[index].decision.clone()
}

#[tokio::test]
async fn without_anybody_to_ask_a_call_is_denied_and_told_how_to_allow_it() {
    let (run, reached) = Scene::shut().run().await;
    let error = fault(&run, "other", json!({})).await;
    assert_eq!(error.kind, Kind::Denied);
    assert_eq!(
        error.message,
        "`s_other` needs approval and there is nobody to ask; `--allow 's_other'` or the rule \
         { \"action\": \"allow\", \"tools\": \"s_other\" } under `policy` allows it"
    );
    assert_eq!((states(&run), count(&reached)), (vec!["refused"], 0));
}

#[tokio::test]
async fn a_rule_that_denies_is_final_and_gives_its_reason() {
    let scene = Scene::shut();
    let rule = Rule::new(Action::Deny).tools("s/other".parse().unwrap()).reason("not today");
    let approver: Arc<dyn Approver> = Answers::slowly(Decision::Allow(Scope::Session));
    let builder = scene.builder.policy(Policy::default().rule(rule)).approver(approver);
    let run = builder.connect().await.unwrap().open_run();
    let error = fault(&run, "other", json!({})).await;
    assert_eq!(error.message, "denied by the rule `deny s/other`: not today");
    assert_eq!((error.kind, count(&scene.reached)), (Kind::Denied, 0));
}

#[tokio::test(start_paused = true)]
async fn a_denied_call_never_reaches_the_tool() {
    let approver = Answers::slowly(Decision::Deny { reason: "I said no".to_owned() });
    let (broker, reached) = asking(&approver).await;
    let run = broker.open_run();
    for _ in 0..2 {
        let error = fault(&run, "other", json!({})).await;
        assert_eq!((error.kind, error.message.as_str()), (Kind::Denied, "denied: I said no"));
    }
    assert_eq!((approver.asked(), count(&reached)), (2, 0), "a denial is not kept");
}

#[tokio::test(start_paused = true)]
async fn whoever_is_asked_sees_what_will_be_sent() {
    let approver = Answers::slowly(Decision::Allow(Scope::Once));
    let (broker, _) = asking(&approver).await;
    let run = broker.open_run();
    call(&run, "other", json!({ "first": true })).await.unwrap();
    run.call(Request::new("s", "echo", json!({ "n": 3 })).line(7)).await.unwrap();
    let asked = approver.asked.lock().unwrap();
    let pending = &asked[1];
    assert_eq!((pending.server.as_str(), pending.tool.as_str()), ("s", "echo"));
    assert_eq!(Value::Object(pending.arguments.clone()), json!({ "n": 3 }));
    assert_eq!((pending.line, pending.calls_so_far, pending.id.number()), (Some(7), 1, 2));
    assert_eq!(decision(&run, 1), Some(Allowance::Approved { scope: Scope::Once, grant: None }));
}

#[tokio::test(start_paused = true)]
async fn a_grant_lasts_as_long_as_it_says() {
    for (grant, asked_in_run, asked_in_next) in
        [(Scope::Once, 2, 3), (Scope::Run, 1, 2), (Scope::Session, 1, 1)]
    {
        let approver = Answers::slowly(Decision::Allow(grant));
        let (broker, _) = asking(&approver).await;
        let run = broker.open_run();
        call(&run, "other", json!({})).await.unwrap();
        call(&run, "other", json!({})).await.unwrap();
        assert_eq!(approver.asked(), asked_in_run, "{grant:?}");
        let said = decision(&run, 1).map(|decision| decision.to_string());
        let expected = match grant {
            Scope::Once => "approved once".to_owned(),
            longer => format!("covered by the grant g1 {longer}"),
        };
        assert_eq!(said, Some(expected));
        call(&broker.open_run(), "other", json!({})).await.unwrap();
        assert_eq!(approver.asked(), asked_in_next, "{grant:?}");
        call(&run, "echo", json!({ "n": 1 })).await.unwrap();
        assert_eq!(approver.asked(), asked_in_next + 1, "another tool is another question");
    }
}

#[tokio::test(start_paused = true)]
async fn one_answer_for_the_run_settles_the_calls_that_wait_beside_it() {
    let approver = Answers::slowly(Decision::Allow(Scope::Run));
    let (broker, reached) = asking(&approver).await;
    let run = broker.open_run();
    let mut calls: Vec<_> = (0..3).map(|_| Box::pin(call(&run, "other", json!({})))).collect();
    let began = tokio::time::Instant::now();
    let first = calls.remove(0);
    let late = async {
        // These are asked half a second later, and answered with the first.
        tokio::time::sleep(Duration::from_millis(500)).await;
        futures::future::join_all(calls).await
    };
    let (first, late) = tokio::join!(first, late);
    assert!(first.is_ok() && late.iter().all(Result::is_ok));
    assert_eq!(began.elapsed().as_secs(), 1);
    assert_eq!((approver.asked(), count(&reached)), (3, 3));
    let id = run.grants()[0].id;
    assert_eq!(decision(&run, 2), Some(Allowance::Granted { id, scope: Scope::Run }));
}

#[tokio::test(start_paused = true)]
async fn the_caller_is_told_when_somebody_is_being_asked() {
    let approver = Answers::slowly(Decision::Allow(Scope::Once));
    let (broker, _) = asking(&approver).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let request = || {
        let told = Arc::clone(&told);
        Request::new("s", "other", json!({})).waiting(move |waits| told.lock().unwrap().push(waits))
    };
    let run = broker.open_run();
    run.call(request()).await.unwrap();
    assert_eq!(*told.lock().unwrap(), [true, false]);
    // The same if the script does not wait for the answer.
    let impatient = tokio::time::timeout(Duration::from_millis(10), run.call(request()));
    assert!(impatient.await.is_err());
    assert_eq!(*told.lock().unwrap(), [true, false, true, false]);
    assert_eq!(states(&run), ["succeeded", "refused"]);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_run_takes_the_question_back() {
    let approver = Answers::slowly(Decision::Allow(Scope::Session));
    let (broker, reached) = asking(&approver).await;
    let run = broker.open_run();
    let end = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        run.close()
    };
    let (outcome, ledger) = tokio::join!(call(&run, "other", json!({})), end);
    assert_eq!(outcome.unwrap_err().kind, Kind::Cancelled);
    assert_eq!(ledger.entries()[0].state.as_str(), "refused");
    call(&broker.open_run(), "other", json!({})).await.unwrap();
    assert_eq!((approver.asked(), count(&reached)), (2, 1), "the late answer has granted nothing");
}
