//! Station 4: the verdict is carried out, if need be by asking somebody.

use super::validate::ValidCall;
use super::{Fault, Kind};
use crate::approval::{Approver, Decision, Grant, Grants, PendingCall};
use crate::ledger::{Allowance, CallId};
use crate::policy::{Verdict, function_name};

/// A call that may be made, and why. Only this file makes one.
pub(super) struct AllowedCall {
    call: ValidCall,
    decision: Allowance,
}

impl AllowedCall {
    pub(super) fn decision(&self) -> &Allowance {
        &self.decision
    }

    pub(super) fn into_call(self) -> ValidCall {
        self.call
    }
}

/// Who can be asked, and what was granted before.
pub(super) struct Asking<'a> {
    pub(super) approver: Option<&'a dyn Approver>,
    pub(super) run: &'a Grants,
    pub(super) session: &'a Grants,
    pub(super) id: CallId,
    pub(super) line: Option<u32>,
    pub(super) waiting: &'a (dyn Fn(bool) + Send + Sync),
}

/// Lets the call pass or not.
pub(super) async fn settle(
    call: ValidCall,
    verdict: Verdict,
    asking: &Asking<'_>,
) -> Result<AllowedCall, Fault> {
    let decision = match verdict {
        Verdict::Allow { rule } => Allowance::Rule(rule),
        Verdict::Ask { reason, .. } => ask(&call, reason, asking).await?,
        Verdict::Deny { rule, reason } => {
            let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
            return Err(denied(format!("denied by the rule `{rule}`{reason}")));
        }
    };
    Ok(AllowedCall { call, decision })
}

async fn ask(
    call: &ValidCall,
    reason: Option<String>,
    asking: &Asking<'_>,
) -> Result<Allowance, Fault> {
    let usable = &call.target().tool;
    let (server, name) = (usable.tool.server.as_str(), usable.tool.name.as_str());
    let digest = usable.digest;
    if asking.run.cover(server, digest) {
        return Ok(Allowance::Granted(Grant::Run));
    }
    if asking.session.cover(server, digest) {
        return Ok(Allowance::Granted(Grant::Session));
    }
    let Some(approver) = asking.approver else {
        let function = function_name(server, name);
        return Err(denied(format!(
            "`{function}` needs approval and there is nobody to ask; \
             `--allow '{function}'` or the rule \
             {{ \"action\": \"allow\", \"tools\": \"{function}\" }} under `policy` allows it"
        )));
    };
    let pending = pending(call, reason, asking);
    let _waiting = Waiting::start(asking.waiting);
    // Whoever allows a tool for longer than once has answered for the calls that wait beside it.
    tokio::select! {
        biased;
        decision = approver.approve(&pending) => match decision {
            Decision::Allow(grant) => {
                match grant {
                    Grant::Once => {}
                    Grant::Run => asking.run.add(server, digest),
                    Grant::Session => asking.session.add(server, digest),
                }
                Ok(Allowance::Approved(grant))
            }
            Decision::Deny { reason } => Err(denied(format!("denied: {reason}"))),
        },
        () = asking.run.covered(server, digest) => Ok(Allowance::Granted(Grant::Run)),
        () = asking.session.covered(server, digest) => Ok(Allowance::Granted(Grant::Session)),
    }
}

fn pending(call: &ValidCall, reason: Option<String>, asking: &Asking<'_>) -> PendingCall {
    let target = call.target();
    let tool = &target.tool.tool;
    PendingCall {
        id: asking.id,
        server: tool.server.clone(),
        tool: tool.name.clone(),
        title: tool.title.clone(),
        description: tool.description.clone(),
        arguments: call.arguments().clone(),
        annotations: tool.annotations,
        trusted: target.server.trusted,
        line: asking.line,
        reason,
        calls_so_far: asking.id.number().saturating_sub(1),
    }
}

fn denied(message: String) -> Fault {
    Fault::new(Kind::Denied, message)
}

/// Says that somebody is being asked, until it is dropped, however that comes about.
struct Waiting<'a>(&'a (dyn Fn(bool) + Send + Sync));

impl<'a> Waiting<'a> {
    fn start(tell: &'a (dyn Fn(bool) + Send + Sync)) -> Self {
        tell(true);
        Self(tell)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        (self.0)(false);
    }
}
