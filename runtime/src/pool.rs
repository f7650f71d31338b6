//! Workers that wait for a script. Each is used once, and replaced when it is taken.

use crate::{
    limits::Memory,
    process,
    runtime::{Isolation, StartError, WorkerProgram},
    thread,
    worker::{Gone, Worker},
};
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

/// The waiting workers of a runtime.
pub(crate) struct Pool {
    /// Before the spawner, so that it is dropped first: the spawner waits for all workers' ends.
    idle: Mutex<VecDeque<Starting>>,
    spawner: Spawner,
    memory: Memory,
    warm: usize,
}

/// Makes workers of one isolation.
enum Spawner {
    #[cfg(unix)]
    Process(process::Keeper),
    Thread(thread::Root),
}

/// A worker that may still be on its way.
enum Starting {
    #[cfg(unix)]
    Process(process::Starting),
    Thread(thread::Worker),
}

impl Pool {
    pub(crate) fn new(
        isolation: Isolation,
        program: WorkerProgram,
        memory: Memory,
        warm: usize,
    ) -> Result<Self, StartError> {
        let spawner = match isolation {
            #[cfg(unix)]
            Isolation::Process => Spawner::Process(process::Keeper::start(program)?),
            #[cfg(not(unix))]
            Isolation::Process => return Err(StartError::NoProcesses),
            Isolation::Thread => Spawner::Thread(thread::Root::start()?),
        };
        let pool = Self { spawner, memory, warm, idle: Mutex::default() };
        pool.refill();
        Ok(pool)
    }

    /// A worker that is ready: one that waits, or a new one if none does or another size is asked.
    pub(crate) async fn take(&self, memory: Memory) -> Result<Worker, Gone> {
        let idle = if memory == self.memory { self.pop() } else { None };
        let starting = idle.unwrap_or_else(|| self.spawner.spawn(memory));
        self.refill();
        let mut worker = starting.arrive().await?;
        worker.ready().await?;
        Ok(worker)
    }

    fn pop(&self) -> Option<Starting> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    fn refill(&self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while idle.len() < self.warm {
            idle.push_back(self.spawner.spawn(self.memory));
        }
    }
}

impl Spawner {
    fn spawn(&self, memory: Memory) -> Starting {
        match self {
            #[cfg(unix)]
            Self::Process(keeper) => Starting::Process(keeper.spawn(memory)),
            Self::Thread(root) => Starting::Thread(root.spawn(memory)),
        }
    }
}

impl Starting {
    async fn arrive(self) -> Result<Worker, Gone> {
        Ok(match self {
            #[cfg(unix)]
            Self::Process(starting) => Worker::Process(starting.arrive().await?),
            Self::Thread(worker) => Worker::Thread(worker),
        })
    }
}
