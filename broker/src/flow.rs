//! Data that flows from one server to another: what a call carries of earlier results.
//!
//! A result of one server is a stranger's text to every other, and may be nobody else's business.
//! So the broker remembers fingerprints of what each call of a run returned, and looks for them in
//! the arguments of later calls of other servers. [`FlowRule`]s say what follows: `allow`, `ask` or
//! `deny`, combined with the policy's verdict so that the stricter of the two holds. Whoever is
//! asked about the call, and the ledger, get to know what flowed.
//!
//! It finds copying, also re-cased, trimmed, cut, or in a usual encoding; not a paraphrase, nor what
//! a script takes pains to hide. For data where that is not enough there are marks instead: once a
//! run has read what is `sensitive`, calls of servers that are `public` are asked about or denied,
//! whatever they carry.

mod explain;
mod find;
mod found;
mod held;
mod leaves;
mod rules;
mod tracker;
mod views;
mod winnow;

use std::fmt;
use std::sync::Arc;

pub use explain::Carried;
pub use rules::{DataFlow, FlowRule};
pub(crate) use tracker::{Labels, Tracker};
pub use views::Encoding;

use crate::ledger::CallId;

/// The call whose result it was.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Source {
    /// Its number in the run.
    pub call: CallId,
    /// Its server.
    pub server: Arc<str>,
    /// Its tool.
    pub tool: Arc<str>,
}

impl Source {
    pub(crate) fn new(call: CallId, server: &str, tool: &str) -> Self {
        Self { call, server: server.into(), tool: tool.into() }
    }

    fn is_of(&self, other: &Self) -> bool {
        (&self.server, &self.tool) == (&other.server, &other.tool)
    }
}

/// What kind of flow it is and from where, whatever the call: what a grant can be about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Origin {
    /// The kind: see [`Flow::as_str`].
    pub flow: &'static str,
    /// The server that the data comes from.
    pub server: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
}

impl Origin {
    fn of(flow: &Flow) -> Self {
        let (server, tool) = flow.origin();
        Self { flow: flow.as_str(), server: server.into(), tool: tool.into() }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} {}", self.server, self.tool, self.call)
    }
}

/// Something that flows, or may flow, with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flow {
    /// The arguments hold a part of an earlier result of another server.
    Carries {
        /// The argument, as a JSON Pointer; empty if it takes several of them together.
        argument: String,
        /// Letters and digits of it that are known to come from there, at the least.
        characters: usize,
        /// In which form.
        form: Encoding,
        /// From where.
        from: Source,
    },
    /// The run has read more than is remembered, so they may hold something of this tool.
    Forgotten {
        /// The server of the tool.
        server: Arc<str>,
        /// The tool.
        tool: Arc<str>,
    },
    /// The server is public, and the run has read something sensitive.
    Sensitive {
        /// What it read first.
        from: Source,
    },
}

impl Flow {
    /// The name used in reports: `carries`, `forgotten`, `sensitive`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Carries { .. } => "carries",
            Self::Forgotten { .. } => "forgotten",
            Self::Sensitive { .. } => "sensitive",
        }
    }

    /// The server and tool that it comes from.
    pub fn origin(&self) -> (&str, &str) {
        match self {
            Self::Carries { from, .. } | Self::Sensitive { from } => (&from.server, &from.tool),
            Self::Forgotten { server, tool } => (server, tool),
        }
    }
}

/// The flow in words, for example: ``/body contains 212 characters from gmail/read #3``.
impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Carries { argument, characters, form, from } => {
                match argument.as_str() {
                    "" => f.write_str("the arguments together contain ")?,
                    argument => write!(f, "{argument} contains ")?,
                }
                write!(f, "{characters} characters from {from}")?;
                if *form != Encoding::Plain { write!(f, ", as {form}") } else { Ok(()) }
            }
            Self::Forgotten { server, tool } => {
                write!(
                    f,
                    "may contain something from {server}/{tool}: the run read more than is remembered"
                )
            }
            Self::Sensitive { from } => {
                write!(f, "goes to a public server after the run read something sensitive: {from}")
            }
        }
    }
}
