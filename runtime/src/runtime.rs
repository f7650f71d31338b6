//! The public door of the crate: a runtime and what it is built from.

use crate::{
    frame::{Job, JobLimits},
    host::{Function, ToolHost},
    limits::{Limit, Limits},
    outcome::{Outcome, Run, Usage},
    pool::Pool,
    process, run,
};
use std::{path::PathBuf, sync::Arc};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Runs scripts, many at once. Cheap to clone; the workers end with the last clone.
#[derive(Clone)]
pub struct Runtime(Arc<Inner>);

struct Inner {
    pool: Pool,
    /// One permit for each run that may be under way.
    turns: Semaphore,
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
    at_once: usize,
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
        Self { at_once: at_once.clamp(1, Semaphore::MAX_PERMITS), ..self }
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
        let pool = Pool::new(self.isolation, self.program, self.limits.memory(), self.warm)?;
        Ok(Runtime(Arc::new(Inner { pool, turns: Semaphore::new(self.at_once) })))
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
        let start = async {
            // The semaphore is never closed.
            let turn = self.0.turns.acquire().await.ok();
            (turn, self.0.pool.take(limits.memory()).await)
        };
        let (_turn, worker) = tokio::select! {
            biased;
            () = cancel.cancelled() => return ended(Outcome::Cancelled),
            started = start => started,
        };
        let job = Job { source, functions, limits: JobLimits::of(&limits) };
        match worker {
            Ok(worker) => run::drive(worker, job, &limits, host, &cancel).await,
            Err(gone) => {
                ended(Outcome::Crashed { message: format!("no worker could be started: {gone}") })
            }
        }
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
            console_bytes: limits.console_bytes,
            value_bytes: limits.value_bytes,
        }
    }
}
