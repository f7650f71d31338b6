//! What a run asks of its host: the answer to a tool call.

use crate::clock::{Pause, WallClock};
use crate::console::Line;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::{fmt, sync::Arc, time::Duration};

/// The host's side of a run: answers its calls.
///
/// The futures run within the future of [`Runtime::run`](crate::Runtime::run), so on the host's
/// tokio runtime, many at once.
pub trait ToolHost: Send + Sync {
    /// Answers one call.
    ///
    /// The future is dropped when the script aborts the call and when the run ends first: dropping
    /// it must cancel the call as far as that is possible. It has to end within [`Call::timeout`];
    /// if it does not, the run's own clock still ends it.
    fn call(&self, call: Call) -> BoxFuture<'_, Result<Reply, Failure>>;

    /// Hears of each line of the console as it is printed. Must not block.
    fn printed(&self, _line: &Line) {}
}

/// One call of a script.
#[derive(Debug)]
pub struct Call {
    /// The function's name, as the script called it: one of the run's [`Function`]s, or, from
    /// `mcp.callTool`, any text.
    pub function: String,
    /// The input as JSON text, as the script's `JSON.stringify` wrote it; not checked in any way.
    pub input: String,
    /// Whether the script asked for the whole result (`mcp.callToolRaw`).
    pub raw: bool,
    /// The time the call may take, without waiting for approval.
    pub timeout: Duration,
    /// The line of the script that made the call, counted from 1, if it is known.
    pub line: Option<u32>,
    pub(crate) wall: Arc<WallClock>,
}

impl Call {
    /// Stops the run's wall clock until the guard is dropped: for the time in which a human is
    /// asked.
    #[must_use]
    pub fn pause_clock(&self) -> Pause {
        self.wall.pause()
    }

    /// A handle that can stop the clock after `self` has been taken apart.
    pub fn wall_clock(&self) -> Arc<WallClock> {
        self.wall.clone()
    }
}

/// What the script gets for a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// This JSON text, parsed.
    Value(String),
    /// A `ToolResult` made from this JSON text, an object with `content` and perhaps
    /// `structuredContent`.
    Content(String),
}

/// Why a call failed. Becomes a `ToolError` in the script.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The error's `kind`.
    pub kind: String,
    /// The error's `message`.
    pub message: String,
    /// Further properties of the error, such as `tool` and `server`: the text of a JSON object, or
    /// empty.
    pub properties: String,
}

/// A function that a script gets, one for each tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its name: an identifier.
    pub name: String,
    /// The server of its tool, for the errors that the isolate makes itself.
    pub server: String,
    /// The tool's own name.
    pub tool: String,
}

impl Failure {
    /// A failure of the call to the function with this name.
    pub(crate) fn limit(message: String) -> Self {
        Self { kind: "limit".into(), message, properties: String::new() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}
