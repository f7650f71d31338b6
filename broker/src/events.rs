//! What happens, as it happens: for progress on a terminal, and for whoever watches runs.
//!
//! Events carry names, sizes and durations; arguments and results only if that is asked for, and
//! credentials never. The one text of a server that is always among them is what it says about the
//! progress of a call.
//!
//! [`Builder::events`](crate::Builder::events) hears of everything,
//! [`RunOptions::events`](crate::RunOptions::events) of one run, from
//! [`RunStarted`](Event::RunStarted) to [`RunFinished`](Event::RunFinished).

use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::ledger::CallId;
use crate::run::RunId;
use crate::server::ConnectError;

/// Receives events. Called from the tasks that do the work, so it must return quickly.
pub trait Events: Send + Sync {
    /// Takes note of one event.
    fn on_event(&self, event: &Event);
}

/// Something that happened. As JSON an object whose `event` is the name, such as `call_sent`;
/// durations are in milliseconds.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
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
        #[serde(rename = "duration_ms", serialize_with = "milliseconds")]
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
        #[serde(serialize_with = "in_words")]
        error: ConnectError,
    },
    /// A run begins.
    RunStarted {
        /// The run.
        run: RunId,
        /// Its label.
        #[serde(skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// A script made a call.
    CallProposed {
        /// The run.
        run: RunId,
        /// Its number in the run.
        id: CallId,
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// Line of the script.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
        /// The arguments, if they are asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        arguments: Option<Value>,
    },
    /// A call may be made.
    CallDecided {
        /// The run.
        run: RunId,
        /// Its number in the run.
        id: CallId,
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// Why, in the words of the ledger.
        decision: String,
        /// Size of the arguments as JSON text.
        argument_bytes: usize,
    },
    /// A call goes to its server.
    CallSent {
        /// The run.
        run: RunId,
        /// Its number in the run.
        id: CallId,
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// A server says how far a call is.
    CallProgress {
        /// The run.
        run: RunId,
        /// Its number in the run.
        id: CallId,
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// How much is done, in whatever the server counts.
        progress: f64,
        /// How much there is to do, if it knows.
        #[serde(skip_serializing_if = "Option::is_none")]
        total: Option<f64>,
        /// What it says about it, shortened.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// A call is settled.
    CallFinished {
        /// The run.
        run: RunId,
        /// Its number in the run.
        id: CallId,
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// How, in the words of [`State::as_str`](crate::State::as_str).
        state: &'static str,
        /// What went wrong, in the words of [`Kind::as_str`](crate::Kind::as_str).
        #[serde(skip_serializing_if = "Option::is_none")]
        kind: Option<&'static str>,
        /// Size of the result as it came; zero without one.
        result_bytes: usize,
        /// Time from the script's call until now.
        #[serde(rename = "duration_ms", serialize_with = "milliseconds")]
        duration: Duration,
        /// The result, if it is asked for and the call has succeeded.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
    },
    /// A script printed something.
    Console {
        /// The run.
        run: RunId,
        /// `log`, `warn`, ...
        level: &'static str,
        /// What it printed.
        text: String,
    },
    /// A run has ended.
    RunFinished {
        /// The run.
        run: RunId,
        /// How, in the words of whoever ran it.
        outcome: String,
        /// How many calls it made.
        calls: usize,
        /// Time from its start until now.
        #[serde(rename = "duration_ms", serialize_with = "milliseconds")]
        duration: Duration,
    },
}

fn milliseconds<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64((duration.as_secs_f64() * 1e6).round() / 1e3)
}

fn in_words<S: Serializer>(error: &ConnectError, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(error)
}

/// Listens to nothing.
pub(crate) struct Silence;

impl Events for Silence {
    fn on_event(&self, _: &Event) {}
}
