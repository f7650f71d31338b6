//! The wire, seen from the broker: a page of tools, a call, an end.
//!
//! Everything that depends on how a server is reached, or on the library that speaks MCP, stays
//! below [`Connection`]. Results come up as the JSON the server sent, so that kinds of content
//! nobody here knows of survive.

mod discreet;
pub(crate) mod http;
mod client;
mod discover;
mod listen;
pub(crate) mod local;
pub(crate) mod notices;
mod session;
mod shelf;
pub(crate) mod stdio;
mod text;

pub(crate) use discreet::Discreet;

use std::collections::BTreeMap;

use async_trait::async_trait;
use rmcp::service::ClientInitializeError;
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::elicitation::Caller;
use crate::secret::Hidden;
use crate::server::{ConnectError, Era};
pub(crate) use client::Client;
use notices::{Heard, OnProgress};
pub(crate) use session::UNSUPPORTED_REVISION;

/// One server that has been reached. Many calls may use it at once.
#[async_trait]
pub(crate) trait Connection: Send + Sync {
    /// What the server turned out to be.
    fn peer(&self) -> &Peer;

    /// One page of `tools/list`: the result as the server sent it.
    async fn tools_page(&self, cursor: Option<&str>) -> Result<Value, SendError>;

    /// One `tools/call`: the result as the server sent it. Dropping the future tells the server
    /// that the call is cancelled. Ends by itself only with the connection: the caller holds the
    /// clock.
    async fn call(&self, call: ToolCall) -> Result<Raw, SendError>;

    /// What the server says without being asked, if it ever does.
    fn heard(&self) -> Option<watch::Receiver<Heard>> {
        None
    }

    /// The last lines the server wrote to its standard error, if it has one.
    fn stderr(&self) -> Option<String> {
        None
    }

    /// Why the connection ended, as far as it can be found out.
    async fn epitaph(&self) -> String {
        "it ended".to_owned()
    }

    /// Ends the connection in good order. Afterwards nothing of the server is left running.
    async fn close(&self);
}

/// What is asked of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    CallTool,
    /// The argument is `uri`.
    ReadResource,
    /// The argument, if any, is `cursor`.
    ListResources,
}

impl Method {
    /// The name of it in MCP.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CallTool => "tools/call",
            Self::ReadResource => "resources/read",
            Self::ListResources => "resources/list",
        }
    }
}

/// What a request has with it when it is sent again after the server asked something.
#[derive(Clone)]
pub(crate) struct Round {
    pub(crate) responses: BTreeMap<String, Value>,
    /// As the server gave it; nothing if it gave nothing.
    pub(crate) state: Option<String>,
}

/// A call as it is sent.
#[derive(Clone)]
pub(crate) struct ToolCall {
    pub(crate) method: Method,
    /// The server's name of the tool.
    pub(crate) tool: String,
    /// Whose call it is, for questions of the server.
    pub(crate) caller: Caller,
    pub(crate) round: Option<Round>,
    pub(crate) arguments: Map<String, Value>,
    /// Arguments that travel as headers too, where there are any.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) on_progress: OnProgress,
}

/// No connection, why, and what the server wrote to its standard error.
#[derive(Debug)]
pub(crate) struct NoConnection {
    pub(crate) error: ConnectError,
    pub(crate) stderr: Option<String>,
}

impl NoConnection {
    /// The same without credentials.
    pub(crate) fn without(self, secrets: &Hidden) -> Self {
        let stderr = self.stderr.map(|text| secrets.hide(&text));
        Self { error: self.error.without(secrets), stderr }
    }
}

impl From<ConnectError> for NoConnection {
    fn from(error: ConnectError) -> Self {
        Self { error, stderr: None }
    }
}

/// A result as the server sent it.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    pub(crate) value: Value,
    /// Size of the text it came in.
    pub(crate) bytes: usize,
}

/// What a server turned out to be.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) era: Era,
    /// The revision of the protocol in use.
    pub(crate) revision: String,
    /// How the server calls itself. Shown, never trusted.
    pub(crate) calls_itself: Option<String>,
    /// Whether arguments may have to travel as headers.
    pub(crate) param_headers: bool,
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SendError {
    /// The server answered with a JSON-RPC error.
    #[error("{message} (error {code})")]
    Rpc { code: i64, message: String },
    /// The request did not leave: nobody is there to take it.
    #[error("the server cannot be reached: {detail}")]
    Unreachable { detail: String },
    /// There is no server any more, at least not for this request.
    #[error("the server is gone: {detail}")]
    Gone { detail: String },
    /// The answer is larger than the transport accepts.
    #[error("the answer has more than {limit} bytes")]
    TooLarge { limit: usize },
    /// The server refused the request below the level of MCP, for example with an HTTP status.
    #[error("{detail}")]
    Refused { detail: String },
    /// The server answered something that is not MCP.
    #[error("the answer is not MCP: {detail}")]
    Odd { detail: String },
}

/// A handshake that failed for what the server answered.
fn handshake_failed(error: &ClientInitializeError) -> ConnectError {
    let problem = match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
            return handshake_failed(fallback);
        }
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let supported = server_supported.iter().map(ToString::to_string).collect();
            return ConnectError::Revision { supported };
        }
        ClientInitializeError::JsonRpcError(error) => {
            format!("it refuses the handshake: {} (error {})", error.message, error.code.0)
        }
        ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::TransportError { .. } => "it closed the connection".to_owned(),
        // The texts of the others contain whole messages.
        _ => "its answer to the handshake is not one".to_owned(),
    };
    ConnectError::NotMcp { problem }
}
