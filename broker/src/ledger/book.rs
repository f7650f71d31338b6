//! The ledger of a run while the run lasts.
//!
//! All calls of the run write into it at once; each change is one step, made under a lock that is
//! never held for longer.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{Allowance, CallId, Entry, Ledger, State};
use crate::call::Kind;
use crate::flow::Flow;
use crate::review::Reviewed;

/// A ledger that is shared by the calls of its run.
#[derive(Debug, Default)]
pub(crate) struct Book(Mutex<Ledger>);

impl Book {
    fn lock(&self) -> MutexGuard<'_, Ledger> {
        // Every change is a single step, so a panic elsewhere cannot leave half of one.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a call; `None` if the run has ended.
    pub(crate) fn open(&self, server: &str, tool: &str, line: Option<u32>) -> Option<CallId> {
        self.lock().open(server, tool, line)
    }

    /// Notes the size of the arguments.
    pub(crate) fn weigh(&self, id: CallId, argument_bytes: usize) {
        if let Some(entry) = self.lock().entry(id) {
            entry.argument_bytes = argument_bytes;
        }
    }

    /// Notes what the arguments carry.
    pub(crate) fn label(&self, id: CallId, flows: Vec<Flow>) {
        if let Some(entry) = self.lock().entry(id) {
            entry.flows = flows;
        }
    }

    /// Notes what a reviewer did.
    pub(crate) fn reviewed(&self, id: CallId, reviewed: Reviewed) {
        if let Some(entry) = self.lock().entry(id) {
            entry.reviews.push(reviewed);
        }
    }

    /// Forgets what reviewers did: the call starts again.
    pub(crate) fn review_again(&self, id: CallId) {
        if let Some(entry) = self.lock().entry(id) {
            entry.reviews.clear();
        }
    }

    /// Notes why the call may be made.
    pub(crate) fn allow(&self, id: CallId, decision: Allowance) {
        if let Some(entry) = self.lock().entry(id) {
            entry.decision = Some(decision);
        }
    }

    /// Forgets why the call might be made: it is judged anew.
    pub(crate) fn retract(&self, id: CallId) {
        if let Some(entry) = self.lock().entry(id) {
            entry.decision = None;
        }
    }

    /// Notes that the call is about to be sent. If this returns false it must not be: the run is
    /// over.
    #[must_use]
    pub(crate) fn mark_sent(&self, id: CallId) -> bool {
        let mut ledger = self.lock();
        // A call that its server refused unread is sent again.
        let is_in_flight = ledger.entry(id).is_some_and(|entry| entry.state == State::InFlight);
        is_in_flight || ledger.advance(id, State::InFlight, Instant::now())
    }

    /// Notes the end of a call that was never sent.
    pub(crate) fn refuse(&self, id: CallId, kind: Kind, message: &str) {
        let state = State::Refused { kind, message: message.to_owned() };
        self.lock().advance(id, state, Instant::now());
    }

    /// Notes the size of the result.
    pub(crate) fn weigh_result(&self, id: CallId, result_bytes: usize) {
        if let Some(entry) = self.lock().entry(id)
            && !entry.state.is_settled()
        {
            entry.result_bytes = result_bytes;
        }
    }

    /// Notes a good answer.
    pub(crate) fn succeed(&self, id: CallId) {
        self.lock().advance(id, State::Succeeded, Instant::now());
    }

    /// Notes an answer that is an error, or none.
    pub(crate) fn fail(&self, id: CallId, kind: Kind, message: &str) {
        let state = State::Failed { kind, message: message.to_owned() };
        self.lock().advance(id, state, Instant::now());
    }

    /// What is known of a call.
    pub(crate) fn entry(&self, id: CallId) -> Option<Entry> {
        self.lock().entry(id).cloned()
    }

    /// Settles a call whose caller went away.
    pub(crate) fn abandon(&self, id: CallId) {
        self.lock().abandon(id, "cancelled before it was sent", Instant::now());
    }

    /// A copy of the ledger as it is now.
    pub(crate) fn snapshot(&self) -> Ledger {
        let mut ledger = self.lock().clone();
        for entry in &mut ledger.entries {
            if let (State::InFlight, Some(sent)) = (&entry.state, entry.sent_at) {
                entry.duration = sent.elapsed();
            }
        }
        ledger
    }

    /// Ends the run: what is in flight becomes unknown, what waits is refused, nothing is added.
    pub(crate) fn close(&self) -> Ledger {
        let mut ledger = self.lock();
        ledger.closed = true;
        let now = Instant::now();
        for index in 0..ledger.entries.len() {
            ledger.abandon(CallId(index as u64 + 1), "the run ended before it was sent", now);
        }
        ledger.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_settles_everything_and_admits_nothing_more() {
        let book = Book::default();
        let ids: Vec<_> = (0..3).filter_map(|_| book.open("s", "t", Some(1))).collect();
        assert!(book.mark_sent(ids[1]));
        assert!(book.mark_sent(ids[2]));
        book.succeed(ids[2]);
        let ledger = book.close();
        let states: Vec<_> = ledger.entries().iter().map(|e| e.state.as_str()).collect();
        assert_eq!(states, ["refused", "unknown", "succeeded"]);
        assert_eq!(book.open("s", "t", None), None);
        assert!(!book.mark_sent(ids[0]), "a call refused at the end is not sent afterwards");
        book.succeed(ids[1]);
        assert_eq!(book.snapshot().entries()[1].state, State::Unknown);
    }
}
