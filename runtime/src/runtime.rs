//! The public door of the crate: a runtime and what it is built from.

use crate::{
    frame::{Job, JobLimits},
    hardening::{Attempt, Hardening},
    host::{Function, ToolHost},
    limits::{Limit, Limits},
    outcome::{Outcome, Run, Usage},
    pool::{Pool, Shape, Taken},
    process::{self, jail},
    run,
    worker::Gone,
};
use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

/// Runs scripts, many at once. Cheap to clone; the workers end with the last clone.
#[derive(Clone)]
pub struct Runtime(Arc<Inner>);

struct Inner {
    pool: Pool,
    /// One permit for each run that may be under way.
    turns: Semaphore,
    at_once: u32,
    /// Runs that wait for their turn, and how many may.
    waiting: AtomicUsize,
    most_waiting: usize,
    /// Nothing is run any more.
    closed: CancellationToken,
}

/// What a script is run in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// A process for each run, started ahead, used once, and killed when the run ends. Nothing
    /// that V8 does can end the host. Unix only.
    #[default]
    Process,
    /// An isolate on a thread of the host's process, for hosts that want less latency and accept
    /// what that costs: when V8 cannot get memory, it ends the process; and a few built-ins that
    /// V8 cannot interrupt keep their thread busy after the run was ended.
    Thread,
}

/// The program that becomes a worker process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WorkerProgram {
    /// The running program, started again: its `main` must call [`run_if_requested`] first.
    ///
    /// [`run_if_requested`]: crate::run_if_requested
    #[default]
    ThisProgram,
    /// Another program whose `main` calls [`run_if_requested`](crate::run_if_requested) first,
    /// built from the same version of this crate: for hosts whose own `main` is not theirs to
    /// change.
    At(PathBuf),
}

/// What is to be run.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// TypeScript. `await` and `return` are fine at the top level.
    pub source: String,
    /// The functions that it may call.
    pub functions: Vec<Function>,
    /// The bounds of the run. A runtime keeps workers ready for the memory that it was built with;
    /// a run that asks for other memory waits for a worker of its own.
    pub limits: Limits,
}

/// How a runtime is to be built.
#[derive(Clone, Debug)]
pub struct Builder {
    isolation: Isolation,
    program: WorkerProgram,
    limits: Limits,
    warm: usize,
    at_once: u32,
    waiting: usize,
    reuse: u32,
    strict: bool,
    options: jail::Options,
}

/// Why a runtime cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The worker program came here instead of being a worker.
    #[error(
        "this process was started as a worker, but its main function did not call \
         run_if_requested() first; add that call, or name a worker program"
    )]
    NotAWorker,
    /// There is no way to isolate by processes on this system.
    #[error("process isolation is not available on this system; use thread isolation")]
    NoProcesses,
    /// [`Builder::strict`] was asked for, and not every wall stands.
    #[error(
        "this system does not have all that `strict` asks for: {0}; \
         run without `strict` to do without it"
    )]
    NotHardened(Hardening),
    /// V8 runs in this process already, and cannot be changed between making machine code and not
    /// making any: all thread-isolated runtimes of a process must agree.
    #[error("V8 was started in this process with `jitless` set to {jitless} before")]
    OtherV8 {
        /// What was asked for then.
        jitless: bool,
    },
    /// No worker could be started to look at.
    #[error("no worker could be started: {0}")]
    NoWorker(String),
    /// The thread that starts workers could not be started.
    #[error("the thread that starts workers could not be started")]
    Thread(#[source] std::io::Error),
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            isolation: Isolation::default(),
            program: WorkerProgram::default(),
            limits: Limits::default(),
            warm: 1,
            at_once: 16,
            waiting: 1024,
            reuse: 1,
            strict: false,
            options: jail::Options::default(),
        }
    }
}

impl Builder {
    /// Default: [`Isolation::Process`].
    #[must_use]
    pub fn isolation(self, isolation: Isolation) -> Self {
        Self { isolation, ..self }
    }

    /// Default: [`WorkerProgram::ThisProgram`].
    #[must_use]
    pub fn worker_program(self, program: WorkerProgram) -> Self {
        Self { program, ..self }
    }

    /// The limits whose memory the waiting workers are built with.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Workers that are kept ready. Default: 1. Zero starts each when it is needed.
    #[must_use]
    pub fn warm(self, warm: usize) -> Self {
        Self { warm, ..self }
    }

    /// Runs that may be under way at once; further ones wait in order. Default: 16, at least 1.
    #[must_use]
    pub fn at_once(self, at_once: usize) -> Self {
        let most = Semaphore::MAX_PERMITS.min(u32::MAX as usize);
        let at_once = u32::try_from(at_once.clamp(1, most)).unwrap_or(u32::MAX);
        Self { at_once, ..self }
    }

    /// Runs that may wait for their turn. Default: 1,024. One more ends at once, by the limit
    /// [`Limit::Waiting`]: then it is better to say no than to let everybody wait longer.
    #[must_use]
    pub fn waiting(self, waiting: usize) -> Self {
        Self { waiting, ..self }
    }

    /// Runs that one worker process is used for, each in a new isolate. Default: 1.
    ///
    /// More saves the start of a process per run. All runs of this runtime are then as close to
    /// each other as those of one thread are: a script that has taken over V8 waits for the next
    /// one in its process. So use one runtime per session, or per whoever trusts each other. A
    /// worker whose run passed a limit, or crashed, is never used again. Without effect on
    /// [`Isolation::Thread`].
    #[must_use]
    pub fn reuse(self, runs: u32) -> Self {
        Self { reuse: runs.max(1), ..self }
    }

    /// Whether to refuse every worker that lacks a wall. Default: false; what is missing is then
    /// told by [`Runtime::hardening`] only.
    #[must_use]
    pub fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// Whether V8 goes without machine code made at run time. Default: false. It takes away the
    /// larger part of what V8 has been attacked by, and costs speed in long loops.
    #[must_use]
    pub fn jitless(mut self, jitless: bool) -> Self {
        self.options.jitless = jitless;
        self
    }

    /// Whether each worker gets namespaces of its own for users, network and IPC, where the kernel
    /// lets it. Default: false. A second wall behind the others, at the price of a slower start.
    #[must_use]
    pub fn namespaces(mut self, namespaces: bool) -> Self {
        self.options.namespaces = namespaces;
        self
    }

    /// Builds the runtime and starts its first workers.
    ///
    /// # Errors
    /// See [`StartError`]. A worker that cannot be started is not an error here: the run that
    /// needs it ends as [`Outcome::Crashed`] and says why.
    pub fn build(self) -> Result<Runtime, StartError> {
        if process::worker::is_requested() {
            return Err(StartError::NotAWorker);
        }
        if self.strict && self.isolation == Isolation::Thread {
            return Err(StartError::NotHardened(Hardening::of_a_thread()));
        }
        let at_once = self.at_once as usize;
        let shape = Shape {
            memory: self.limits.memory(),
            warm: self.warm,
            reuse: self.reuse,
            most: self.warm.max(at_once),
            strict: self.strict,
        };
        let pool = Pool::new(self.isolation, self.program, self.options, shape)?;
        Ok(Runtime(Arc::new(Inner {
            pool,
            turns: Semaphore::new(at_once),
            at_once: self.at_once,
            waiting: AtomicUsize::new(0),
            most_waiting: self.waiting,
            closed: CancellationToken::new(),
        })))
    }
}

impl Runtime {
    /// How to build one.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Runs a script to its end. `cancel` ends it early, and so does dropping the future; then
    /// nothing is left that could tell what it did, so prefer `cancel`.
    ///
    /// Must be awaited in a tokio runtime with time and I/O enabled.
    pub async fn run(&self, script: Script, host: &dyn ToolHost, cancel: CancellationToken) -> Run {
        let Script { source, functions, limits } = script;
        if source.len() > limits.source_bytes {
            let (used, limit) = (source.len(), limits.source_bytes);
            return ended(Outcome::LimitExceeded {
                limit: Limit::SourceBytes,
                message: format!("the script is {used} bytes, `source_bytes` allows {limit}"),
                error: None,
            });
        }
        let inner = &*self.0;
        let start = async {
            let turn = inner.turn().await?;
            Ok((turn, inner.pool.take(limits.memory()).await))
        };
        let started = tokio::select! {
            biased;
            () = cancel.cancelled() => return ended(Outcome::Cancelled),
            () = inner.closed.cancelled() => return ended(Outcome::Cancelled),
            started = start => started,
        };
        let (_turn, taken) = match started {
            Ok(started) => started,
            Err(refusal) => return ended(refusal),
        };
        let limits_of_job = JobLimits::of(&limits);
        let job = Job { source, functions, limits: limits_of_job, fixed: host.fixed() };
        match taken {
            Ok(Taken { worker, ticket, .. }) => {
                let (run, worker) = run::drive(worker, job, &limits, host, &cancel).await;
                if let Some(worker) = worker
                    && !inner.closed.is_cancelled()
                {
                    inner.pool.give_back(worker, ticket);
                }
                run
            }
            Err(gone) => {
                ended(Outcome::Crashed { message: format!("no worker could be started: {gone}") })
            }
        }
    }

    /// What is between a script and the rest of the machine here: asks a worker, which may have to
    /// be started.
    ///
    /// # Errors
    /// [`StartError::NotHardened`] if it is `strict` and a wall is missing;
    /// [`StartError::NoWorker`] if none could be started.
    pub async fn hardening(&self) -> Result<Hardening, StartError> {
        Ok(self.look().await?.hardening)
    }

    /// Has a worker process try what a script that has taken over V8 would try, and tells what the
    /// system made of it. Empty where there is nothing to try: in thread isolation, and on systems
    /// other than Linux.
    ///
    /// # Errors
    /// As for [`Runtime::hardening`].
    pub async fn probe(&self) -> Result<Vec<Attempt>, StartError> {
        let mut taken = self.look().await?;
        taken.worker.probe().await.map_err(|gone| StartError::NoWorker(gone.to_string()))
    }

    async fn look(&self) -> Result<Taken, StartError> {
        self.0.pool.look().await.map_err(|gone| match gone {
            Gone::NotHardened(hardening) => StartError::NotHardened(hardening),
            gone => StartError::NoWorker(gone.to_string()),
        })
    }

    /// Ends in good order: runs that wait are cancelled, those under way come to their end, and
    /// then the workers are gone. To hurry, cancel the runs. Later runs end as
    /// [`Outcome::Cancelled`].
    pub async fn shutdown(&self) {
        self.0.closed.cancel();
        // Every turn at once: nobody has one any more. The semaphore is never closed.
        let _all = self.0.turns.acquire_many(self.0.at_once).await;
        self.0.pool.close();
    }
}

impl Inner {
    /// Waits for a turn, in order, or says why there is no use in waiting.
    async fn turn(&self) -> Result<SemaphorePermit<'_>, Outcome> {
        if let Ok(turn) = self.turns.try_acquire() {
            return Ok(turn);
        }
        let place = Place::take(&self.waiting);
        if place.ahead >= self.most_waiting {
            let (at_once, waiting) = (self.at_once, self.most_waiting);
            return Err(Outcome::LimitExceeded {
                limit: Limit::Waiting,
                message: format!(
                    "{at_once} scripts are running and {waiting} wait for their turn, which is all that `waiting` allows; nothing was run, try again later"
                ),
                error: None,
            });
        }
        self.turns.acquire().await.map_err(|_closed| Outcome::Cancelled)
    }
}

/// A place among those that wait, given up when it is dropped.
struct Place<'a> {
    waiting: &'a AtomicUsize,
    ahead: usize,
}

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize) -> Self {
        Self { waiting, ahead: waiting.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A run that never had a worker.
fn ended(outcome: Outcome) -> Run {
    Run { outcome, console: Default::default(), usage: Usage::default() }
}

impl JobLimits {
    fn of(limits: &Limits) -> Self {
        Self {
            argument_bytes: limits.argument_bytes,
            calls: limits.calls,
            calls_in_flight: limits.calls_in_flight.max(1),
            timers: limits.timers,
            console: limits.console(),
            value_bytes: limits.value_bytes,
            cpu: limits.cpu,
        }
    }
}
