//! Answers a run from a recording.
//!
//! An answer comes when everything has happened that had happened before it in the recording: so a
//! script that makes calls side by side sees their results in the order that it saw then. A script
//! that has changed may never do what is waited for; it is waited for as long as it took then, and
//! two seconds.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use super::divergence::{Divergence, Made};
use super::recording::{Call, FaultLine, Outcome, Recording, Step, unix_ms};
use crate::call::{Answer, Fault, Kind, Request};
use crate::ledger::{Book, CallId, State};

/// How much longer than in the recording something is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// How much the calls of a replay may be out of order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The same calls in the same order, each answer where it was.
    #[default]
    Exact,
    /// The same calls in any order; each is answered at once.
    Lenient,
}

/// A recording that answers the calls of one run. Cheap to clone.
#[derive(Clone)]
pub struct Replay(Arc<Shared>);

struct Shared {
    recording: Recording,
    order: Order,
    state: Mutex<Progress>,
    /// Told whenever something has happened.
    changed: watch::Sender<()>,
}

struct Progress {
    /// Which steps of the recording have happened.
    done: Vec<bool>,
    /// The first step that has not happened and that is waited for.
    front: usize,
    /// Which of its calls have been made.
    made: Vec<bool>,
    divergence: Option<Divergence>,
    time: u64,
}

impl Replay {
    /// Begins a replay.
    pub fn new(recording: Recording, order: Order) -> Self {
        let state = Progress {
            done: vec![false; recording.steps.len()],
            front: 0,
            made: vec![false; recording.calls.len()],
            divergence: None,
            time: recording.began().unwrap_or_else(unix_ms),
        };
        let (state, changed) = (Mutex::new(state), watch::Sender::new(()));
        Self(Arc::new(Shared { recording, order, state, changed }))
    }

    /// The recording.
    pub fn recording(&self) -> &Recording {
        &self.0.recording
    }

    /// Where the run first did something else than the recording, if it has, or if it has ended
    /// without making all its calls.
    pub fn divergence(&self) -> Option<Divergence> {
        let state = self.0.lock();
        if let Some(divergence) = &state.divergence {
            return Some(divergence.clone());
        }
        let missing = state.made.iter().position(|made| !made)?;
        let expected = self.0.recording.calls.get(missing)?.as_made();
        Some(Divergence::Missing { expected })
    }

    /// Whether the recording still has an answer for such a call.
    pub(crate) fn has(&self, request: &Request) -> bool {
        let state = self.0.lock();
        let calls = self.0.recording.calls.iter().zip(&state.made);
        calls.into_iter().any(|(call, is_made)| !is_made && call.is(request))
    }

    pub(crate) fn time(&self) -> u64 {
        self.0.lock().time
    }

    pub(crate) async fn diverged(&self) {
        let mut changes = self.0.changed.subscribe();
        while self.0.lock().divergence.is_none() {
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Answers a call, as far as the recording has it. The ledger says what it said then.
    pub(crate) async fn answer(
        &self,
        id: CallId,
        request: &Request,
        book: &Book,
    ) -> Result<Answer, Fault> {
        let index = match self.0.find(id, request) {
            Ok(index) => index,
            Err(divergence) => {
                let message = format!("the replay has diverged: {divergence}");
                self.0.lock().divergence.get_or_insert(divergence);
                self.0.changed.send_replace(());
                return Err(Fault::new(Kind::Unavailable, message));
            }
        };
        let call = self.0.recording.calls.get(index);
        let Some(Outcome { line, answer }) = call.and_then(|call| call.settled.as_ref()) else {
            // The program was killed while this was under way.
            return std::future::pending().await;
        };
        book.weigh(id, line.argument_bytes);
        if let Some(decision) = line.decision.clone() {
            book.allow(id, decision);
        }
        let was_sent = !matches!(line.state, State::Refused { .. } | State::Waiting);
        if was_sent && !book.mark_sent(id) {
            return Err(Fault::new(Kind::Cancelled, "the run has ended"));
        }
        let Some(answer) = answer else {
            // The script had given it up, or did not wait for it.
            return std::future::pending().await;
        };
        if self.0.order == Order::Exact {
            self.0.wait_turn(index).await;
        }
        book.weigh_result(id, line.result_bytes);
        self.0.happened(Step::Settled(index), Some(line.time));
        match answer {
            Ok(result) => Ok(Answer::new(result.clone(), line.checked)),
            Err(fault) => Err(read_fault(fault)),
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of this call in the recording.
    fn find(&self, id: CallId, request: &Request) -> Result<usize, Divergence> {
        let mut state = self.lock();
        let calls = &self.recording.calls;
        let next = match self.order {
            Order::Exact => usize::try_from(id.number()).ok().and_then(|n| n.checked_sub(1)),
            Order::Lenient => calls
                .iter()
                .zip(&state.made)
                .position(|(call, is_made)| !is_made && call.is(request)),
        };
        let made = || Made {
            number: id.number(),
            server: request.server.clone(),
            tool: request.tool.clone(),
            line: request.line,
            arguments: request.input.clone(),
        };
        let Some((index, call)) = next.and_then(|index| Some((index, calls.get(index)?))) else {
            return Err(Divergence::Extra { made: made(), recorded: calls.len() });
        };
        if !call.is(request) {
            return Err(Divergence::Different { expected: call.as_made(), made: made() });
        }
        if let Some(is_made) = state.made.get_mut(index) {
            *is_made = true;
        }
        drop(state);
        self.happened(Step::Made(index), None);
        Ok(index)
    }

    fn happened(&self, step: Step, time: Option<u64>) {
        let at = self.recording.steps.iter().position(|other| *other == step);
        let state = &mut *self.lock();
        if let Some(done) = at.and_then(|at| state.done.get_mut(at)) {
            *done = true;
        }
        let front = self.recording.steps.iter().zip(&state.done).enumerate().skip(state.front);
        let mut missing = front.filter(|(_, (step, done))| !**done && self.counts(**step));
        state.front = missing.next().map_or(state.done.len(), |(at, _)| at);
        state.time = time.unwrap_or(state.time);
        self.changed.send_replace(());
    }

    /// Returns when what came before the end of this call has happened.
    async fn wait_turn(&self, index: usize) {
        let steps = &self.recording.steps;
        let Some(at) = steps.iter().position(|step| *step == Step::Settled(index)) else { return };
        let mut changes = self.changed.subscribe();
        while let Some(missing) = self.first_missing(at) {
            let patience = self.time_for(at) + PATIENCE;
            if !matches!(timeout(patience, changes.changed()).await, Ok(Ok(()))) {
                let calls = &self.recording.calls;
                let mut state = self.lock();
                if let (None, Some(expected), Some(before)) =
                    (&state.divergence, calls.get(missing), calls.get(index))
                {
                    let (expected, before) = (expected.as_made(), before.as_made());
                    state.divergence = Some(Divergence::Order { expected, before });
                }
                drop(state);
                self.changed.send_replace(());
                return;
            }
        }
    }

    /// The call of the first step before `at` that has not happened.
    fn first_missing(&self, at: usize) -> Option<usize> {
        let front = self.lock().front;
        match self.recording.steps.get(front).filter(|_| front < at)? {
            Step::Made(index) | Step::Settled(index) => Some(*index),
        }
    }

    /// Whether a step is waited for: that nobody waits for a call any more is none.
    fn counts(&self, step: Step) -> bool {
        let Step::Settled(index) = step else { return true };
        let settled = self.recording.calls.get(index).and_then(|call| call.settled.as_ref());
        settled.is_some_and(|settled| settled.answer.is_some())
    }

    /// How long the recorded run was under way when this step came, as far as that is known.
    fn time_for(&self, at: usize) -> Duration {
        let time = |step: &Step| match step {
            Step::Settled(index) => {
                Some(self.recording.calls.get(*index)?.settled.as_ref()?.line.time)
            }
            Step::Made(_) => None,
        };
        let steps = self.recording.steps.iter().take(at + 1);
        let times: Vec<u64> = steps.filter_map(time).collect();
        match (self.recording.began().or(times.first().copied()), times.last()) {
            (Some(first), Some(last)) => Duration::from_millis(last.saturating_sub(first)),
            _ => Duration::ZERO,
        }
    }
}

impl Call {
    fn is(&self, request: &Request) -> bool {
        self.made.method == request.method.name()
            && self.made.server == request.server
            && self.made.tool == request.tool
            && self.arguments == request.input
    }

    fn as_made(&self) -> Made {
        Made {
            number: self.made.call,
            server: self.made.server.clone(),
            tool: self.made.tool.clone(),
            line: self.made.line,
            arguments: self.arguments.clone(),
        }
    }
}

fn read_fault(line: &FaultLine) -> Fault {
    let read = |raw: &Option<Box<serde_json::value::RawValue>>| {
        raw.as_ref().and_then(|raw| serde_json::from_str(raw.get()).ok())
    };
    Fault {
        limit: line.limit,
        code: line.code,
        content: read(&line.content),
        structured_content: read(&line.structured_content),
        ..Fault::new(line.kind, line.message.clone())
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("order", &self.0.order).finish_non_exhaustive()
    }
}
