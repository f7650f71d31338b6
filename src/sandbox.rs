//! The sandbox: servers, policy, limits and isolation, joined.

mod direct;

use crate::{
    Skill, SkillError,
    attendant::Attendant,
    bridge::Bridge,
    declared::Declared,
    report::Report,
    search::{Hurried, Search},
};
use broker::{
    Approver, Audit, Broker, CallLimits, DataFlow, Elicitor, Events, Grant, GrantId, Held,
    LocalTool, Policy, Principal, Recorder, Rehearsal, Reviewer, RunOptions, ServerConfig,
    ServerState, ServerStatus, TokenStore,
};
use discovery::{Embedder, Finder, Found, Hit, PatternError, Query, Ranking, ToolSelector};
use runtime::{Fixed, Isolation, Limits, Outcome, Runtime, WorkerProgram};
use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};
use stubgen::Declarations;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// Runs scripts against the tools of its servers, many at once. Cheap to clone.
#[derive(Clone)]
pub struct Sandbox {
    broker: Broker,
    runtime: Runtime,
    declared: Arc<Declared>,
    search: Arc<Search>,
    pub(crate) limits: Limits,
    built: Instant,
}

/// A server that could not be reached is not tried again for a script that wants it before a sandbox
/// is this old: then it has just been tried.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(10);

/// A script and what holds for this run of it.
#[derive(Clone)]
#[must_use]
pub struct Script {
    pub(crate) source: String,
    pub(crate) limits: Option<Limits>,
    pub(crate) label: Option<String>,
    cancel: CancellationToken,
    events: Option<Arc<dyn Events>>,
    in_full: bool,
    pub(crate) options: RunOptions,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) fixed: Option<Fixed>,
    /// Servers that were not there when the run was recorded, and why.
    pub(crate) absent: BTreeMap<String, String>,
    attendant: Option<Arc<dyn Attendant>>,
}

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
    /// and descriptions of all tools, and every query. Default: nothing; keywords alone decide.
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.finder = self.finder.embedder(embedder);
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
    /// the run ends as [`Outcome::LimitExceeded`]. Default: 20.
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

impl Sandbox {
    /// A sandbox without servers, whose policy asks about every call.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// What a model reads before it writes a script, of the tools as they are now: servers change
    /// theirs while they run. As long as nothing changes it is the same `Arc`. The tools of a
    /// [lazy](ServerConfig::lazy) server are in it once the server was reached.
    ///
    /// [`Declarations::text`] is the declarations of all tools; [`stubgen::GLOBALS`] are those of
    /// what every script has besides.
    pub fn declarations(&self) -> Arc<Declarations> {
        self.declared.now(&self.broker)
    }

    /// Reaches a server that has not been reached, or not any more. `None` if there is none of this
    /// name.
    pub async fn reach(&self, server: &str) -> Option<Result<(), broker::ConnectError>> {
        self.broker.reach(server).await
    }

    /// Enables a server that is [on demand](ServerConfig::on_demand). See
    /// [`broker::Broker::enable`].
    pub async fn enable(&self, server: &str) -> Option<Result<(), broker::ConnectError>> {
        self.broker.enable(server).await
    }

    /// Disables it. See [`broker::Broker::disable`].
    pub async fn disable(&self, server: &str) -> bool {
        self.broker.disable(server).await
    }

    /// Enables the servers that a skill needs, for as long as the value lives. What becomes of each
    /// is in [`Sandbox::servers`].
    ///
    /// # Errors
    /// [`SkillError::NoServer`].
    pub async fn hold(&self, skill: &Skill) -> Result<Held, SkillError> {
        let held = self.broker.hold(&skill.servers).await;
        held.map_err(|server| SkillError::NoServer { skill: skill.name.clone(), server })
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What has become of each server.
    pub fn servers(&self) -> Vec<ServerStatus> {
        self.broker.servers()
    }

    /// The tools of all servers.
    pub fn catalogue(&self) -> Arc<broker::Catalogue> {
        self.broker.catalogue()
    }

    /// The tools that fit a query best. Those of a [lazy](ServerConfig::lazy) server are among them
    /// once the server was reached.
    pub async fn search(&self, query: &Query) -> Found {
        self.search.find(query, Ranking::Best).await
    }

    /// The tools in which a regular expression matches.
    ///
    /// # Errors
    /// [`PatternError`] if the query is no pattern that can be used.
    pub async fn search_pattern(&self, query: Query) -> Result<Vec<Hit>, PatternError> {
        self.search.pattern(query).await
    }

    /// Runs a script to its end, whatever that is.
    ///
    /// A [lazy](ServerConfig::lazy) server is reached before, if the script mentions its functions.
    ///
    /// Dropping the future kills the run as well, but only [`Script::cancel`] leaves a report.
    pub async fn run(&self, script: impl Into<Script>) -> Report {
        let script = script.into();
        self.reach_mentioned(&script.source).await;
        let Script { source, limits, label, cancel, events, in_full, options, .. } = script;
        let Script { recorder, fixed, absent, attendant, .. } = script;
        let options = label.into_iter().fold(options, RunOptions::label).in_full(in_full);
        let options = events.into_iter().fold(options, RunOptions::events);
        let bridge = Bridge::new(&self.broker, &self.search, self.declarations(), options);
        let bridge = bridge.fixed(fixed).absent(absent).attended(attendant);
        let script = runtime::Script {
            source,
            functions: bridge.functions(),
            limits: limits.unwrap_or_else(|| self.limits.clone()),
        };
        let ending = cancel.child_token();
        let running = self.runtime.run(script, &bridge, ending.clone());
        let running = running.instrument(bridge.span().clone());
        let mut run = tokio::select! {
            biased;
            run = running => run,
            never = bridge.end_with_run(ending) => match never {},
        };
        if let Outcome::Threw { error } = &mut run.outcome
            && error.name == "ReferenceError"
            && let Some(name) = error.message.strip_suffix(" is not defined")
            && let Some(hint) = bridge.hint(name)
        {
            error.message = format!("{}; {hint}", error.message);
        }
        let stop = bridge.stop().filter(|_| !cancel.is_cancelled());
        let ledger = bridge.close(outcome_name(&run.outcome));
        let report = Report::new(run, ledger, bridge.shown(), stop, self.broker.redactor());
        if let Some(recorder) = recorder {
            recorder.finish(&report.to_json());
        }
        report
    }

    /// The grants of the session, the oldest first: answers that hold for all runs. Those that hold
    /// for one run end with it.
    pub fn grants(&self) -> Vec<Grant> {
        self.broker.grants()
    }

    /// Ends a grant of the session. Returns whether it was there. Calls that it covered and that
    /// have not been sent yet are asked about.
    pub fn revoke(&self, grant: GrantId) -> bool {
        self.broker.revoke(grant)
    }

    /// What stands between a script and the rest of this machine.
    ///
    /// # Errors
    /// See [`runtime::Runtime::hardening`].
    pub async fn hardening(&self) -> Result<runtime::Hardening, Error> {
        Ok(self.runtime.hardening().await?)
    }

    /// Has a worker try what a script must never be able to do. See [`runtime::Runtime::probe`].
    ///
    /// # Errors
    /// See [`runtime::Runtime::hardening`].
    pub async fn probe(&self) -> Result<Vec<runtime::Attempt>, Error> {
        Ok(self.runtime.probe().await?)
    }

    /// Reaches the servers that are not there and whose functions a text mentions.
    pub(crate) async fn reach_mentioned(&self, text: &str) {
        let is_old = self.built.elapsed() > TRY_AGAIN_AFTER;
        let wanted = self.broker.states().filter(|(name, state)| {
            let is_missing = match state {
                ServerState::Idle => true,
                ServerState::Failed { .. } => is_old,
                _ => false,
            };
            is_missing
                && (text.contains(&broker::function_name(name, ""))
                    || text.contains(&format!("{name}/")))
        });
        futures::future::join_all(wanted.map(|(name, _)| self.broker.reach(name))).await;
    }

    /// Ends in good order: runs that wait for their turn are cancelled, those under way come to
    /// their end, and then the workers and the connections to all servers end. Later runs end as
    /// cancelled, later calls fail.
    pub async fn shutdown(&self) {
        self.runtime.shutdown().await;
        self.broker.shutdown().await;
    }
}

impl Script {
    /// A script under the sandbox's limits.
    pub fn new(source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            limits: None,
            label: None,
            cancel: CancellationToken::new(),
            events: None,
            in_full: false,
            options: RunOptions::default(),
            recorder: None,
            fixed: None,
            absent: BTreeMap::new(),
            attendant: None,
        }
    }

    /// Sets the limits of this run.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits: Some(limits), ..self }
    }

    /// Labels this run, for rules of the policy that are about runs of some kind.
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// Sets who is told what happens in this run: its start and end, its calls, its console.
    pub fn events(self, events: Arc<dyn Events>) -> Self {
        Self { events: Some(events), ..self }
    }

    /// Sets whether these events have arguments and results. Default: false.
    pub fn events_in_full(self, in_full: bool) -> Self {
        Self { in_full, ..self }
    }

    /// Has the run do nothing but read: see [`Rehearsal`].
    pub fn rehearse(self, rehearsal: Rehearsal) -> Self {
        Self { options: RunOptions::default().rehearse(rehearsal), ..self }
    }

    /// Ends the run when the token is cancelled. The report says what had been done by then.
    pub fn cancel(self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self }
    }

    /// Makes this a run of somebody in particular: they are asked about its calls, and only what they
    /// have granted counts.
    pub fn principal(self, principal: Principal) -> Self {
        Self { options: self.options.principal(principal), ..self }
    }

    /// Has somebody follow the run.
    pub(crate) fn attended(self, attendant: Arc<dyn Attendant>) -> Self {
        Self { attendant: Some(attendant), ..self }
    }
}

/// Neither the source nor who is behind it: these lines end up in logs.
impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { source, limits, label, .. } = self;
        let mut script = f.debug_struct("Script");
        script.field("source_bytes", &source.len()).field("limits", limits).field("label", label);
        script.finish_non_exhaustive()
    }
}

/// The name of an outcome, as reports have it.
fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Completed { .. } => "completed",
        Outcome::Threw { .. } => "threw",
        Outcome::SyntaxError { .. } => "syntax_error",
        Outcome::TimedOut { .. } => "timed_out",
        Outcome::MemoryExceeded { .. } => "memory_exceeded",
        Outcome::LimitExceeded { .. } => "limit_exceeded",
        Outcome::Cancelled => "cancelled",
        Outcome::Crashed { .. } => "crashed",
    }
}

impl<S: Into<String>> From<S> for Script {
    fn from(source: S) -> Self {
        Self::new(source)
    }
}
