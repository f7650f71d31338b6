//! Servers of the old handshake that forget the session which began with it.

use std::time::Duration;

use broker::{Broker, CallLimits, Kind, Request};
use serde_json::{Value, json};

use crate::broker;
use crate::scripted::{By, Scripted};

fn list(names: &[&str]) -> Value {
    let tool = |name: &&str| json!({ "name": name, "inputSchema": { "type": "object" } });
    json!({ "tools": names.iter().map(tool).collect::<Vec<_>>() })
}

/// A server with sessions; `initialize` says what it does when hands are shaken.
fn script(initialize: Value) -> Value {
    let fine = json!({ "result": { "content": [{ "type": "text", "text": "fine" }] } });
    let mut script = json!({
        "era": "legacy",
        "sessions": true,
        "pages": [list(&["forget", "t"]), list(&["forget", "new", "t"])],
        "on": { "t": [fine], "new": [fine], "forget": [{ "forget": true }, { "relist": 1 }, fine] },
    });
    if !initialize.is_null() {
        script["on"]["initialize"] = initialize;
    }
    script
}

fn forgotten(server: &Scripted) -> Vec<Value> {
    server.log().iter().filter_map(|entry| entry.get("forgotten").cloned()).collect()
}

async fn call(broker: &Broker, tool: &str) -> Result<(), broker::ToolError> {
    broker.open_run().call(Request::new("s", tool, json!({}))).await.map(|_| ())
}

#[tokio::test]
async fn a_call_of_a_forgotten_session_is_made_once_more_in_a_new_one() {
    let server = Scripted::new(By::Http, &script(Value::Null));
    let broker = broker(server.config(), CallLimits::default()).await;
    call(&broker, "forget").await.unwrap();

    let run = broker.open_run();
    let calls = (0..5).map(|_| run.call(Request::new("s", "t", json!({}))));
    for outcome in futures::future::join_all(calls).await {
        outcome.unwrap();
    }
    let ledger = run.close();
    let states: Vec<_> = ledger.entries().iter().map(|entry| entry.state.as_str()).collect();
    assert_eq!(states, ["succeeded"; 5], "each is in the ledger once");
    assert_eq!(server.count("initialize"), 2, "one handshake for all of them");
    assert!(forgotten(&server).contains(&json!("tools/call")));
    assert_eq!(server.count("tools/call"), 1 + 5, "and none was taken twice");

    // What the server offers in the new session is asked anew.
    let relisted = async {
        while broker.catalogue().find("s", "new").is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(crate::PATIENCE, relisted).await.unwrap();
    call(&broker, "new").await.unwrap();
    assert_eq!(server.count("initialize"), 2);
    broker.shutdown().await;
}

#[tokio::test]
async fn a_server_that_keeps_no_session_is_given_up() {
    let us = json!({ "name": "scripted", "version": "1" });
    let hello = json!({ "result": {
        "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "serverInfo": us } });
    // The second handshake is forgotten at once, or there is nothing to shake hands with.
    for again in [json!([{ "forget": true }, hello]), json!([{ "status": 404 }])] {
        let server = Scripted::new(By::Http, &script(json!({ "turns": [[hello], again] })));
        let broker = broker(server.config(), CallLimits::default()).await;
        call(&broker, "forget").await.unwrap();
        let run = broker.open_run();
        let error = run.call(Request::new("s", "t", json!({}))).await.unwrap_err();
        assert_eq!(error.kind, Kind::Unavailable, "{error}");
        assert!(error.message.contains("there is nothing at"), "{error}");
        assert_eq!(server.count("initialize"), 2);
        assert_eq!(server.count("tools/call"), 1, "only the one that made it forget");
        assert_eq!(run.close().entries()[0].state.as_str(), "failed");
        broker.shutdown().await;
    }
}
