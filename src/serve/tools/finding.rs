//! The tools that find tools.

use super::{DETAILS, Hints, SEARCH, tool};
use rmcp::model::Tool;
use serde_json::json;

pub(super) fn all() -> Vec<Tool> {
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
    ]
}
