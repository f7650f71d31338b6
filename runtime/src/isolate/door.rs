//! What the ops do during a run: calls, the console, and the limits that hold for them in the
//! isolate.
//!
//! The host holds the same limits again. Here they keep an honest worker from sending what would
//! be refused anyway, and keep the memory of a flood in the worker.

use super::ops::{BeginCall, Door};
use crate::{
    console::{Console, Level},
    frame::{JobLimits, NewCall, WorkerFrame},
    host::{Failure, Reply},
    limits::Limit,
};
use futures::channel::oneshot;
use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, VecDeque},
    future::Future,
    pin::Pin,
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
    /// Calls whose result the script's code has not been given yet.
    open: Rc<Cell<u32>>,
}

#[derive(Default)]
struct Calls {
    last_id: u32,
    made: u32,
    in_flight: u32,
    /// Wait until fewer are in flight.
    queue: VecDeque<NewCall>,
    waiting: HashMap<u32, oneshot::Sender<String>>,
    /// Until the op that waits for it picks it up.
    results: HashMap<u32, oneshot::Receiver<String>>,
    refused: Option<(Limit, String)>,
}

impl RunDoor {
    pub(crate) fn new(outbox: Outbox) -> Self {
        Self {
            outbox,
            started: Cell::new(Instant::now()),
            limits: RefCell::new(JobLimits::none()),
            calls: RefCell::default(),
            console: RefCell::default(),
            open: Rc::default(),
        }
    }

    /// The run begins: until now every limit was zero.
    pub(crate) fn open(&self, limits: JobLimits) {
        self.limits.replace(limits);
        self.started.set(Instant::now());
    }

    pub(crate) fn send(&self, frame: WorkerFrame) {
        (self.outbox)(frame);
    }

    /// The host's answer to a call. One that the script has given up is passed over.
    pub(crate) fn deliver(&self, id: u32, result: Result<Reply, Failure>) {
        let sender = self.calls.borrow_mut().waiting.remove(&id);
        if let Some(sender) = sender {
            if let Err(Failure { kind, message, .. }) = &result
                && kind == "limit"
            {
                let refused = (Limit::ResultBytes, message.clone());
                self.calls.borrow_mut().refused = Some(refused);
            }
            // The receiver is gone only if the isolate is about to be.
            let _ = sender.send(encode(result));
            self.leave_flight();
        }
    }

    /// Whether the script waits for no call.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.get() == 0
    }

    /// The limit that a call passed last, with what the script was told.
    pub(crate) fn refused(&self) -> Option<(Limit, String)> {
        self.calls.borrow().refused.clone()
    }

    pub(crate) fn dropped_bytes(&self) -> u64 {
        self.console.borrow().dropped_bytes
    }

    fn refuse(&self, limit: Limit, message: String) -> String {
        self.calls.borrow_mut().refused = Some((limit, message.clone()));
        encode(Err(Failure::limit(message)))
    }

    /// Sends the call now or when its turn comes, or says why not.
    fn admit(&self, call: NewCall) -> Result<(), String> {
        let limits = self.limits.borrow();
        if call.input.len() > limits.argument_bytes {
            let (used, limit) = (call.input.len(), limits.argument_bytes);
            return Err(self.refuse(
                Limit::ArgumentBytes,
                format!("the arguments are {used} bytes, `argument_bytes` allows {limit}; nothing was sent"),
            ));
        }
        if self.calls.borrow().made >= limits.calls {
            let limit = limits.calls;
            return Err(self.refuse(
                Limit::Calls,
                format!("this run has made {limit} calls, which is all that `calls` allows; nothing was sent"),
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
    fn begin_call(&self, call: BeginCall) -> u32 {
        let (sender, receiver) = oneshot::channel();
        let mut calls = self.calls.borrow_mut();
        calls.last_id += 1;
        let id = calls.last_id;
        calls.waiting.insert(id, sender);
        calls.results.insert(id, receiver);
        drop(calls);
        self.open.set(self.open.get() + 1);

        let timeout = Duration::try_from_secs_f64(call.timeout_ms / 1000.0).ok();
        let timeout = timeout.filter(|timeout| !timeout.is_zero());
        let BeginCall { function, input, raw, line, .. } = call;
        if let Err(refusal) = self.admit(NewCall { id, function, input, raw, timeout, line }) {
            let sender = self.calls.borrow_mut().waiting.remove(&id);
            if let Some(sender) = sender {
                let _ = sender.send(refusal);
            }
        }
        id
    }

    fn wait_call(&self, id: u32) -> Pin<Box<dyn Future<Output = String>>> {
        let receiver = self.calls.borrow_mut().results.remove(&id);
        let open = self.open.clone();
        Box::pin(async move {
            let Some(receiver) = receiver else { return cancelled() };
            let result = receiver.await.unwrap_or_else(|oneshot::Canceled| cancelled());
            open.set(open.get().saturating_sub(1));
            result
        })
    }

    fn cancel_call(&self, id: u32) {
        let mut calls = self.calls.borrow_mut();
        let Some(sender) = calls.waiting.remove(&id) else { return };
        let queued = calls.queue.iter().position(|call| call.id == id);
        let was_sent = queued.and_then(|at| calls.queue.remove(at)).is_none();
        drop(calls);
        if was_sent {
            self.send(WorkerFrame::CallCancelled { id });
            self.leave_flight();
        }
        let _ = sender.send(cancelled());
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
        // A tenth of a millisecond: fine enough to time calls, too coarse to time the cache.
        (self.started.get().elapsed().as_secs_f64() * 10_000.0).floor() / 10.0
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
        Err(Failure { kind, message, properties }) => {
            let mut error: serde_json::Map<_, _> =
                serde_json::from_str(&properties).unwrap_or_default();
            error.insert("kind".into(), kind.into());
            error.insert("message".into(), message.into());
            format!("e{}", serde_json::Value::Object(error))
        }
    }
}

fn cancelled() -> String {
    encode(Err(Failure {
        kind: "cancelled".into(),
        message: "the script cancelled the call; if it had been sent, it may have taken effect"
            .into(),
        properties: String::new(),
    }))
}
