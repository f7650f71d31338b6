//! Isolation by threads: an isolate on a thread of its own in the host's process.
//!
//! All such threads descend from one, the root: on processors with memory protection keys, V8's
//! code can only be run by descendants of the thread that started V8. The root also stops
//! isolates: a termination can be lost while V8 converts an error, so it is repeated until the
//! thread is gone.

use crate::{
    clock::CpuClock,
    frame::{Done, HostFrame, VERSION, WorkerFrame},
    hardening::Hardening,
    isolate::{self, Isolate},
    limits::Memory,
    runtime::StartError,
    worker::Gone,
};
use deno_core::v8;
use std::{
    rc::Rc,
    sync::{
        Arc, OnceLock,
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The thread whose descendants have isolates; one for the whole process, and it never ends.
#[derive(Clone)]
pub(crate) struct Root {
    orders: Sender<Order>,
    jitless: bool,
}

enum Order {
    Spawn(Seat),
    Stop(Arc<Control>),
}

/// The isolate's end of a worker.
struct Seat {
    memory: Memory,
    inbox: UnboundedReceiver<HostFrame>,
    outbox: UnboundedSender<WorkerFrame>,
    control: Arc<Control>,
}

/// What can be known of and done to an isolate from other threads.
#[derive(Default)]
struct Control {
    isolate: OnceLock<v8::IsolateHandle>,
    cpu: OnceLock<CpuClock>,
}

/// The host's end of a worker.
pub(crate) struct Worker {
    to: UnboundedSender<HostFrame>,
    from: UnboundedReceiver<WorkerFrame>,
    control: Arc<Control>,
    root: Root,
}

/// V8 guards the first megabyte of its stack; the rest is for what Rust does on top of it.
const STACK_BYTES: usize = 8 << 20;

/// How often a stop is repeated, and how long at most: some built-ins of V8 never look.
const STOP_AGAIN: Duration = Duration::from_millis(25);
const STOP_AT_MOST: Duration = Duration::from_secs(60);

impl Root {
    /// The root of this process. Its V8 is what the first caller asked for.
    pub(crate) fn start(jitless: bool) -> Result<Self, StartError> {
        static ROOT: std::sync::Mutex<Option<Root>> = std::sync::Mutex::new(None);
        let mut root = ROOT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(root) = &*root {
            return match root.jitless == jitless {
                true => Ok(root.clone()),
                false => Err(StartError::OtherV8 { jitless: root.jitless }),
            };
        }
        let (orders, inbox) = channel();
        thread::Builder::new()
            .name("v8-root".into())
            .spawn(move || {
                isolate::init_v8(jitless);
                serve(&inbox);
            })
            .map_err(StartError::Thread)?;
        Ok(root.insert(Self { orders, jitless }).clone())
    }

    pub(crate) fn spawn(&self, memory: Memory) -> Worker {
        let (to, inbox) = unbounded_channel();
        let (outbox, from) = unbounded_channel();
        let control = Arc::new(Control::default());
        let seat = Seat { memory, inbox, outbox, control: control.clone() };
        // If the root is gone, the seat is dropped and the worker has ended before it began.
        let _ = self.orders.send(Order::Spawn(seat));
        Worker { to, from, control, root: self.clone() }
    }
}

fn serve(inbox: &std::sync::mpsc::Receiver<Order>) {
    let mut stopping: Vec<(Arc<Control>, Instant)> = Vec::new();
    loop {
        let order = match stopping.is_empty() {
            true => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => inbox.recv_timeout(STOP_AGAIN),
        };
        match order {
            Ok(Order::Spawn(seat)) => {
                // The thread's end drops its seat, by which the host sees it.
                if let Err(error) = thread::Builder::new()
                    .name("isolate".into())
                    .stack_size(STACK_BYTES)
                    .spawn(move || sit(seat))
                {
                    tracing::error!(%error, "the thread of an isolate could not be started");
                }
            }
            Ok(Order::Stop(control)) => stopping.push((control, Instant::now())),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        // The thread holds the other reference for as long as it lives.
        stopping.retain(|(control, since)| {
            let alive = Arc::strong_count(control) > 1 && since.elapsed() < STOP_AT_MOST;
            if alive && let Some(isolate) = control.isolate.get() {
                isolate.terminate_execution();
            }
            alive
        });
    }
}

/// The life of an isolate's thread.
fn sit(seat: Seat) {
    let Seat { memory, mut inbox, outbox, control } = seat;
    let fault = |message| WorkerFrame::Done(Done::fault(message));
    // Nobody may be left to hear of it.
    let tell = {
        let outbox = outbox.clone();
        move |frame| drop(outbox.send(frame))
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_time().build() {
        Ok(runtime) => runtime,
        Err(error) => return tell(fault(format!("no event loop: {error}"))),
    };
    if let Some(clock) = CpuClock::of_this_thread() {
        let _ = control.cpu.set(clock);
    }
    runtime.block_on(async {
        let mut isolate = match Isolate::new(memory, Rc::new(tell.clone())) {
            Ok(isolate) => isolate,
            Err(message) => return tell(fault(message)),
        };
        let _ = control.isolate.set(isolate.handle());
        if let Err(message) = isolate.warm_up().await {
            return tell(fault(message));
        }
        tell(WorkerFrame::Ready { version: VERSION, hardening: Hardening::of_a_thread() });
        if let Some(HostFrame::Start(job)) = inbox.recv().await {
            let frames = futures::stream::poll_fn(|context| inbox.poll_recv(context));
            let done = isolate.run(job, frames).await;
            tell(WorkerFrame::Done(done));
        }
    });
}

impl Worker {
    #[allow(clippy::unnecessary_wraps, reason = "the same shape as for a process")]
    pub(crate) fn send(&mut self, frame: HostFrame) -> Result<(), Gone> {
        self.to.send(frame).map_err(|_| ended())
    }

    pub(crate) async fn recv(&mut self) -> Result<WorkerFrame, Gone> {
        self.from.recv().await.ok_or_else(ended)
    }

    pub(crate) fn cpu(&self) -> Option<Duration> {
        self.control.cpu.get()?.read()
    }
}

fn ended() -> Gone {
    Gone::Ended("its thread is gone".into())
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.to.send(HostFrame::Cancel);
        let _ = self.root.orders.send(Order::Stop(self.control.clone()));
    }
}
