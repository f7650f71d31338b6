//! Runs scripts that nobody trusts: TypeScript in a V8 isolate that has no network, files or
//! environment, within [`Limits`], and whose only way out is to ask the host for a tool call.
//!
//! The crate knows nothing of MCP. A host hands it a [`Script`] with the names of its
//! [`Function`]s and answers the calls through [`ToolHost`]; it gets back a [`Run`], however the
//! script ended.
//!
//! ```text
//! Runtime::run ── Start ──► worker: isolate ── Call ──► ToolHost ── CallResult ──► worker
//!      ▲                                                                             │
//!      └──────────────────────────── Run ◄── Done ───────────────────────────────────┘
//! ```
//!
//! With [`Isolation::Process`] the isolate is in a process of its own that is used for one run and
//! killed afterwards; with [`Isolation::Thread`] it is on a thread of the host's process.

mod limits;
mod console;
mod outcome;
mod hardening;
mod host;
mod clock;
mod runtime;
mod run;
mod worker;
mod pool;
mod process;
mod thread;
mod frame;
mod isolate;
mod strip;

/// The version of V8 that scripts run in.
pub fn v8_version() -> &'static str {
    deno_core::v8::V8::get_version()
}

pub use clock::{Pause, WallClock};
pub use console::{Console, Level, Line};
pub use hardening::{Attempt, Hardening, Held, Wall};
pub use host::{Call, Failure, Fixed, Function, Reply, ToolHost};
pub use limits::{Limit, Limits};
pub use outcome::{Clock, Diagnostic, Frame, Outcome, Position, Run, ScriptError, Usage};
pub use process::worker::run_if_requested;
pub use runtime::{Builder, Isolation, Runtime, Script, StartError, WorkerProgram};
