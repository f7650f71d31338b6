//! The report as JSON, for programs.

use super::{Report, failure};
use crate::model;
use broker::{Entry, Flow, Ledger};
use runtime::Outcome;
use serde_json::{Value, json};
use std::time::Duration;

impl Report {
    /// The whole report as JSON: `outcome`, `console`, `ledger`, `shown`, `usage`. Durations are
    /// milliseconds, sizes bytes. Without the credentials of the servers.
    pub fn to_json(&self) -> Value {
        model::redact_json(self.json(), &self.redactor)
    }

    fn json(&self) -> Value {
        json!({
            "outcome": self.outcome_json(),
            "console": {
                "lines": self.console.lines,
                "dropped_bytes": self.console.dropped_bytes,
            },
            "ledger": ledger_json(&self.ledger),
            "shown": self.shown,
            "usage": {
                "wall_ms": millis(self.usage.wall),
                "waiting_ms": millis(self.usage.waiting),
                "cpu_ms": millis(self.usage.cpu),
                "in_tools_ms": millis(self.usage.in_tools),
                "heap_bytes": self.usage.heap_bytes,
                "calls": self.usage.calls,
            },
        })
    }

    fn outcome_json(&self) -> Value {
        let mut outcome = outcome_json(&self.outcome);
        if let Some(reason) = &self.stopped {
            outcome["message"] = reason.as_str().into();
        }
        outcome
    }
}

/// The name of an outcome, as the report as JSON has it.
pub(crate) fn outcome_name(outcome: &Outcome) -> String {
    let name = serde_json::to_value(outcome).ok();
    let name = name.as_ref().and_then(|it| it.get("kind")?.as_str());
    name.unwrap_or_default().to_owned()
}

pub(super) fn ledger_json(ledger: &Ledger) -> Value {
    ledger.entries().iter().map(entry_json).collect()
}

fn entry_json(entry: &Entry) -> Value {
    let (kind, message) = failure(entry, &entry.state).unzip();
    json!({
        "id": entry.id.number(),
        "server": entry.server,
        "tool": entry.tool,
        "line": entry.line,
        "state": entry.state.as_str(),
        "kind": kind.map(broker::Kind::as_str),
        "message": message,
        "decision": entry.decision.as_ref().map(ToString::to_string),
        "duration_ms": millis(entry.duration),
        "argument_bytes": entry.argument_bytes,
        "result_bytes": entry.result_bytes,
        "flows": entry.flows.iter().map(flow_json).collect::<Vec<_>>(),
        "reviews": entry.reviews.iter().map(|review| json!({
            "reviewer": review.reviewer,
            "side": review.side.as_str(),
            "action": if review.refused { "refused" } else { "changed" },
        })).collect::<Vec<_>>(),
    })
}

fn flow_json(flow: &Flow) -> Value {
    let (server, tool) = flow.origin();
    let mut json = json!({ "kind": flow.as_str(), "server": server, "tool": tool });
    match flow {
        Flow::Carries { argument, characters, form, from } => {
            json["call"] = from.call.number().into();
            json["argument"] = argument.as_str().into();
            json["characters"] = (*characters).into();
            json["form"] = form.as_str().into();
        }
        Flow::Sensitive { from } => json["call"] = from.call.number().into(),
        _ => {}
    }
    json
}

/// The outcome, with the value as JSON and not as its text.
fn outcome_json(outcome: &Outcome) -> Value {
    let mut object = serde_json::to_value(outcome).unwrap_or_default();
    match outcome {
        Outcome::Completed { value: Some(value) } => {
            // A value nested deeper than the parser goes stays text.
            if let Ok(value) = serde_json::from_str::<Value>(value) {
                object["value"] = value;
            }
        }
        Outcome::TimedOut { limit, .. } => {
            if let Some(object) = object.as_object_mut() {
                object.remove("limit");
                object.insert("limit_ms".into(), millis(*limit).into());
            }
        }
        _ => {}
    }
    object
}

fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
