//! How well data that flows is found: each `flow/NAME.json` is a list of cases, made like the calls
//! of scripts that copy, copy in part, transform, or do something unrelated.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

use broker::{Action, Broker, DataFlow, Flow, FlowRule, LocalTool, Policy, Request, Rule};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::{fs, path::Path};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    about: String,
    /// What the run has read by then.
    results: Vec<Read>,
    /// The arguments of a call of another server.
    arguments: Map<String, Value>,
    /// Whether they carry something of it, by whatever means.
    flows: bool,
    /// Why it is known that this is not found, or is found although nothing flows.
    limit: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    /// `server/tool`
    from: String,
    result: Value,
}

#[tokio::test]
async fn flows_are_found_as_often_as_the_documentation_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flow");
    let (mut hits, mut alarms, mut misses, mut quiet) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    let mut names: Vec<_> = fs::read_dir(folder).expect("the cases").flatten().collect();
    names.sort_by_key(|entry| entry.path());
    for file in names {
        let text = fs::read_to_string(file.path()).expect("a case");
        let cases: Vec<Case> = serde_json::from_str(&text).expect("cases");
        for case in cases {
            let found = carried(&case).await;
            match (case.flows, found) {
                (true, true) => hits += 1,
                (true, false) => misses += 1,
                (false, true) => alarms += 1,
                (false, false) => quiet += 1,
            }
            // What is known to go wrong must go wrong: if it does not, the documentation is old.
            if found != (case.flows != case.limit.is_some()) {
                wrong.push(format!("{}: found is {found}", case.about));
            }
        }
    }
    let cases = hits + alarms + misses + quiet;
    let precision = f64::from(hits) / f64::from(hits + alarms);
    let recall = f64::from(hits) / f64::from(hits + misses);
    println!(
        "{cases} cases: {hits} found, {misses} missed, {alarms} false alarms, {quiet} quiet; \
         precision {precision:.3}, recall {recall:.3}"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases >= 60 && precision >= 0.96 && recall >= 0.88, "{precision} {recall}");
    // What the page says.
    let page = include_str!("../../docs/data-flow.md");
    for figure in [
        format!("{cases} cases"),
        format!("{hits} of {}", hits + misses),
        format!("{alarms} of {}", alarms + quiet),
    ] {
        assert!(page.contains(&figure), "docs/data-flow.md does not say `{figure}`");
    }
}

/// Whether a call of another server is known to carry something.
async fn carried(case: &Case) -> bool {
    let any = || vec!["*".parse().unwrap()];
    let mut builder = Broker::builder()
        .policy(Policy::default().rule(Rule::new(Action::Allow)))
        .data_flow(DataFlow::default().rule(FlowRule::new(any(), any(), Action::Allow)))
        .local("web", vec![LocalTool::new("post", |_| async { Ok(json!("done")) })]);
    for read in &case.results {
        let (server, tool) = read.from.split_once('/').unwrap();
        let result = read.result.clone();
        let tool =
            LocalTool::with_whole_result(tool, move |_| std::future::ready(Ok(result.clone())));
        builder = builder.local(server, vec![tool]);
    }
    let run = builder.connect().await.unwrap().open_run();
    for read in &case.results {
        let (server, tool) = read.from.split_once('/').unwrap();
        run.call(Request::new(server, tool, Value::Null)).await.unwrap();
    }
    let input = Value::Object(case.arguments.clone());
    run.call(Request::new("web", "post", input)).await.unwrap();
    let ledger = run.close();
    let flows = &ledger.entries().last().unwrap().flows;
    flows.iter().any(|flow| matches!(flow, Flow::Carries { .. }))
}
