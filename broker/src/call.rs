//! The way of one call, station by station:
//!
//! | station | makes | of |
//! |---|---|---|
//! | [`resolve`] | `Target` | the names in the script |
//! | [`validate`] | `ValidCall` | a target and arguments that fit its schema and the limits |
//! | [`review`] | `ValidCall` | a valid call, as reviewers leave it |
//! | [`label`] | what flows | a valid call and what the run has read |
//! | [`policy`] | a verdict | the rules and a valid call, and what flows |
//! | [`rehearse`] | in a dry run: an answer, or none | the verdict, and what the tool says it does |
//! | [`approval`] | `AllowedCall` | the verdict, kept grants, and somebody's answer |
//! | [`throttle`] | `AdmittedCall` | a turn at the server |
//! | [`reach`] | `ReadyCall` | a connection, made if need be, and a tool that is still the same |
//! | [`send`] | the raw result | one `tools/call` within its time, after the audit log has it |
//! | [`review`] | the raw result | the same, as reviewers leave it; from now on it is what the run has read |
//! | [`result`] | [`Answer`] or [`ToolError`] | the raw result, its size, `isError`, and the output schema |
//!
//! Each station takes what only the one before it makes, so none can be left out. A tool may become
//! another one while its call is on the way, and a grant may be revoked; such a call starts again at the first
//! station.

mod approval;
mod deadline;
mod enable;
mod error;
mod label;
mod policy;
mod reach;
mod rehearse;
mod request;
mod resolve;
mod resources;
mod result;
mod review;
mod rounds;
mod send;
mod throttle;
mod validate;

use std::sync::Arc;

use serde_json::Value;

pub(crate) use deadline::Deadline;
pub(crate) use error::Fault;
pub use error::{CallLimit, Kind, ToolError};
pub use request::{Answer, Request};
pub(crate) use resources::StandIns;

use crate::broker::Inner;
use crate::elicitation::{Caller, Standing};
use crate::ledger::{Allowance, Book, CallId};
use crate::principal::Principal;
use crate::tape::Tape;
use crate::trail::Trail;
use crate::transport::Method;
use crate::turns::RunKey;
use approval::Asking;
pub(crate) use label::Watch;
use review::Panel;

/// How often a call may start again because its tool became another one.
const RESTARTS: usize = 3;

/// What the stations of one call share.
pub(crate) struct Journey<'a> {
    pub(crate) broker: &'a Inner,
    pub(crate) book: &'a Book,
    pub(crate) run_grants: &'a crate::approval::Grants,
    pub(crate) asked: &'a crate::approval::Asked,
    pub(crate) label: Option<&'a str>,
    pub(crate) trail: &'a Trail,
    /// On whose behalf, if that is not the broker's own.
    pub(crate) principal: Option<&'a Principal>,
    pub(crate) run: RunKey,
    pub(crate) watch: Watch<'a>,
    pub(crate) id: CallId,
}

/// Why a call does not go on.
enum Halt {
    /// It has failed.
    Fault(Fault),
    /// Its tool is not what it was when it was judged.
    Changed,
    /// The grant that let it pass was revoked.
    Revoked,
    /// Whoever was asked ends the run.
    Stop { reason: String },
    /// The server refused it unread, for headers that it wants otherwise.
    Misheaded(Fault),
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// How a call ends that does not get its answer.
pub(crate) enum End {
    /// It has failed.
    Fault(Fault),
    /// Whoever was asked ends the run.
    Stop { reason: String },
}

impl From<Fault> for End {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Journey<'_> {
    /// Takes a call through all stations.
    pub(crate) async fn travel(&self, request: Request) -> Result<Answer, End> {
        if let Tape::Replay(replay) = &self.trail.tape {
            return Ok(replay.answer(self.id, &request, self.book).await?);
        }
        let mut has_relisted = false;
        for _ in 0..=RESTARTS {
            match self.pass(&request).await {
                Ok(answer) => return Ok(answer),
                Err(Halt::Fault(fault)) => return Err(fault.into()),
                Err(Halt::Stop { reason }) => return Err(End::Stop { reason }),
                Err(Halt::Changed) => {
                    tracing::debug!("the tool changed: its call starts again");
                    self.book.retract(self.id);
                }
                Err(Halt::Revoked) => {
                    tracing::debug!("a grant was revoked: its call starts again");
                    self.book.retract(self.id);
                }
                Err(Halt::Misheaded(fault)) if has_relisted => return Err(fault.into()),
                Err(Halt::Misheaded(_)) => {
                    has_relisted = true;
                    if let Some(server) = self.broker.servers.get(&request.server) {
                        server.refresh().await;
                    }
                }
            }
        }
        let message = "not sent: the tool, or what allows it, keeps changing";
        Err(Fault::new(Kind::Unavailable, message).into())
    }

    async fn pass(&self, request: &Request) -> Result<Answer, Halt> {
        let Request { server, tool, input, timeout, line, waiting, method, enables } = request;
        let limits = &self.broker.hub.limits;

        let target = resolve::resolve(self.broker, request).await?;
        let call = validate::validate(target, input.clone(), limits)?;
        let names = (server.as_str(), tool.as_str());
        let panel = Panel::new(&self.broker.reviewers, self.book, (self.id, server, tool));
        let call = panel.arguments(call, limits).await?;
        let argument_bytes = call.argument_bytes();
        self.book.weigh(self.id, argument_bytes);
        self.trail.weighed(self.id, call.arguments());

        let mut labels = self.watch.label(&call);
        self.book.label(self.id, labels.flows.clone());
        let verdict = labels.combine(policy::judge(&self.broker.policy, &call, self.label));
        if let Some(answered) = rehearse::rehearse(self, request, &call, &verdict).await {
            return Ok(answered?);
        }
        let asking = Asking {
            approver: self.principal.map_or(&self.broker.approver, |own| &own.approver).as_deref(),
            run: self.run_grants,
            session: self.principal.map_or(&self.broker.grants, |own| &*own.grants),
            asked: self.asked,
            wait: limits.approval_wait,
            id: self.id,
            line: *line,
            label: self.label,
            labels: &labels,
            waiting: waiting.as_ref(),
        };
        let call = approval::settle(call, verdict, &asking).await?;
        let decision = Allowance::clone(call.decision());
        self.book.allow(self.id, decision.clone());
        self.trail.decided(self.id, request, &decision, argument_bytes);
        if *enables {
            return Ok(enable::enable(call, self.book, self.id).await?);
        }

        let deadline = Deadline::new(limits, *timeout);
        let call = throttle::enter(call, self.run, &deadline).await?;
        let call = reach::reach(call, &deadline).await?;
        if !asking.upholds(&decision) {
            return Err(Halt::Revoked);
        }
        let trail = self.trail;
        let caller = Caller {
            server: server.clone(),
            tool: tool.clone(),
            call: self.id,
            line: *line,
            elicitor: self.principal.map(|own| own.elicitor.clone()),
            standing: Standing::new(Arc::clone(waiting)),
        };
        let sending =
            send::Sending { book: self.book, hub: &self.broker.hub, caller, trail, deadline };
        let (tool, raw) = match sending.send(call).await {
            Ok(answer) => answer,
            Err(Halt::Fault(fault)) => {
                let fault = panel.fault(fault).await;
                self.watch.note(self.id, names, &Value::from(fault.message.as_str()));
                return Err(fault.into());
            }
            Err(halt) => return Err(halt),
        };

        self.book.weigh_result(self.id, raw.bytes);
        let raw = panel.result(raw).await?;
        self.watch.note(self.id, names, &raw.value);
        Ok(match method {
            Method::CallTool => result::read(&tool, raw, limits)?,
            _ => resources::read(*method, raw, limits)?,
        })
    }
}

#[cfg(test)]
mod tests;
