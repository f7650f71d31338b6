//! The calls of one script run.

mod attempt;
mod ending;
mod id;
mod options;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tracing::Instrument;

use crate::approval::{Asked, Grant, GrantId, Grants};
use crate::broker::Inner;
use crate::call::{Answer, End, Fault, Journey, Kind, Request, ToolError, Watch};
use crate::events::Event;
use crate::flow::Tracker;
use crate::ledger::{Book, Ledger};
use crate::principal::Principal;
use crate::trail::{Followers, Trail, span_number};
use crate::turns::RunKey;
use attempt::Attempt;
use ending::Ending;

pub use ending::Stop;
pub use id::{NotARunId, RunId};
pub use options::RunOptions;

/// How a run ended that its owner has only closed.
const CLOSED: &str = "closed";
/// How a run ended that came to its end. Of any other the span says that it failed.
const COMPLETED: &str = "completed";

/// The calls of one script run and their ledger. Cheap to clone; all clones are the same run.
#[derive(Clone)]
pub struct Run {
    broker: Arc<Inner>,
    shared: Arc<Shared>,
}

struct Shared {
    key: RunKey,
    book: Book,
    grants: Arc<Grants>,
    asked: Asked,
    tracker: Tracker,
    denials: AtomicU32,
    ending: Ending,
    label: Option<String>,
    principal: Option<Principal>,
    id: RunId,
    trail: Trail,
    span: tracing::Span,
    is_closed: AtomicBool,
}

impl Run {
    pub(crate) fn new(broker: Arc<Inner>, key: RunKey, options: RunOptions) -> Self {
        let RunOptions { label, principal, events, in_full, tape } = options;
        let (book, asked, tracker, denials, ending, is_closed) = Default::default();
        let session = principal.as_ref().map_or(&broker.grants, |own| &*own.grants);
        let id = RunId::new();
        let grants = session.of_run(id);
        let span = tracing::info_span!(
            "run",
            run = %id,
            label = label.as_deref(),
            outcome = tracing::field::Empty,
            calls = tracing::field::Empty,
            otel.status_code = tracing::field::Empty,
            error.r#type = tracing::field::Empty,
        );
        let hub = &broker.hub;
        let listeners = [Arc::clone(&hub.events)].into_iter().chain(events).collect();
        let audit = hub.audit.clone();
        let followers = Followers { listeners, in_full, audit, tape };
        let trail = Trail::begin(id, label.as_deref(), followers);
        let shared = Shared {
            key,
            book,
            grants,
            asked,
            tracker,
            denials,
            ending,
            label,
            principal,
            id,
            trail,
            span,
            is_closed,
        };
        Self { broker, shared: Arc::new(shared) }
    }

    /// The run's name.
    pub fn id(&self) -> RunId {
        self.shared.id
    }

    /// Tells the listeners of something about this run that only its host knows, such as
    /// [`Event::Console`].
    pub fn tell(&self, event: &Event) {
        self.shared.trail.tell(event);
    }

    /// The span of the run; those of its calls are within it.
    pub fn span(&self) -> &tracing::Span {
        &self.shared.span
    }

    /// Returns when the run must go no further: a replay has diverged, or a dry run has come to
    /// something that must not happen.
    pub async fn halted(&self) {
        self.shared.trail.tape.halted().await;
    }

    /// Unix time in milliseconds at which the clock of the run stands since the answer that was given
    /// last, if the run is recorded or replayed.
    pub fn time(&self) -> Option<u64> {
        self.shared.trail.tape.time()
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
        let span = tracing::info_span!(
            parent: &self.shared.span,
            "call",
            id = span_number(id.number()),
            %server,
            %tool,
            otel.name = %format_args!("{} {tool}", request.method.name()),
            otel.kind = "client",
            otel.status_code = tracing::field::Empty,
            error.r#type = tracing::field::Empty,
            decision = tracing::field::Empty,
            state = tracing::field::Empty,
            argument_bytes = tracing::field::Empty,
            result_bytes = tracing::field::Empty,
        );
        let attempt = Attempt::start(self, id, &request, span.clone());
        let journey = Journey {
            broker: &self.broker,
            book: &self.shared.book,
            run_grants: &self.shared.grants,
            asked: &self.shared.asked,
            label: self.shared.label.as_deref(),
            trail: &self.shared.trail,
            principal: self.shared.principal.as_ref(),
            run: self.shared.key,
            watch: Watch { rules: &self.broker.flow, tracker: &self.shared.tracker },
            id,
        };
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

    /// Writes down a call that was made by an earlier part of this run, elsewhere, and how it ended.
    /// Nothing is sent.
    pub fn record_earlier(
        &self,
        server: &str,
        tool: &str,
        line: Option<u32>,
        ended: Result<&serde_json::Value, (Kind, String)>,
    ) {
        let book = &self.shared.book;
        let Some(id) = book.open(server, tool, line) else { return };
        match ended {
            Err((kind @ (Kind::Denied | Kind::InvalidInput), message)) => {
                book.refuse(id, kind, &message);
            }
            _ if !book.mark_sent(id) => {}
            // What the script has read then can flow on from here, also what an error said.
            Ok(read) => {
                self.watch().note(id, (server, tool), read);
                book.succeed(id);
            }
            Err((kind, message)) => {
                self.watch().note(id, (server, tool), &message.as_str().into());
                book.fail(id, kind, &message);
            }
        }
    }

    fn watch(&self) -> Watch<'_> {
        Watch { rules: &self.broker.flow, tracker: &self.shared.tracker }
    }

    /// The ledger as it is now.
    pub fn ledger(&self) -> Ledger {
        self.shared.book.snapshot()
    }

    /// Ends the run and gives up its calls as if each were dropped: those in flight are unknown from
    /// now on, those that wait are refused, and no further ones are made. Ending it again changes
    /// nothing.
    pub fn close(&self) -> Ledger {
        self.close_as(CLOSED)
    }

    /// The same, with a word on how the run ended for the audit log and whoever listens: `completed`,
    /// or what went wrong.
    pub fn close_as(&self, outcome: &str) -> Ledger {
        let ledger = self.shared.book.close();
        self.shared.grants.end();
        self.shared.ending.close();
        self.shared.end(outcome, &ledger);
        ledger
    }

    /// The grants of this run, the oldest first. None is left when the run has ended.
    /// [`Broker::grants`](crate::Broker::grants) has those of all runs, and of the session.
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

    fn end(&self, outcome: &str, ledger: &Ledger) {
        if self.is_closed.swap(true, Ordering::Relaxed) {
            return;
        }
        let calls = ledger.entries().len();
        self.span.record("outcome", outcome).record("calls", span_number(calls));
        if !matches!(outcome, COMPLETED | CLOSED) {
            self.span.record("error.type", outcome).record("otel.status_code", "ERROR");
        }
        self.trail.end(outcome, calls);
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let ledger = self.book.close();
        self.end("dropped", &ledger);
    }
}
