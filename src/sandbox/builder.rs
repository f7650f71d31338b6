//! What a sandbox is made of.

use super::Sandbox;
use crate::hurried::Hurried;
use crate::search::Search;
use broker::{
    Approver, Audit, CallLimits, DataFlow, Elicitor, Events, LocalTool, Policy, Reviewer,
    ServerConfig, TokenStore,
};
use discovery::{Embedder, Finder, ToolSelector};
use runtime::{Isolation, Limits, WorkerProgram};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Collects what a [`Sandbox`] is made of.
#[derive(Default)]
#[must_use]
pub struct Builder {
    broker: broker::Builder,
    runtime: runtime::Builder,
    limits: Limits,
    server_calls: Option<usize>,
    strict: bool,
    tool_timeout_max: Option<Duration>,
    approval_wait: Option<Duration>,
    denials: Option<u32>,
    finder: Finder,
}

/// Why there is no sandbox. A server that cannot be reached is not among the reasons: see
/// [`Sandbox::servers`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The servers' names cannot be.
    #[error(transparent)]
    Servers(#[from] broker::Error),
    /// Scripts cannot be run here.
    #[error(transparent)]
    Runtime(#[from] runtime::StartError),
}

impl Builder {
    /// Adds a server. Its name becomes the first part of its functions' names.
    pub fn server(mut self, name: impl Into<String>, config: ServerConfig) -> Self {
        self.broker = self.broker.server(name, config);
        self
    }

    /// Adds tools of the host, as if a server of this name had them.
    pub fn tools(mut self, server: impl Into<String>, tools: Vec<LocalTool>) -> Self {
        self.broker = self.broker.local(server, tools);
        self
    }

    /// Sets which calls are allowed, denied, or asked about. Default: every call is asked about.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.broker = self.broker.policy(policy);
        self
    }

    /// Sets what may flow from one server to another. Default: nothing is looked for.
    pub fn data_flow(mut self, flow: DataFlow) -> Self {
        self.broker = self.broker.data_flow(flow);
        self
    }

    /// Adds somebody who looks at the arguments and the result of every call, after the others.
    pub fn reviewer(mut self, reviewer: Arc<dyn Reviewer>) -> Self {
        self.broker = self.broker.reviewer(reviewer);
        self
    }

    /// Sets who is asked. Default: nobody, so that what would be asked is denied.
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.broker = self.broker.approver(approver);
        self
    }

    /// Sets who puts questions of servers to the user. Default: nobody, and servers are told so.
    pub fn elicitor(mut self, elicitor: Arc<dyn Elicitor>) -> Self {
        self.broker = self.broker.elicitor(elicitor);
        self
    }

    /// Sets where logins are kept. Default: nowhere, and nobody is logged in anywhere.
    pub fn tokens(mut self, tokens: TokenStore) -> Self {
        self.broker = self.broker.tokens(tokens);
        self
    }

    /// Sets who is told of servers and calls as they come and go.
    pub fn events(mut self, events: Arc<dyn Events>) -> Self {
        self.broker = self.broker.events(events);
        self
    }

    /// Sets what knows the meaning of words, for searches: those of scripts, too. It gets the names
    /// and descriptions of all tools, and every query. Default: nothing; keywords alone decide, as they
    /// do when it fails, or has made no vectors of a batch of texts within 30 seconds.
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.finder = self.finder.embedder(Arc::new(Hurried(embedder)));
        self
    }

    /// Sets what chooses among the tools that a search has found. Default: nothing does. One that has
    /// not chosen within 10 seconds is given up, and the ranked list stays.
    pub fn selector(mut self, selector: Arc<dyn ToolSelector>) -> Self {
        self.finder = self.finder.selector(Arc::new(Hurried(selector)));
        self
    }

    /// Sets the audit log. Default: none.
    pub fn audit(mut self, audit: Audit) -> Self {
        self.broker = self.broker.audit(audit);
        self
    }

    /// Sets the limits of runs that do not bring their own.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how many calls a server works on at once, for all runs together; further ones wait.
    /// Default: 16. A server's own [`ServerConfig::allowance`] has precedence.
    pub fn server_calls(mut self, calls: usize) -> Self {
        self.server_calls = Some(calls);
        self
    }

    /// Sets how long a call may take whatever progress its server reports; without progress it is
    /// [`Limits::tool_timeout`](runtime::Limits). Default: 10 minutes.
    pub fn tool_timeout_max(mut self, time: Duration) -> Self {
        self.tool_timeout_max = Some(time);
        self
    }

    /// Sets how long a call waits for an answer; then it is denied. Default: 10 minutes.
    pub fn approval_wait(mut self, time: Duration) -> Self {
        self.approval_wait = Some(time);
        self
    }

    /// Sets how many calls of a run may be denied, by policy or by whoever is asked; with one more
    /// the run ends as [`Outcome::LimitExceeded`](crate::Outcome::LimitExceeded). Default: 20.
    pub fn denials(mut self, denials: u32) -> Self {
        self.denials = Some(denials);
        self
    }

    /// Sets what scripts run in. Default: [`Isolation::Process`].
    pub fn isolation(mut self, isolation: Isolation) -> Self {
        self.runtime = self.runtime.isolation(isolation);
        self
    }

    /// Sets the program that becomes a worker. Default: this one, whose `main` must call
    /// [`run_if_requested`](crate::worker::run_if_requested) first.
    pub fn worker_program(mut self, program: WorkerProgram) -> Self {
        self.runtime = self.runtime.worker_program(program);
        self
    }

    /// Sets how many workers are kept ready. Default: 1.
    pub fn warm(mut self, workers: usize) -> Self {
        self.runtime = self.runtime.warm(workers);
        self
    }

    /// Sets how many runs may be under way at once; further ones wait in order. Default: 16.
    pub fn at_once(mut self, runs: usize) -> Self {
        self.runtime = self.runtime.at_once(runs);
        self
    }

    /// Sets how many runs may wait for their turn; one more is refused at once. Default: 1,024.
    pub fn waiting(mut self, runs: usize) -> Self {
        self.runtime = self.runtime.waiting(runs);
        self
    }

    /// Sets how many runs a worker process is used for. Default: 1. See
    /// [`runtime::Builder::reuse`] for what more means.
    pub fn reuse(mut self, runs: u32) -> Self {
        self.runtime = self.runtime.reuse(runs);
        self
    }

    /// Sets whether to refuse to run anything when a wall around the scripts is missing. Default:
    /// false; [`Sandbox::hardening`] tells.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self.runtime = self.runtime.strict(strict);
        self
    }

    /// Sets whether V8 goes without machine code made at run time. Default: false.
    pub fn jitless(mut self, jitless: bool) -> Self {
        self.runtime = self.runtime.jitless(jitless);
        self
    }

    /// Sets whether each worker gets namespaces of its own. Default: false.
    pub fn namespaces(mut self, namespaces: bool) -> Self {
        self.runtime = self.runtime.namespaces(namespaces);
        self
    }

    /// Reaches the servers, all at once but the [lazy](ServerConfig::lazy) ones, and starts the
    /// first workers. Must be called on a tokio runtime, which must outlive the sandbox.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn build(self) -> Result<Sandbox, Error> {
        let Self { broker, runtime, limits, server_calls, strict, finder, .. } = self;
        // First, so that the workers get ready while the servers do.
        let runtime = runtime.limits(limits.clone()).build()?;
        if strict {
            runtime.hardening().await?;
        }
        let call_limits = CallLimits::default()
            .argument_bytes(limits.argument_bytes)
            .result_bytes(limits.result_bytes)
            .tool_timeout(limits.tool_timeout);
        let call_limits = server_calls.into_iter().fold(call_limits, CallLimits::server_calls);
        let call_limits =
            self.tool_timeout_max.into_iter().fold(call_limits, CallLimits::tool_timeout_max);
        let call_limits =
            self.approval_wait.into_iter().fold(call_limits, CallLimits::approval_wait);
        let call_limits = self.denials.into_iter().fold(call_limits, CallLimits::denials);
        let broker = broker.limits(call_limits).connect().await?;
        let (declared, built) = (Arc::default(), Instant::now());
        let search = Search::new(broker.clone(), Arc::clone(&declared), finder);
        Ok(Sandbox { broker, runtime, declared, search, limits, built })
    }
}
