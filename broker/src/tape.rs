//! Runs that are recorded, replayed, or only rehearsed.
//!
//! A recording holds what a script asked for and what it got, in the order in which both happened.
//! [`Recorder`] writes one beside a run; a [`Replay`] answers a run from one, without any server; a
//! [`Rehearsal`] sends what only reads and lets nothing else happen. A run has at most one of them.

mod difference;
mod divergence;
mod recorder;
mod recording;
mod rehearsal;
mod replay;

pub use difference::differences;
pub use divergence::{Divergence, Made};
pub(crate) use recorder::Settled;
pub use recorder::{Recorder, RecorderError};
pub use recording::{RECORDING_BYTES, Recording, RecordingError};
pub use rehearsal::{Rehearsal, Withheld};
pub use replay::{Order, Replay};

pub(crate) use rehearsal::Proposal;

/// What a run has beside its servers, if anything.
#[derive(Clone, Default)]
pub(crate) enum Tape {
    #[default]
    Nothing,
    Record(Recorder),
    Replay(Replay),
    Rehearse(Rehearsal),
}

impl Tape {
    /// Returns when the run must go no further: it has diverged, or come to what is only rehearsed.
    pub(crate) async fn halted(&self) {
        match self {
            Self::Replay(replay) => replay.diverged().await,
            Self::Rehearse(rehearsal) => rehearsal.withheld_any().await,
            Self::Nothing | Self::Record(_) => std::future::pending().await,
        }
    }

    /// Unix time in milliseconds at which the run's clock stands, if it is not the system's.
    pub(crate) fn time(&self) -> Option<u64> {
        match self {
            Self::Record(recorder) => Some(recorder.time()),
            Self::Replay(replay) => Some(replay.time()),
            Self::Nothing | Self::Rehearse(_) => None,
        }
    }
}
