//! One run, seen from the host: answers the worker's calls, watches the clocks, and decides how
//! the run ended.
//!
//! What the worker says is believed only as far as it cannot matter: a worker that passes a limit
//! which it should have held itself is broken, and is killed.

use crate::{
    clock::WallClock,
    console::{Console, Line},
    frame::{Done, Ending, HostFrame, Job, NewCall, WorkerFrame},
    host::{Call, Failure, Reply, ToolHost},
    limits::{Limit, Limits},
    outcome::{Clock, Outcome, Run, Usage},
    worker::{Gone, Worker},
};
use futures::{
    StreamExt,
    future::{AbortHandle, Abortable, Aborted, BoxFuture},
    stream::FuturesUnordered,
};
use std::{
    collections::HashMap,
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

/// How often the CPU clock and the memory in use are read.
const TICK: Duration = Duration::from_millis(10);

/// Runs `job` in `worker`. Gives the worker back if it may go on to live: if the script ended by
/// itself and within its limits.
pub(crate) async fn drive(
    mut worker: Worker,
    job: Job,
    limits: &Limits,
    host: &dyn ToolHost,
    cancel: &CancellationToken,
) -> (Run, Option<Worker>) {
    let wall = WallClock::start();
    let cpu_before = worker.cpu();
    let mut calls = Calls::new(host, limits, wall.clone());
    let mut console = Console::default();
    let mut heap_was_full = false;
    let mut done = None;

    worker.set_frame_limit(limits.frame_bytes());
    let outcome = match worker.send(HostFrame::Start(job)) {
        Err(gone) => crashed(&gone),
        Ok(()) => {
            let mut out_of_time = pin!(wall.run_out(limits.wall));
            let mut tick = tokio::time::interval(TICK);
            loop {
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => break Outcome::Cancelled,
                    () = &mut out_of_time => break timed_out(Clock::Wall, limits.wall),
                    frame = worker.recv() => match frame {
                        Ok(WorkerFrame::Console { .. }) if console.is_full(limits.console()) => {
                            break broken("more on the console than is kept");
                        }
                        Ok(WorkerFrame::Console { level, text }) => {
                            let line = Line { level, text };
                            host.printed(&line);
                            console.push(line, limits.console());
                        }
                        Ok(WorkerFrame::Call(call)) => if let Err(fault) = calls.start(call) {
                            break broken(fault);
                        },
                        Ok(WorkerFrame::CallCancelled { id }) => if let Err(fault) = calls.cancel(id) {
                            break broken(fault);
                        },
                        // Twice if V8 runs out for good after it has been told to stop.
                        Ok(WorkerFrame::HeapFull) => heap_was_full = true,
                        Ok(WorkerFrame::Done(last)) => {
                            console.dropped_bytes += last.dropped_bytes;
                            done = Some(last);
                            break Outcome::Cancelled;
                        }
                        Ok(WorkerFrame::Ready { .. } | WorkerFrame::Probed(_)) => {
                            break broken("a frame that has no place in a run");
                        }
                        Err(_) if heap_was_full => break memory_exceeded(limits),
                        Err(gone) => break crashed(&gone),
                    },
                    (id, (result, time)) = calls.next(), if calls.any() => {
                        if worker.send(HostFrame::CallResult { id, result, time }).is_err() {
                            // What the worker sent last is still to be read.
                            continue;
                        }
                    }
                    _ = tick.tick() => {
                        if let (Some(before), Some(now)) = (cpu_before, worker.cpu())
                            && now.saturating_sub(before) > limits.cpu
                        {
                            break timed_out(Clock::Cpu, limits.cpu);
                        }
                        if worker.resident_bytes().is_some_and(|used| used > limits.resident_bytes) {
                            let (limit, limit_bytes) = (Limit::ResidentBytes, limits.resident_bytes);
                            break Outcome::MemoryExceeded { limit, limit_bytes };
                        }
                    },
                }
            }
        }
    };

    let (total, waiting) = wall.read();
    let cpu = cpu_before.zip(worker.cpu()).map(|(before, now)| now.saturating_sub(before));
    let usage = Usage {
        wall: total,
        waiting,
        // The thread of an isolate may be gone by now; then it has told.
        cpu: cpu.or(done.as_ref().map(|done| done.cpu)).unwrap_or_default(),
        heap_bytes: done.as_ref().map(|done| done.heap_bytes),
        calls: calls.made,
        in_tools: calls.time(),
    };
    let ended_well = done.as_ref().is_some_and(|done| done.ending.is_well());
    let outcome = done.map_or(outcome, |done| outcome_of(done, limits));
    (Run { outcome, console, usage }, ended_well.then_some(worker))
}

fn outcome_of(done: Done, limits: &Limits) -> Outcome {
    match done.ending {
        Ending::Completed(value) => Outcome::Completed { value },
        Ending::Threw(error) => Outcome::Threw { error },
        Ending::SyntaxError(diagnostics) => Outcome::SyntaxError { diagnostics },
        Ending::HeapFull => memory_exceeded(limits),
        Ending::Limit { limit, message, error } => Outcome::LimitExceeded { limit, message, error },
        Ending::Stopped => Outcome::Cancelled,
        Ending::Fault(message) => Outcome::Crashed { message },
    }
}

fn memory_exceeded(limits: &Limits) -> Outcome {
    Outcome::MemoryExceeded { limit: Limit::HeapBytes, limit_bytes: limits.heap_bytes }
}

fn timed_out(clock: Clock, limit: Duration) -> Outcome {
    Outcome::TimedOut { clock, limit }
}

/// An honest worker holds the limits itself, and floods nobody.
fn broken(how: &str) -> Outcome {
    Outcome::Crashed { message: format!("the worker broke the protocol: {how}") }
}

fn crashed(gone: &Gone) -> Outcome {
    Outcome::Crashed { message: gone.to_string() }
}

/// The calls of a run that are under way.
struct Calls<'h> {
    host: &'h dyn ToolHost,
    limits: &'h Limits,
    wall: Arc<WallClock>,
    running: FuturesUnordered<BoxFuture<'h, (u32, Option<Timed>)>>,
    aborts: HashMap<u32, AbortHandle>,
    made: u32,
    cancelled: u32,
    /// Since when there has been at least one.
    busy_since: Option<Instant>,
    busy: Duration,
}

type Answer = Result<Reply, Failure>;

/// An answer, and the time to which it takes the run's clock.
type Timed = (Answer, Option<u64>);

impl<'h> Calls<'h> {
    fn new(host: &'h dyn ToolHost, limits: &'h Limits, wall: Arc<WallClock>) -> Self {
        Self {
            host,
            limits,
            wall,
            running: FuturesUnordered::new(),
            aborts: HashMap::new(),
            made: 0,
            cancelled: 0,
            busy_since: None,
            busy: Duration::ZERO,
        }
    }

    /// Takes a call up, or says how it breaks the protocol.
    fn start(&mut self, call: NewCall) -> Result<(), &'static str> {
        if call.input.len() > self.limits.argument_bytes {
            return Err("longer arguments than `argument_bytes`");
        }
        if self.made >= self.limits.calls {
            return Err("more calls than `calls`");
        }
        if self.aborts.len() >= self.limits.calls_in_flight.max(1) as usize {
            return Err("more calls than `calls_in_flight`");
        }
        let (handle, registration) = AbortHandle::new_pair();
        if self.aborts.insert(call.id, handle).is_some() {
            return Err("two calls with one id");
        }
        self.made += 1;
        self.busy_since.get_or_insert_with(Instant::now);
        let NewCall { id, function, input, raw, timeout, line } = call;
        let timeout =
            timeout.map_or(self.limits.tool_timeout, |asked| asked.min(self.limits.tool_timeout));
        let wall = self.wall.clone();
        let answer = self.host.call(Call { function, input, raw, timeout, line, wall });
        let answer = Abortable::new(answer, registration);
        let host = self.host;
        self.running.push(Box::pin(async move {
            let answer: Result<Answer, Aborted> = answer.await;
            // Nothing happens between the two, so this is the time of this answer.
            (id, answer.ok().map(|answer| (answer, host.time())))
        }));
        Ok(())
    }

    /// Drops a call that the script has given up. Its answer may be on the way already.
    fn cancel(&mut self, id: u32) -> Result<(), &'static str> {
        self.cancelled += 1;
        if self.cancelled > self.made {
            return Err("more calls cancelled than made");
        }
        if let Some(handle) = self.aborts.remove(&id) {
            handle.abort();
        }
        Ok(())
    }

    fn any(&self) -> bool {
        !self.running.is_empty()
    }

    /// The next call that ends; those that were dropped are passed over.
    async fn next(&mut self) -> (u32, Timed) {
        loop {
            match self.running.next().await {
                Some((id, Some((answer, time)))) => {
                    self.aborts.remove(&id);
                    self.rest();
                    return (id, (self.within_limit(answer), time));
                }
                Some((_, None)) => self.rest(),
                None => std::future::pending().await,
            }
        }
    }

    /// Counts the time when the last call has ended.
    fn rest(&mut self) {
        if self.running.is_empty() {
            self.busy += self.busy_since.take().map_or(Duration::ZERO, |since| since.elapsed());
        }
    }

    fn within_limit(&self, answer: Answer) -> Answer {
        let (used, limit) = (size(&answer), self.limits.result_bytes);
        if used <= limit {
            return answer;
        }
        let message = format!(
            "the result is {used} bytes, `result_bytes` allows {limit}; the call has taken effect"
        );
        Err(Failure::limit(Limit::ResultBytes, message))
    }

    fn time(&self) -> Duration {
        self.busy + self.busy_since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

fn size(answer: &Answer) -> usize {
    match answer {
        Ok(Reply::Value(json) | Reply::Content(json)) => json.len(),
        Err(failure) => failure.message.len() + failure.properties.len(),
    }
}
