//! The worker process: reads its size, builds an isolate, runs a script, and ends or builds the
//! next isolate.

use super::jail;
use crate::{
    frame::{self, Decoder, Done, HostFrame, VERSION, WorkerFrame},
    hardening::Hardening,
    isolate::{self, Isolate},
    limits::Memory,
};
use deno_core::v8;
use std::{
    ffi::c_char,
    future::poll_fn,
    io::{self, Write},
    mem::ManuallyDrop,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::net::UnixStream,
    },
    rc::Rc,
    sync::OnceLock,
    task::{Context, Poll, ready},
};
use tokio::io::{Interest, unix::AsyncFd};

/// The argument that makes a program a worker.
pub(crate) const REQUEST: &str = "--cofferdam-worker";

/// A worker gets frames from the host that started it, which it has to believe. The cap only keeps
/// a mistake from becoming an allocation of gigabytes.
const FRAME_BYTES: usize = 1024 * 1024 * 1024;

/// Becomes a worker if this process was started as one, and does not return then.
///
/// A program whose runtime starts it again ([`WorkerProgram::ThisProgram`]) calls this first thing
/// in `main`, before it starts threads, opens files or reads its arguments.
///
/// [`WorkerProgram::ThisProgram`]: crate::WorkerProgram::ThisProgram
pub fn run_if_requested() {
    if is_requested() {
        let code = i32::from(work().is_err());
        #[allow(clippy::exit, reason = "the program that called is not meant to go on")]
        std::process::exit(code);
    }
}

/// Whether this process was started as a worker.
pub(crate) fn is_requested() -> bool {
    std::env::args_os().nth(1).is_some_and(|argument| argument == REQUEST)
}

fn work() -> io::Result<()> {
    let options = jail::Options::of_this_process();
    let hardening = jail::enter(options);
    // SAFETY: the keeper started this process with a socket as descriptor 0, and nothing else in
    // it uses that descriptor.
    #[allow(unsafe_code, reason = "the one descriptor that was handed over")]
    let socket = UnixStream::from(unsafe { OwnedFd::from_raw_fd(0) });
    isolate::init_v8(options.jitless);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().enable_io().build()?;
    runtime.block_on(live(Rc::new(socket), options, hardening))
}

/// From the first frame to the last.
async fn live(
    socket: Rc<UnixStream>,
    options: jail::Options,
    mut hardening: Hardening,
) -> io::Result<()> {
    let mut inbox = Inbox::new(&socket)?;
    let Some(HostFrame::Prepare { version, memory }) = inbox.next().await else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    if version != VERSION {
        // The host sees from ours that they differ.
        return write(&socket, &WorkerFrame::Ready { version: VERSION, hardening });
    }
    jail::bound_data(memory.resident_bytes);
    let _ = LAST_WORDS.set(encode(&WorkerFrame::HeapFull)?);
    let fault = |message| write(&socket, &WorkerFrame::Done(Done::fault(message)));

    let mut waiting = match build(&socket, memory).await {
        Ok(isolate) => Some(isolate),
        Err(message) => return fault(message),
    };
    jail::seal(options, &mut hardening);
    let ready = WorkerFrame::Ready { version: VERSION, hardening };
    write(&socket, &ready)?;
    while let Some(frame) = inbox.next().await {
        match frame {
            HostFrame::Probe => write(&socket, &WorkerFrame::Probed(jail::probe()))?,
            HostFrame::Start(job) => {
                let Some(isolate) = waiting.take() else {
                    return Err(io::ErrorKind::InvalidData.into());
                };
                jail::bound_cpu(job.limits.cpu);
                let frames = futures::stream::poll_fn(|context| inbox.poll_next(context));
                let done = isolate.run(job, frames).await;
                write(&socket, &WorkerFrame::Done(done))?;
            }
            HostFrame::Renew => {
                waiting = match build(&socket, memory).await {
                    Ok(isolate) => Some(isolate),
                    Err(message) => return fault(message),
                };
                write(&socket, &ready)?;
            }
            // Of a call that the last script had not waited for.
            HostFrame::CallResult { .. } => {}
            HostFrame::Prepare { .. } | HostFrame::Cancel => {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
    }
    Ok(())
}

/// An isolate that has run nothing but a script of ours.
async fn build(socket: &Rc<UnixStream>, memory: Memory) -> Result<Isolate, String> {
    let to_host = socket.clone();
    let outbox = Rc::new(move |frame| {
        if write(&to_host, &frame).is_err() {
            // The host is gone, or does not want this run any more.
            #[allow(clippy::exit, reason = "there is nobody left to work for")]
            std::process::exit(0);
        }
    });
    let mut isolate = Isolate::new(memory, outbox)?;
    isolate.on_out_of_memory(out_of_memory);
    isolate.warm_up().await?;
    Ok(isolate)
}

/// Writes a whole frame, and waits for the host if it must: what was printed before a script hangs
/// has to be out.
fn write(mut socket: &UnixStream, frame: &WorkerFrame) -> io::Result<()> {
    socket.write_all(&encode(frame)?)
}

fn encode(frame: &WorkerFrame) -> io::Result<Vec<u8>> {
    frame::encode(frame).map_err(io::Error::other)
}

static LAST_WORDS: OnceLock<Vec<u8>> = OnceLock::new();

/// V8 is about to abort the process. Says why, without allocating anything.
unsafe extern "C" fn out_of_memory(_location: *const c_char, _details: &v8::OomDetails) {
    if let Some(words) = LAST_WORDS.get() {
        // SAFETY: the slice is valid, and 0 is our socket; ManuallyDrop keeps it open.
        #[allow(unsafe_code, reason = "there is no way to hand the socket in")]
        let socket = ManuallyDrop::new(UnixStream::from(unsafe { OwnedFd::from_raw_fd(0) }));
        let _ = (&*socket).write_all(words);
    }
    // SAFETY: ends the process without running anything of it.
    #[allow(unsafe_code, reason = "exit handlers would allocate")]
    unsafe {
        libc::_exit(1)
    }
}

/// Frames of the host. Reads without blocking from a socket whose writes do block: the flag would
/// hold for both.
struct Inbox {
    socket: AsyncFd<UnixStream>,
    decoder: Decoder,
    buffer: Box<[u8]>,
}

impl Inbox {
    fn new(socket: &UnixStream) -> io::Result<Self> {
        let socket = socket.try_clone()?;
        // SAFETY: a `UnixStream` owns its descriptor and gives the same one as long as it lives.
        #[allow(unsafe_code, reason = "tokio cannot see that from the type")]
        let socket = unsafe { AsyncFd::register_with_interest(socket, Interest::READABLE)? };
        let buffer = vec![0; 64 * 1024].into();
        Ok(Self { socket, decoder: Decoder::new(FRAME_BYTES), buffer })
    }

    async fn next(&mut self) -> Option<HostFrame> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// `None` if the host is gone or cannot be understood.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<HostFrame>> {
        loop {
            match self.decoder.next() {
                Ok(Some(frame)) => return Poll::Ready(Some(frame)),
                Ok(None) => {}
                Err(_) => return Poll::Ready(None),
            }
            let Ok(mut guard) = ready!(self.socket.poll_read_ready(context)) else {
                return Poll::Ready(None);
            };
            match guard.try_io(|socket| receive(socket.get_ref(), &mut self.buffer)) {
                Ok(Ok(0) | Err(_)) => return Poll::Ready(None),
                Ok(Ok(count)) => self.decoder.push(self.buffer.get(..count).unwrap_or_default()),
                Err(_would_block) => {}
            }
        }
    }
}

fn receive(socket: &UnixStream, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the pointer and the length are those of a slice that may be written to.
    #[allow(unsafe_code, reason = "the standard library has no such read")]
    let count = unsafe {
        let (at, length) = (buffer.as_mut_ptr().cast(), buffer.len());
        libc::recv(socket.as_raw_fd(), at, length, libc::MSG_DONTWAIT)
    };
    usize::try_from(count).map_err(|_negative| io::Error::last_os_error())
}
