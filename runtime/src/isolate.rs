//! One V8 isolate: runs one script and is gone.
//!
//! It knows neither processes nor threads: frames come in through a channel and go out through a
//! function. Everything in it runs on the one thread that made it.

pub(crate) mod door;
mod fixed;
mod heap;
mod hints;
pub(crate) mod ops;
mod realm;
mod thrown;
mod turns;

use crate::{
    clock::CpuClock,
    frame::{Done, Ending, HostFrame, Job, JobLimits, WorkerFrame},
    limits::{Limit, Memory},
    outcome::ScriptError,
    strip,
};
use deno_core::v8;
use door::{Outbox, RunDoor};
use futures::Stream;
use realm::Realm;
use std::{cell::Cell, rc::Rc};
use thrown::Thrown;
use turns::Last;

/// An isolate that has not run anything yet.
pub(crate) struct Isolate {
    realm: Realm,
    door: Rc<RunDoor>,
    heap: Rc<Heap>,
}

/// What is known of the heap while the script runs.
#[derive(Default)]
struct Heap {
    full: Cell<bool>,
    peak_bytes: Cell<usize>,
}

/// Prepares V8 for this process. Only the first call does anything.
///
/// `jitless` keeps it from making machine code.
///
/// V8 wants every thread with an isolate to descend from the one that calls this (memory protection
/// keys are inherited).
pub(crate) fn init_v8(jitless: bool) {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        if jitless {
            // The first is the program's name to V8.
            deno_core::v8_set_flags(vec![String::new(), "--jitless".to_owned()]);
        }
        deno_core::JsRuntime::init_platform(None);
    });
}

impl Isolate {
    /// Builds an isolate of this size. Must be called, and `run` polled, in a tokio runtime with
    /// a clock: V8's delayed tasks need one.
    pub(crate) fn new(memory: Memory, outbox: Outbox) -> Result<Self, String> {
        let door = Rc::new(RunDoor::new(outbox));
        let mut realm = Realm::new(memory, door.clone())?;
        let heap = Rc::new(Heap::default());
        let handle = realm.runtime.v8_isolate().thread_safe_handle();
        let (seen, told, buffers) = (heap.clone(), door.clone(), realm.buffers.clone());
        realm.runtime.add_near_heap_limit_callback(move |current, _initial| {
            if buffers.is_refusing() {
                return current;
            }
            if !seen.full.replace(true) {
                seen.peak_bytes.set(current);
                told.send(WorkerFrame::HeapFull);
            }
            handle.terminate_execution();
            // Room for V8 to come to the place where it looks for the termination.
            current.saturating_mul(2)
        });
        Ok(Self { realm, door, heap })
    }

    /// Runs a script of ours, so that the stranger's does not wait while V8 compiles what the realm
    /// is made of, and pages of the parser are read in for the first time.
    pub(crate) async fn warm_up(&mut self) -> Result<(), String> {
        let cold = |what: &str| format!("the isolate could not be warmed up: {what}");
        self.realm.start(&[], &JobLimits::none(), None)?;
        let script = strip::strip("const one: number = 1; return [one].length");
        let script = script.map_err(|_| cold("the parser failed"))?;
        let promise = self.realm.evaluate(script).map_err(|_| cold("the script failed"))?;
        let nothing = futures::stream::pending();
        match turns::take(&mut self.realm, &self.door, &promise, nothing).await {
            Last::Settled => {
                self.realm.ending(&promise, 0).map(drop).map_err(|_| cold("its end failed"))
            }
            _ => Err(cold("the script did not end")),
        }
    }

    /// Stops the script from another thread.
    pub(crate) fn handle(&mut self) -> v8::IsolateHandle {
        self.realm.runtime.v8_isolate().thread_safe_handle()
    }

    /// What V8 calls before it aborts the process for want of memory; must not return.
    pub(crate) fn on_out_of_memory(&mut self, callback: v8::OomErrorCallback) {
        self.realm.runtime.v8_isolate().set_oom_error_handler(callback);
    }

    /// Runs the script. `frames` brings the results of its calls.
    pub(crate) async fn run(mut self, job: Job, frames: impl Stream<Item = HostFrame>) -> Done {
        let clock = CpuClock::of_this_thread();
        let now = || clock.and_then(CpuClock::read).unwrap_or_default();
        let before = now();
        let ending = self.execute(&job, frames).await;
        let used = self.realm.runtime.v8_isolate().get_heap_statistics().used_heap_size();
        Done {
            ending: if self.heap.full.get() { Ending::HeapFull } else { ending },
            heap_bytes: self.heap.peak_bytes.get().max(used),
            cpu: now().saturating_sub(before),
            dropped_bytes: self.door.dropped_bytes(),
        }
    }

    async fn execute(&mut self, job: &Job, frames: impl Stream<Item = HostFrame>) -> Ending {
        let stripped = match strip::strip(&job.source) {
            Ok(stripped) => stripped,
            Err(diagnostics) => return Ending::SyntaxError(diagnostics),
        };
        self.door.open(job.limits.clone(), job.fixed.clone());
        let fixed = job.fixed.as_ref().map(|fixed| fixed.unix_ms);
        if let Err(fault) = self.realm.start(&job.functions, &job.limits, fixed) {
            return Ending::Fault(fault);
        }
        let promise = match self.realm.evaluate(stripped) {
            Ok(promise) => promise,
            Err(Some(error)) => {
                return Ending::SyntaxError(vec![thrown::diagnostic(&error, &job.source)]);
            }
            Err(None) => return interrupted(),
        };
        match turns::take(&mut self.realm, &self.door, &promise, frames).await {
            Last::Settled => self.settled(&promise, job),
            Last::Failed(error) => self.threw(&error, &job.source),
            Last::Stuck => Ending::Threw(never_settles()),
            Last::Stopped => Ending::Stopped,
            Last::Interrupted => interrupted(),
        }
    }

    fn settled(&mut self, promise: &v8::Global<v8::Promise>, job: &Job) -> Ending {
        let limit = job.limits.value_bytes;
        let text = match self.realm.ending(promise, limit) {
            Ok(Ok(text)) => text,
            Ok(Err(used)) => {
                let message = format!(
                    "the returned value is {used} bytes as JSON, `value_bytes` allows {limit}; return less, or print a part of it"
                );
                return Ending::Limit { limit: Limit::ValueBytes, message, error: None };
            }
            Err(realm::Interrupted) => return interrupted(),
        };
        match text.split_at_checked(1) {
            Some(("v", json)) => Ending::Completed(Some(json.to_owned())),
            Some(("e", error)) => self.threw(error, &job.source),
            _ => Ending::Completed(None),
        }
    }

    fn threw(&self, error: &str, source: &str) -> Ending {
        let Thrown { error, limit } = thrown::read(error, source);
        if let Some((limit, message)) = limit {
            return Ending::Limit { limit, message, error: Some(error) };
        }
        // V8's own error cannot be told from one that says the same; but it can only be believed
        // of a run that did ask for too much.
        if error.name == "RangeError"
            && error.message == "Array buffer allocation failed"
            && self.realm.buffers.has_refused()
        {
            let limit = self.realm.buffers.limit();
            let message = format!(
                "the script's ArrayBuffers would take more than the {limit} bytes that `array_buffer_bytes` allows; work on smaller parts, and let go of those that are done"
            );
            return Ending::Limit { limit: Limit::ArrayBufferBytes, message, error: Some(error) };
        }
        Ending::Threw(error)
    }
}

/// What is reported if nobody says that they have done it: the heap's limit and the host's clocks
/// have their own words for it.
fn interrupted() -> Ending {
    Ending::Fault("V8 was interrupted".into())
}

/// The event loop has nothing left to do, and the script still waits.
fn never_settles() -> ScriptError {
    let message = "the script waits for a promise that nothing can settle: \
                   no call is under way and no timer is set"
        .to_owned();
    ScriptError { name: "Error".into(), message, ..ScriptError::default() }
}
