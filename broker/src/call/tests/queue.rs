//! The approver that shows all that waits.

use super::*;
use crate::{ApprovalQueue, Decision, Kind, Scope};

async fn scene() -> (ApprovalQueue, Broker) {
    let queue = ApprovalQueue::new();
    let builder = Scene::shut().builder.approver(Arc::new(queue.clone()));
    (queue, builder.connect().await.unwrap())
}

#[tokio::test]
async fn calls_that_wait_are_seen_together_and_answered_one_by_one_from_anywhere() {
    let (queue, broker) = scene().await;
    let (one, other) = (broker.open_run(), broker.open_run());
    let answering = tokio::spawn(async move {
        while queue.open().len() < 3 {
            tokio::task::yield_now().await;
        }
        let open = queue.open();
        let tools: Vec<_> = open.iter().map(|question| question.call.tool.clone()).collect();
        assert!(queue.answer(open[2].id, Decision::Allow(Scope::Once)));
        assert!(queue.answer(open[0].id, Decision::Deny { reason: "no".to_owned() }));
        assert!(!queue.answer(open[0].id, Decision::Allow(Scope::Once)), "answered already");
        queue.asked_after(open[2].id).await;
        assert_eq!(queue.open().len(), 2);
        // This covers the one that came later as well.
        assert!(queue.answer(open[1].id, Decision::Allow(Scope::Run)));
        queue.settled(queue.open().last().map_or(open[1].id, |question| question.id)).await;
        assert!(queue.open().is_empty());
        tools
    });
    let (a, b, c) = tokio::join!(
        call(&one, "echo", json!({ "n": 1 })),
        call(&one, "other", json!({})),
        async {
            let first = call(&other, "echo", json!({ "n": 2 })).await;
            call(&one, "other", json!({})).await.unwrap();
            first
        },
    );
    assert_eq!(a.unwrap_err().kind, Kind::Denied);
    assert!(b.is_ok() && c.is_ok());
    assert_eq!(answering.await.unwrap(), ["echo", "other", "echo"]);
}

#[tokio::test]
async fn a_call_that_is_given_up_is_asked_about_no_more() {
    let (queue, broker) = scene().await;
    let run = broker.open_run();
    let waiting = tokio::spawn({
        let run = run.clone();
        async move { call(&run, "other", json!({})).await }
    });
    queue.asked().await;
    let id = queue.open()[0].id;
    assert!(queue.is_open(id));
    run.close();
    queue.settled(id).await;
    assert!(!queue.is_open(id) && !queue.answer(id, Decision::Allow(Scope::Once)));
    assert_eq!(waiting.await.unwrap().unwrap_err().kind, Kind::Cancelled);
}
