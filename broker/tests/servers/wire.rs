//! What goes over HTTP, and to whom.

use broker::{CallLimits, Kind, Request, Secret, ServerConfig};
use serde_json::{Value, json};

use crate::broker;
use crate::scripted::{By, Scripted};

fn fine() -> Value {
    json!([{ "result": { "content": [] } }])
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_not_followed_and_gets_no_credential() {
    let other = Scripted::new(By::Http, &json!({ "on": { "t": fine() } }));
    // Another port, and the same port under another name: neither is the same origin.
    for host in ["127.0.0.1", "localhost"] {
        let location = format!("http://{host}:{}/mcp", other.port());
        for status in [301, 302, 303, 307, 308] {
            let to = json!([{ "status": status, "headers": { "Location": location } }]);
            let server = Scripted::new(By::Http, &json!({ "on": { "t": to } }));
            let config =
                server.config().secret("Authorization", Secret::from("Bearer t0ken-t0ken"));
            let broker = broker(config, CallLimits::default()).await;
            let error =
                broker.open_run().call(Request::new("s", "t", json!({}))).await.unwrap_err();
            assert_eq!(error.kind, Kind::Unavailable, "{status}: {error}");
            assert!(error.message.contains(&format!("HTTP {status}")), "{error}");
        }
    }
    assert_eq!(other.log(), Vec::<Value>::new());
}

#[tokio::test]
async fn a_redirect_within_the_origin_keeps_message_and_credential() {
    let moved = json!([{ "status": 307, "headers": { "Location": "/elsewhere" } }]);
    let server = Scripted::new(By::Http, &json!({ "on": { "t": { "turns": [moved, fine()] } } }));
    let config = server.config().secret("Authorization", Secret::from("Bearer t0ken-t0ken"));
    let broker = broker(config, CallLimits::default()).await;
    broker.open_run().call(Request::new("s", "t", json!({ "a": 1 }))).await.unwrap();
    let log = server.log();
    let last = log.iter().rfind(|entry| entry["got"] == "tools/call").unwrap();
    assert_eq!(last["path"], "/elsewhere");
    assert_eq!(last["arguments"], json!({ "a": 1 }));
    assert_eq!(last["headers"]["authorization"], "Bearer t0ken-t0ken");
}

#[tokio::test]
async fn calls_one_after_the_other_share_a_connection() {
    let server = Scripted::new(By::Http, &json!({ "on": { "t": fine() } }));
    let broker = broker(server.config(), CallLimits::default()).await;
    for _ in 0..20 {
        broker.open_run().call(Request::new("s", "t", json!({}))).await.unwrap();
    }
    let log = server.log();
    let peers: std::collections::HashSet<_> =
        log.iter().filter_map(|entry| entry["peer"].as_u64()).collect();
    assert_eq!(peers.len(), 1, "{peers:?}");
}

#[tokio::test]
async fn every_request_says_the_same_in_its_headers_and_its_body() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "type": "object", "properties": { "b": { "type": "integer", "x-mcp-header": "Bee" } } },
        "c": { "type": ["string", "null"] },
        "d": { "type": "string", "x-mcp-header": "Dee" } } });
    let pages = json!([{ "tools": [{ "name": "tät", "inputSchema": schema }] }]);
    let server = Scripted::new(By::Http, &json!({ "pages": pages, "on": { "tät": fine() } }));
    let broker = broker(server.config(), CallLimits::default()).await;
    let call = |input| {
        let run = broker.open_run();
        async move { run.call(Request::new("s", "tät", input)).await }
    };
    call(json!({ "a": { "b": -7 }, "c": "x", "d": " ä" })).await.unwrap();
    call(json!({ "c": null })).await.unwrap();
    let error = call(json!({ "a": { "b": 9_007_199_254_740_992_u64 } })).await.unwrap_err();
    assert_eq!(error.kind, Kind::InvalidInput);
    let log = server.log();
    for entry in log.iter().filter(|entry| entry.get("got").is_some()) {
        let headers = &entry["headers"];
        assert_eq!(headers["mcp-protocol-version"], "2026-07-28", "{entry}");
        assert_eq!(headers["mcp-method"], entry["got"], "{entry}");
    }
    let calls: Vec<_> = log.iter().filter(|entry| entry["got"] == "tools/call").collect();
    assert_eq!(calls.len(), 2, "what cannot be a header is not sent");
    assert_eq!(calls[0]["headers"]["mcp-name"], "=?base64?dMOkdA==?=");
    assert_eq!(calls[0]["headers"]["mcp-param-bee"], "-7");
    assert_eq!(calls[0]["headers"]["mcp-param-dee"], "=?base64?IMOk?=");
    assert!(calls[1]["headers"].get("mcp-param-dee").is_none());
}

/// Run by the test below, with a proxy in its environment.
#[tokio::test]
#[ignore = "a part of another test"]
async fn through_the_proxy_of_the_environment() {
    let config = ServerConfig::http("http://mcp.invalid/mcp").connect_timeout(crate::PATIENCE);
    let broker = broker(config, CallLimits::default()).await;
    broker.open_run().call(Request::new("s", "t", json!({}))).await.unwrap();
}

#[test]
fn a_proxy_of_the_environment_is_used() {
    let proxy = Scripted::new(By::Http, &json!({ "on": { "t": fine() } }));
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--ignored", "--exact", "wire::through_the_proxy_of_the_environment"]);
    child.env_remove("no_proxy").env_remove("NO_PROXY");
    child.env("http_proxy", format!("http://127.0.0.1:{}", proxy.port()));
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let log = proxy.log();
    let mut paths = log.iter().filter_map(|entry| entry.get("path"));
    assert!(paths.all(|path| path == "http://mcp.invalid/mcp"), "{log:?}");
    assert!(log.iter().any(|entry| entry["got"] == "tools/call"));
}

/// Run by the test below, which kills it.
#[tokio::test]
#[ignore = "a part of another test"]
async fn a_host_that_will_be_killed() {
    let script = std::env::var("SCRIPTED_ARGUMENTS").unwrap();
    let arguments: Vec<String> = serde_json::from_str(&script).unwrap();
    let config = ServerConfig::stdio("python3", arguments).connect_timeout(crate::PATIENCE);
    let broker = broker(config, CallLimits::default()).await;
    broker.open_run().call(Request::new("s", "t", json!({}))).await.unwrap();
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn no_server_outlives_a_host_that_is_killed() {
    let server = Scripted::new(By::Stdio, &json!({ "stubborn": true, "on": { "t": fine() } }));
    let broker::Transport::Stdio { args, .. } = server.config().transport else { panic!() };
    let mut host = std::process::Command::new(std::env::current_exe().unwrap());
    host.args(["--ignored", "--exact", "wire::a_host_that_will_be_killed"]);
    host.env("SCRIPTED_ARGUMENTS", serde_json::to_string(&args).unwrap());
    let mut host = host.stdout(std::process::Stdio::null()).spawn().unwrap();
    server.wait_for("a call", |entry| entry["answered"] == "tools/call").await;
    let process = server.log()[0]["process"].as_i64().unwrap();
    host.kill().unwrap();
    host.wait().unwrap();
    for _ in 0..200 {
        if !std::path::Path::new(&format!("/proc/{process}")).exists() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{process} is still there");
}
