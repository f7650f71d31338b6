//! The thread that starts worker processes and collects them.
//!
//! On Linux a worker is killed when the *thread* that started it ends, so workers are started by a
//! thread that lives as long as the runtime. It also waits for the ones that were killed, so that
//! neither a zombie nor a blocked task is left.

use super::{Starting, jail, worker};
use crate::{
    frame::{self, HostFrame},
    limits::Memory,
    runtime::{StartError, WorkerProgram},
};
use std::{
    io::{self, Write},
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::CommandExt},
    },
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, Sender, channel},
    thread::{self, JoinHandle},
};
use tokio::sync::oneshot;

/// Hands orders to the thread. When it is dropped, every worker must be gone already; it waits
/// until the last one has been collected.
pub(crate) struct Keeper {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

enum Order {
    Spawn {
        memory: Memory,
        reply: oneshot::Sender<io::Result<(Running, UnixStream)>>,
        /// For the new worker's guard; the thread has none itself, or it would never end.
        orders: Sender<Order>,
    },
    Collect(Child),
}

/// A running worker process; kills it when it is dropped.
pub(crate) struct Running {
    child: Option<Child>,
    orders: Sender<Order>,
}

impl Keeper {
    pub(crate) fn start(
        program: WorkerProgram,
        options: jail::Options,
    ) -> Result<Self, StartError> {
        let (orders, inbox) = channel();
        let thread = thread::Builder::new()
            .name("worker-keeper".into())
            .spawn(move || keep(&program, options, &inbox))
            .map_err(StartError::Thread)?;
        Ok(Self { orders: Some(orders), thread: Some(thread) })
    }

    pub(crate) fn spawn(&self, memory: Memory) -> Starting {
        let (reply, receiver) = oneshot::channel();
        if let Some(orders) = &self.orders {
            // If the thread is gone, `reply` is dropped, and `receiver` tells.
            let _ = orders.send(Order::Spawn { memory, reply, orders: orders.clone() });
        }
        Starting(receiver)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.orders.take());
        if let Some(thread) = self.thread.take() {
            // It panicked, or not: there is nothing left to do here.
            let _ = thread.join();
        }
    }
}

fn keep(program: &WorkerProgram, options: jail::Options, inbox: &Receiver<Order>) {
    while let Ok(order) = inbox.recv() {
        match order {
            Order::Spawn { memory, reply, orders } => {
                // Nobody may want it any more; then its guard ends it.
                let _ = reply.send(spawn(program, options, memory, orders));
            }
            Order::Collect(mut child) => {
                if let Err(error) = child.wait() {
                    tracing::error!(%error, pid = child.id(), "a worker could not be collected");
                }
            }
        }
    }
}

/// Starts a worker with nothing but its socket, as descriptor 0, and tells it its size.
fn spawn(
    program: &WorkerProgram,
    options: jail::Options,
    memory: Memory,
    orders: Sender<Order>,
) -> io::Result<(Running, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    let path = match program {
        WorkerProgram::At(path) => path.clone(),
        // Stays right when the file has been replaced since this program was started.
        WorkerProgram::ThisProgram if cfg!(target_os = "linux") => PathBuf::from("/proc/self/exe"),
        WorkerProgram::ThisProgram => std::env::current_exe()?,
    };
    let child = Command::new(&path)
        .arg0("cofferdam-worker")
        .arg(worker::REQUEST)
        .args(options.arguments())
        .env_clear()
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    let running = Running { child: Some(child), orders };
    let prepare = HostFrame::Prepare { version: frame::VERSION, memory };
    // A program that has ended already shows when the host waits for it, and better there.
    let _ = (&ours).write_all(&frame::encode(&prepare).map_err(io::Error::other)?);
    ours.set_nonblocking(true)?;
    Ok((running, ours))
}

impl Running {
    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().map_or(0, Child::id)
    }

    /// How it ended, if it has.
    pub(crate) fn status(&mut self) -> Option<ExitStatus> {
        self.child.as_mut()?.try_wait().ok()?
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        // Fails only if it has been collected already.
        let _ = child.kill();
        let _ = self.orders.send(Order::Collect(child));
    }
}
