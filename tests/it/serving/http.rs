//! The doors of HTTP, what is known of a server from outside, and how it ends.

use super::scene::{Scene, Sdk, run, text};
use serde_json::{Value, json};
use std::{
    io::Write,
    process::Command,
    time::{Duration, Instant},
};

pub(super) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const HEADERS: [(&str, &str); 2] =
    [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];

pub(super) fn with<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    HEADERS.into_iter().chain(more.iter().copied()).collect()
}

#[test]
fn another_host_or_origin_is_refused() {
    let scene = Scene::new();
    let instance = scene
        .http(&["--allow-origin", "https://good.example", "--allow-host", "proxy.example"], &[]);
    let ask = |more: &[(&str, &str)]| instance.send("POST", "/mcp", &with(more), INITIALIZE).0;
    assert_eq!(ask(&[]), 200);
    assert_eq!(ask(&[("Host", "proxy.example")]), 200);
    assert_eq!(ask(&[("Origin", "https://good.example")]), 200);
    assert_eq!(ask(&[("Origin", &instance.url(""))]), 200);
    assert_eq!(ask(&[("Origin", "http://localhost:1")]), 403);
    assert_eq!(ask(&[("Host", "rebound.example")]), 403);
    assert_eq!(ask(&[("Origin", "https://evil.example")]), 403);
    assert_eq!(ask(&[("Origin", "null")]), 403);
    assert_eq!(instance.get("/metrics", &[("Host", "rebound.example")]).0, 403);
    assert!(instance.figure("cofferdam_refused_total{reason=\"host\"}") >= 2.0);
}

#[test]
fn a_token_is_needed_where_there_is_one() {
    let scene = Scene::new();
    let token = "a-token-of-some-length";
    let instance = scene.http(&[], &[("COFFERDAM_TOKEN", token)]);
    let (status, answer) = instance.send("POST", "/mcp", &with(&[]), INITIALIZE);
    assert_eq!(status, 401);
    assert!(answer.to_lowercase().contains("www-authenticate: bearer\r\n"), "{answer}");
    let wrong = [("Authorization", "Bearer a-token-of-some-lengtH")];
    let (status, answer) = instance.send("POST", "/mcp", &with(&wrong), INITIALIZE);
    assert!(status == 401 && answer.contains("invalid_token"), "{answer}");
    assert_eq!(instance.get("/metrics", &[]).0, 401);
    assert_eq!(instance.get("/.well-known/oauth-protected-resource", &[]).0, 404);
    let bearer = format!("Bearer {token}");
    assert_eq!(
        instance.send("POST", "/mcp", &with(&[("Authorization", &bearer)]), INITIALIZE).0,
        200
    );

    let mut server = instance.server();
    server["token"] = json!(token);
    let seen = Sdk::Modern.play(&json!({ "server": server, "steps": [run("return 1")] }));
    assert_eq!(text(&seen, 0), "Returned: 1\n");
}

#[test]
fn a_session_is_only_for_whoever_began_it() {
    let scene = Scene::new();
    let (one, other) = ("0123456789abcdef", "fedcba9876543210");
    let instance = scene.http(&["--token", one, "--token", other], &[]);
    let [one, other] = [one, other].map(|token| format!("Bearer {token}"));
    let (status, answer) =
        instance.send("POST", "/mcp", &with(&[("Authorization", &one)]), INITIALIZE);
    let header = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    let session = header.unwrap_or_else(|| panic!("{status}: {answer}")).trim();
    let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
    let ask = |method: &str, token: &str, session: &str| {
        let headers = [("Authorization", token), ("Mcp-Session-Id", session)];
        instance.send(method, "/mcp", &with(&headers), ping).0
    };
    assert_eq!(ask("POST", &one, session), 200);
    for method in ["POST", "GET", "DELETE"] {
        assert_eq!(ask(method, &other, session), 404, "{method}");
    }
    let without_proof = session.rsplit_once('.').unwrap().0;
    for made_up in ["", ".", without_proof, &format!("{without_proof}."), &format!("{session}0")] {
        assert_eq!(ask("POST", &one, made_up), 404, "{made_up:?}");
    }
    assert_eq!(ask("POST", &one, session), 200, "others have ended it");
    assert_eq!(ask("DELETE", &one, session) / 100, 2);
    assert_eq!(ask("POST", &one, session), 404);
}

#[test]
fn other_machines_need_a_token() {
    let scene = Scene::new();
    let serve = |more: &[&str]| {
        let config = scene.path().join("config.json");
        let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
        command.arg("serve").arg("--config").arg(config).args(more).current_dir(scene.path());
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, error) = serve(&["--http", "0.0.0.0:0"]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("can be reached from other machines, so it needs a token"), "{error}");
    let (code, error) = serve(&["--http", "127.0.0.1:0", "--token", "short"]);
    assert!(code == Some(2) && error.contains("at least 16 characters"), "{error}");
}

#[test]
fn health_readiness_and_figures() {
    let scene = Scene::new();
    let instance = scene.http(&[], &[]);
    assert_eq!((instance.get("/healthz", &[]).0, instance.get("/readyz", &[]).0), (200, 200));
    Sdk::Modern.play(&json!({ "server": instance.server(),
        "steps": [run("await everything_echo({ message: 'x' })"), run("throw 1")] }));
    assert_eq!(instance.figure("cofferdam_runs_total{outcome=\"completed\"}"), 1.0);
    assert_eq!(instance.figure("cofferdam_runs_total{outcome=\"threw\"}"), 1.0);
    assert_eq!(instance.figure("cofferdam_calls_total{state=\"succeeded\"}"), 1.0);
    assert_eq!(instance.figure("cofferdam_run_seconds_count"), 2.0);
}

#[test]
fn sigterm_lets_twenty_runs_end_and_begins_no_more() {
    let scene = Scene::new();
    let instance = scene.http(&["--runs-at-once", "20"], &[]);
    let mut step = run("await new Promise((done) => setTimeout(done, 4000)); return 'through'");
    step["parallel"] = json!(20);
    let client = Sdk::Modern.start(&json!({ "server": instance.server(), "steps": [step] }));
    instance.wait_for_figure("cofferdam_runs_active", |count| count == 20.0);
    let late = Sdk::Modern.start(
        &json!({ "server": instance.server(), "steps": [{ "sleep": 1500 }, run("return 1")] }),
    );
    std::thread::sleep(std::time::Duration::from_millis(1000));
    instance.terminate();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(instance.get("/readyz", &[]).0, 503);
    let seen = client.end();
    for answer in seen["steps"][0].as_array().unwrap() {
        assert_eq!(answer["answer"]["structuredContent"]["value"], json!("through"), "{seen:#}");
    }
    let late = late.end();
    assert!(text(&late, 0).contains("shutting down"), "{late:#}");
    assert_eq!(instance.end(), Some(0));
    assert_eq!(scene.processes(), 0);
}

#[test]
fn runs_that_do_not_end_are_cancelled_when_the_drain_is_over() {
    let scene = Scene::new();
    let instance = scene.http(&["--drain", "1s"], &[]);
    let step = run(
        "await everything_echo({ message: 'x' }); await new Promise((done) => setTimeout(done, 60000))",
    );
    let client = Sdk::Modern.start(&json!({ "server": instance.server(), "steps": [step] }));
    instance.wait_for_figure("cofferdam_runs_active", |count| count == 1.0);
    std::thread::sleep(std::time::Duration::from_millis(500));
    instance.terminate();
    let seen = client.end();
    assert!(text(&seen, 0).contains("The run was cancelled"), "{seen:#}");
    assert!(text(&seen, 0).contains("everything/echo: succeeded"), "{seen:#}");
    assert_eq!(instance.end(), Some(0));
}

#[test]
fn one_client_too_eager_waits_and_is_refused_beyond_that() {
    let scene = Scene::new();
    let instance = scene.http(&["--runs-at-once", "1", "--runs-waiting", "2"], &[]);
    let mut step = run("await new Promise((done) => setTimeout(done, 700)); return 1");
    step["parallel"] = json!(6);
    let seen = Sdk::Modern.play(&json!({ "server": instance.server(), "steps": [step] }));
    let answers = seen["steps"][0].as_array().unwrap();
    let is_refused = |answer: &&Value| answer["answer"]["isError"] == json!(true);
    let refused = answers.iter().filter(is_refused).count();
    assert!((3..=4).contains(&refused), "{seen:#}");
    let said = answers.iter().find(is_refused).unwrap();
    assert!(said["answer"]["content"][0]["text"].as_str().unwrap().contains("`runs_waiting`"));
    assert!(instance.figure("cofferdam_refused_total{reason=\"runs_waiting\"}") >= 3.0);
}

/// A client that asks for more than fits on the way to it, and reads nothing.
#[test]
fn a_client_that_does_not_read_cannot_keep_the_server() {
    let scene = Scene::new();
    let instance = scene.http(&[], &[]);
    let mut deaf = std::net::TcpStream::connect(&instance.address).unwrap();
    deaf.set_write_timeout(Some(Duration::from_secs(3))).unwrap();
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {}\r\n\r\n", instance.address);
    // Until the server takes no more, because it cannot get rid of its answers.
    while deaf.write_all(request.as_bytes()).is_ok() {}
    instance.terminate();
    let began = Instant::now();
    assert_eq!(instance.end(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    drop(deaf);
}
