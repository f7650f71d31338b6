//! The tools that run something, and go on with it or end it.

use super::{CALL, CANCEL, Hints, RUN, WAIT, tool};
use rmcp::model::Tool;
use serde_json::{Value, json};

pub(super) fn all() -> Vec<Tool> {
    vec![
        tool(
            RUN,
            "Run a script",
            "Run a TypeScript script in which every tool is a global async function, e.g. `const { entries } = await logging_getLogs({ level: \"error\" }); return entries.length`. Returns what it printed and returned. No imports, network or files. Calls it made are not undone when it fails.",
            json!({
                "type": "object",
                "properties": {
                    "script": { "type": "string", "description": "TypeScript with top-level await and return." },
                    "timeout": { "type": "number", "exclusiveMinimum": 0, "description": "Seconds, if less than the configured limit." },
                    "label": { "type": "string", "maxLength": 200, "description": "What the run is for; rules of the policy can be about it." },
                },
                "required": ["script"],
                "additionalProperties": false,
            }),
            run_output(),
            Hints { read_only: false, idempotent: false, open_world: true },
        ),
        tool(
            CALL,
            "Call one tool",
            "Call one tool without a script and get its whole answer. Checked by the same policy.",
            json!({
                "type": "object",
                "properties": {
                    "name": { "type": "string", "description": "The function's name, from search_tools." },
                    "arguments": { "type": "object", "description": "The tool's input." },
                },
                "required": ["name"],
                "additionalProperties": false,
            }),
            json!({
                "type": "object",
                "properties": {
                    "ok": { "type": "boolean" },
                    "result": { "description": "The tool's structured content, if it has any." },
                    "error": {
                        "type": "object",
                        "properties": { "kind": { "type": "string" }, "message": { "type": "string" } },
                    },
                    "run_id": { "type": "string" },
                    "status": { "type": "string" },
                },
            }),
            Hints { read_only: false, idempotent: false, open_world: true },
        ),
        tool(
            WAIT,
            "Wait for a run",
            "Go on waiting for a run that answered with status \"running\", and get its result.",
            run_input(),
            run_output(),
            Hints { read_only: true, idempotent: true, open_world: false },
        ),
        tool(
            CANCEL,
            "Cancel a run",
            "End a run. Calls that it has made are not undone; the result lists them.",
            run_input(),
            run_output(),
            Hints { read_only: false, idempotent: true, open_world: false },
        ),
    ]
}

/// Which run is meant.
fn run_input() -> Value {
    json!({
        "type": "object",
        "properties": { "run_id": { "type": "string" } },
        "required": ["run_id"],
        "additionalProperties": false,
    })
}

/// What is known of a run, under way or ended.
fn run_output() -> Value {
    json!({
        "type": "object",
        "properties": {
            "run_id": { "type": "string" },
            "status": { "type": "string", "enum": ["completed", "failed", "running"] },
            "outcome": { "type": "string", "description": "How it ended, e.g. completed, threw, timed_out." },
            "output": { "type": "string", "description": "What it printed and returned, or why it failed." },
            "value": { "description": "What it returned." },
            "calls": {
                "type": "object",
                "description": "How many calls stand where: succeeded, failed, refused, unknown.",
                "additionalProperties": { "type": "integer" },
            },
            "ok": { "type": "boolean" },
            "result": {},
            "error": { "type": "object" },
        },
    })
}
