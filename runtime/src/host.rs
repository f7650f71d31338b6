//! What a run asks of its host: the answer to a tool call.

use crate::clock::{Pause, WallClock};
use crate::console::Line;
use crate::limits::Limit;
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

    /// What time it is in the run when it begins, and its randomness. Default: the system's.
    fn fixed(&self) -> Option<Fixed> {
        None
    }

    /// Unix time in milliseconds to which the answer that was given last takes the clock of a run that
    /// has [`Fixed`].
    fn time(&self) -> Option<u64> {
        None
    }

    /// Hears of a line that the script has printed and that is kept.
    fn printed(&self, line: &Line) {
        let _ = line;
    }
}

/// What makes a run the same each time: its clock and its randomness come from here, not from the
/// system.
///
/// The clock begins at `unix_ms`. It goes on with what happens, not with the time that passes: to
/// [`ToolHost::time`] with the answer to a call, to the time for which a timer was set, and by a
/// thousandth of a millisecond each time it is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixed {
    /// The time at which the run begins.
    pub unix_ms: u64,
    /// What its random bytes are made of.
    pub seed: [u8; 32],
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
    /// The limit of the run that the call has passed: an error that nobody catches ends the run by
    /// that limit.
    pub limit: Option<Limit>,
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
    /// A failure of this kind that says nothing else.
    pub fn new(kind: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind: kind.to_owned(), message, limit: None, properties: String::new() }
    }

    /// A call that passed a limit of the run.
    pub(crate) fn limit(limit: Limit, message: String) -> Self {
        Self { limit: Some(limit), ..Self::new("limit", message) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}
