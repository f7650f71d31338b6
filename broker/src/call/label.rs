//! Station: what the arguments carry of earlier results, and what follows from that.

use serde_json::Value;

use super::validate::ValidCall;
use crate::flow::{DataFlow, Labels, Source, Tracker};
use crate::ledger::CallId;

/// The data of the run, and what is said of it.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    pub(crate) rules: &'a DataFlow,
    pub(crate) tracker: &'a Tracker,
}

impl Watch<'_> {
    /// Looks at the arguments of a call. What was read after the script made it cannot be in them.
    pub(super) fn label(&self, call: &ValidCall) -> Labels {
        let tool = &call.target().tool.tool;
        self.tracker.label(self.rules, (&tool.server, &tool.name), call.arguments())
    }

    /// Takes note of what a script is about to get.
    pub(crate) fn note(&self, call: CallId, (server, tool): (&str, &str), result: &Value) {
        self.tracker.note(self.rules, Source::new(call, server, tool), result);
    }
}
