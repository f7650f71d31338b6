//! A run that goes on whether or not a request listens to it.
//!
//! It knows what the script has printed, which of its calls are with a server and which are being
//! asked about, and what it has done so far. When nothing moves but its questions it can be held:
//! then none of its calls is made until somebody brings the answers, here or at another instance.

mod attend;
mod hold;

use super::{
    client::Who,
    job::Job,
    past::{Past, Record},
    questions::{Answers, Question},
};
use crate::{Report, Sandbox};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub(super) use hold::{Granted, Held, Resume};

/// What came of it.
pub(super) enum Ended {
    Script(Box<Report>),
    Call(Box<Result<broker::Answer, broker::ToolError>>),
    /// It was to be repeated, and went another way.
    Diverged(String),
    /// It was given up before it began.
    Dropped,
}

/// A run under way, or one whose result is kept.
pub(super) struct Live {
    pub(super) id: String,
    /// Whose it is.
    pub(super) who: Who,
    /// Cancelled when the session that began it is over.
    pub(super) session: CancellationToken,
    pub(super) job: Job,
    pub(super) cancel: CancellationToken,
    pub(super) sandbox: Sandbox,
    /// How long a question waits.
    pub(super) answer_time: Duration,
    state: Mutex<State>,
    changed: watch::Sender<u64>,
}

/// What changes while it goes on.
pub(super) struct State {
    pub(super) said: Vec<Said>,
    /// Bytes of what was said that are kept.
    said_bytes: usize,
    pub(super) questions: BTreeMap<String, Question>,
    pub(super) asked: u64,
    pub(super) answers: Answers,
    pub(super) granted: Vec<Granted>,
    /// Whether the client can be asked anything.
    pub(super) can_ask: bool,
    /// Calls that are made now, and those of them that are being asked about.
    open: BTreeSet<usize>,
    asking: BTreeSet<usize>,
    /// Until when it is held, if it is.
    held: Option<Instant>,
    /// How often it was held.
    round: u32,
    past: Past,
    diverged: Option<String>,
    pub(super) ended: Option<(Arc<Ended>, Instant)>,
    pub(super) listeners: usize,
}

/// What whoever listens is told.
#[derive(Clone, Debug)]
pub(super) enum Said {
    Printed(String),
    Called(String),
}

/// More than this is not repeated to those who listen; the report has all that is kept.
const SAID_BYTES: usize = 1 << 20;

/// What a run starts with.
pub(super) struct Start {
    pub(super) id: String,
    pub(super) who: Who,
    pub(super) session: CancellationToken,
    pub(super) job: Job,
    pub(super) can_ask: bool,
    pub(super) answer_time: Duration,
    /// How many bytes are kept to go on elsewhere.
    pub(super) past_bytes: usize,
    pub(super) record: Option<Record>,
    pub(super) granted: Vec<Granted>,
    pub(super) answers: Answers,
    pub(super) round: u32,
}

impl Live {
    pub(super) fn new(start: Start, sandbox: Sandbox) -> Self {
        let past = match start.record {
            Some(record) => Past::of(record, start.past_bytes),
            None => Past::new(start.past_bytes),
        };
        let state = State {
            said: Vec::new(),
            said_bytes: 0,
            questions: BTreeMap::new(),
            asked: 0,
            answers: start.answers,
            granted: start.granted,
            can_ask: start.can_ask,
            open: BTreeSet::new(),
            asking: BTreeSet::new(),
            held: None,
            round: start.round,
            past,
            diverged: None,
            ended: None,
            listeners: 0,
        };
        Self {
            id: start.id,
            who: start.who,
            session: start.session,
            job: start.job,
            cancel: CancellationToken::new(),
            sandbox,
            answer_time: start.answer_time,
            state: Mutex::new(state),
            changed: watch::Sender::new(0),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes something, and wakes those who wait for that.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.lock());
        self.changed.send_modify(|count| *count += 1);
        changed
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub(super) fn ended(&self) -> Option<Arc<Ended>> {
        self.lock().ended.as_ref().map(|(ended, _)| Arc::clone(ended))
    }

    pub(super) fn end(&self, ended: Ended) {
        self.change(|state| {
            let ended = match state.diverged.take() {
                Some(how) => Ended::Diverged(how),
                None if state.past.has_caught_up() || self.cancel.is_cancelled() => ended,
                None => {
                    Ended::Diverged("it ended before it had made the calls it made before".into())
                }
            };
            state.ended = Some((Arc::new(ended), Instant::now()));
            state.questions.clear();
            state.held = None;
        });
    }

    /// Returns when it has ended.
    pub(super) async fn has_ended(&self) {
        let mut changes = self.changes();
        while self.lock().ended.is_none() {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// Ends a run that does not come to where it was.
    pub(super) fn diverge(&self, how: &str) {
        self.change(|state| {
            if !state.past.has_caught_up() {
                state.diverged.get_or_insert_with(|| how.to_owned());
                self.cancel.cancel();
            }
        });
    }

    /// Whether a client that grants something for the session can be told from others.
    pub(super) fn has_session(&self) -> bool {
        self.who.session.is_some()
    }

    /// Whether nothing moves but its questions.
    pub(super) fn only_asks(&self) -> bool {
        self.lock().only_asks()
    }

    /// What it has printed, and how many questions it has.
    pub(super) fn so_far(&self) -> (String, usize) {
        let state = self.lock();
        let mut text = String::new();
        for said in &state.said {
            if let Said::Printed(line) = said {
                text.push_str(line);
                text.push('\n');
            }
        }
        (text, state.questions.len())
    }
}

impl State {
    fn only_asks(&self) -> bool {
        self.ended.is_none() && !self.questions.is_empty() && self.open.is_subset(&self.asking)
    }

    fn say(&mut self, said: Said) {
        let (Said::Printed(text) | Said::Called(text)) = &said;
        self.said_bytes += text.len() + 1;
        if self.said_bytes <= SAID_BYTES {
            self.said.push(said);
        }
    }

    /// Gives a question its answer.
    pub(super) fn answer(&mut self, key: &str, answer: Value) {
        if let Some(question) = self.questions.remove(key) {
            // Whoever asked may have gone.
            let _ = question.answer.send(answer);
        }
    }
}
