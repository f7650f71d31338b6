use super::*;
use crate::Kind;

#[tokio::test]
async fn a_good_call_returns_the_whole_result_and_the_checked_part() {
    let (run, _) = Scene::open().run().await;
    let answer = call(&run, "number", Value::Null).await.unwrap();
    assert_eq!(answer.structured(), Some(&json!({ "n": 1 })));
    let answer = call(&run, "echo", json!({ "n": 2 })).await.unwrap();
    assert_eq!(answer.structured(), None, "nothing was promised, so nothing was checked");
    assert_eq!(
        answer.result,
        json!({ "content": [{ "type": "text", "text": "{\"n\":2}" }], "structuredContent": { "n": 2 } })
    );
    let ledger = run.close();
    let entry = &ledger.entries()[1];
    assert_eq!((entry.id.number(), entry.argument_bytes), (2, 7));
    assert_eq!(entry.result_bytes, answer.result.to_string().len());
    assert_eq!(entry.decision.as_ref().unwrap().to_string(), "rule: allow");
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_unavailable() {
    let (run, reached) = Scene::open().run().await;
    let error = fault(&run, "ecko", json!({})).await;
    assert_eq!(error.kind, Kind::Unavailable);
    assert_eq!(error.message, "the server `s` has no tool `ecko`; did you mean `echo`?");
    let error = fault(&run, "unusable", json!({})).await;
    assert!(error.message.starts_with("the tool `unusable` cannot be called"), "{error}");
    let error = run.call(Request::new("t", "echo", json!({}))).await.unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (Kind::Unavailable, "there is no server `t`"));
    assert_eq!((states(&run), count(&reached)), (vec!["refused"; 3], 0));
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_not_sent() {
    let scene = Scene::open().limits(CallLimits::default().argument_bytes(20));
    let (run, reached) = scene.run().await;
    let error = fault(&run, "echo", json!({ "n": "x" })).await;
    assert_eq!(error.kind, Kind::InvalidInput);
    assert!(error.message.contains("at /n:"), "{error}");
    assert_eq!(fault(&run, "other", json!([1])).await.kind, Kind::InvalidInput);
    let error = fault(&run, "other", json!({ "long": "0123456789" })).await;
    assert_eq!(error.kind, Kind::Limit);
    assert_eq!(error.message, "arguments are 21 bytes, `argument_bytes` allows 20");
    assert!(call(&run, "other", json!({ "long": "012345678" })).await.is_ok());
    assert_eq!(states(&run), ["refused", "refused", "refused", "succeeded"]);
    assert_eq!(count(&reached), 1);
}

#[tokio::test]
async fn what_the_tool_reports_and_what_goes_wrong_in_it_are_two_kinds() {
    let (run, _) = Scene::open().run().await;
    let error = fault(&run, "fails", json!({})).await;
    assert_eq!((error.kind, error.message.as_str()), (Kind::Execution, "the disk is full"));
    assert_eq!(error.content.unwrap()[0]["text"], "the disk is full");
    let error = fault(&run, "panics", json!({})).await;
    assert_eq!((error.kind, error.code), (Kind::Protocol, Some(-32603)));
    assert_eq!(fault(&run, "nonsense", json!({})).await.kind, Kind::Protocol);
    assert_eq!(states(&run), ["failed"; 3]);
}

#[tokio::test]
async fn a_result_that_breaks_its_promise_is_invalid() {
    let (run, _) = Scene::open().run().await;
    let error = fault(&run, "text", json!({})).await;
    assert_eq!(error.kind, Kind::InvalidOutput);
    assert_eq!(error.structured_content, Some(json!("plain")));
    let error = fault(&run, "whole", json!({})).await;
    assert_eq!((error.kind, error.structured_content), (Kind::InvalidOutput, None));
}

#[tokio::test]
async fn a_result_may_fill_the_limit_but_not_pass_it() {
    let whole = r#"{"content":[{"text":"done","type":"text"}],"structuredContent":"done"}"#;
    for (bytes, passes) in [(whole.len(), true), (whole.len() - 1, false)] {
        let tool = LocalTool::new("t", |_| async { Ok(json!("done")) });
        let broker = Broker::builder()
            .local("s", vec![tool])
            .policy(Policy::default().rule(Rule::new(Action::Allow)))
            .limits(CallLimits::default().result_bytes(bytes));
        let run = broker.connect().await.unwrap().open_run();
        let outcome = call(&run, "t", json!({})).await.map_err(|error| error.kind);
        assert_eq!(outcome.is_ok(), passes);
        assert!(passes || outcome == Err(Kind::Limit));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_has_its_time_and_no_script_gets_more() {
    let limits = CallLimits::default().tool_timeout(Duration::from_secs(2));
    let (run, _) = Scene::open().limits(limits).run().await;
    let began = tokio::time::Instant::now();
    let error = fault(&run, "slow", json!({})).await;
    assert_eq!((error.kind, began.elapsed().as_secs()), (Kind::Timeout, 2));
    let request = Request::new("s", "slow", json!({})).timeout(Duration::from_secs(100));
    run.call(request).await.unwrap_err();
    assert_eq!(began.elapsed().as_secs(), 4);
    let request = Request::new("s", "slow", json!({})).timeout(Duration::from_secs(1));
    run.call(request).await.unwrap_err();
    assert_eq!(began.elapsed().as_secs(), 5);
    assert_eq!(states(&run), ["failed"; 3]);
}

#[tokio::test(start_paused = true)]
async fn a_server_works_on_a_bounded_number_of_calls() {
    let limits = CallLimits::default().server_calls(2);
    let (run, reached) = Scene::open().limits(limits).run().await;
    let began = tokio::time::Instant::now();
    let calls = (0..5).map(|_| call(&run, "slow", json!({})));
    let outcomes = futures::future::join_all(calls).await;
    assert!(outcomes.iter().all(Result::is_ok));
    assert_eq!((count(&reached), began.elapsed().as_secs()), (5, 30), "two at a time");

    let impatient = |_| {
        let request = Request::new("s", "slow", json!({})).timeout(Duration::from_secs(5));
        run.call(request)
    };
    let errors = futures::future::join_all((0..3).map(impatient)).await;
    assert!(errors.iter().all(|error| error.as_ref().unwrap_err().kind == Kind::Timeout));
    assert_eq!(states(&run)[5..], ["failed", "failed", "refused"], "the third was never sent");
    assert_eq!(count(&reached), 7);
}
