//! The sandbox: servers, policy, limits and isolation, joined.

mod builder;
mod direct;
mod script;

use crate::{
    Skill, SkillError,
    bridge::Bridge,
    declared::Declared,
    report::{Report, outcome_name},
    search::Search,
};
use broker::{Broker, Grant, GrantId, Held, RunOptions, ServerState, ServerStatus};
use discovery::{Found, Hit, PatternError, Query, Ranking};
use runtime::{Limits, Outcome, Runtime};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use stubgen::Declarations;
use tracing::Instrument;

pub use builder::{Builder, Error};
pub use script::Script;

/// Runs scripts against the tools of its servers, many at once. Cheap to clone.
#[derive(Clone)]
pub struct Sandbox {
    broker: Broker,
    runtime: Runtime,
    declared: Arc<Declared>,
    search: Arc<Search>,
    limits: Limits,
    built: Instant,
}

/// A server that could not be reached is not tried again for a script that wants it before a sandbox
/// is this old: then it has just been tried.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(10);

impl Sandbox {
    /// A sandbox without servers, whose policy asks about every call.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// What a model reads before it writes a script, of the tools as they are now: servers change
    /// theirs while they run. As long as nothing changes it is the same `Arc`. The tools of a
    /// [lazy](crate::ServerConfig::lazy) server are in it once the server was reached.
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

    /// Enables a server that is [on demand](crate::ServerConfig::on_demand). See
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

    /// The tools that fit a query best. Those of a [lazy](crate::ServerConfig::lazy) server are among
    /// them once the server was reached.
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
    /// A [lazy](crate::ServerConfig::lazy) server is reached before, if the script mentions its
    /// functions.
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
        let ledger = bridge.close(&outcome_name(&run.outcome));
        let report = Report::new(run, ledger, bridge.shown(), stop, self.broker.redactor());
        if let Some(recorder) = recorder {
            recorder.finish(&report.to_json());
        }
        report
    }

    /// The grants that hold now, the oldest first: those of the session, and those of runs under way,
    /// which end with their run. Those of a [`Principal`](broker::Principal) are not among them: see
    /// [`SessionGrants`](broker::SessionGrants).
    pub fn grants(&self) -> Vec<Grant> {
        self.broker.grants()
    }

    /// Ends one of these. Returns whether it was there. Calls that it covered and that have not been
    /// sent yet are asked about.
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
