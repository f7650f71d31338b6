//! The tools of the server. They never change, whatever the servers behind it have: those about servers
//! on demand are there if the configuration has such servers, whether they are enabled or not.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) const RUN: &str = "run_code";
pub(super) const WAIT: &str = "wait_run";
pub(super) const CANCEL: &str = "cancel_run";
pub(super) const SEARCH: &str = "search_tools";
pub(super) const DETAILS: &str = "get_tool_details";
pub(super) const CALL: &str = "call_tool";
pub(super) const SERVERS: &str = "search_servers";
pub(super) const ENABLE: &str = "enable_server";
pub(super) const DISABLE: &str = "disable_server";

/// What hosts show a model before anything else.
pub(super) fn instructions(on_demand: bool) -> String {
    let more = if on_demand { ON_DEMAND } else { "" };
    format!("{INSTRUCTIONS}{more}")
}

const INSTRUCTIONS: &str = include_str!("instructions.md");
/// What they show of it where there are servers on demand.
const ON_DEMAND: &str = "
Some servers are off until they are wanted, and their tools are not found. Where no tool fits, `search_servers` finds servers by what they are for, and `enable_server` switches one on; the user may be asked. Then search for its tools. Enable what you need before you begin, and `disable_server` when all is done.
";

/// All tools, in the order in which they are listed.
pub(super) fn all(on_demand: bool) -> Vec<Tool> {
    let mut tools = of_any();
    if on_demand {
        tools.extend(of_demand());
    }
    tools
}

fn of_any() -> Vec<Tool> {
    vec![
        tool(
            SEARCH,
            "Find tools",
            "Find tools of all connected servers by what they do. Words of names, descriptions and parameters count. Without a query, lists all.",
            json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "What the tool should do, or part of its name." },
                    "server": { "type": "string", "description": "Only tools of this server." },
                    "detail": { "type": "string", "enum": ["name", "summary", "full"], "description": "Default: summary, one line for each. full: declarations and schemas." },
                    "limit": { "type": "integer", "minimum": 1, "maximum": 200, "description": "Default: 10; without a query 100." },
                },
                "additionalProperties": false,
            }),
            json!({
                "type": "object",
                "properties": {
                    "tools": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "name": { "type": "string", "description": "The function's name in scripts." },
                                "server": { "type": "string" },
                                "summary": { "type": "string" },
                                "readOnly": { "type": "boolean", "description": "Whether it says that it changes nothing." },
                                "declaration": { "type": "string" },
                                "inputSchema": {},
                                "outputSchema": {},
                            },
                            "required": ["name", "server"],
                        },
                    },
                    "found": { "type": "integer", "description": "How many match in all." },
                },
                "required": ["tools", "found"],
            }),
            Hints { read_only: true, idempotent: true, open_world: false },
        ),
        tool(
            DETAILS,
            "Read declarations",
            "The TypeScript declarations of tools, by their names from search_tools: parameters, what they return, and what they are for. Read them before you write a script.",
            json!({
                "type": "object",
                "properties": {
                    "names": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 50 },
                },
                "required": ["names"],
                "additionalProperties": false,
            }),
            json!({
                "type": "object",
                "properties": {
                    "declarations": { "type": "string" },
                    "unknown": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": { "name": { "type": "string" }, "nearest": { "type": "string" } },
                            "required": ["name"],
                        },
                    },
                },
                "required": ["declarations", "unknown"],
            }),
            Hints { read_only: true, idempotent: true, open_world: false },
        ),
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
            json!({
                "type": "object",
                "properties": { "run_id": { "type": "string" } },
                "required": ["run_id"],
                "additionalProperties": false,
            }),
            run_output(),
            Hints { read_only: true, idempotent: true, open_world: false },
        ),
        tool(
            CANCEL,
            "Cancel a run",
            "End a run. Calls that it has made are not undone; the result lists them.",
            json!({
                "type": "object",
                "properties": { "run_id": { "type": "string" } },
                "required": ["run_id"],
                "additionalProperties": false,
            }),
            run_output(),
            Hints { read_only: false, idempotent: true, open_world: false },
        ),
    ]
}

/// The tools about servers on demand.
fn of_demand() -> Vec<Tool> {
    let server = json!({
        "type": "object",
        "properties": { "server": { "type": "string", "description": "Its name, from search_servers." } },
        "required": ["server"],
        "additionalProperties": false,
    });
    let state =
        json!({ "type": "string", "enum": ["off", "idle", "connecting", "ready", "failed"] });
    vec![
        tool(
            SERVERS,
            "Find servers",
            "Find servers by what they are for, also those that are off: their tools are found once they are enabled. Without a query, lists all.",
            json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "What the server should be good for, or part of its name." },
                    "limit": { "type": "integer", "minimum": 1, "maximum": 200, "description": "Default: 100." },
                },
                "additionalProperties": false,
            }),
            json!({
                "type": "object",
                "properties": {
                    "servers": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "server": { "type": "string" },
                                "description": { "type": "string" },
                                "state": state,
                                "on_demand": { "type": "boolean", "description": "Whether it can be enabled and disabled." },
                                "tools": { "type": "integer", "description": "How many are known now." },
                            },
                            "required": ["server", "state", "on_demand", "tools"],
                        },
                    },
                    "found": { "type": "integer", "description": "How many match in all." },
                },
                "required": ["servers", "found"],
            }),
            Hints { read_only: true, idempotent: true, open_world: false },
        ),
        tool(
            ENABLE,
            "Enable a server",
            "Switch a server on, so that its tools are found and can be called. Checked by the policy; the user may be asked.",
            server.clone(),
            json!({
                "type": "object",
                "properties": {
                    "ok": { "type": "boolean" },
                    "server": { "type": "string" },
                    "tools": { "type": "integer", "description": "How many it has." },
                    "error": {
                        "type": "object",
                        "properties": { "kind": { "type": "string" }, "message": { "type": "string" } },
                    },
                    "run_id": { "type": "string", "description": "For wait_run, if it takes long." },
                    "status": { "type": "string" },
                },
            }),
            Hints { read_only: false, idempotent: true, open_world: false },
        ),
        tool(
            DISABLE,
            "Disable a server",
            "Let go of a server that you have enabled. It is switched off unless others use it.",
            server,
            json!({
                "type": "object",
                "properties": { "server": { "type": "string" }, "state": state },
                "required": ["server", "state"],
            }),
            Hints { read_only: false, idempotent: true, open_world: false },
        ),
    ]
}

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

struct Hints {
    read_only: bool,
    idempotent: bool,
    open_world: bool,
}

fn tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    input: Value,
    output: Value,
    hints: Hints,
) -> Tool {
    let mut tool = Tool::new(name, description, object(input));
    tool.title = Some(title.to_owned());
    tool.output_schema = Some(Arc::new(object(output)));
    tool.annotations = Some(ToolAnnotations::from_raw(
        Some(title.to_owned()),
        Some(hints.read_only),
        Some(!hints.read_only && hints.open_world),
        Some(hints.idempotent),
        Some(hints.open_world),
    ));
    tool
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
