//! Station 3: what the rules say about the call.

use super::validate::ValidCall;
use crate::policy::{Policy, Verdict};

/// Asks the policy. Every call is judged, whatever was granted before.
pub(super) fn judge(policy: &Policy, call: &ValidCall) -> Verdict {
    let target = call.target();
    policy.judge(&target.tool.tool, target.server.trusted)
}
