//! An isolate as the host sees it, wherever it lives: frames out, frames in, and its end.

use crate::{
    frame::{self, Done, Ending, HostFrame, WorkerFrame},
    hardening::{Attempt, Hardening},
    process, thread,
};
use std::time::Duration;

/// A worker that is ready for one script. Ends when it is dropped.
pub(crate) enum Worker {
    #[cfg(unix)]
    Process(process::Worker),
    Thread(thread::Worker),
}

/// The worker has ended, or cannot be understood any more.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Gone {
    #[error("the worker program could not be started: {0}")]
    NotStarted(std::io::Error),
    #[error(
        "the worker was not ready within {0:?}; does the worker program call run_if_requested() first in main?"
    )]
    NotReady(Duration),
    #[error(
        "the worker ended before it was ready ({0}); does the worker program call run_if_requested() first in main?"
    )]
    EndedEarly(String),
    #[error("the worker is of another version ({theirs}) than this program ({ours})")]
    Version { ours: u32, theirs: u32 },
    #[error("the worker ended by itself ({0})")]
    Ended(String),
    #[error("the worker broke the protocol: {0}")]
    Protocol(#[from] frame::Malformed),
    #[error("the worker broke the protocol: it did not say that it was ready")]
    Unready,
    #[error("{0}")]
    NoIsolate(String),
    #[error("it does not have what `strict` asks for: {0}")]
    NotHardened(Hardening),
}

impl Worker {
    /// Sends a frame, or as much of it as goes now; `recv` sends the rest.
    pub(crate) fn send(&mut self, frame: HostFrame) -> Result<(), Gone> {
        match self {
            #[cfg(unix)]
            Self::Process(worker) => worker.send(&frame),
            Self::Thread(worker) => worker.send(frame),
        }
    }

    /// The next frame. May be dropped and called again without losing one.
    pub(crate) async fn recv(&mut self) -> Result<WorkerFrame, Gone> {
        match self {
            #[cfg(unix)]
            Self::Process(worker) => worker.recv().await,
            Self::Thread(worker) => worker.recv().await,
        }
    }

    /// Waits until the isolate is built, and tells what walls are around it.
    pub(crate) async fn ready(&mut self) -> Result<Hardening, Gone> {
        const PATIENCE: Duration = Duration::from_secs(20);
        let frame = tokio::time::timeout(PATIENCE, self.recv()).await;
        let early = |gone| match gone {
            Gone::Ended(how) => Gone::EndedEarly(how),
            gone => gone,
        };
        match frame.map_err(|_| Gone::NotReady(PATIENCE))?.map_err(early)? {
            WorkerFrame::Ready { version: frame::VERSION, hardening } => Ok(hardening),
            WorkerFrame::Ready { version, .. } => {
                Err(Gone::Version { ours: frame::VERSION, theirs: version })
            }
            WorkerFrame::Done(Done { ending: Ending::Fault(why), .. }) => Err(Gone::NoIsolate(why)),
            _ => Err(Gone::Unready),
        }
    }

    /// Has a ready worker try what a script must not be able to do.
    pub(crate) async fn probe(&mut self) -> Result<Vec<Attempt>, Gone> {
        if matches!(self, Self::Thread(_)) {
            // It could do all of it, since the host can.
            return Ok(Vec::new());
        }
        self.send(HostFrame::Probe)?;
        match self.recv().await? {
            WorkerFrame::Probed(attempts) => Ok(attempts),
            _ => Err(Gone::Unready),
        }
    }

    /// CPU time used so far, if the system tells.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        match self {
            #[cfg(unix)]
            Self::Process(worker) => worker.cpu(),
            Self::Thread(worker) => worker.cpu(),
        }
    }

    /// Refuses longer frames from now on.
    pub(crate) fn set_frame_limit(&mut self, bytes: usize) {
        match self {
            #[cfg(unix)]
            Self::Process(worker) => worker.set_frame_limit(bytes),
            // Frames of a thread are not bytes.
            Self::Thread(_) => {}
        }
    }

    /// Memory in use, in bytes, if that can be told from the host's.
    pub(crate) fn resident_bytes(&self) -> Option<usize> {
        match self {
            #[cfg(unix)]
            Self::Process(worker) => worker.resident_bytes(),
            Self::Thread(_) => None,
        }
    }
}
