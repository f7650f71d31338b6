//! Asking somebody, and keeping the answers that last.
//!
//! Policy says `ask`; an [`Approver`] of the host answers, from any task and after any time. An
//! answer may cover later calls of the same tool (a [`Grant`]); each of them is still looked at, and
//! the ledger says which grant let it pass. A denial is never kept.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::catalogue::{Annotations, Digest};
use crate::ledger::CallId;

/// Answers calls that policy wants asked. The host's: a terminal, a dialog, a chat.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Decides about one call. Other calls of the script go on meanwhile and may ask as well.
    ///
    /// The future is dropped when the question is settled otherwise: the script gave up, the run
    /// ended, or a grant for another call covers this one too.
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
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// What the tool says of itself. Not to be believed unless the server is trusted.
    pub annotations: Annotations,
    /// Whether the configuration marks the server as trusted.
    pub trusted: bool,
    /// Line of the script.
    pub line: Option<u32>,
    /// What the rule that wants somebody to be asked gives as the reason.
    pub reason: Option<String>,
    /// Calls that the run made before this one.
    pub calls_so_far: u64,
}

/// The answer of an [`Approver`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The call may be made.
    Allow(Grant),
    /// The call must not be made.
    Deny {
        /// Why, for the script to read.
        reason: String,
    },
}

/// How far an approval reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grant {
    /// This call.
    Once,
    /// Calls of the same tool until the run ends.
    Run,
    /// Calls of the same tool as long as the broker lives.
    Session,
}

impl Grant {
    /// The name used in reports: `once`, `run`, `session`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Run => "run",
            Self::Session => "session",
        }
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Once => "once",
            Self::Run => "for the run",
            Self::Session => "for the session",
        })
    }
}

/// Tools that somebody allowed for a time: until the owner of this value ends, or the tool becomes
/// another one than the one that was looked at.
#[derive(Debug)]
pub(crate) struct Grants {
    tools: Mutex<HashSet<(String, Digest)>>,
    changes: watch::Sender<u64>,
}

impl Default for Grants {
    fn default() -> Self {
        Self { tools: Mutex::default(), changes: watch::Sender::new(0) }
    }
}

impl Grants {
    pub(crate) fn add(&self, server: &str, tool: Digest) {
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        tools.insert((server.to_owned(), tool));
        self.changes.send_modify(|count| *count += 1);
    }

    pub(crate) fn cover(&self, server: &str, tool: Digest) -> bool {
        let tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        tools.contains(&(server.to_owned(), tool))
    }

    /// Returns once the tool is covered; at once if it is.
    pub(crate) async fn covered(&self, server: &str, tool: Digest) {
        let mut changes = self.changes.subscribe();
        while !self.cover(server, tool) {
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}
