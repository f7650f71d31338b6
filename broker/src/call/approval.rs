//! Station: the verdict is carried out, if need be by asking somebody.
//!
//! Whoever is asked sees the very call that goes on from here: a [`ValidCall`] goes in, its arguments
//! cannot be changed, and it comes out as an [`AllowedCall`] or not at all.

use std::time::Duration;

use super::validate::ValidCall;
use super::{Fault, Halt, Kind};
use crate::approval::{Approver, Asked, Covered, Decision, Grants, PendingCall, Scope};
use crate::flow::Labels;
use crate::ledger::{Allowance, CallId};
use crate::policy::{ArgumentIs, Verdict, function_name};

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

/// Who can be asked, and what was asked and granted before.
pub(super) struct Asking<'a> {
    pub(super) approver: Option<&'a dyn Approver>,
    pub(super) run: &'a Grants,
    pub(super) session: &'a Grants,
    pub(super) asked: &'a Asked,
    pub(super) wait: Duration,
    pub(super) id: CallId,
    pub(super) line: Option<u32>,
    pub(super) label: Option<&'a str>,
    pub(super) labels: &'a Labels,
    pub(super) waiting: &'a (dyn Fn(bool) + Send + Sync),
}

impl Asking<'_> {
    /// An earlier answer that covers the call.
    fn granted(&self, call: Covered<'_>) -> Option<Allowance> {
        let of_run = || Some(Allowance::Granted { id: self.run.cover(call)?, scope: Scope::Run });
        let of_session =
            || Some(Allowance::Granted { id: self.session.cover(call)?, scope: Scope::Session });
        of_run().or_else(of_session)
    }

    /// Returns once an answer to another call covers this one.
    async fn covered(&self, call: Covered<'_>) -> Allowance {
        tokio::select! {
            biased;
            id = self.run.covered(call) => Allowance::Granted { id, scope: Scope::Run },
            id = self.session.covered(call) => Allowance::Granted { id, scope: Scope::Session },
        }
    }

    /// Whether what allowed the call still does. A call may wait for its turn for long, and a grant
    /// that is revoked meanwhile must not let it pass.
    pub(super) fn upholds(&self, decision: &Allowance) -> bool {
        match decision {
            Allowance::Granted { id, scope: Scope::Session } => self.session.has(*id),
            Allowance::Granted { id, .. } => self.run.has(*id),
            Allowance::Rule(_) | Allowance::Approved { .. } => true,
        }
    }

    fn allow(&self, call: Covered<'_>, scope: Scope, arguments: Vec<ArgumentIs>) -> Allowance {
        let grant = match scope {
            Scope::Once => None,
            Scope::Run => Some(self.run.add(call, arguments, self.labels.shown(), self.id)),
            Scope::Session => Some(self.session.add(call, arguments, self.labels.shown(), self.id)),
        };
        Allowance::Approved { scope, grant }
    }
}

/// Lets the call pass or not.
pub(super) async fn settle(
    call: ValidCall,
    verdict: Verdict,
    asking: &Asking<'_>,
) -> Result<AllowedCall, Halt> {
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
) -> Result<Allowance, Halt> {
    let usable = &call.target().tool;
    let (server, tool) = (usable.tool.server.as_str(), usable.tool.name.as_str());
    let (digest, arguments, asked) = (usable.digest, call.arguments(), &asking.labels.asked);
    let covered = Covered { server, tool, digest, arguments, asked };
    if let Some(granted) = asking.granted(covered) {
        return Ok(granted);
    }
    let Some(approver) = asking.approver else {
        let function = function_name(server, tool);
        return Err(denied(format!(
            "`{function}` needs approval and there is nobody to ask; \
             `--allow '{function}'` or the rule \
             {{ \"action\": \"allow\", \"tools\": \"{function}\" }} under `policy` allows it"
        )));
    };
    let sizes = (call.arguments(), call.argument_bytes());
    let mut open = asking.asked.open(asking.id, (server, tool), sizes);
    let mut pending = pending(call, reason, asking);
    (pending.calls_waiting, pending.previous) = (open.others, open.previous.take());
    let _waiting = Waiting::start(asking.waiting);
    // Whoever allows a tool for longer than once has answered for the calls that wait beside it.
    tokio::select! {
        biased;
        decision = approver.approve(&pending) => match decision {
            Decision::Allow(scope) => Ok(asking.allow(covered, scope, Vec::new())),
            Decision::AllowWhere { scope, arguments } => {
                Ok(asking.allow(covered, scope, arguments))
            }
            Decision::Deny { reason } => Err(denied(format!("denied: {reason}"))),
            Decision::Stop { reason } => Err(Halt::Stop { reason }),
        },
        granted = asking.covered(covered) => Ok(granted),
        () = tokio::time::sleep(asking.wait) => Err(denied(format!(
            "denied: nobody answered within {:?} (`approval_wait`)", asking.wait
        ))),
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
        digest: target.tool.digest,
        arguments: call.arguments().clone(),
        annotations: tool.annotations,
        trusted: target.server.trusted,
        label: asking.label.map(str::to_owned),
        line: asking.line,
        reason,
        flows: asking.labels.flows.clone(),
        calls_so_far: asking.id.number().saturating_sub(1),
        calls_waiting: 0,
        previous: None,
    }
}

fn denied(message: String) -> Halt {
    Halt::Fault(Fault::new(Kind::Denied, message))
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
