//! Station: what the rules say about the call.

use super::validate::ValidCall;
use crate::policy::{Policy, Subject, Verdict};

/// Asks the policy. Every call is judged, whatever was granted before.
pub(super) fn judge(policy: &Policy, call: &ValidCall, label: Option<&str>) -> Verdict {
    let target = call.target();
    policy.judge(Subject {
        tool: &target.tool.tool,
        trusted: target.server.trusted,
        arguments: call.arguments(),
        label,
    })
}
