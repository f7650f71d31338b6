//! Everything that a server can do wrong, a file each: `tests/cases/NAME.json`.
//!
//! A case is the script of a server (see `fixtures/scripted.py`) and what is expected of it, for both
//! transports or each of them. After the calls of a case the server is still used: `broken` says
//! where it cannot be. `docs/broker.md` names each case in its table of outcomes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use broker::{Broker, CallLimits, Request, ServerState};
use serde::Deserialize;
use serde_json::Value;

use crate::broker;
use crate::scripted::{By, Scripted};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What the server does, for a person.
    #[serde(rename = "about")]
    _about: String,
    script: Value,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    connect_timeout_ms: Option<u64>,
    /// For both transports, or absent.
    both: Option<Expected>,
    stdio: Option<Expected>,
    http: Option<Expected>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    tool_timeout_ms: Option<u64>,
    tool_timeout_max_ms: Option<u64>,
    result_bytes: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// Part of the reason why the server cannot be reached; absent if it can.
    fails: Option<String>,
    /// The tools that can be called.
    tools: Option<Vec<String>>,
    /// Part of the reason why others cannot, by name.
    #[serde(default)]
    rejected: BTreeMap<String, String>,
    #[serde(default)]
    calls: Vec<Call>,
    /// How often the server got what.
    #[serde(default)]
    got: BTreeMap<String, usize>,
    /// How often the server was started.
    started: Option<usize>,
    /// What it was told by our answers to its own requests.
    #[serde(default)]
    replies: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    #[serde(default)]
    input: Value,
    /// `value`, or the kind of the error.
    is: String,
    /// The result, or the parts of it that matter: a pointer to each.
    #[serde(default)]
    result: BTreeMap<String, Value>,
    /// Whether `structuredContent` is there at all.
    structured: Option<bool>,
    code: Option<i64>,
    says: Option<String>,
    /// Where it stands in the ledger afterwards.
    state: Option<String>,
    /// Time before it, in milliseconds.
    #[serde(default)]
    after_ms: u64,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

// More workers than processors: a large answer keeps one busy, and the others have deadlines.
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn every_case_ends_as_it_should() {
    // COFFERDAM_CASE=name runs one.
    let only = std::env::var("COFFERDAM_CASE").ok();
    let names = names().into_iter().filter(|name| only.as_ref().is_none_or(|only| only == name));
    // A few at once: most of their time is waiting.
    let mut running = tokio::task::JoinSet::new();
    let mut failures = Vec::new();
    for name in names {
        let text = std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
        let case: Case = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        if running.len() >= 8 {
            failures.extend(running.join_next().await.unwrap().unwrap());
        }
        running.spawn(async move { case.run(&name).await });
    }
    while let Some(more) = running.join_next().await {
        failures.extend(more.unwrap());
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// The table of outcomes is worth something only if it is complete.
#[test]
fn every_case_has_its_row_in_the_documentation() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/broker.md");
    let page = std::fs::read_to_string(page).unwrap();
    let named: Vec<&str> =
        page.split("`case:").skip(1).filter_map(|rest| rest.split('`').next()).collect();
    for name in &names() {
        assert!(named.contains(&name.as_str()), "docs/broker.md has no row for the case {name}");
    }
    for name in named {
        assert!(names().iter().any(|case| case == name), "docs/broker.md: no case {name}");
    }
}

impl Case {
    async fn run(self, name: &str) -> Vec<String> {
        let mut failures = Vec::new();
        for by in By::BOTH {
            let of = match by {
                By::Stdio => &self.stdio,
                By::Http => &self.http,
            };
            let Some(expected) = of.as_ref().or(self.both.as_ref()) else { continue };
            let mut found = Vec::new();
            self.check(by, expected, &mut found).await;
            failures.extend(found.into_iter().map(|it| format!("{name} by {}: {it}", by.name())));
        }
        failures
    }

    async fn check(&self, by: By, expected: &Expected, failures: &mut Vec<String>) {
        let server = Scripted::new(by, &self.script);
        let mut limits = CallLimits::default();
        let millis = Duration::from_millis;
        limits.tool_timeout = self.limits.tool_timeout_ms.map_or(limits.tool_timeout, millis);
        limits.tool_timeout_max =
            self.limits.tool_timeout_max_ms.map_or(limits.tool_timeout_max, millis);
        limits.result_bytes = self.limits.result_bytes.unwrap_or(limits.result_bytes);
        let mut config = server.config();
        if let Some(time) = self.connect_timeout_ms {
            config = config.connect_timeout(millis(time));
        }
        let broker = broker(config, limits).await;
        expected.connection(&broker, failures);
        for call in &expected.calls {
            tokio::time::sleep(millis(call.after_ms)).await;
            call.check(&broker, failures).await;
        }
        for (method, times) in &expected.got {
            let count = server.count(method);
            if count != *times {
                failures.push(format!("it got {count} {method}, not {times}"));
            }
        }
        let log = server.log();
        let replies: Vec<_> = log.iter().filter_map(|entry| entry.get("reply")).collect();
        for reply in &expected.replies {
            if !replies.iter().any(|seen| covers(seen, reply)) {
                failures.push(format!("no reply {reply} among {replies:?}"));
            }
        }
        let started = log.iter().filter(|entry| entry.get("started").is_some()).count();
        if let Some(times) = expected.started.filter(|times| *times != started) {
            failures.push(format!("it was started {started} times, not {times}"));
        }
        // No call is sent a second time, unless the case says that it is.
        let calls = server.count("tools/call");
        if !expected.got.contains_key("tools/call") && calls != expected.calls.len() {
            failures.push(format!("it got {calls} calls, not {}", expected.calls.len()));
        }
        broker.shutdown().await;
    }
}

/// Whether a value has all members of another one.
fn covers(seen: &Value, wanted: &Value) -> bool {
    match wanted {
        Value::Object(members) => members
            .iter()
            .all(|(name, wanted)| seen.get(name).is_some_and(|seen| covers(seen, wanted))),
        other => seen == other,
    }
}

impl Expected {
    fn connection(&self, broker: &Broker, failures: &mut Vec<String>) {
        let status = broker.servers().remove(0);
        match (&status.state, &self.fails) {
            (ServerState::Ready { .. }, None) => {}
            (ServerState::Failed { error }, Some(part)) if error.to_string().contains(part) => {}
            (ServerState::Failed { error }, _) => failures.push(format!("it failed: {error}")),
            (state, _) => failures.push(format!("it is {state:?}")),
        }
        let catalogue = broker.catalogue();
        if let Some(wanted) = &self.tools {
            let tools: Vec<_> = catalogue.tools().map(|tool| tool.name.clone()).collect();
            if tools != *wanted {
                failures.push(format!("it has the tools {tools:?}"));
            }
        }
        for (name, part) in &self.rejected {
            let bad = catalogue.rejected().iter().find(|bad| bad.name.as_ref() == Some(name));
            match bad.map(|bad| bad.reason.to_string()) {
                Some(reason) if reason.contains(part) => {}
                other => failures.push(format!("{name} is rejected for {other:?}")),
            }
        }
    }
}

impl Call {
    async fn check(&self, broker: &Broker, failures: &mut Vec<String>) {
        let run = broker.open_run();
        let mut problem = |text: String| failures.push(format!("{}: {text}", self.tool));
        let outcome = run.call(Request::new("s", &self.tool, self.input.clone())).await;
        let (kind, code, message, result) = match &outcome {
            Ok(answer) => ("value", None, String::new(), Some(&answer.result)),
            Err(error) => (error.kind.as_str(), error.code, error.message.clone(), None),
        };
        if kind != self.is {
            problem(format!("is {kind} and not {}: {outcome:?}", self.is));
            return;
        }
        if code != self.code {
            problem(format!("has the code {code:?}"));
        }
        if let Some(part) = self.says.as_ref().filter(|part| !message.contains(part.as_str())) {
            problem(format!("says `{message}`, not `{part}`"));
        }
        for (pointer, wanted) in &self.result {
            let found = result.and_then(|result| result.pointer(pointer));
            if found != Some(wanted) {
                problem(format!("has {found:?} at {pointer}"));
            }
        }
        if let (Some(wanted), Some(result)) = (self.structured, result)
            && result.get("structuredContent").is_some() != wanted
        {
            problem(format!("has structuredContent: {}", !wanted));
        }
        let ledger = run.close();
        let state = ledger.entries()[0].state.as_str();
        let settled = match kind {
            "value" => "succeeded",
            _ => self.state.as_deref().unwrap_or("failed"),
        };
        if state != settled {
            problem(format!("is {state} in the ledger"));
        }
    }
}
