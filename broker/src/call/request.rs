//! What a script asks for, and what it gets.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::enable;
use crate::transport::Method;

/// A call as the script makes it.
#[derive(Clone)]
#[non_exhaustive]
pub struct Request {
    /// The server, by the name of the configuration.
    pub server: String,
    /// The tool, by the server's name for it.
    pub tool: String,
    /// The arguments: an object, or null for none.
    pub input: Value,
    /// Time for this call, if less than [`CallLimits::tool_timeout`](crate::CallLimits); then no
    /// progress prolongs it.
    pub timeout: Option<Duration>,
    /// Line of the script, for whoever is asked about the call.
    pub line: Option<u32>,
    /// Told `true` when somebody is being asked about the call and `false` when that is over, so
    /// that the caller can stop its clock meanwhile.
    pub waiting: Arc<dyn Fn(bool) + Send + Sync>,
    pub(crate) method: Method,
    /// The server is to be enabled, and no tool called.
    pub(crate) enables: bool,
}

impl Request {
    /// A read of a resource of a server, through the same stations as a call. To policy it is the
    /// tool `resources/read` of the server, whose argument is `uri`.
    pub fn read_resource(server: impl Into<String>, uri: impl Into<String>) -> Self {
        let input = serde_json::json!({ "uri": uri.into() });
        let method = Method::ReadResource;
        Self { method, ..Self::new(server, method.name(), input) }
    }

    /// The list of a server's resources: the tool `resources/list`.
    pub fn list_resources(server: impl Into<String>) -> Self {
        let method = Method::ListResources;
        Self { method, ..Self::new(server, method.name(), Value::Null) }
    }

    /// Enables a server that is [on demand](crate::ServerConfig::on_demand), if the policy lets it: to
    /// rules and approval it is the tool `servers/enable` of that server.
    pub fn enable_server(server: impl Into<String>) -> Self {
        Self { enables: true, ..Self::new(server, enable::NAME, Value::Null) }
    }

    /// A call with arguments and nothing else.
    pub fn new(server: impl Into<String>, tool: impl Into<String>, input: Value) -> Self {
        Self {
            server: server.into(),
            tool: tool.into(),
            input,
            timeout: None,
            line: None,
            waiting: Arc::new(|_| ()),
            method: Method::CallTool,
            enables: false,
        }
    }

    /// Sets [`timeout`](Self::timeout).
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets [`line`](Self::line).
    #[must_use]
    pub fn line(mut self, line: u32) -> Self {
        self.line = Some(line);
        self
    }

    /// Sets [`waiting`](Self::waiting).
    #[must_use]
    pub fn waiting(mut self, waiting: impl Fn(bool) + Send + Sync + 'static) -> Self {
        self.waiting = Arc::new(waiting);
        self
    }
}

/// Names only: arguments stay out of logs.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, tool, timeout, line, .. } = self;
        let mut request = f.debug_struct("Request");
        request.field("server", server).field("tool", tool);
        request.field("timeout", timeout).field("line", line).finish_non_exhaustive()
    }
}

/// What a successful call returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The whole `CallToolResult` as the server sent it.
    pub result: Value,
    /// Whether the tool has an output schema, and `structuredContent` fits it.
    checked: bool,
}

impl Answer {
    pub(crate) fn new(result: Value, checked: bool) -> Self {
        Self { result, checked }
    }

    pub(crate) fn is_checked(&self) -> bool {
        self.checked
    }

    /// `structuredContent`, if the tool has an output schema; it fits the schema.
    pub fn structured(&self) -> Option<&Value> {
        if self.checked { self.result.get("structuredContent") } else { None }
    }
}
