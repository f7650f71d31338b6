//! A call under way.

use std::time::Instant;

use super::Run;
use crate::call::{Answer, Fault, Request};
use crate::ledger::CallId;

/// However it ends, by an answer, an error, or by being dropped, the ledger and
/// the trail say so.
pub(super) struct Attempt<'a> {
    run: &'a Run,
    id: CallId,
    began: Instant,
    span: tracing::Span,
    is_told: bool,
}

impl<'a> Attempt<'a> {
    pub(super) fn start(run: &'a Run, id: CallId, request: &Request, span: tracing::Span) -> Self {
        span.in_scope(|| run.shared.trail.proposed(id, request));
        Self { run, id, began: Instant::now(), span, is_told: false }
    }

    pub(super) fn settle(mut self, outcome: &Result<Answer, Fault>) {
        let book = &self.run.shared.book;
        match outcome {
            Ok(_) => book.succeed(self.id),
            // Of these two the one that applies takes effect: only a call that was not sent can be
            // refused, only one that was can fail.
            Err(fault) => {
                book.refuse(self.id, fault.kind, &fault.message);
                book.fail(self.id, fault.kind, &fault.message);
            }
        }
        self.tell(Some(outcome));
    }

    fn tell(&mut self, outcome: Option<&Result<Answer, Fault>>) {
        if std::mem::replace(&mut self.is_told, true) {
            return;
        }
        let Some(entry) = self.run.shared.book.entry(self.id) else { return };
        let duration = self.began.elapsed();
        self.span.in_scope(|| {
            tracing::debug!(state = entry.state.as_str(), ?duration, "call ended");
            self.run.shared.trail.settled(&entry, self.began, outcome);
        });
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        self.run.shared.book.abandon(self.id);
        self.tell(None);
    }
}
