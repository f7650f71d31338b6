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
mod enable;
mod error;
mod label;
mod policy;
mod reach;
mod rehearse;
mod resolve;
mod resources;
mod result;
mod review;
mod rounds;
mod send;
mod throttle;
mod validate;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

pub(crate) use error::Fault;
pub use error::{CallLimit, Kind, ToolError};
pub(crate) use resources::StandIns;

use crate::broker::Inner;
use crate::elicitation::{Caller, Standing};
use crate::ledger::{Allowance, Book, CallId};
use crate::limits::CallLimits;
use crate::principal::Principal;
use crate::tape::Tape;
use crate::trail::Trail;
use crate::transport::Method;
use crate::turns::RunKey;
use approval::Asking;
pub(crate) use label::Watch;
use review::Panel;

/// A call as the script makes it.
#[derive(Clone)]
#[non_exhaustive]
pub struct Request {
    /// The server, by the name of the configuration.
    pub server: String,
    /// The tool, by the server's name for it.
    pub tool: String,
    /// The arguments: an object, or null for none.
    pub input: Value,
    /// Time for this call, if less than [`CallLimits::tool_timeout`](crate::CallLimits); then no
    /// progress prolongs it.
    pub timeout: Option<Duration>,
    /// Line of the script, for whoever is asked about the call.
    pub line: Option<u32>,
    /// Told `true` when somebody is being asked about the call and `false` when that is over, so
    /// that the caller can stop its clock meanwhile.
    pub waiting: Arc<dyn Fn(bool) + Send + Sync>,
    pub(crate) method: Method,
    /// The server is to be enabled, and no tool called.
    pub(crate) enables: bool,
}

impl Request {
    /// A read of a resource of a server, through the same stations as a call. To policy it is the
    /// tool `resources/read` of the server, whose argument is `uri`.
    pub fn read_resource(server: impl Into<String>, uri: impl Into<String>) -> Self {
        let input = serde_json::json!({ "uri": uri.into() });
        let method = Method::ReadResource;
        Self { method, ..Self::new(server, method.name(), input) }
    }

    /// The list of a server's resources: the tool `resources/list`.
    pub fn list_resources(server: impl Into<String>) -> Self {
        let method = Method::ListResources;
        Self { method, ..Self::new(server, method.name(), Value::Null) }
    }

    /// Enables a server that is [on demand](crate::ServerConfig::on_demand), if the policy lets it: to
    /// rules and approval it is the tool `servers/enable` of that server.
    pub fn enable_server(server: impl Into<String>) -> Self {
        Self { enables: true, ..Self::new(server, enable::NAME, Value::Null) }
    }

    /// A call with arguments and nothing else.
    pub fn new(server: impl Into<String>, tool: impl Into<String>, input: Value) -> Self {
        Self {
            server: server.into(),
            tool: tool.into(),
            input,
            timeout: None,
            line: None,
            waiting: Arc::new(|_| ()),
            method: Method::CallTool,
            enables: false,
        }
    }

    /// Sets [`timeout`](Self::timeout).
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets [`line`](Self::line).
    #[must_use]
    pub fn line(mut self, line: u32) -> Self {
        self.line = Some(line);
        self
    }

    /// Sets [`waiting`](Self::waiting).
    #[must_use]
    pub fn waiting(mut self, waiting: impl Fn(bool) + Send + Sync + 'static) -> Self {
        self.waiting = Arc::new(waiting);
        self
    }
}

/// Names only: arguments stay out of logs.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, tool, timeout, line, .. } = self;
        let mut request = f.debug_struct("Request");
        request.field("server", server).field("tool", tool);
        request.field("timeout", timeout).field("line", line).finish_non_exhaustive()
    }
}

/// What a successful call returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The whole `CallToolResult` as the server sent it.
    pub result: Value,
    /// Whether the tool has an output schema, and `structuredContent` fits it.
    checked: bool,
}

impl Answer {
    /// An answer as it was before.
    pub(crate) fn recorded(result: Value, checked: bool) -> Self {
        Self { result, checked }
    }

    pub(crate) fn is_checked(&self) -> bool {
        self.checked
    }

    /// `structuredContent`, if the tool has an output schema; it fits the schema.
    pub fn structured(&self) -> Option<&Value> {
        if self.checked { self.result.get("structuredContent") } else { None }
    }
}

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

/// When a call must be done.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    /// Without any word from the server.
    at: Instant,
    time: Duration,
    /// Whatever the server says.
    latest: Instant,
    most: Duration,
}

impl Deadline {
    fn new(limits: &CallLimits, asked: Option<Duration>) -> Self {
        // Who asks for less wants an answer by then, not a sign of life.
        let asked = asked.filter(|asked| *asked < limits.tool_timeout);
        let time = asked.unwrap_or(limits.tool_timeout);
        let most = asked.unwrap_or(limits.tool_timeout_max).max(time);
        let now = Instant::now();
        Self { at: now + time, time, latest: now + most, most }
    }

    /// The server gave a sign of life.
    fn prolong(&mut self, sign: Instant) {
        self.at = (sign + self.time).min(self.latest);
    }

    /// Somebody was asked for so long; that time does not count.
    fn shift(&mut self, by: Duration) {
        self.at += by;
        self.latest += by;
    }

    /// What ran out.
    fn what(&self) -> String {
        if self.at < self.latest || self.time == self.most {
            format!("within {:?} (`tool_timeout`)", self.time)
        } else {
            format!("within {:?} (`tool_timeout_max`)", self.most)
        }
    }
}

#[cfg(test)]
mod tests;
