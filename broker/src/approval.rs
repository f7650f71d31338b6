//! Asking somebody, and keeping the answers that last.
//!
//! Policy says `ask`; an [`Approver`] of the host answers, from any task and after any time. An
//! answer may cover later calls of the same tool (a [`Grant`]); each of them is still looked at, and
//! the ledger says which grant let it pass. A denial is never kept.

mod grant;
mod queue;
mod record;

use std::fmt;

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::catalogue::{Annotations, Digest};
use crate::flow::Flow;
use crate::ledger::CallId;
use crate::policy::ArgumentIs;

pub(crate) use grant::{Covered, Grants};
pub use grant::{Grant, GrantId};
pub use queue::{ApprovalQueue, Question, QuestionId};
pub(crate) use record::Asked;

/// Answers calls that policy wants asked. The host's: a terminal, a dialog, a chat. Where several
/// calls are to be shown together, [`ApprovalQueue`] is one that is ready to use.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Decides about one call. Other calls of the script go on meanwhile and may ask as well.
    ///
    /// The future is dropped when the question is settled otherwise: the script gave up, the run
    /// ended, a grant for another call covers this one too, or
    /// [`approval_wait`](crate::CallLimits::approval_wait) is over.
    async fn approve(&self, call: &PendingCall) -> Decision;
}

/// A call that waits for an answer: what will be sent if it is allowed, and nothing else.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PendingCall {
    /// Its number in the run.
    pub id: CallId,
    /// The server, by the name of the configuration.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// The tool's title, in the server's words.
    pub title: Option<String>,
    /// The tool's description, in the server's words.
    pub description: Option<String>,
    /// The tool's definition. If it becomes another one before the call is sent, somebody is asked
    /// again.
    pub digest: Digest,
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// What the tool says of itself. Not to be believed unless the server is trusted.
    pub annotations: Annotations,
    /// Whether the configuration marks the server as trusted.
    pub trusted: bool,
    /// Label of the run.
    pub label: Option<String>,
    /// Line of the script.
    pub line: Option<u32>,
    /// What the rule that wants somebody to be asked gives as the reason.
    pub reason: Option<String>,
    /// What the arguments carry of results of other servers, the largest first; at most 20. Looked
    /// for only if there are rules about it: see [`DataFlow`](crate::DataFlow).
    pub flows: Vec<Flow>,
    /// Calls that the run made before this one.
    pub calls_so_far: u64,
    /// Other calls of the run that were waiting for an answer when this one began to.
    pub calls_waiting: usize,
    /// The last call of the same tool in this run about which somebody was asked, so that what is
    /// different can be shown.
    pub previous: Option<Previous>,
}

/// An earlier call of the same tool.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Previous {
    /// Its number in the run.
    pub id: CallId,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

/// The answer of an [`Approver`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Decision {
    /// The call may be made, and calls of the same tool as far as the scope says.
    Allow(Scope),
    /// The call may be made, and within the scope those calls of the same tool whose arguments meet
    /// all conditions.
    AllowWhere {
        /// How long that holds.
        scope: Scope,
        /// The conditions, as rules of the policy have them.
        arguments: Vec<ArgumentIs>,
    },
    /// The call must not be made.
    Deny {
        /// Why, for the script to read.
        reason: String,
    },
    /// The call must not be made, and the run ends: it makes no more calls, and those that are under
    /// way are given up.
    Stop {
        /// Why, for the report.
        reason: String,
    },
}

/// How far an approval reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This call.
    Once,
    /// Calls of the same tool until the run ends.
    Run,
    /// Calls of the same tool as long as the broker lives.
    Session,
}

impl Scope {
    /// The name: `once`, `run`, `session`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Run => "run",
            Self::Session => "session",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Once => "once",
            Self::Run => "for the run",
            Self::Session => "for the session",
        })
    }
}
