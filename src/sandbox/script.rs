//! A script and what holds for one run of it.

use crate::attendant::Attendant;
use broker::{Events, Principal, Recorder, Rehearsal, RunOptions};
use runtime::{Fixed, Limits};
use std::{collections::BTreeMap, sync::Arc};
use tokio_util::sync::CancellationToken;

/// A script and what holds for this run of it.
#[derive(Clone)]
#[must_use]
pub struct Script {
    pub(crate) source: String,
    pub(crate) limits: Option<Limits>,
    pub(crate) label: Option<String>,
    pub(super) cancel: CancellationToken,
    pub(super) events: Option<Arc<dyn Events>>,
    pub(super) in_full: bool,
    pub(crate) options: RunOptions,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) fixed: Option<Fixed>,
    /// Servers that were not there when the run was recorded, and why.
    pub(crate) absent: BTreeMap<String, String>,
    pub(super) attendant: Option<Arc<dyn Attendant>>,
}

impl Script {
    /// A script under the sandbox's limits.
    pub fn new(source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            limits: None,
            label: None,
            cancel: CancellationToken::new(),
            events: None,
            in_full: false,
            options: RunOptions::default(),
            recorder: None,
            fixed: None,
            absent: BTreeMap::new(),
            attendant: None,
        }
    }

    /// Sets the limits of this run.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits: Some(limits), ..self }
    }

    /// Labels this run, for rules of the policy that are about runs of some kind.
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// Sets who is told what happens in this run: its start and end, its calls, its console.
    pub fn events(self, events: Arc<dyn Events>) -> Self {
        Self { events: Some(events), ..self }
    }

    /// Sets whether these events have arguments and results. Default: false.
    pub fn events_in_full(self, in_full: bool) -> Self {
        Self { in_full, ..self }
    }

    /// Has the run do nothing but read: see [`Rehearsal`].
    pub fn rehearse(self, rehearsal: Rehearsal) -> Self {
        Self { options: RunOptions::default().rehearse(rehearsal), ..self }
    }

    /// Ends the run when the token is cancelled. The report says what had been done by then.
    pub fn cancel(self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self }
    }

    /// Makes this a run of somebody in particular: they are asked about its calls, and only what they
    /// have granted counts.
    pub fn principal(self, principal: Principal) -> Self {
        Self { options: self.options.principal(principal), ..self }
    }

    /// Has somebody follow the run.
    pub(crate) fn attended(self, attendant: Arc<dyn Attendant>) -> Self {
        Self { attendant: Some(attendant), ..self }
    }
}

/// Neither the source nor who is behind it: these lines end up in logs.
impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { source, limits, label, .. } = self;
        let mut script = f.debug_struct("Script");
        script.field("source_bytes", &source.len()).field("limits", limits).field("label", label);
        script.finish_non_exhaustive()
    }
}

impl<S: Into<String>> From<S> for Script {
    fn from(source: S) -> Self {
        Self::new(source)
    }
}
