//! The calls of one script run.

mod ending;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use tracing::Instrument;

use crate::approval::{Asked, Grant, GrantId, Grants};
use crate::broker::Inner;
use crate::call::{Answer, End, Fault, Journey, Kind, Request, ToolError, Watch};
use crate::events::Event;
use crate::flow::Tracker;
use crate::ledger::{Book, CallId, Ledger};
use crate::turns::RunKey;
use ending::Ending;

pub use ending::Stop;

/// The calls of one script run and their ledger. Cheap to clone; all clones are the same run.
#[derive(Clone)]
pub struct Run {
    broker: Arc<Inner>,
    shared: Arc<Shared>,
}

struct Shared {
    key: RunKey,
    book: Book,
    grants: Grants,
    asked: Asked,
    tracker: Tracker,
    denials: AtomicU32,
    ending: Ending,
    label: Option<String>,
}

impl Run {
    pub(crate) fn new(broker: Arc<Inner>, key: RunKey, label: Option<String>) -> Self {
        let (book, asked, tracker, denials, ending) = Default::default();
        let grants = broker.grants.of_run();
        let shared = Shared { key, label, book, grants, asked, tracker, denials, ending };
        Self { broker, shared: Arc::new(shared) }
    }

    /// Makes one call. Many may be made at once.
    ///
    /// Dropping the future gives the call up: one that was sent is cancelled at the server and
    /// stands in the ledger as unknown, one that was not is refused.
    ///
    /// # Errors
    /// [`ToolError`], whatever went wrong.
    pub async fn call(&self, request: Request) -> Result<Answer, ToolError> {
        let (server, tool) = (request.server.clone(), request.tool.clone());
        let Some(id) = self.shared.book.open(&server, &tool, request.line) else {
            return Err(self.shared.ending.fault().of(server, tool));
        };
        let attempt = Attempt::start(self, id, &server, &tool);
        let journey = Journey {
            broker: &self.broker,
            book: &self.shared.book,
            run_grants: &self.shared.grants,
            asked: &self.shared.asked,
            label: self.shared.label.as_deref(),
            run: self.shared.key,
            watch: Watch { rules: &self.broker.flow, tracker: &self.shared.tracker },
            id,
        };
        let span = tracing::info_span!("call", id = id.number(), %server, %tool);
        let outcome = tokio::select! {
            biased;
            outcome = journey.travel(request).instrument(span) => outcome,
            () = self.shared.ending.wait() => Err(End::Fault(self.shared.ending.fault())),
        };
        let outcome = outcome.map_err(|end| match end {
            End::Fault(fault) => fault,
            End::Stop { reason } => {
                let message = format!("the run was stopped: {reason}");
                self.shared.book.refuse(id, Kind::Cancelled, &message);
                self.shared.stop(Stop::Asked { call: id, reason });
                Fault::new(Kind::Cancelled, message)
            }
        });
        attempt.settle(&outcome);
        if let Err(fault) = &outcome
            && fault.kind == Kind::Denied
        {
            self.shared.count_denial(self.broker.hub.limits.denials, &fault.message);
        }
        outcome.map_err(|fault| fault.of(server, tool))
    }

    /// The ledger as it is now.
    pub fn ledger(&self) -> Ledger {
        self.shared.book.snapshot()
    }

    /// Ends the run and gives up its calls as if each were dropped: those in flight are unknown from
    /// now on, those that wait are refused, and no further ones are made. Ending it again changes
    /// nothing.
    pub fn close(&self) -> Ledger {
        let ledger = self.shared.book.close();
        self.shared.grants.end();
        self.shared.ending.close();
        ledger
    }

    /// The grants of this run, the oldest first. None is left when the run has ended. Those of the
    /// session are [`Broker::grants`](crate::Broker::grants).
    pub fn grants(&self) -> Vec<Grant> {
        self.shared.grants.list()
    }

    /// Ends a grant of this run. Returns whether it was there. Calls that it covered and that have
    /// not been sent yet are asked about.
    pub fn revoke(&self, grant: GrantId) -> bool {
        self.shared.grants.revoke(grant)
    }

    /// Why the run ended from within; `None` if it did not.
    pub fn stop(&self) -> Option<Stop> {
        self.shared.ending.stopped()
    }

    /// Returns when the run has ended, in whatever way.
    pub async fn ended(&self) {
        self.shared.ending.wait().await;
    }
}

impl Shared {
    /// Ends the run from within.
    fn stop(&self, stop: Stop) {
        // Before anybody hears of it, so that nothing begins in between.
        self.book.close();
        self.grants.end();
        self.ending.stop(stop);
    }

    fn count_denial(&self, limit: u32, why: &str) {
        let before = self.denials.fetch_add(1, Ordering::Relaxed);
        if before >= limit {
            self.stop(Stop::Denials { limit, last: why.to_owned() });
        }
    }
}

/// A call under way. However it ends, by an answer, an error, or by being dropped, the ledger and
/// the events say so.
struct Attempt<'a> {
    run: &'a Run,
    id: CallId,
    server: &'a str,
    tool: &'a str,
    began: Instant,
}

impl<'a> Attempt<'a> {
    fn start(run: &'a Run, id: CallId, server: &'a str, tool: &'a str) -> Self {
        let (s, t) = (server.to_owned(), tool.to_owned());
        run.broker.hub.events.on_event(&Event::CallStarted { id, server: s, tool: t });
        Self { run, id, server, tool, began: Instant::now() }
    }

    fn settle(self, outcome: &Result<Answer, Fault>) {
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
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let book = &self.run.shared.book;
        book.abandon(self.id);
        let state = book.state(self.id).map_or("unknown", |state| state.as_str());
        let duration = self.began.elapsed();
        tracing::debug!(id = self.id.number(), state, ?duration, "call ended");
        self.run.broker.hub.events.on_event(&Event::CallEnded {
            id: self.id,
            server: self.server.to_owned(),
            tool: self.tool.to_owned(),
            state,
            duration,
        });
    }
}
