//! Answers that are kept: for the run or for the session, for a tool or for some calls of it.
//!
//! A grant is bound to the tool as it was when somebody looked at it. It ends with its scope, when it
//! is revoked, and in effect when the tool becomes another one.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde_json::{Map, Value};
use tokio::sync::watch;

use super::Scope;
use crate::catalogue::Digest;
use crate::flow::Origin;
use crate::ledger::CallId;
use crate::policy::ArgumentIs;
use crate::run::RunId;

/// Number of a grant, from 1 in the order in which the grants of a broker were given.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct GrantId(u64);

impl GrantId {
    /// The number.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "g{}", self.0)
    }
}

/// An answer that covers later calls. Each of them is still judged by the policy first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Grant {
    /// Its number.
    pub id: GrantId,
    /// How long it lasts: [`Scope::Run`] or [`Scope::Session`].
    pub scope: Scope,
    /// The run for which it holds, if it holds for one.
    pub run: Option<RunId>,
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// The tool's definition as it was looked at. With another one the grant covers nothing.
    pub digest: Digest,
    /// What the arguments must be: all of these must hold. Empty: whatever they are.
    pub arguments: Vec<ArgumentIs>,
    /// Data of other servers about which somebody was asked as well. A call about which rules of
    /// data flow ask is covered only if all that they ask about is here.
    pub flows: Vec<Origin>,
    /// The call about which somebody was asked.
    pub given_with: CallId,
}

/// On one line: `g1: files/write for the run where /path under /srv`.
impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, scope, server, tool, arguments, flows, .. } = self;
        write!(f, "{id}: {server}/{tool} {scope}")?;
        for (index, condition) in arguments.iter().enumerate() {
            write!(f, "{} {condition}", if index == 0 { " where" } else { "," })?;
        }
        for (index, from) in flows.iter().enumerate() {
            let and = if index == 0 { " with data from" } else { "," };
            write!(f, "{and} {}/{}", from.server, from.tool)?;
        }
        Ok(())
    }
}

/// A call as grants see it.
#[derive(Clone, Copy)]
pub(crate) struct Covered<'a> {
    pub(crate) server: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) digest: Digest,
    pub(crate) arguments: &'a Map<String, Value>,
    /// Data flows that a grant must have been given for.
    pub(crate) asked: &'a [Origin],
}

/// The grants of one run, or those of the session.
#[derive(Debug)]
pub(crate) struct Grants {
    /// That of a run; `None` for those of the session.
    run: Option<RunId>,
    /// Those of the session's runs that are under way.
    of_runs: Mutex<Vec<Weak<Grants>>>,
    kept: Mutex<Kept>,
    changes: watch::Sender<()>,
    /// Shared by a session and its runs.
    last: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Kept {
    grants: Vec<Grant>,
    has_ended: bool,
}

impl Grants {
    pub(crate) fn of_session() -> Self {
        Self::new(None, Arc::default())
    }

    /// For a run of the session whose grants these are.
    pub(crate) fn of_run(&self, run: RunId) -> Arc<Self> {
        let grants = Arc::new(Self::new(Some(run), Arc::clone(&self.last)));
        let mut of_runs = self.of_runs.lock().unwrap_or_else(PoisonError::into_inner);
        of_runs.retain(|run| run.strong_count() > 0);
        of_runs.push(Arc::downgrade(&grants));
        grants
    }

    fn new(run: Option<RunId>, last: Arc<AtomicU64>) -> Self {
        let (of_runs, kept) = Default::default();
        Self { run, of_runs, kept, changes: watch::Sender::new(()), last }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // Every change is a single step, so a panic elsewhere cannot leave half of one.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an answer; not if the scope has ended meanwhile.
    pub(crate) fn add(
        &self,
        call: Covered<'_>,
        arguments: Vec<ArgumentIs>,
        flows: Vec<Origin>,
        given_with: CallId,
    ) -> GrantId {
        let id = GrantId(self.last.fetch_add(1, Ordering::Relaxed) + 1);
        let grant = Grant {
            id,
            scope: if self.run.is_some() { Scope::Run } else { Scope::Session },
            run: self.run,
            server: call.server.to_owned(),
            tool: call.tool.to_owned(),
            digest: call.digest,
            arguments,
            flows,
            given_with,
        };
        let mut kept = self.lock();
        if !kept.has_ended {
            kept.grants.push(grant);
        }
        drop(kept);
        self.changes.send_replace(());
        id
    }

    /// The oldest grant that covers a call.
    pub(crate) fn cover(&self, call: Covered<'_>) -> Option<GrantId> {
        let covers = |grant: &&Grant| {
            grant.server == call.server
                && grant.tool == call.tool
                && grant.digest == call.digest
                && grant.arguments.iter().all(|condition| condition.holds(call.arguments))
                && call.asked.iter().all(|origin| grant.flows.contains(origin))
        };
        self.lock().grants.iter().find(covers).map(|grant| grant.id)
    }

    /// Returns once a call is covered; at once if it is.
    pub(crate) async fn covered(&self, call: Covered<'_>) -> GrantId {
        let mut changes = self.changes.subscribe();
        loop {
            if let Some(id) = self.cover(call) {
                return id;
            }
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Whether a grant is still there.
    pub(crate) fn has(&self, id: GrantId) -> bool {
        self.lock().grants.iter().any(|grant| grant.id == id)
    }

    /// These, and those of the session's runs that are under way, the oldest first.
    pub(crate) fn list(&self) -> Vec<Grant> {
        let mut grants = self.lock().grants.clone();
        grants.extend(self.runs().iter().flat_map(|run| run.list()));
        grants.sort_by_key(|grant| grant.id);
        grants
    }

    /// Ends one of these. Returns whether it was there.
    pub(crate) fn revoke(&self, id: GrantId) -> bool {
        self.take(id) || self.runs().iter().any(|run| run.take(id))
    }

    fn runs(&self) -> Vec<Arc<Self>> {
        let of_runs = self.of_runs.lock().unwrap_or_else(PoisonError::into_inner);
        of_runs.iter().filter_map(Weak::upgrade).collect()
    }

    fn take(&self, id: GrantId) -> bool {
        let mut kept = self.lock();
        let before = kept.grants.len();
        kept.grants.retain(|grant| grant.id != id);
        kept.grants.len() < before
    }

    /// Ends all grants, also those of the session's runs; none is kept any more.
    pub(crate) fn end(&self) {
        self.runs().iter().for_each(|run| run.end());
        *self.lock() = Kept { grants: Vec::new(), has_ended: true };
    }
}
