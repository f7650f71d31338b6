//! What happens, as it happens: for progress on a terminal.
//!
//! Events carry names, sizes and durations, never arguments, results or credentials. The one text of
//! a server among them is what it says about the progress of a call.

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
    /// The tools of a server that was ready before are others now.
    CatalogueChanged {
        /// Its name.
        server: String,
        /// Tools that were not there.
        added: Vec<String>,
        /// Tools that are not there any more, or cannot be called.
        removed: Vec<String>,
        /// Tools whose definition is another one.
        changed: Vec<String>,
    },
    /// A server could not be reached, or the connection to it broke; the others go on.
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
    /// A server says how far a call is.
    CallProgress {
        /// Its number in the run.
        id: CallId,
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// How much is done, in whatever the server counts.
        progress: f64,
        /// How much there is to do, if it knows.
        total: Option<f64>,
        /// What it says about it, shortened.
        message: Option<String>,
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
