//! Policies and what they say of calls: each `policy/NAME.json` is one policy with its calls.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

use broker::{Action, Policy, Subject, Tool};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::{fs, path::Path};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    about: String,
    #[serde(default)]
    trust: Vec<String>,
    policy: Policy,
    calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    /// `server/tool`
    tool: String,
    #[serde(default)]
    input: Map<String, Value>,
    /// As a server gives them.
    #[serde(default)]
    annotations: Map<String, Value>,
    label: Option<String>,
    expect: Action,
    /// The rule that decides, from 1.
    rule: Option<usize>,
}

#[test]
fn policies_decide_as_their_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/policy");
    let mut calls = 0;
    for file in fs::read_dir(folder).expect("the cases").flatten() {
        let text = fs::read_to_string(file.path()).expect("a case");
        let case: Case = serde_json::from_str(&text).expect("a case");
        for call in &case.calls {
            check(&case, call);
            calls += 1;
        }
    }
    assert!(calls >= 100, "{calls} calls only");
}

fn check(case: &Case, call: &Call) {
    let (server, name) = call.tool.split_once('/').expect("server/tool");
    let mut tool = Tool::new(server, name);
    let hint = |name: &str| call.annotations.get(name).and_then(Value::as_bool);
    tool.annotations.read_only = hint("readOnlyHint");
    tool.annotations.destructive = hint("destructiveHint");
    tool.annotations.idempotent = hint("idempotentHint");
    tool.annotations.open_world = hint("openWorldHint");
    let explanation = case.policy.explain(Subject {
        tool: &tool,
        trusted: case.trust.iter().any(|name| name == server),
        arguments: &call.input,
        label: call.label.as_deref(),
    });
    let decided = explanation.verdict.action();
    let rule = explanation.steps.last().filter(|step| step.mismatch.is_none());
    let rule = rule.map(|step| step.number);
    let what = format!("{}\n{} with {:?}", case.about, call.tool, call.input);
    assert_eq!((decided, rule), (call.expect, call.rule), "{what}");
}
