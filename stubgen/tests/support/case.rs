//! Reading a case, and tools as servers write them.

use std::path::Path;

use serde_json::Value;
use stubgen::{Annotations, Catalogue, Declarations, Tool};

/// What is declared for tools that were not seen before.
pub(crate) fn declared(tools: &[Tool]) -> Declarations {
    tools.iter().cloned().collect::<Catalogue>().declare()
}

/// One file in `cases/`.
pub(crate) struct Case {
    pub(crate) tools: Vec<Tool>,
    /// Values that the input of the first tool admits.
    pub(crate) valid: Vec<Value>,
    /// Values that it refuses, by its type alone.
    pub(crate) invalid: Vec<Value>,
    /// The same for its structured result.
    pub(crate) valid_output: Vec<Value>,
    pub(crate) invalid_output: Vec<Value>,
}

impl Case {
    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let json: Value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let values =
            |key: &str| json.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        // `"input": schema` is short for one tool with that input and nothing else.
        let tools = match (json.get("input"), json.get("output")) {
            (None, None) => values("tools").iter().map(|value| tool("s", value)).collect(),
            (input, output) => vec![Tool {
                server: "s".to_owned(),
                name: "t".to_owned(),
                title: None,
                description: None,
                input_schema: input
                    .cloned()
                    .unwrap_or_else(|| serde_json::json!({ "type": "object" })),
                output_schema: output.cloned(),
                annotations: Annotations::default(),
            }],
        };
        Self {
            tools,
            valid: values("valid"),
            invalid: values("invalid"),
            valid_output: values("validOutput"),
            invalid_output: values("invalidOutput"),
        }
    }
}

/// A tool as `tools/list` writes it.
pub(crate) fn tool(server: &str, value: &Value) -> Tool {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let hint = |key: &str| value.pointer(&format!("/annotations/{key}")).and_then(Value::as_bool);
    Tool {
        server: text("server").unwrap_or_else(|| server.to_owned()),
        name: text("name").unwrap_or_default(),
        title: text("title"),
        description: text("description"),
        input_schema: value.get("inputSchema").cloned().unwrap_or(Value::Bool(true)),
        output_schema: value.get("outputSchema").cloned(),
        annotations: Annotations {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        },
    }
}

/// A tool with this input and nothing else.
pub(crate) fn plain(server: &str, name: &str, input_schema: Value) -> Tool {
    Tool {
        server: server.to_owned(),
        name: name.to_owned(),
        title: None,
        description: None,
        input_schema,
        output_schema: None,
        annotations: Annotations::default(),
    }
}
