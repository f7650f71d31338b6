//! A dry run, between policy and approval: what only reads goes on, everything else does not.

use super::validate::ValidCall;
use super::{Answer, Fault, Journey, Request};
use crate::policy::Verdict;
use crate::tape::{Proposal, Tape};

/// What a dry run has in place of the call, if this is one and the call is not a read. What the policy
/// denies is denied as ever.
pub(super) async fn rehearse(
    journey: &Journey<'_>,
    request: &Request,
    call: &ValidCall,
    verdict: &Verdict,
) -> Option<Result<Answer, Fault>> {
    let Tape::Rehearse(rehearsal) = &journey.trail.tape else { return None };
    let target = call.target();
    let only_reads = target.server.trusted && target.tool.tool.annotations.read_only == Some(true);
    let action = match verdict {
        Verdict::Deny { .. } => return None,
        _ if only_reads => return None,
        verdict => verdict.action().as_str(),
    };
    let arguments = call.arguments();
    let proposal = Proposal { id: journey.id, request, arguments, action };
    Some(rehearsal.stand_in(proposal, journey.book).await)
}
