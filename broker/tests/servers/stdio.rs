use std::path::{Path, PathBuf};
use std::time::Duration;

use broker::{
    Broker, CallLimits, ConnectError, Era, Kind, Request, Secret, ServerConfig, ServerState,
    ToolError,
};
use serde_json::{Value, json};

use crate::{PATIENCE, broker, failure, names};

/// A server that behaves in a certain way.
fn fixture(behaviour: &str) -> ServerConfig {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/server.py");
    ServerConfig::stdio("python3", [script, behaviour]).connect_timeout(PATIENCE)
}

/// The same, writing down what it sees.
fn noting(behaviour: &str, notes: &Notes) -> ServerConfig {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/server.py");
    let file = notes.0.to_string_lossy();
    ServerConfig::stdio("python3", [script, behaviour, &file]).connect_timeout(PATIENCE)
}

async fn reached(behaviour: &str) -> Broker {
    broker(fixture(behaviour), CallLimits::default()).await
}

async fn call(broker: &Broker, tool: &str, input: Value) -> Result<broker::Answer, ToolError> {
    broker.open_run().call(Request::new("s", tool, input)).await
}

async fn fault(broker: &Broker, tool: &str) -> ToolError {
    call(broker, tool, json!({})).await.unwrap_err()
}

/// A file into which a fixture writes.
struct Notes(PathBuf);

impl Notes {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("broker-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        Self(path)
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.0).unwrap_or_default()
    }

    async fn wait_for(&self, line: &str) {
        for _ in 0..200 {
            if self.text().lines().any(|noted| noted == line) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("`{line}` is not among: {}", self.text());
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn runs(process: &str) -> bool {
    // A process that nobody has waited for is dead all the same.
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}

async fn ends(process: &str) {
    for _ in 0..200 {
        if !runs(process) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{process} is still there");
}

#[tokio::test]
async fn a_server_with_the_old_handshake_is_used_as_it_is() {
    let broker = reached("good").await;
    let status = broker.servers().remove(0);
    let ServerState::Ready { tools, era, revision, calls_itself, .. } = status.state else {
        panic!("{status:?}")
    };
    assert_eq!((tools, era, revision.as_str()), (15, Era::Legacy, "2025-06-18"));
    assert_eq!(calls_itself.as_deref(), Some("fixture"));
    let answer = call(&broker, "echo", json!({ "text": "ä" })).await.unwrap();
    assert_eq!(answer.result["content"][0]["text"], r#"{"text": "\u00e4"}"#);
    broker.shutdown().await;
    assert_eq!(fault(&broker, "echo").await.kind, Kind::Unavailable);
}

#[tokio::test]
async fn a_modern_server_gets_no_handshake() {
    let notes = Notes::new("modern");
    let broker = broker(noting("modern", &notes), CallLimits::default()).await;
    let status = broker.servers().remove(0);
    let ServerState::Ready { era, revision, .. } = status.state else { panic!("{status:?}") };
    assert_eq!((era, revision.as_str()), (Era::Modern, "2026-07-28"));
    let answer = call(&broker, "structured", json!({})).await.unwrap();
    assert_eq!(answer.structured, Some(json!({ "n": 5 })));
    assert!(notes.text().contains("meta 2026-07-28") && !notes.text().contains("initialize"));
}

#[tokio::test]
async fn a_server_that_dies_of_the_modern_question_is_started_again() {
    let broker = reached("exits_on_probe").await;
    assert!(call(&broker, "echo", json!({})).await.is_ok(), "{:?}", broker.servers());
}

#[tokio::test]
async fn silence_on_the_modern_question_means_the_old_handshake() {
    let config = fixture("silent_on_probe").connect_timeout(Duration::from_secs(6));
    let broker = broker(config, CallLimits::default()).await;
    assert!(call(&broker, "echo", json!({})).await.is_ok(), "{:?}", broker.servers());
}

#[tokio::test]
async fn a_server_of_another_time_is_told_apart() {
    let error = failure(&reached("future_only").await);
    assert_eq!(error, ConnectError::Revision { supported: vec!["2099-01-01".to_owned()] });
}

#[tokio::test]
async fn a_server_that_dies_at_its_start_says_why_without_its_key() {
    let config = fixture("dies").secret("API_KEY", Secret::from("abc123secret"));
    let error = failure(&broker(config, CallLimits::default()).await);
    assert_eq!(
        error.to_string(),
        "it ended at its start with code 3: the API key *** is not valid"
    );
}

#[tokio::test]
async fn a_server_that_prints_text_is_recognised() {
    let error = failure(&reached("junk").await);
    let line = "Server listening on port 3000".to_owned();
    assert_eq!(error, ConnectError::Junk { line });
}

#[tokio::test]
async fn text_among_the_messages_and_a_flood_of_errors_do_no_harm() {
    let broker = reached("chatty").await;
    assert!(call(&broker, "echo", json!({})).await.is_ok(), "{:?}", broker.servers());
    let stderr = broker.servers()[0].stderr.clone().unwrap();
    assert!(stderr.ends_with("the end\n") && stderr.len() == 8192, "{}", stderr.len());
}

#[tokio::test]
async fn a_mute_server_is_given_up() {
    let config = fixture("mute").connect_timeout(Duration::from_millis(700));
    let error = failure(&broker(config, CallLimits::default()).await);
    assert!(matches!(error, ConnectError::Timeout { .. }), "{error}");
}

#[tokio::test]
async fn what_cannot_be_started_says_so() {
    let missing = ServerConfig::stdio("no-such-command-here", ["x"]);
    let error = failure(&broker(missing, CallLimits::default()).await);
    assert_eq!(error.to_string(), "the command `no-such-command-here` was not found");
    let mut lost = fixture("good");
    if let broker::Transport::Stdio { cwd, .. } = &mut lost.transport {
        *cwd = Some(Path::new("/no/such/directory").to_owned());
    }
    let error = failure(&broker(lost, CallLimits::default()).await);
    assert_eq!(error.to_string(), "the working directory `/no/such/directory` does not exist");
}

#[tokio::test]
async fn one_broken_server_does_not_keep_the_others() {
    let builder = Broker::builder().server("bad", fixture("dies")).server("s", fixture("good"));
    let broker = builder.connect().await.unwrap();
    let states: Vec<_> = broker.servers().into_iter().map(|status| status.state).collect();
    assert!(matches!(states[..], [ServerState::Failed { .. }, ServerState::Ready { .. }]));
    let error = broker.open_run().call(Request::new("bad", "x", json!({}))).await.unwrap_err();
    assert_eq!(error.kind, Kind::Unavailable);
}

#[tokio::test]
async fn bad_tools_are_listed_as_such_and_the_rest_works() {
    let broker = reached("bad_tool").await;
    assert_eq!(names(&broker), ["also_good", "good"]);
    let catalogue = broker.catalogue();
    let rejected = catalogue.rejected().iter();
    let reasons: Vec<_> =
        rejected.map(|bad| (bad.name.as_deref(), bad.reason.to_string())).collect();
    assert_eq!(reasons.len(), 5, "{reasons:?}");
    assert!(reasons[3].0 == Some("good") && reasons[3].1.contains("another tool"), "{reasons:?}");
    let error = fault(&broker, "far").await;
    assert_eq!(error.kind, Kind::Unavailable);
    assert!(error.message.starts_with("the tool `far` cannot be called: its inputSchema"));
}

#[tokio::test]
async fn pages_are_followed_and_loops_are_not() {
    assert_eq!(names(&reached("paged").await), ["a", "m", "z"]);
    for (behaviour, problem) in
        [("cursor_loop", "repeats"), ("endless", "more than 100 pages"), ("no_list", "no array")]
    {
        let error = failure(&reached(behaviour).await).to_string();
        assert!(error.contains(problem), "{behaviour}: {error}");
    }
}

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
async fn a_server_that_dies_in_a_call_is_unavailable_from_then_on() {
    let broker = reached("good").await;
    let error = fault(&broker, "dies").await;
    assert_eq!(error.kind, Kind::Unavailable);
    assert!(error.message.contains("it ended with code 7"), "{error}");
    assert_eq!(fault(&broker, "echo").await.kind, Kind::Unavailable);
}

#[tokio::test]
async fn a_server_gets_little_of_our_environment_and_all_of_its_own() {
    let broker = broker(fixture("good").secret("API_KEY", "k"), CallLimits::default()).await;
    let answer = call(&broker, "environment", json!({})).await.unwrap();
    let seen = &answer.result["structuredContent"];
    assert_eq!(seen["API_KEY"], "k");
    assert!(seen.get("PATH").is_some());
    // Cargo sets this one for every test.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert!(seen.get("CARGO_MANIFEST_DIR").is_none());
}

#[tokio::test]
async fn shutdown_lets_a_server_end_by_itself() {
    let notes = Notes::new("shutdown");
    let broker = broker(noting("good", &notes), CallLimits::default()).await;
    broker.shutdown().await;
    assert!(notes.text().contains("end of input"));
}

#[tokio::test]
async fn nothing_survives_shutdown() {
    let notes = Notes::new("stubborn");
    let broker = broker(noting("stubborn", &notes), CallLimits::default()).await;
    let text = notes.text();
    let processes: Vec<&str> = text.lines().next().unwrap().split(' ').collect();
    assert!(processes.iter().all(|process| runs(process)));
    broker.shutdown().await;
    for process in processes {
        ends(process).await;
    }
}

#[tokio::test]
async fn nothing_survives_the_broker() {
    let notes = Notes::new("dropped-broker");
    let broker = broker(noting("stubborn", &notes), CallLimits::default()).await;
    drop(broker);
    let text = notes.text();
    for process in text.lines().next().unwrap().split(' ') {
        ends(process).await;
    }
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

#[test]
fn nothing_survives_the_runtime() {
    let notes = Notes::new("dropped-runtime");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let broker = runtime.block_on(broker(noting("stubborn", &notes), CallLimits::default()));
    drop(runtime);
    drop(broker);
    let text = notes.text();
    let processes: Vec<&str> = text.lines().next().unwrap().split(' ').collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for process in processes {
        runtime.block_on(ends(process));
    }
}
