//! Workers that wait for a script. Each is replaced when it is taken, and used once, unless the
//! host allows more: then one that has ended well builds itself a new isolate and waits again.

use crate::{
    frame::HostFrame,
    hardening::Hardening,
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
    idle: Mutex<VecDeque<Waiting>>,
    spawner: Spawner,
    shape: Shape,
}

/// What a pool is to be like.
pub(crate) struct Shape {
    pub(crate) memory: Memory,
    /// Workers that are kept ready.
    pub(crate) warm: usize,
    /// Runs of one worker.
    pub(crate) reuse: u32,
    /// Workers that wait at most, counting those that have run something.
    pub(crate) most: usize,
    /// Refuse workers that lack a wall.
    pub(crate) strict: bool,
}

/// A worker that nobody else has.
pub(crate) struct Taken {
    pub(crate) worker: Worker,
    pub(crate) hardening: Hardening,
    pub(crate) ticket: Ticket,
}

/// What a worker is given back with.
pub(crate) struct Ticket {
    memory: Memory,
    /// Its runs, with the one it was taken for.
    runs: u32,
}

/// Makes workers of one isolation.
enum Spawner {
    #[cfg(unix)]
    Process(process::Keeper),
    Thread(thread::Root),
}

/// A worker that may still be on its way.
struct Waiting {
    stage: Stage,
    /// The runs that it has behind it.
    runs: u32,
}

enum Stage {
    #[cfg(unix)]
    Process(process::Starting),
    Thread(thread::Worker),
    Renewed(Worker),
}

impl Pool {
    pub(crate) fn new(
        isolation: Isolation,
        program: WorkerProgram,
        options: process::jail::Options,
        shape: Shape,
    ) -> Result<Self, StartError> {
        let spawner = match isolation {
            #[cfg(unix)]
            Isolation::Process => Spawner::Process(process::Keeper::start(program, options)?),
            #[cfg(not(unix))]
            Isolation::Process => return Err(StartError::NoProcesses),
            Isolation::Thread => Spawner::Thread(thread::Root::start(options.jitless)?),
        };
        let pool = Self { spawner, shape, idle: Mutex::default() };
        pool.refill();
        Ok(pool)
    }

    /// A worker that is ready: one that waits, or a new one if none does or another size is asked.
    pub(crate) async fn take(&self, memory: Memory) -> Result<Taken, Gone> {
        let idle = if memory == self.shape.memory { self.pop() } else { None };
        let waiting = idle.unwrap_or_else(|| self.spawner.spawn(memory));
        self.refill();
        let runs = waiting.runs + 1;
        let arrived = match waiting.arrive().await {
            // It has not survived its last run as well as it looked.
            Err(_) if runs > 1 => {
                let fresh = self.spawner.spawn(memory);
                return self.admit(fresh.arrive().await?, memory, 1);
            }
            arrived => arrived?,
        };
        self.admit(arrived, memory, runs)
    }

    /// A worker of the usual size to look at; not replaced, and not given back.
    pub(crate) async fn look(&self) -> Result<Taken, Gone> {
        let memory = self.shape.memory;
        let fresh = self.spawner.spawn(memory);
        self.admit(fresh.arrive().await?, memory, 1)
    }

    fn admit(
        &self,
        (worker, hardening): (Worker, Hardening),
        memory: Memory,
        runs: u32,
    ) -> Result<Taken, Gone> {
        if self.shape.strict && hardening.missing().next().is_some() {
            return Err(Gone::NotHardened(hardening));
        }
        Ok(Taken { worker, hardening, ticket: Ticket { memory, runs } })
    }

    /// Takes a worker back that has ended its run well; it is dropped if it has had its share.
    pub(crate) fn give_back(&self, mut worker: Worker, ticket: Ticket) {
        let Ticket { memory, runs } = ticket;
        let of_use = matches!(worker, Worker::Process(_))
            && runs < self.shape.reuse
            && memory == self.shape.memory;
        if !of_use || worker.send(HostFrame::Renew).is_err() {
            return;
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < self.shape.most {
            idle.push_front(Waiting { stage: Stage::Renewed(worker), runs });
        }
    }

    /// Ends the waiting workers.
    pub(crate) fn close(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn pop(&self) -> Option<Waiting> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    fn refill(&self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while idle.len() < self.shape.warm {
            idle.push_back(self.spawner.spawn(self.shape.memory));
        }
    }
}

impl Spawner {
    fn spawn(&self, memory: Memory) -> Waiting {
        let stage = match self {
            #[cfg(unix)]
            Self::Process(keeper) => Stage::Process(keeper.spawn(memory)),
            Self::Thread(root) => Stage::Thread(root.spawn(memory)),
        };
        Waiting { stage, runs: 0 }
    }
}

impl Waiting {
    async fn arrive(self) -> Result<(Worker, Hardening), Gone> {
        let mut worker = match self.stage {
            #[cfg(unix)]
            Stage::Process(starting) => Worker::Process(starting.arrive().await?),
            Stage::Thread(worker) => Worker::Thread(worker),
            Stage::Renewed(worker) => worker,
        };
        let hardening = worker.ready().await?;
        Ok((worker, hardening))
    }
}
