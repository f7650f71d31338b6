//! What happens, as it happens: for progress on a terminal.
//!
//! Events carry names, sizes and durations, never arguments, results or credentials.

use std::time::Duration;

use crate::ledger::CallId;
use crate::server::ConnectError;

/// Receives events. Called from the tasks that do the work, so it must return quickly.
pub trait Events: Send + Sync {
    /// Takes note of one event.
    fn on_event(&self, event: &Event);
}

/// Something that happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A server is being started or reached.
    ServerConnecting {
        /// Its name.
        server: String,
    },
    /// A server is ready.
    ServerConnected {
        /// Its name.
        server: String,
        /// How many usable tools it has.
        tools: usize,
        /// How long that took.
        duration: Duration,
    },
    /// A server could not be reached; the others go on.
    ServerFailed {
        /// Its name.
        server: String,
        /// Why.
        error: ConnectError,
    },
    /// A script made a call.
    CallStarted {
        /// Its number in the run.
        id: CallId,
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// A call is settled.
    CallEnded {
        /// Its number in the run.
        id: CallId,
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// How, in the words of [`State::as_str`](crate::State::as_str).
        state: &'static str,
        /// Time from the script's call until now.
        duration: Duration,
    },
}

/// Listens to nothing.
pub(crate) struct Silence;

impl Events for Silence {
    fn on_event(&self, _: &Event) {}
}
