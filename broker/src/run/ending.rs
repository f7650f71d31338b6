//! How the calls of a run come to their end: by the host, or from within.

use tokio::sync::watch;

use crate::call::{Fault, Kind};
use crate::ledger::CallId;

/// Why a run ended from within, before its host ended it. It makes no more calls then; the host
/// should end its script.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Whoever was asked about a call wanted the run to end.
    Asked {
        /// The call.
        call: CallId,
        /// Why.
        reason: String,
    },
    /// More calls were denied than [`CallLimits::denials`](crate::CallLimits::denials) allows.
    Denials {
        /// The limit.
        limit: u32,
        /// Why the last one was denied.
        last: String,
    },
}

/// Whether the run has ended, for all who wait for it.
#[derive(Debug, Default)]
pub(super) struct Ending(watch::Sender<State>);

#[derive(Clone, Debug, Default)]
enum State {
    #[default]
    Open,
    Closed,
    Stopped(Stop),
}

impl Ending {
    /// The host ends the run.
    pub(super) fn close(&self) {
        self.end(State::Closed);
    }

    /// The run ends from within. Only the first end counts.
    pub(super) fn stop(&self, stop: Stop) {
        self.end(State::Stopped(stop));
    }

    fn end(&self, end: State) {
        self.0.send_if_modified(|state| {
            let is_first = matches!(state, State::Open);
            if is_first {
                *state = end;
            }
            is_first
        });
    }

    /// Why the run ended from within, if it did.
    pub(super) fn stopped(&self) -> Option<Stop> {
        match &*self.0.borrow() {
            State::Stopped(stop) => Some(stop.clone()),
            State::Open | State::Closed => None,
        }
    }

    /// Returns when the run has ended, in whatever way.
    pub(super) async fn wait(&self) {
        // It fails only without a sender, and we have one.
        let _ = self.0.subscribe().wait_for(|state| !matches!(state, State::Open)).await;
    }

    /// What becomes of calls that come too late.
    pub(super) fn fault(&self) -> Fault {
        Fault::new(
            Kind::Cancelled,
            match self.stopped() {
                Some(stop) => format!("the run was stopped: {stop}"),
                None => "the run has ended".to_owned(),
            },
        )
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Asked { reason, .. } => f.write_str(reason),
            Self::Denials { limit, last } => {
                write!(f, "more than {limit} calls were denied (`denials`), the last: {last}")
            }
        }
    }
}
