use std::path::Path;
use std::time::Duration;

use broker::{
    Broker, CallLimits, ConnectError, Era, Kind, Request, Secret, ServerConfig, ServerState,
};
use serde_json::json;

use super::{Notes, call, fault, fixture, noting, reached};
use crate::{broker, failure, names};

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
    assert_eq!(answer.structured(), Some(&json!({ "n": 5 })));
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
async fn a_modern_server_that_takes_its_time_is_not_taken_for_an_old_one() {
    let notes = Notes::new("modern_but_slow");
    let config = noting("modern_but_slow", &notes).connect_timeout(Duration::from_secs(10));
    let broker = broker(config, CallLimits::default()).await;
    let status = broker.servers().remove(0);
    let ServerState::Ready { era, .. } = status.state else { panic!("{status:?}") };
    assert_eq!(era, Era::Modern);
    assert_eq!(notes.text().matches("initialize").count(), 1);
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
async fn a_tool_that_cannot_be_read_costs_only_itself() {
    let broker = reached("unreadable_tool").await;
    assert_eq!(names(&broker), ["good", "half"]);
    let catalogue = broker.catalogue();
    let [deep] = catalogue.rejected() else { panic!("{:?}", catalogue.rejected()) };
    assert_eq!(deep.name.as_deref(), Some("deep"));
    let reason = deep.reason.to_string();
    assert!(reason.contains("inputSchema") && reason.contains("nested too deeply"), "{reason}");
    let description = catalogue.find("s", "half").unwrap().description.as_deref();
    assert_eq!(description, Some("A text cut within an emoji: \u{fffd}"));
    let answer = call(&broker, "half", json!({})).await.unwrap();
    assert_eq!(answer.result["content"][0]["text"], "cut within an emoji: \u{fffd}");
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
