//! What a run leaves behind while it goes: events, lines of the audit log, a recording.
//!
//! Each step of a call is told here once, and here it is decided who hears of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Map, Value};

use crate::audit::{self, Log, What};
use crate::call::{Answer, Fault, Kind, Request};
use crate::events::{Event, Events};
use crate::ledger::{Allowance, CallId, Entry, State};
use crate::run::RunId;
use crate::tape::{Settled, Tape};

/// The trail of one run.
pub(crate) struct Trail {
    run: RunId,
    began: Instant,
    /// The broker's, then the run's own.
    listeners: Vec<Arc<dyn Events>>,
    /// Whether events have arguments and results.
    in_full: bool,
    audit: Option<Arc<Log>>,
    pub(crate) tape: Tape,
    /// The arguments of calls under way, as the log has them.
    arguments: Mutex<HashMap<CallId, audit::Arguments>>,
}

/// Who follows a run.
pub(crate) struct Followers {
    pub(crate) listeners: Vec<Arc<dyn Events>>,
    pub(crate) in_full: bool,
    pub(crate) audit: Option<Arc<Log>>,
    pub(crate) tape: Tape,
}

impl Trail {
    pub(crate) fn begin(run: RunId, label: Option<&str>, followers: Followers) -> Self {
        let Followers { listeners, in_full, audit, tape } = followers;
        let (began, arguments) = (Instant::now(), Mutex::default());
        let trail = Self { run, began, listeners, in_full, audit, tape, arguments };
        let label = label.map(str::to_owned);
        trail.tell(&Event::RunStarted { run, label: label.clone() });
        trail.note(What::RunOpened { label, process: std::process::id() });
        trail
    }

    pub(crate) fn run(&self) -> RunId {
        self.run
    }

    /// Tells all who listen.
    pub(crate) fn tell(&self, event: &Event) {
        self.listeners.iter().for_each(|listener| listener.on_event(event));
    }

    fn note(&self, what: What) {
        if let Some(audit) = &self.audit {
            audit.note(self.run, what);
        }
    }

    /// A script makes a call.
    pub(crate) fn proposed(&self, id: CallId, request: &Request) {
        if let Tape::Record(recorder) = &self.tape {
            recorder.made(id, request);
        }
        self.tell(&Event::CallProposed {
            run: self.run,
            id,
            server: request.server.clone(),
            tool: request.tool.clone(),
            line: request.line,
            arguments: self.in_full.then(|| request.input.clone()),
        });
    }

    /// These are the arguments that are judged, and sent if that allows it.
    pub(crate) fn weighed(&self, id: CallId, arguments: &Map<String, Value>) {
        if let Some(audit) = &self.audit {
            self.arguments().insert(id, audit.settings.arguments(arguments));
        }
    }

    /// The call may be made.
    pub(crate) fn decided(
        &self,
        id: CallId,
        request: &Request,
        decision: &Allowance,
        argument_bytes: usize,
    ) {
        let (server, tool) = (request.server.clone(), request.tool.clone());
        let decision = decision.to_string();
        tracing::Span::current().record("decision", &decision);
        self.tell(&Event::CallDecided {
            run: self.run,
            id,
            server: server.clone(),
            tool: tool.clone(),
            decision: decision.clone(),
            argument_bytes,
        });
        let Some(arguments) = self.arguments().get(&id).cloned() else { return };
        let (call, line) = (id.number(), request.line);
        self.note(What::CallDecided { call, server, tool, line, decision, arguments });
    }

    /// The call goes to its server when this returns.
    ///
    /// # Errors
    /// If the audit log does not have it. Then it must not be sent.
    pub(crate) async fn sending(&self, id: CallId, server: &str, tool: &str) -> Result<(), Fault> {
        if let Some(audit) = &self.audit {
            let Some(arguments) = self.arguments().get(&id).cloned() else {
                return Err(Fault::new(Kind::Unavailable, "not sent: its arguments are not known"));
            };
            let (server, tool) = (server.to_owned(), tool.to_owned());
            let call = id.number();
            let what = What::CallSent { call, server, tool, arguments };
            audit
                .write(self.run, what)
                .await
                .map_err(|error| Fault::new(Kind::Unavailable, format!("not sent: {error}")))?;
        }
        let (server, tool) = (server.to_owned(), tool.to_owned());
        self.tell(&Event::CallSent { run: self.run, id, server, tool });
        Ok(())
    }

    /// The call is over, whatever became of it.
    pub(crate) fn settled(
        &self,
        entry: &Entry,
        began: Instant,
        outcome: Option<&Result<Answer, Fault>>,
    ) {
        if let Tape::Record(recorder) = &self.tape {
            recorder.settled(&Settled { entry, outcome });
        }
        let kind = match &entry.state {
            State::Refused { kind, .. } | State::Failed { kind, .. } => Some(*kind),
            _ => None,
        };
        let span = tracing::Span::current();
        span.record("state", entry.state.as_str());
        span.record("argument_bytes", span_number(entry.argument_bytes));
        span.record("result_bytes", span_number(entry.result_bytes));
        if let Some(kind) = kind {
            span.record("error.type", kind.as_str());
            span.record("otel.status_code", "ERROR");
        }
        let answer = outcome.and_then(|outcome| outcome.as_ref().ok());
        self.tell(&Event::CallFinished {
            run: self.run,
            id: entry.id,
            server: entry.server.clone(),
            tool: entry.tool.clone(),
            state: entry.state.as_str(),
            kind: kind.map(Kind::as_str),
            result_bytes: entry.result_bytes,
            duration: began.elapsed(),
            result: answer.filter(|_| self.in_full).map(|answer| answer.result.clone()),
        });
        if let Some(audit) = &self.audit {
            let arguments = self.arguments().remove(&entry.id);
            audit.note(self.run, line(entry, arguments, answer, audit.settings.full));
        }
    }

    /// The run is over.
    pub(crate) fn end(&self, outcome: &str, calls: usize) {
        let outcome = outcome.to_owned();
        self.note(What::RunClosed { outcome: outcome.clone(), calls });
        let duration = self.began.elapsed();
        self.tell(&Event::RunFinished { run: self.run, outcome, calls, duration });
    }

    fn arguments(&self) -> MutexGuard<'_, HashMap<CallId, audit::Arguments>> {
        self.arguments.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number of a span, as OpenTelemetry has them: an unsigned one would become text.
pub(crate) fn span_number(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// The last line about a call.
fn line(
    entry: &Entry,
    arguments: Option<audit::Arguments>,
    answer: Option<&Answer>,
    is_full: bool,
) -> What {
    let (call, server, tool) = (entry.id.number(), entry.server.clone(), entry.tool.clone());
    let said = |kind: Kind, message: &str| {
        // These repeat what a server or the arguments say.
        let is_foreign = matches!(
            kind,
            Kind::Execution | Kind::Protocol | Kind::InvalidInput | Kind::InvalidOutput
        );
        (is_full || !is_foreign).then(|| message.to_owned())
    };
    match &entry.state {
        State::Refused { kind, message } => What::CallRefused {
            call,
            server,
            tool,
            line: entry.line,
            kind: kind.as_str().to_owned(),
            message: said(*kind, message),
            arguments,
        },
        state => {
            let (kind, message) = match state {
                State::Failed { kind, message } => {
                    (Some(kind.as_str().to_owned()), said(*kind, message))
                }
                _ => (None, None),
            };
            What::CallSettled {
                call,
                server,
                tool,
                state: state.as_str().to_owned(),
                kind,
                message,
                result_bytes: entry.result_bytes,
                result_digest: answer.map(|answer| audit::digest_of(&answer.result)),
                duration_ms: u64::try_from(entry.duration.as_millis()).unwrap_or(u64::MAX),
            }
        }
    }
}
