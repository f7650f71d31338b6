//! Tools of the host itself, in memory: no process, no wire, the same stations.

use std::collections::HashMap;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use async_trait::async_trait;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{Connection, Method, Peer, Raw, SendError, ToolCall};
use crate::server::Era;
use crate::size::size;

/// JSON-RPC's code for an internal error.
const INTERNAL_ERROR: i64 = -32603;
/// JSON-RPC's code for a method that is not there.
const METHOD_NOT_FOUND: i64 = -32601;
/// JSON-RPC's code for bad parameters, used by MCP for an unknown tool.
const INVALID_PARAMS: i64 = -32602;

type Handler = Arc<dyn Fn(Value) -> BoxFuture<'static, Result<Value, String>> + Send + Sync>;

/// A tool of the host: a definition as in MCP and the function behind it.
///
/// ```
/// use serde_json::{Value, json};
///
/// let tool = broker::LocalTool::new("add", |input: Value| async move {
///     let sum = input["a"].as_i64().zip(input["b"].as_i64()).map(|(a, b)| a + b);
///     sum.map(|sum| json!({ "sum": sum })).ok_or_else(|| "only integers".to_owned())
/// })
/// .description("Adds two integers.")
/// .input_schema(json!({ "type": "object", "required": ["a", "b"] }))
/// .output_schema(json!({ "type": "object", "properties": { "sum": { "type": "integer" } } }));
/// ```
#[derive(Clone)]
pub struct LocalTool {
    name: String,
    definition: Map<String, Value>,
    handler: Handler,
    whole_result: bool,
}

impl LocalTool {
    /// A tool whose function returns a value or, as `Err`, what went wrong (`isError`).
    ///
    /// The value becomes `structuredContent`; its text, a string as it is and anything else as JSON,
    /// becomes the one block of `content`.
    pub fn new<F, R>(name: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Value) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, String>> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |input| handler(input).boxed());
        let schema = json!({ "type": "object" });
        let definition = Map::from_iter([("inputSchema".to_owned(), schema)]);
        Self { name: name.into(), definition, handler, whole_result: false }
    }

    /// A tool whose function returns the whole `CallToolResult`.
    pub fn with_whole_result<F, R>(name: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Value) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, String>> + Send + 'static,
    {
        Self { whole_result: true, ..Self::new(name, handler) }
    }

    /// Says what the tool does.
    #[must_use]
    pub fn description(self, text: impl Into<String>) -> Self {
        self.member("description", Value::String(text.into()))
    }

    /// Sets the JSON Schema of the arguments. Default: any object.
    #[must_use]
    pub fn input_schema(self, schema: Value) -> Self {
        self.member("inputSchema", schema)
    }

    /// Sets the JSON Schema of the returned value. Default: none, nothing is promised.
    #[must_use]
    pub fn output_schema(self, schema: Value) -> Self {
        self.member("outputSchema", schema)
    }

    /// Sets the annotations, spelt as in MCP: `{ "readOnlyHint": true }`.
    #[must_use]
    pub fn annotations(self, annotations: Value) -> Self {
        self.member("annotations", annotations)
    }

    /// Sets any member of the definition.
    #[must_use]
    pub fn member(mut self, name: &str, value: Value) -> Self {
        self.definition.insert(name.to_owned(), value);
        self
    }

    /// The definition as a server would list it.
    fn entry(&self) -> Value {
        let mut entry = self.definition.clone();
        entry.insert("name".to_owned(), Value::String(self.name.clone()));
        Value::Object(entry)
    }

    fn result(&self, returned: Result<Value, String>) -> Value {
        let block = |text: &str| json!([{ "type": "text", "text": text }]);
        match returned {
            Ok(result) if self.whole_result => result,
            Ok(value) => {
                let content = match &value {
                    Value::String(text) => block(text),
                    other => block(&other.to_string()),
                };
                json!({ "content": content, "structuredContent": value })
            }
            Err(message) => json!({ "content": block(&message), "isError": true }),
        }
    }
}

impl fmt::Debug for LocalTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalTool").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The tools of one local server.
pub(crate) struct Local {
    entries: Vec<Value>,
    tools: HashMap<String, LocalTool>,
    peer: Peer,
}

impl Local {
    pub(crate) fn new(tools: Vec<LocalTool>) -> Self {
        let entries = tools.iter().map(LocalTool::entry).collect();
        let mut by_name = HashMap::new();
        for tool in tools {
            // The first of a name wins, as it does in the catalogue.
            by_name.entry(tool.name.clone()).or_insert(tool);
        }
        let peer = Peer {
            era: Era::Local,
            revision: "in memory".to_owned(),
            calls_itself: None,
            param_headers: false,
        };
        Self { entries, tools: by_name, peer }
    }
}

#[async_trait]
impl Connection for Local {
    fn peer(&self) -> &Peer {
        &self.peer
    }

    async fn tools_page(&self, _: Option<&str>) -> Result<Value, SendError> {
        Ok(json!({ "tools": self.entries }))
    }

    async fn call(&self, call: ToolCall) -> Result<Raw, SendError> {
        let ToolCall { method, tool, arguments, .. } = call;
        if method != Method::CallTool {
            let message = "tools of the host have no resources".to_owned();
            return Err(SendError::Rpc { code: METHOD_NOT_FOUND, message });
        }
        let Some(tool) = self.tools.get(&tool) else {
            let message = "no such tool".to_owned();
            return Err(SendError::Rpc { code: INVALID_PARAMS, message });
        };
        // A bug in one tool of the host must not take the other calls along.
        let handler = AssertUnwindSafe(async { (tool.handler)(Value::Object(arguments)).await });
        match handler.catch_unwind().await {
            Ok(returned) => {
                let value = tool.result(returned);
                let bytes = size(&value);
                Ok(Raw { value, bytes })
            }
            Err(_) => Err(SendError::Rpc {
                code: INTERNAL_ERROR,
                message: "the tool panicked".to_owned(),
            }),
        }
    }

    async fn close(&self) {}
}
