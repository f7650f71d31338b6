//! What a script catches when a call fails.

use std::fmt;

use serde_json::Value;

/// A failed call: everything a script can learn about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct ToolError {
    /// The server, as the script named it.
    pub server: String,
    /// The tool, as the script named it.
    pub tool: String,
    /// What went wrong.
    pub kind: Kind,
    /// The same in words.
    pub message: String,
    /// The limit that was passed, if the kind is [`Kind::Limit`].
    pub limit: Option<CallLimit>,
    /// The code, if the server answered with a JSON-RPC error.
    pub code: Option<i64>,
    /// `content` of the result, if there was one.
    pub content: Option<Value>,
    /// `structuredContent` of the result, if there was one.
    pub structured_content: Option<Value>,
}

/// What went wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// The tool did its work and reports that it failed (`isError`).
    Execution,
    /// The server answered with a JSON-RPC error, or with something that is not MCP.
    Protocol,
    /// The arguments do not fit the tool's schema. Nothing was sent.
    InvalidInput,
    /// The result does not fit the tool's schema. The call has taken effect.
    InvalidOutput,
    /// Policy or a person said no. Nothing was sent.
    Denied,
    /// No result in time. If the call was sent it may still take effect.
    Timeout,
    /// The script or the host gave up.
    Cancelled,
    /// There is no such tool, or its server is not there.
    Unavailable,
    /// A limit was passed.
    Limit,
}

impl Kind {
    /// The name scripts see, for example `invalid_input`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Execution => "execution",
            Self::Protocol => "protocol",
            Self::InvalidInput => "invalid_input",
            Self::InvalidOutput => "invalid_output",
            Self::Denied => "denied",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::Unavailable => "unavailable",
            Self::Limit => "limit",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [
            Self::Execution,
            Self::Protocol,
            Self::InvalidInput,
            Self::InvalidOutput,
            Self::Denied,
            Self::Timeout,
            Self::Cancelled,
            Self::Unavailable,
            Self::Limit,
        ];
        all.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A limit of one call, by its name in [`CallLimits`](crate::CallLimits).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallLimit {
    /// [`CallLimits::argument_bytes`](crate::CallLimits::argument_bytes). Nothing was sent.
    ArgumentBytes,
    /// [`CallLimits::result_bytes`](crate::CallLimits::result_bytes). The call has taken effect.
    ResultBytes,
}

/// What a station reports: a [`ToolError`] that does not know yet whose it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) message: String,
    pub(crate) limit: Option<CallLimit>,
    pub(crate) code: Option<i64>,
    pub(crate) content: Option<Value>,
    pub(crate) structured_content: Option<Value>,
}

impl Fault {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message, limit: None, code: None, content: None, structured_content: None }
    }

    pub(crate) fn limit(limit: CallLimit, message: impl Into<String>) -> Self {
        Self { limit: Some(limit), ..Self::new(Kind::Limit, message) }
    }

    pub(crate) fn of(self, server: String, tool: String) -> ToolError {
        let Self { kind, message, limit, code, content, structured_content } = self;
        ToolError { server, tool, kind, message, limit, code, content, structured_content }
    }
}
