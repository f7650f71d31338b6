//! Servers on demand: nothing of them is there until somebody wants it, and nothing after.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use broker::{
    Action, Approver, Broker, ConnectError, Decision, Kind, PendingCall, Policy, Request, Rule,
    Scope, ServerState, State,
};
use serde_json::{Value, json};

use crate::scripted::{By, Scripted};

fn script() -> Value {
    json!({
        "pages": [{ "tools": [{ "name": "t", "inputSchema": { "type": "object" } }] }],
        "on": { "t": [{ "result": { "content": [] } }] },
    })
}

async fn broker(server: &Scripted, policy: Policy) -> Broker {
    let config = server.config().on_demand(true).description("Things.");
    Broker::builder().server("s", config).policy(policy).connect().await.unwrap()
}

fn state(broker: &Broker) -> ServerState {
    broker.servers().remove(0).state
}

async fn call(broker: &Broker) -> Result<broker::Answer, broker::ToolError> {
    broker.open_run().call(Request::new("s", "t", json!({}))).await
}

#[tokio::test]
async fn a_server_is_there_from_when_it_is_enabled_until_it_is_disabled() {
    for by in By::BOTH {
        let server = Scripted::new(by, &script());
        let broker = broker(&server, Policy::default().rule(Rule::new(Action::Allow))).await;
        assert!(matches!(state(&broker), ServerState::Off), "{by:?}");
        assert_eq!(broker.servers()[0].description.as_deref(), Some("Things."));
        broker.reach_all().await;
        let error = call(&broker).await.unwrap_err();
        assert_eq!(error.kind, Kind::Unavailable);
        assert_eq!(
            error.message,
            "the server `s` is not available: it is switched off until it is enabled"
        );
        assert_eq!(server.count("tools/list"), 0, "nobody has reached it");

        assert_eq!(broker.enable("s").await, Some(Ok(())));
        assert!(broker.catalogue().find("s", "t").is_some());
        assert!(call(&broker).await.is_ok());

        assert!(broker.disable("s").await);
        assert!(matches!(state(&broker), ServerState::Off));
        assert!(broker.catalogue().find("s", "t").is_none());
        assert_eq!(call(&broker).await.unwrap_err().kind, Kind::Unavailable);

        assert_eq!(broker.enable("s").await, Some(Ok(())));
        assert!(call(&broker).await.is_ok());
        assert!(broker.enable("other").await.is_none() && !broker.disable("other").await);
        broker.shutdown().await;
    }
}

/// Whoever lets go of a server ends the attempt to reach it, and those who wait for it begin no other.
#[tokio::test]
async fn a_server_that_is_disabled_while_it_is_reached_is_not_reached_again() {
    let mut script = script();
    script["start"] = json!([{ "wait": 60 }]);
    let server = Scripted::new(By::Stdio, &script);
    let broker = broker(&server, Policy::default()).await;
    let enabling = tokio::spawn({
        let broker = broker.clone();
        async move { broker.enable("s").await }
    });
    while !matches!(state(&broker), ServerState::Connecting) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    broker.disable("s").await;
    let enabled = tokio::time::timeout(crate::PATIENCE, enabling).await.unwrap().unwrap();
    assert_eq!(enabled, Some(Err(ConnectError::Off)));
    assert!(matches!(state(&broker), ServerState::Off));
    broker.shutdown().await;
}

/// A connection takes its time to end; the tools of the next one stay.
#[tokio::test]
async fn a_server_that_is_enabled_while_it_ends_has_its_tools() {
    let mut script = script();
    script["stubborn"] = json!(true);
    let server = Scripted::new(By::Stdio, &script);
    let broker = broker(&server, Policy::default()).await;
    assert_eq!(broker.enable("s").await, Some(Ok(())));
    let disabling = tokio::spawn({
        let broker = broker.clone();
        async move { broker.disable("s").await }
    });
    while !matches!(state(&broker), ServerState::Off) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(broker.enable("s").await, Some(Ok(())));
    assert!(disabling.await.unwrap());
    assert!(matches!(state(&broker), ServerState::Ready { tools: 1, .. }), "{:?}", state(&broker));
    assert!(broker.catalogue().find("s", "t").is_some());
    broker.shutdown().await;
}

#[tokio::test]
async fn whatever_holds_a_server_keeps_it() {
    let server = Scripted::new(By::Stdio, &script());
    let broker = broker(&server, Policy::default().rule(Rule::new(Action::Allow))).await;
    let names = ["s".to_owned()];
    let (first, second) = (broker.hold(&names).await.unwrap(), broker.hold(&names).await.unwrap());
    broker.disable("s").await;
    assert!(call(&broker).await.is_ok(), "it is held");
    drop(first);
    assert!(call(&broker).await.is_ok(), "it is still held");
    drop(second);
    let gone = async {
        while broker.catalogue().find("s", "t").is_some() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(crate::PATIENCE, gone).await.expect("nothing holds it any more");
    assert!(matches!(state(&broker), ServerState::Off));
    assert_eq!(broker.hold(&["x".to_owned()]).await.err().as_deref(), Some("x"));
    broker.shutdown().await;
}

/// Answers always the same, and remembers what it was asked.
struct Always(Decision, Mutex<Vec<String>>);

#[async_trait]
impl Approver for Always {
    async fn approve(&self, call: &PendingCall) -> Decision {
        self.1.lock().unwrap().push(format!("{}/{}", call.server, call.tool));
        self.0.clone()
    }
}

#[tokio::test]
async fn enabling_is_judged_as_a_call_is() {
    let rule = |action, tool: &str| {
        Policy::default().rule(Rule::new(action).tools(tool.parse().unwrap()).reason("because"))
    };
    let no = Decision::Deny { reason: "no".to_owned() };
    for (policy, answer, expected) in [
        (rule(Action::Allow, "s/servers/enable"), None, Ok(())),
        (rule(Action::Deny, "*/servers/enable"), None, Err("because")),
        (Policy::default(), None, Err("nobody to ask")),
        (Policy::default(), Some(Decision::Allow(Scope::Once)), Ok(())),
        (Policy::default(), Some(no), Err("denied: no")),
    ] {
        let server = Scripted::new(By::Stdio, &script());
        let asked = answer.map(|answer| Arc::new(Always(answer, Mutex::default())));
        let builder = Broker::builder().server("s", server.config().on_demand(true));
        let builder = asked.iter().fold(builder.policy(policy), |b, a| b.approver(a.clone()));
        let broker = builder.connect().await.unwrap();
        let run = broker.open_run();
        let enabled = run.call(Request::enable_server("s")).await;
        let ledger = run.close();
        let entry = &ledger.entries()[0];
        assert_eq!((entry.server.as_str(), entry.tool.as_str()), ("s", "servers/enable"));
        match expected {
            Ok(()) => {
                enabled.unwrap();
                assert_eq!(entry.state, State::Succeeded);
                assert!(broker.catalogue().find("s", "t").is_some());
            }
            Err(why) => {
                let error = enabled.unwrap_err();
                assert!(error.message.contains(why), "{}", error.message);
                assert_eq!(error.kind, Kind::Denied);
                assert!(matches!(state(&broker), ServerState::Off));
                assert_eq!(server.count("tools/list"), 0);
            }
        }
        let asked = asked.map(|asked| asked.1.lock().unwrap().clone());
        assert!(asked.is_none_or(|asked| asked == ["s/servers/enable"]));
        broker.shutdown().await;
    }
}

#[tokio::test]
async fn a_connection_that_nobody_uses_ends_and_comes_back() {
    for by in By::BOTH {
        let server = Scripted::new(by, &script());
        let config = server.config().idle(Duration::from_millis(300));
        let policy = Policy::default().rule(Rule::new(Action::Allow));
        let builder = Broker::builder().server("s", config).policy(policy);
        let broker = builder.connect().await.unwrap();
        assert!(call(&broker).await.is_ok());
        let idle = async {
            while !matches!(state(&broker), ServerState::Idle) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(crate::PATIENCE, idle).await.expect("the connection ends");
        assert!(broker.catalogue().find("s", "t").is_some(), "its tools stay");
        let lists = server.count("tools/list");
        assert!(call(&broker).await.is_ok(), "{by:?}");
        assert_eq!(server.count("tools/list"), lists + 1, "it was reached again");
        broker.shutdown().await;
    }
}

/// A call that takes longer than the idle time is no idleness.
#[tokio::test]
async fn a_call_under_way_keeps_its_connection() {
    let mut script = script();
    script["on"]["t"] = json!([{ "wait": 1.0 }, { "result": { "content": [] } }]);
    let server = Scripted::new(By::Stdio, &script);
    let config = server.config().idle(Duration::from_millis(100));
    let policy = Policy::default().rule(Rule::new(Action::Allow));
    let builder = Broker::builder().server("s", config).policy(policy);
    let broker = builder.connect().await.unwrap();
    let answer = call(&broker).await;
    assert!(answer.is_ok(), "{answer:?}");
    broker.shutdown().await;
}
