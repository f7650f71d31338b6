//! How the program ends.

use cofferdam::{Outcome, Report, ServerState, ServerStatus, broker};
use std::process::ExitCode;

/// The exit codes, as the documentation has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Done = 0,
    /// The script threw, was not valid, or a single call failed.
    Failed = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// A limit ended the run.
    Limit = 3,
    /// A server could not be reached.
    Unreachable = 4,
    Crashed = 5,
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// The code for a run.
    ///
    /// A server that is not there does not make a run fail by itself. If the script failed and it
    /// was for want of a server, that is what the code says.
    pub(super) fn of(report: &Report, servers: &[ServerStatus]) -> Self {
        match &report.outcome {
            Outcome::Completed { .. } => Self::Done,
            Outcome::Threw { error } => {
                let unavailable = error.kind.as_deref() == Some("unavailable");
                let missing = error.name == "ReferenceError" && wants_missing(error, servers);
                if missing || unavailable && wanted_server(report, servers) {
                    Self::Unreachable
                } else {
                    Self::Failed
                }
            }
            Outcome::SyntaxError { .. } => Self::Failed,
            Outcome::TimedOut { .. }
            | Outcome::MemoryExceeded { .. }
            | Outcome::LimitExceeded { .. } => Self::Limit,
            Outcome::Cancelled => Self::Interrupted,
            Outcome::Crashed { .. } => Self::Crashed,
        }
    }
}

/// Whether a call of the run failed because a server was not there or went away, as opposed to a
/// name that nobody knows.
fn wanted_server(report: &Report, servers: &[ServerStatus]) -> bool {
    use broker::{Kind, State};
    report.ledger.entries().iter().any(|entry| match &entry.state {
        State::Failed { kind: Kind::Unavailable, .. } => true,
        State::Refused { kind: Kind::Unavailable, .. } => {
            failed(servers).any(|name| name == entry.server)
        }
        _ => false,
    })
}

/// Whether a function is not there because its server is not.
fn wants_missing(error: &cofferdam::runtime::ScriptError, servers: &[ServerStatus]) -> bool {
    failed(servers).any(|name| error.message.starts_with(&broker::function_name(name, "")))
}

/// The names of the servers that are not there.
pub(super) fn failed(servers: &[ServerStatus]) -> impl Iterator<Item = &str> {
    let failed = |server: &&ServerStatus| matches!(server.state, ServerState::Failed { .. });
    servers.iter().filter(failed).map(|server| server.name.as_str())
}
