//! The way of one call, station by station:
//!
//! | station | makes | of |
//! |---|---|---|
//! | [`resolve`] | `Target` | the names in the script |
//! | [`validate`] | `ValidCall` | a target and arguments that fit its schema and the limits |
//! | [`policy`] | a verdict | the rules and a valid call |
//! | [`approval`] | `AllowedCall` | the verdict, kept grants, and somebody's answer |
//! | [`throttle`] | `AdmittedCall` | a turn at the server |
//! | [`send`] | the raw result | one `tools/call` within its time |
//! | [`result`] | [`Answer`] or [`ToolError`] | the raw result, its size, `isError`, and the output schema |
//!
//! Each station takes what only the one before it makes, so none can be left out. Labels of where
//! data came from will be looked at between `validate` and `policy`, when the broker keeps them.

mod approval;
mod error;
mod policy;
mod resolve;
mod result;
mod send;
mod throttle;
mod validate;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

pub(crate) use error::Fault;
pub use error::{Kind, ToolError};

use crate::broker::Inner;
use crate::ledger::{Allowance, Book, CallId};
use approval::Asking;

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
    /// Time for this call, if less than [`CallLimits::tool_timeout`](crate::CallLimits).
    pub timeout: Option<Duration>,
    /// Line of the script, for whoever is asked about the call.
    pub line: Option<u32>,
    /// Told `true` when somebody is being asked about the call and `false` when that is over, so
    /// that the caller can stop its clock meanwhile.
    pub waiting: Arc<dyn Fn(bool) + Send + Sync>,
}

impl Request {
    /// A call with arguments and nothing else.
    pub fn new(server: impl Into<String>, tool: impl Into<String>, input: Value) -> Self {
        Self {
            server: server.into(),
            tool: tool.into(),
            input,
            timeout: None,
            line: None,
            waiting: Arc::new(|_| ()),
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
    /// `structuredContent`, if the tool has an output schema; it fits the schema.
    pub fn structured(&self) -> Option<&Value> {
        if self.checked { self.result.get("structuredContent") } else { None }
    }
}

/// What the stations of one call share.
pub(crate) struct Journey<'a> {
    pub(crate) broker: &'a Inner,
    pub(crate) book: &'a Book,
    pub(crate) run_grants: &'a crate::approval::Grants,
    pub(crate) label: Option<&'a str>,
    pub(crate) id: CallId,
}

impl Journey<'_> {
    /// Takes a call through all stations.
    pub(crate) async fn travel(&self, request: Request) -> Result<Answer, Fault> {
        let Request { server, tool, input, timeout, line, waiting } = request;
        let limits = &self.broker.limits;

        let target = resolve::resolve(self.broker, &server, &tool)?;
        let call = validate::validate(target, input, limits)?;
        self.book.weigh(self.id, call.argument_bytes());

        let verdict = policy::judge(&self.broker.policy, &call, self.label);
        let asking = Asking {
            approver: self.broker.approver.as_deref(),
            run: self.run_grants,
            session: &self.broker.grants,
            id: self.id,
            line,
            waiting: waiting.as_ref(),
        };
        let call = approval::settle(call, verdict, &asking).await?;
        self.book.allow(self.id, Allowance::clone(call.decision()));

        let time = timeout.map_or(limits.tool_timeout, |asked| asked.min(limits.tool_timeout));
        let deadline = Deadline { at: Instant::now() + time, time };
        let call = throttle::enter(call, &deadline).await?;
        let (tool, raw) = send::send(call, self.book, self.id, &deadline).await?;

        self.book.weigh_result(self.id, raw.bytes);
        result::read(&tool, raw, limits)
    }
}

/// When a call must be done.
pub(crate) struct Deadline {
    at: Instant,
    time: Duration,
}

#[cfg(test)]
mod tests;
