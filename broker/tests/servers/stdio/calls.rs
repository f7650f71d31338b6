use std::time::Duration;

use broker::{CallLimits, Kind, Request, ServerState};
use serde_json::json;

use super::{Notes, call, fault, fixture, noting, reached};
use crate::broker;

#[tokio::test]
async fn every_bad_answer_has_its_kind() {
    let broker = reached("good").await;
    let error = fault(&broker, "fails").await;
    assert_eq!(
        (error.kind, error.message.as_str()),
        (Kind::Execution, "the disk is full\ntry later")
    );
    assert_eq!(error.content.unwrap()[1]["text"], "try later");
    assert_eq!(error.structured_content, Some(json!({ "why": 1 })));

    let error = fault(&broker, "rpc_error").await;
    assert_eq!((error.kind, error.code), (Kind::Protocol, Some(-32602)));
    assert_eq!(error.message, "bad parameters, says the server");

    for (tool, kind) in [
        ("scalar", Kind::Protocol),
        ("deep", Kind::Protocol),
        ("asks", Kind::Protocol),
        ("no_structured", Kind::InvalidOutput),
        ("bad_structured", Kind::InvalidOutput),
    ] {
        let error = fault(&broker, tool).await;
        assert_eq!(error.kind, kind, "{tool}: {error}");
    }
    let error = call(&broker, "echo", json!({ "text": 1 })).await.unwrap_err();
    assert_eq!(error.kind, Kind::InvalidInput);
    assert!(call(&broker, "echo", json!({})).await.is_ok(), "the server has survived all that");
}

#[tokio::test]
async fn what_nobody_here_knows_of_passes_unchanged() {
    let answer = call(&reached("good").await, "odd_content", json!({})).await.unwrap();
    assert_eq!(answer.result["content"][0], json!({ "type": "hologram", "depth": 3 }));
    assert_eq!(answer.result["content"][1]["extra"], json!([1]));
    assert_eq!(answer.result["topLevel"], "kept");
}

#[tokio::test]
async fn a_result_that_is_too_large_is_a_limit() {
    let broker = broker(fixture("good"), CallLimits::default().result_bytes(100_000)).await;
    // A little too large, and too large even to be read.
    for bytes in [110_000, 5_000_000] {
        let error = call(&broker, "big", json!({ "bytes": bytes })).await.unwrap_err();
        assert_eq!(error.kind, Kind::Limit, "{error}");
    }
    assert!(call(&broker, "big", json!({ "bytes": 1000 })).await.is_ok());
}

#[tokio::test]
async fn a_call_out_of_time_is_cancelled_at_the_server() {
    let notes = Notes::new("timeout");
    let broker = broker(noting("good", &notes), CallLimits::default()).await;
    let run = broker.open_run();
    let request = Request::new("s", "slow", json!({})).timeout(Duration::from_millis(300));
    assert_eq!(run.call(request).await.unwrap_err().kind, Kind::Timeout);
    notes.wait_for("cancelled").await;
    assert_eq!(run.close().entries()[0].state.as_str(), "failed");
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_and_unknown() {
    let notes = Notes::new("dropped");
    let broker = broker(noting("good", &notes), CallLimits::default()).await;
    let run = broker.open_run();
    let pending = run.call(Request::new("s", "slow", json!({})));
    tokio::select! {
        _ = pending => panic!("it answered"),
        () = notes.wait_for("called slow") => {}
    }
    notes.wait_for("cancelled").await;
    assert_eq!(run.ledger().entries()[0].state.as_str(), "unknown");
    assert!(run.call(Request::new("s", "echo", json!({}))).await.is_ok());
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_is_started_again_for_the_next() {
    let notes = Notes::new("dies");
    let broker = broker(noting("good", &notes), CallLimits::default()).await;
    let error = fault(&broker, "dies").await;
    assert_eq!(error.kind, Kind::Unavailable);
    assert!(error.message.contains("it ended with code 7"), "{error}");
    let status = broker.servers().remove(0);
    assert!(matches!(status.state, ServerState::Failed { .. }), "{status:?}");
    assert_eq!(status.stderr.as_deref(), Some("out of memory\n"), "its last words are kept");
    assert!(call(&broker, "echo", json!({})).await.is_ok());
    let text = notes.text();
    assert_eq!(text.matches("called dies").count(), 1, "no call is sent again: {text}");
    // What it turned out to be is known by now, so the modern question is not asked again.
    assert_eq!(text.lines().filter(|line| *line == "discover").count(), 1, "{text}");
    assert_eq!(text.lines().filter(|line| *line == "initialize").count(), 2, "{text}");
}

#[tokio::test]
async fn many_calls_share_one_pipe() {
    let broker = reached("good").await;
    let run = broker.open_run();
    let calls = (0..200).map(|n| {
        let run = run.clone();
        async move {
            let text = n.to_string();
            let answer =
                run.call(Request::new("s", "echo", json!({ "text": text }))).await.unwrap();
            assert_eq!(
                answer.result["content"][0]["text"],
                json!({ "text": text }).to_string().replace(':', ": ")
            );
        }
    });
    futures::future::join_all(calls).await;
    assert!(run.close().entries().iter().all(|entry| entry.state.as_str() == "succeeded"));
}
