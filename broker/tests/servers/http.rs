use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use broker::{CallLimits, ConnectError, Era, Kind, Request, Secret, ServerConfig, ServerState};
use serde_json::json;

use crate::{broker, failure, names};

/// An HTTP server that behaves in a certain way; it ends with the test.
struct Fixture {
    process: Child,
    url: String,
}

impl Fixture {
    fn start(behaviour: &str) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/http_server.py");
        let mut command = Command::new("python3");
        let mut process = command.args([script, behaviour]).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { process, url: format!("http://127.0.0.1:{}/mcp?key=hidden", port.trim()) }
    }

    fn config(&self) -> ServerConfig {
        ServerConfig::http(&self.url).connect_timeout(crate::PATIENCE)
    }

    async fn failure(&self) -> ConnectError {
        failure(&broker(self.config(), CallLimits::default()).await)
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
async fn both_forms_of_an_answer_are_understood() {
    for form in ["json", "sse"] {
        let fixture = Fixture::start(form);
        let config = fixture.config().secret("Authorization", Secret::from("Bearer t0ken"));
        let broker = broker(config, CallLimits::default()).await;
        assert_eq!(names(&broker).len(), 8, "{:?}", broker.servers());
        assert_eq!(broker.catalogue().rejected().len(), 1, "a bad tool costs only itself");
        let catalogue = broker.catalogue();
        let odd = catalogue.find("s", "odd").unwrap();
        assert_eq!(odd.description.as_deref(), Some("Half an emoji: \u{fffd}"));
        let status = broker.servers().remove(0);
        let ServerState::Ready { era, .. } = status.state else { panic!("{status:?}") };
        assert_eq!(era, Era::Legacy);

        let run = broker.open_run();
        let call = async |tool| run.call(Request::new("s", tool, json!({ "a": [1] }))).await;
        let answer = call("echo").await.unwrap();
        assert_eq!(answer.result["content"][0]["text"], r#"{"a": [1]}"#);
        let answer = call("odd").await.unwrap();
        let hologram = json!([{ "type": "hologram", "depth": 3, "extra": 1 }]);
        assert_eq!(answer.result, json!({ "content": hologram, "topLevel": "kept" }));
        let answer = call("who").await.unwrap();
        assert_eq!(answer.result["content"][0]["text"], "Bearer t0ken");
        let error = call("html").await.unwrap_err();
        assert_eq!(error.kind, Kind::Unavailable);
        assert!(error.message.ends_with("answers with HTTP 502"), "{error}");
        assert!(call("echo").await.is_ok(), "one bad answer is not the end");
        broker.shutdown().await;
    }
}

#[tokio::test]
async fn a_refusal_is_told_apart_and_shows_no_credential() {
    for (behaviour, sentence) in [
        ("401", "refuses access (HTTP 401); check the credentials in `headers`"),
        ("403", "refuses access (HTTP 403); check the credentials in `headers`"),
        ("500", "answers with HTTP 500"),
        ("503", "answers with HTTP 503"),
        ("redirect", "answers with HTTP 307"),
    ] {
        let error = Fixture::start(behaviour).failure().await.to_string();
        assert!(error.ends_with(sentence), "{behaviour}: {error}");
        assert!(!error.contains("hidden"), "{behaviour}: {error}");
    }
    let error = Fixture::start("404").failure().await;
    assert!(matches!(error, ConnectError::NotFound { .. }), "{error}");
    let error = Fixture::start("html").failure().await;
    assert_eq!(
        error.to_string(),
        "it does not answer as an MCP server: it answers with `text/html`"
    );
}

#[tokio::test]
async fn nobody_at_the_other_end_is_told_apart() {
    let closed = ServerConfig::http("http://127.0.0.1:1/mcp");
    let error = failure(&broker(closed, CallLimits::default()).await);
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error}");
    let nowhere = ServerConfig::http("http://no-such-host.invalid/mcp");
    let error = failure(&broker(nowhere, CallLimits::default()).await);
    // Behind a proxy it is the proxy that knows hosts or does not.
    let proxied = ["http_proxy", "HTTP_PROXY"].iter().any(|name| std::env::var_os(name).is_some());
    assert!(proxied || matches!(error, ConnectError::UnknownHost { .. }), "{error}");
}

#[tokio::test]
async fn an_answer_that_cannot_be_delivered_ends_its_call() {
    for form in ["json", "sse"] {
        let fixture = Fixture::start(form);
        let limits = CallLimits::default().result_bytes(100_000);
        let broker = broker(fixture.config(), limits).await;
        let run = broker.open_run();
        // A little too large, and too large even to be read.
        for bytes in [110_000, 5_000_000] {
            let request = Request::new("s", "big", json!({ "bytes": bytes }));
            let error = run.call(request).await.unwrap_err();
            assert_eq!(error.kind, Kind::Limit, "{form}: {error}");
        }
        let request = Request::new("s", "cut", json!({})).timeout(Duration::from_secs(2));
        let error = run.call(request).await.unwrap_err();
        assert_eq!(error.kind, Kind::Protocol, "{form}: {error}");
        assert!(run.call(Request::new("s", "echo", json!({}))).await.is_ok());
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_is_cancelled_at_the_server() {
    let fixture = Fixture::start("json");
    let broker = broker(fixture.config(), CallLimits::default()).await;
    let run = broker.open_run();
    let request = Request::new("s", "slow", json!({})).timeout(Duration::from_millis(300));
    assert_eq!(run.call(request).await.unwrap_err().kind, Kind::Timeout);
    for _ in 0..100 {
        let answer = run.call(Request::new("s", "cancelled", json!({}))).await.unwrap();
        if answer.result["content"][0]["text"] == "1" {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the server has not heard of it");
}

#[tokio::test]
async fn a_modern_server_gets_the_headers_it_asks_for() {
    let fixture = Fixture::start("modern");
    let broker = broker(fixture.config(), CallLimits::default()).await;
    let status = broker.servers().remove(0);
    let ServerState::Ready { era, .. } = status.state else { panic!("{status:?}") };
    assert_eq!(era, Era::Modern);
    let request = Request::new("s", "headers", json!({ "region": "Köln" }));
    let answer = broker.open_run().call(request).await.unwrap();
    assert_eq!(
        answer.result["structuredContent"],
        json!(["2026-07-28", "tools/call", "headers", "=?base64?S8O2bG4=?="])
    );
}
