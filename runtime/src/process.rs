//! Isolation by processes: a worker process for each run.
//!
//! This file is the host's end of one. Its other end is `process/worker.rs`; `process/keeper.rs`
//! starts and collects them.

pub(crate) mod jail;
pub(crate) mod keeper;
pub(crate) mod worker;

use crate::{
    clock::CpuClock,
    frame::{self, Decoder, HostFrame, WorkerFrame},
    worker::Gone,
};
use keeper::Running;
use std::{
    io,
    os::unix::{net::UnixStream, process::ExitStatusExt},
    process::ExitStatus,
    time::Duration,
};
use tokio::{io::Interest, sync::oneshot};

pub(crate) use keeper::Keeper;

/// The host's end of a worker process. Kills the process when it is dropped.
pub(crate) struct Worker {
    socket: tokio::net::UnixStream,
    decoder: Decoder,
    /// For what arrives.
    buffer: Box<[u8]>,
    /// What the socket has not taken yet, and how much of its beginning it has.
    outbox: Vec<u8>,
    sent: usize,
    cpu: Option<CpuClock>,
    running: Running,
}

/// A worker process on its way.
pub(crate) struct Starting(oneshot::Receiver<io::Result<(Running, UnixStream)>>);

impl Starting {
    /// Takes the worker over. Must be called in a tokio runtime with I/O enabled.
    pub(crate) async fn arrive(self) -> Result<Worker, Gone> {
        let keeper_is_gone = |_| Gone::Ended("the thread that starts workers is gone".into());
        let started = self.0.await.map_err(keeper_is_gone)?;
        let (running, socket) = started.map_err(Gone::NotStarted)?;
        Ok(Worker {
            socket: tokio::net::UnixStream::from_std(socket).map_err(Gone::NotStarted)?,
            // Until the job is sent, all that a worker has to say is that it is ready.
            decoder: Decoder::new(4096),
            buffer: vec![0; 64 * 1024].into(),
            outbox: Vec::new(),
            sent: 0,
            cpu: CpuClock::of_process(running.pid()),
            running,
        })
    }
}

impl Worker {
    pub(crate) fn send(&mut self, frame: &HostFrame) -> Result<(), Gone> {
        let bytes = frame::encode(frame)?;
        if self.outbox.is_empty() {
            self.outbox = bytes;
        } else {
            self.outbox.extend_from_slice(&bytes);
        }
        self.flush()
    }

    /// Reads while it writes: a worker that is busy printing does not read, and would wait for
    /// ever for a host that does not read either.
    pub(crate) async fn recv(&mut self) -> Result<WorkerFrame, Gone> {
        loop {
            if let Some(frame) = self.decoder.next()? {
                return Ok(frame);
            }
            let interest = match self.outbox.is_empty() {
                true => Interest::READABLE,
                false => Interest::READABLE | Interest::WRITABLE,
            };
            let Ok(ready) = self.socket.ready(interest).await else { return Err(self.why().await) };
            if ready.is_writable() && self.flush().is_err() && !ready.is_readable() {
                return Err(self.why().await);
            }
            if ready.is_readable() {
                match self.socket.try_read(&mut self.buffer) {
                    Ok(0) => return Err(self.why().await),
                    Ok(count) => self.decoder.push(self.buffer.get(..count).unwrap_or_default()),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => return Err(self.why().await),
                }
            }
        }
    }

    fn flush(&mut self) -> Result<(), Gone> {
        while let Some(rest) = self.outbox.get(self.sent..).filter(|rest| !rest.is_empty()) {
            match self.socket.try_write(rest) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(_) => return Err(Gone::Ended("its socket is closed".into())),
            }
        }
        self.outbox = Vec::new();
        self.sent = 0;
        Ok(())
    }

    pub(crate) fn cpu(&self) -> Option<Duration> {
        self.cpu?.read()
    }

    /// Memory in use, in bytes.
    pub(crate) fn resident_bytes(&self) -> Option<usize> {
        resident_bytes(self.running.pid())
    }

    pub(crate) fn set_frame_limit(&mut self, bytes: usize) {
        self.decoder.set_limit(bytes);
    }

    /// The socket is closed: the process is about to end, or has.
    async fn why(&mut self) -> Gone {
        for _ in 0..200 {
            if let Some(status) = self.running.status() {
                return Gone::Ended(describe(status));
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Gone::Ended("it closed its socket".into())
    }
}

/// The resident set of a process, with the pages of its program. Linux tells everybody.
#[cfg(target_os = "linux")]
fn resident_bytes(pid: u32) -> Option<usize> {
    let sizes = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: usize = sizes.split(' ').nth(1)?.parse().ok()?;
    // SAFETY: a question without preconditions.
    #[allow(unsafe_code, reason = "the size of a page is a system call")]
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages.checked_mul(usize::try_from(page).ok()?)
}

#[cfg(not(target_os = "linux"))]
fn resident_bytes(_pid: u32) -> Option<usize> {
    None
}

fn describe(status: ExitStatus) -> String {
    let name = match status.signal() {
        Some(libc::SIGABRT) => "SIGABRT",
        Some(libc::SIGTRAP) => "SIGTRAP",
        Some(libc::SIGSEGV) => "SIGSEGV",
        Some(libc::SIGILL) => "SIGILL",
        Some(libc::SIGKILL) => "SIGKILL",
        Some(libc::SIGXCPU) => "SIGXCPU",
        Some(libc::SIGSYS) => "SIGSYS",
        _ => return status.to_string(),
    };
    format!("killed by {name}")
}
