//! What is special about a run.

use std::sync::Arc;

use crate::events::Events;
use crate::principal::Principal;
use crate::tape::{Recorder, Rehearsal, Replay, Tape};

/// What is special about a run.
#[derive(Clone, Default)]
#[must_use]
pub struct RunOptions {
    pub(super) label: Option<String>,
    pub(super) principal: Option<Principal>,
    pub(super) events: Option<Arc<dyn Events>>,
    pub(super) in_full: bool,
    pub(super) tape: Tape,
}

impl RunOptions {
    /// Labels the run, for rules of the policy that are about runs of some kind.
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// Makes this a run of somebody in particular.
    pub fn principal(self, principal: Principal) -> Self {
        Self { principal: Some(principal), ..self }
    }

    /// Sets who is told what happens in this run.
    pub fn events(self, events: Arc<dyn Events>) -> Self {
        Self { events: Some(events), ..self }
    }

    /// Sets whether events of this run have arguments and results. Default: false.
    pub fn in_full(self, in_full: bool) -> Self {
        Self { in_full, ..self }
    }

    /// Writes down what the run asks for and gets.
    pub fn record(self, recorder: Recorder) -> Self {
        Self { tape: Tape::Record(recorder), ..self }
    }

    /// Answers the run's calls from a recording. Nothing is sent, and neither policy nor anybody else
    /// is asked.
    pub fn replay(self, replay: Replay) -> Self {
        Self { tape: Tape::Replay(replay), ..self }
    }

    /// Sends only what a trusted server says only reads.
    pub fn rehearse(self, rehearsal: Rehearsal) -> Self {
        Self { tape: Tape::Rehearse(rehearsal), ..self }
    }
}

impl std::fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunOptions").field("label", &self.label).finish_non_exhaustive()
    }
}
