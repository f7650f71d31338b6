//! What a request is answered: text for the model, the same with structure, and for the host what it
//! may want to keep.

use super::{
    demand::count,
    job::Job,
    live::{Ended, Live},
};
use crate::report;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

/// The member of a result's `_meta` that has the ledger.
const LEDGER: &str = "io.cofferdam/ledger";

/// A result that is an error, in words for the model.
pub(super) fn error(message: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

/// A result with structure, and the same as text.
pub(super) fn structured(text: String, structure: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structure);
    result
}

/// What came of a run.
pub(super) fn ended(live: &Live, ended: &Ended, budget: usize) -> CallToolResult {
    match ended {
        Ended::Script(report) => {
            let text = report.to_model_text(budget);
            let text =
                if text.is_empty() { "(nothing was printed or returned)\n".into() } else { text };
            let is_completed = report.is_completed();
            let mut structure = json!({
                "run_id": live.id,
                "status": if is_completed { "completed" } else { "failed" },
                "outcome": report::outcome_name(&report.outcome),
                "output": text,
                "calls": counts(&report.ledger),
            });
            if let Some(value) = report.value_for_model(budget) {
                structure["value"] = value;
            }
            let mut result = structured(text, structure);
            result.is_error = Some(!is_completed);
            result.content.extend(report.shown.iter().filter_map(block));
            with_ledger(result, report.ledger_json())
        }
        Ended::Call(answer) => match (answer.as_ref(), &live.job) {
            (Ok(_), Job::Enable { server }) => enabled(live, server),
            (Ok(answer), _) => call(&answer.result),
            (Err(failed), _) => {
                let text = format!("{}: {}", failed.kind, failed.message);
                let failure = json!({ "kind": failed.kind.as_str(), "message": failed.message });
                let mut result = structured(text, json!({ "ok": false, "error": failure }));
                result.is_error = Some(true);
                result
            }
        },
        Ended::Diverged(how) => failed(
            live,
            "diverged",
            &format!(
                "The run could not be continued: it went another way when it was repeated ({how}). Calls that \
             were made before are not undone. A script whose calls depend on the time or on chance can \
             only be continued by the instance that began it."
            ),
        ),
        Ended::Dropped => {
            let text = match &live.job {
                Job::Enable { .. } => {
                    "It was given up, or its session ended, before the server was enabled."
                }
                _ => "The run was cancelled before it had begun; nothing was called.",
            };
            failed(live, "cancelled", text)
        }
    }
}

/// A run that goes on.
pub(super) fn goes_on(live: &Live, budget: usize) -> CallToolResult {
    let (printed, questions) = live.so_far();
    let printed = crate::model::middle(&printed, budget).into_owned();
    let mut text = format!(
        "The run goes on. Call wait_run with {{\"run_id\": \"{}\"}} to go on waiting for its result, or cancel_run to end it.\n",
        live.id
    );
    if questions > 0 {
        text += &format!(
            "It waits for the user's answer to {questions} question(s); wait_run puts them.\n"
        );
    }
    if !printed.is_empty() {
        text += &format!("Printed so far:\n{printed}");
    }
    structured(text, json!({ "run_id": live.id, "status": "running", "output": printed }))
}

fn failed(live: &Live, outcome: &str, text: &str) -> CallToolResult {
    let structure =
        json!({ "run_id": live.id, "status": "failed", "outcome": outcome, "output": text });
    let mut result = structured(text.to_owned(), structure);
    result.is_error = Some(true);
    result
}

/// A server that was enabled.
fn enabled(live: &Live, server: &str) -> CallToolResult {
    let tools = count(&live.sandbox, server);
    let plural = if tools == 1 { "" } else { "s" };
    let text =
        format!("The server `{server}` is on; search_tools finds its {tools} tool{plural}.\n");
    structured(text, json!({ "ok": true, "server": server, "tools": tools }))
}

/// The answer of a tool, as its server gave it.
fn call(answer: &Value) -> CallToolResult {
    let blocks = answer.get("content").and_then(Value::as_array);
    let blocks = blocks.into_iter().flatten();
    // What is not known here is still told.
    let known = |it: &Value| block(it).unwrap_or_else(|| ContentBlock::text(it.to_string()));
    let mut result = CallToolResult::success(blocks.map(known).collect());
    let mut structure = Map::from_iter([("ok".to_owned(), Value::Bool(true))]);
    if let Some(value) = answer.get("structuredContent") {
        structure.insert("result".into(), value.clone());
        if result.content.is_empty() {
            result.content.push(ContentBlock::text(value.to_string()));
        }
    }
    result.structured_content = Some(structure.into());
    result
}

fn block(block: &Value) -> Option<ContentBlock> {
    serde_json::from_value(block.clone()).ok()
}

fn counts(ledger: &broker::Ledger) -> Value {
    let mut counts = Map::new();
    for entry in ledger.entries() {
        let name = entry.state.as_str();
        let count = counts.get(name).and_then(Value::as_u64).unwrap_or(0);
        counts.insert(name.into(), (count + 1).into());
    }
    counts.into()
}

fn with_ledger(mut result: CallToolResult, ledger: Value) -> CallToolResult {
    let mut meta = result.meta.take().unwrap_or_default();
    meta.insert(LEDGER.into(), ledger);
    result.meta = Some(meta);
    result
}
