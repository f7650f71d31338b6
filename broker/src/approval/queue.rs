//! An approver that keeps questions until somebody answers them.
//!
//! [`Approver::approve`](super::Approver) is one future for each call. A dialog, a terminal or a chat
//! has one place where all that waits is shown, and answers come from there: one at a time, or several
//! at once. This stands between the two.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::{oneshot, watch};

use super::{Approver, Decision, PendingCall};

/// Number of a question, from 1. Unlike the numbers of calls it is of one run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionId(u64);

/// A call that waits for an answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Question {
    /// Its number.
    pub id: QuestionId,
    /// The call.
    pub call: Arc<PendingCall>,
}

/// An [`Approver`] that shows all calls that wait, of all runs, and takes answers from any task.
/// Cheap to clone; all clones are the same queue.
///
/// ```
/// # use broker::{ApprovalQueue, Decision, Scope};
/// # async fn show(queue: ApprovalQueue) {
/// loop {
///     queue.asked().await;
///     for question in queue.open() {
///         let is_harmless = question.call.tool.starts_with("read_");
///         let decision = match is_harmless {
///             true => Decision::Allow(Scope::Run),
///             false => Decision::Deny { reason: "only reading, please".to_owned() },
///         };
///         queue.answer(question.id, decision);
///     }
/// }
/// # }
/// ```
#[derive(Clone, Default)]
pub struct ApprovalQueue {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changes: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    last: u64,
    open: Vec<(Question, oneshot::Sender<Decision>)>,
}

impl ApprovalQueue {
    /// A queue in which nothing waits.
    pub fn new() -> Self {
        Self::default()
    }

    /// All questions that wait for an answer, the oldest first.
    pub fn open(&self) -> Vec<Question> {
        self.shared.lock().open.iter().map(|(question, _)| question.clone()).collect()
    }

    /// Whether a question waits still. It does not after its answer, nor when its call was given up,
    /// its run ended, a grant covered it, or the time for an answer was over.
    pub fn is_open(&self, id: QuestionId) -> bool {
        self.shared.lock().open.iter().any(|(question, _)| question.id == id)
    }

    /// Answers a question. Returns whether it was still waiting; if not, the answer has no effect.
    pub fn answer(&self, id: QuestionId, decision: Decision) -> bool {
        let mut state = self.shared.lock();
        let Some(index) = state.open.iter().position(|(question, _)| question.id == id) else {
            return false;
        };
        let (_, answer) = state.open.remove(index);
        drop(state);
        self.shared.changes.send_replace(());
        answer.send(decision).is_ok()
    }

    /// Returns when a question waits; at once if one does.
    pub async fn asked(&self) {
        self.wait_for(|state| !state.open.is_empty()).await;
    }

    /// Returns when a question does not wait any more; at once if it does not.
    pub async fn settled(&self, id: QuestionId) {
        self.wait_for(|state| state.open.iter().all(|(question, _)| question.id != id)).await;
    }

    /// Returns when a question waits that came after this one; at once if there is one.
    pub async fn asked_after(&self, id: QuestionId) {
        self.wait_for(|state| state.open.iter().any(|(question, _)| question.id > id)).await;
    }

    async fn wait_for(&self, is_so: impl Fn(&State) -> bool) {
        let mut changes = self.shared.changes.subscribe();
        while !is_so(&self.shared.lock()) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }
}

#[async_trait]
impl Approver for ApprovalQueue {
    async fn approve(&self, call: &PendingCall) -> Decision {
        let (answer, answered) = oneshot::channel();
        let id = self.shared.enter(call.clone(), answer);
        let _withdraw = Withdraw { shared: &self.shared, id };
        // The other end goes away only with an answer.
        let nobody = || Decision::Deny { reason: "nobody answered".to_owned() };
        answered.await.unwrap_or_else(|_| nobody())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, call: PendingCall, answer: oneshot::Sender<Decision>) -> QuestionId {
        let mut state = self.lock();
        state.last += 1;
        let id = QuestionId(state.last);
        state.open.push((Question { id, call: Arc::new(call) }, answer));
        drop(state);
        self.changes.send_replace(());
        id
    }
}

/// Takes the question back, however waiting for its answer ends.
struct Withdraw<'a> {
    shared: &'a Shared,
    id: QuestionId,
}

impl Drop for Withdraw<'_> {
    fn drop(&mut self) {
        self.shared.lock().open.retain(|(question, _)| question.id != self.id);
        self.shared.changes.send_replace(());
    }
}

impl fmt::Debug for ApprovalQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ApprovalQueue").field(&self.open()).finish()
    }
}
