//! The tools about servers on demand.

use super::{DISABLE, ENABLE, Hints, SERVERS, tool};
use rmcp::model::Tool;
use serde_json::json;

pub(super) fn all() -> Vec<Tool> {
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
