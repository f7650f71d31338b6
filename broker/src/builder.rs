//! Making a broker.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use futures::future::join_all;
use tokio::runtime::Handle;

use crate::approval::{Approver, Grants};
use crate::audit::{Audit, Log, Unwritable};
use crate::broker::{Broker, Inner};
use crate::catalogue::Store;
use crate::config::ServerConfig;
use crate::elicitation::Elicitor;
use crate::events::{Events, Silence};
use crate::flow::DataFlow;
use crate::limits::CallLimits;
use crate::oauth::TokenStore;
use crate::policy::Policy;
use crate::review::Reviewer;
use crate::secret::Credentials;
use crate::server::{Hub, Server, Source};
use crate::transport::local::LocalTool;

/// Collects servers and rules until [`connect`](Builder::connect) makes a [`Broker`] of them.
#[derive(Default)]
#[must_use]
pub struct Builder {
    sources: Vec<(String, Source)>,
    policy: Policy,
    flow: DataFlow,
    reviewers: Vec<Arc<dyn Reviewer>>,
    approver: Option<Arc<dyn Approver>>,
    elicitor: Option<Arc<dyn Elicitor>>,
    tokens: Option<TokenStore>,
    limits: CallLimits,
    events: Option<Arc<dyn Events>>,
    audit: Option<Audit>,
}

/// Why there is no broker. A server that cannot be reached is not among the reasons.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A server has no name.
    #[error("a server has an empty name")]
    EmptyName,
    /// Two servers have the same name.
    #[error("two servers are named `{name}`")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// The audit log cannot be written, so that no call could be sent.
    #[error(transparent)]
    Audit(#[from] Unwritable),
}

impl Builder {
    /// Adds a server.
    pub fn server(mut self, name: impl Into<String>, config: ServerConfig) -> Self {
        self.sources.push((name.into(), Source::Remote(Box::new(config))));
        self
    }

    /// Adds tools of the host, as if a server had them.
    pub fn local(mut self, name: impl Into<String>, tools: Vec<LocalTool>) -> Self {
        self.sources.push((name.into(), Source::Local(tools)));
        self
    }

    /// Sets which calls may be made. Default: every call is asked about.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets what may flow from one server to another. Default: nothing is looked for.
    pub fn data_flow(mut self, flow: DataFlow) -> Self {
        self.flow = flow;
        self
    }

    /// Adds a reviewer after the others. Default: there is none.
    pub fn reviewer(mut self, reviewer: Arc<dyn Reviewer>) -> Self {
        self.reviewers.push(reviewer);
        self
    }

    /// Sets who is asked. Default: nobody, so that calls the policy does not allow are denied.
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// Sets who puts questions of servers to the user. Default: nobody, and servers are told so.
    pub fn elicitor(mut self, elicitor: Arc<dyn Elicitor>) -> Self {
        self.elicitor = Some(elicitor);
        self
    }

    /// Sets where logins are kept. Default: nowhere, and nobody is logged in anywhere.
    pub fn tokens(mut self, tokens: TokenStore) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// Sets the bounds of each call.
    pub fn limits(mut self, limits: CallLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets who is told what happens.
    pub fn events(mut self, events: Arc<dyn Events>) -> Self {
        self.events = Some(events);
        self
    }

    /// Sets the audit log. Default: none.
    pub fn audit(mut self, audit: Audit) -> Self {
        self.audit = Some(audit);
        self
    }

    /// Reaches all servers at once, each within its time, except those that are
    /// [lazy](ServerConfig::lazy). Must be called on a tokio runtime, which must outlive the broker.
    ///
    /// # Errors
    /// [`Error`] for names that cannot be, and for an audit log that cannot be written. A server that cannot be reached is no error: see
    /// [`Broker::servers`].
    pub async fn connect(self) -> Result<Broker, Error> {
        let mut names = HashSet::new();
        for (name, _) in &self.sources {
            if name.is_empty() {
                return Err(Error::EmptyName);
            }
            if !names.insert(name.as_str()) {
                return Err(Error::NameTaken { name: name.clone() });
            }
        }
        let Self { sources, policy, flow, reviewers, approver, elicitor, tokens, limits, .. } =
            self;
        let (events, audit) = (self.events, self.audit);
        let events = events.unwrap_or_else(|| Arc::new(Silence));
        let audit = audit.map(Log::open).transpose()?.map(Arc::new);
        let runtime = Handle::current();
        let hub = Arc::new(Hub {
            catalogue: Store::default(),
            limits,
            events,
            runtime,
            elicitor,
            tokens,
            credentials: Credentials::default(),
            audit,
        });
        let servers: BTreeMap<_, _> = sources
            .into_iter()
            .map(|(name, source)| (name.clone(), Server::new(name, source, Arc::clone(&hub))))
            .collect();
        join_all(servers.values().filter(|server| !server.is_lazy).map(Server::reach)).await;
        let (grants, runs) = (Grants::of_session(), AtomicU64::default());
        Ok(Broker::new(Inner { servers, hub, policy, approver, flow, reviewers, grants, runs }))
    }
}
