//! What the ops do during a run: calls, the console, and the limits that hold for them in the
//! isolate.
//!
//! The host holds the same limits again. Here they keep an honest worker from sending what would
//! be refused anyway, and keep the memory of a flood in the worker.

use super::{
    fixed::FixedClock,
    ops::{BeginCall, Door},
};
use crate::{
    console::{Console, Level},
    frame::{JobLimits, NewCall, WorkerFrame},
    host::{Failure, Fixed, Reply},
    limits::Limit,
};
use std::{
    cell::{Cell, RefCell},
    collections::{HashSet, VecDeque},
    rc::Rc,
    time::{Duration, Instant},
};

/// Takes frames to the host. Whether anybody is there to read them is not known.
pub(crate) type Outbox = Rc<dyn Fn(WorkerFrame)>;

/// The door of one run.
pub(crate) struct RunDoor {
    outbox: Outbox,
    started: Cell<Instant>,
    limits: RefCell<JobLimits>,
    calls: RefCell<Calls>,
    /// Only counts; the lines are the host's.
    console: RefCell<Console>,
    alarm: Cell<Option<Alarm>>,
    fixed: RefCell<Option<FixedClock>>,
    failure: RefCell<Option<String>>,
}

/// When the realm wants to be called.
#[derive(Clone, Copy)]
struct Alarm {
    at: Instant,
    /// The same by the clock of the run.
    milliseconds: f64,
}

#[derive(Default)]
struct Calls {
    made: u32,
    in_flight: u32,
    /// Begun, and without a result.
    open: HashSet<u32>,
    /// Wait until fewer are in flight.
    queue: VecDeque<NewCall>,
    /// Results that the script has not been given yet.
    results: VecDeque<CallEnd>,
}

/// A call's number, and what `settle` is told of its end.
pub(crate) type CallEnd = (u32, String);

impl RunDoor {
    pub(crate) fn new(outbox: Outbox) -> Self {
        Self {
            outbox,
            started: Cell::new(Instant::now()),
            limits: RefCell::new(JobLimits::none()),
            calls: RefCell::default(),
            console: RefCell::default(),
            alarm: Cell::default(),
            fixed: RefCell::default(),
            failure: RefCell::default(),
        }
    }

    /// The run begins: until now every limit was zero.
    pub(crate) fn open(&self, limits: JobLimits, fixed: Option<Fixed>) {
        self.limits.replace(limits);
        self.fixed.replace(fixed.map(FixedClock::new));
        self.started.set(Instant::now());
    }

    pub(crate) fn send(&self, frame: WorkerFrame) {
        (self.outbox)(frame);
    }

    /// The host's answer to a call. One that the script has given up is passed over.
    pub(crate) fn deliver(&self, id: u32, result: Result<Reply, Failure>) {
        if self.end(id, || encode(result)) {
            self.leave_flight();
        }
    }

    /// Ends a call, unless it has ended before.
    fn end(&self, id: u32, result: impl FnOnce() -> String) -> bool {
        let mut calls = self.calls.borrow_mut();
        let was_open = calls.open.remove(&id);
        if was_open {
            calls.results.push_back((id, result()));
        }
        was_open
    }

    /// The next result that the script has to be given.
    pub(crate) fn next_result(&self) -> Option<CallEnd> {
        self.calls.borrow_mut().results.pop_front()
    }

    /// Whether the script waits for no call.
    pub(crate) fn is_idle(&self) -> bool {
        let calls = self.calls.borrow();
        calls.open.is_empty() && calls.results.is_empty()
    }

    /// When the realm's `tick` has to be called.
    pub(crate) fn alarm(&self) -> Option<Instant> {
        self.alarm.get().map(|alarm| alarm.at)
    }

    /// Whether, in a run with a fixed clock, a timer is due before this Unix time.
    pub(crate) fn has_alarm_before(&self, unix_ms: u64) -> bool {
        let fixed = self.fixed.borrow();
        let due = self.alarm.get().map(|alarm| alarm.milliseconds);
        fixed.as_ref().zip(due).is_some_and(|(fixed, due)| due < fixed.at(unix_ms))
    }

    /// The time of the alarm has come.
    pub(crate) fn ring(&self) {
        if let (Some(fixed), Some(alarm)) = (&mut *self.fixed.borrow_mut(), self.alarm.get()) {
            fixed.advance(alarm.milliseconds);
        }
    }

    /// It is this Unix time, in a run with a fixed clock.
    pub(crate) fn advance(&self, unix_ms: u64) {
        if let Some(fixed) = &mut *self.fixed.borrow_mut() {
            fixed.advance(fixed.at(unix_ms));
        }
    }

    /// The error that ended the run.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failure.borrow().clone()
    }

    pub(crate) fn dropped_bytes(&self) -> u64 {
        self.console.borrow().dropped_bytes
    }

    /// Sends the call now or when its turn comes, or says why not.
    fn admit(&self, call: NewCall) -> Result<(), String> {
        let limits = self.limits.borrow();
        if call.input.len() > limits.argument_bytes {
            let (used, limit) = (call.input.len(), limits.argument_bytes);
            return Err(passed(
                Limit::ArgumentBytes,
                format!(
                    "the arguments are {used} bytes, `argument_bytes` allows {limit}; \
                     nothing was sent: pass less, or in several calls"
                ),
            ));
        }
        if self.calls.borrow().made >= limits.calls {
            let limit = limits.calls;
            return Err(passed(
                Limit::Calls,
                format!(
                    "this run has made {limit} calls, which is all that `calls` allows; \
                     nothing was sent: do the rest in another run, or with fewer calls"
                ),
            ));
        }
        let mut calls = self.calls.borrow_mut();
        calls.made += 1;
        if calls.in_flight < limits.calls_in_flight {
            calls.in_flight += 1;
            drop(calls);
            self.send(WorkerFrame::Call(call));
        } else {
            calls.queue.push_back(call);
        }
        Ok(())
    }

    /// A call has ended: the next one may go.
    fn leave_flight(&self) {
        let mut calls = self.calls.borrow_mut();
        match calls.queue.pop_front() {
            Some(next) => {
                drop(calls);
                self.send(WorkerFrame::Call(next));
            }
            None => calls.in_flight = calls.in_flight.saturating_sub(1),
        }
    }
}

impl Door for RunDoor {
    fn begin_call(&self, call: BeginCall) {
        let timeout = Duration::try_from_secs_f64(call.timeout_ms / 1000.0).ok();
        let timeout = timeout.filter(|timeout| !timeout.is_zero());
        let BeginCall { id, function, input, raw, line, .. } = call;
        self.calls.borrow_mut().open.insert(id);
        if let Err(refusal) = self.admit(NewCall { id, function, input, raw, timeout, line }) {
            self.end(id, || refusal);
        }
    }

    fn cancel_call(&self, id: u32) {
        if !self.end(id, cancelled) {
            return;
        }
        let mut calls = self.calls.borrow_mut();
        let queued = calls.queue.iter().position(|call| call.id == id);
        let was_sent = queued.and_then(|at| calls.queue.remove(at)).is_none();
        drop(calls);
        if was_sent {
            self.send(WorkerFrame::CallCancelled { id });
            self.leave_flight();
        }
    }

    fn console(&self, level: u32, mut text: String) {
        let room = self.limits.borrow().console;
        let kept = self.console.borrow_mut().count(&text, room);
        if let Some(kept) = kept {
            text.truncate(kept);
            self.send(WorkerFrame::Console { level: Level::from_number(level), text });
        }
    }

    fn now(&self) -> f64 {
        if let Some(fixed) = &mut *self.fixed.borrow_mut() {
            return fixed.read();
        }
        // A tenth of a millisecond: fine enough to time calls, too coarse to time the cache.
        (self.started.get().elapsed().as_secs_f64() * 10_000.0).floor() / 10.0
    }

    fn set_alarm(&self, milliseconds: f64) {
        let at = match &*self.fixed.borrow() {
            None => Duration::try_from_secs_f64(milliseconds / 1000.0)
                .ok()
                .and_then(|after| self.started.get().checked_add(after)),
            Some(_) if milliseconds < 0.0 => None,
            // What a fixed clock says has passed did not take its time.
            Some(fixed) => {
                Duration::try_from_secs_f64((milliseconds - fixed.now).max(0.0) / 1000.0)
                    .ok()
                    .and_then(|after| Instant::now().checked_add(after))
            }
        };
        self.alarm.set(at.map(|at| Alarm { at, milliseconds }));
    }

    fn random(&self, bytes: &mut [u8]) -> bool {
        match &mut *self.fixed.borrow_mut() {
            Some(fixed) => {
                fixed.fill(bytes);
                true
            }
            None => getrandom::fill(bytes).is_ok(),
        }
    }

    fn fail(&self, error: String) {
        self.failure.borrow_mut().get_or_insert(error);
    }
}

/// A letter for what it is, then JSON text: what `30_tools.js` takes apart.
fn encode(result: Result<Reply, Failure>) -> String {
    match result {
        Ok(Reply::Value(mut json)) => {
            json.insert(0, 'v');
            json
        }
        Ok(Reply::Content(mut json)) => {
            json.insert(0, 'c');
            json
        }
        Err(failure) => error(failure),
    }
}

/// A limit that the script has passed by a call.
fn passed(limit: Limit, message: String) -> String {
    error(Failure::limit(limit, message))
}

fn error(failure: Failure) -> String {
    let Failure { kind, message, limit, properties } = failure;
    let mut error: serde_json::Map<_, _> = serde_json::from_str(&properties).unwrap_or_default();
    error.insert("kind".into(), kind.into());
    error.insert("message".into(), message.into());
    let letter = match limit {
        Some(limit) => {
            error.insert("limit".into(), limit.as_str().into());
            'l'
        }
        None => 'e',
    };
    format!("{letter}{}", serde_json::Value::Object(error))
}

fn cancelled() -> String {
    error(Failure::new(
        "cancelled",
        "the script cancelled the call; if it had been sent, it may have taken effect",
    ))
}
