//! The calls of one script run.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;
use tracing::Instrument;

use crate::approval::Grants;
use crate::broker::Inner;
use crate::call::{Answer, Fault, Journey, Kind, Request, ToolError};
use crate::events::Event;
use crate::ledger::{Book, CallId, Ledger};
use crate::principal::Principal;
use crate::turns::RunKey;

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
    ended: watch::Sender<bool>,
    label: Option<String>,
    principal: Option<Principal>,
}

impl Run {
    pub(crate) fn new(
        broker: Arc<Inner>,
        key: RunKey,
        label: Option<String>,
        principal: Option<Principal>,
    ) -> Self {
        let (book, grants, ended) = Default::default();
        Self { broker, shared: Arc::new(Shared { key, label, book, grants, ended, principal }) }
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
            return Err(Fault::new(Kind::Cancelled, "the run has ended").of(server, tool));
        };
        let attempt = Attempt::start(self, id, &server, &tool);
        let journey = Journey {
            broker: &self.broker,
            book: &self.shared.book,
            run_grants: &self.shared.grants,
            label: self.shared.label.as_deref(),
            principal: self.shared.principal.as_ref(),
            run: self.shared.key,
            id,
        };
        let span = tracing::info_span!("call", id = id.number(), %server, %tool);
        let outcome = tokio::select! {
            biased;
            outcome = journey.travel(request).instrument(span) => outcome,
            () = self.shared.ended() => Err(Fault::new(Kind::Cancelled, "the run has ended")),
        };
        attempt.settle(&outcome);
        outcome.map_err(|fault| fault.of(server, tool))
    }

    /// Writes down a call that was made by an earlier part of this run, elsewhere, and how it ended.
    /// Nothing is sent.
    pub fn record_earlier(
        &self,
        server: &str,
        tool: &str,
        line: Option<u32>,
        ended: Result<(), (Kind, String)>,
    ) {
        let book = &self.shared.book;
        let Some(id) = book.open(server, tool, line) else { return };
        match ended {
            Err((kind @ (Kind::Denied | Kind::InvalidInput), message)) => {
                book.refuse(id, kind, &message);
            }
            _ if !book.mark_sent(id) => {}
            Ok(()) => book.succeed(id),
            Err((kind, message)) => book.fail(id, kind, &message),
        }
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
        self.shared.ended.send_replace(true);
        ledger
    }
}

impl Shared {
    /// Returns when the run has ended.
    async fn ended(&self) {
        // It fails only without a sender, and we have one.
        let _ = self.ended.subscribe().wait_for(|ended| *ended).await;
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
