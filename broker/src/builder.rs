//! Making a broker.

use std::collections::HashSet;
use std::sync::Arc;

use futures::future::join_all;

use crate::approval::{Approver, Grants};
use crate::broker::{Broker, Inner};
use crate::catalogue::Catalogue;
use crate::config::ServerConfig;
use crate::events::{Events, Silence};
use crate::limits::CallLimits;
use crate::policy::Policy;
use crate::server::{Connected, Source, connect};
use crate::transport::local::LocalTool;

/// Collects servers and rules until [`connect`](Builder::connect) makes a [`Broker`] of them.
#[derive(Default)]
#[must_use]
pub struct Builder {
    sources: Vec<(String, Source)>,
    policy: Policy,
    approver: Option<Arc<dyn Approver>>,
    limits: CallLimits,
    events: Option<Arc<dyn Events>>,
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
}

impl Builder {
    /// Adds a server.
    pub fn server(mut self, name: impl Into<String>, config: ServerConfig) -> Self {
        self.sources.push((name.into(), Source::Remote(config)));
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

    /// Sets who is asked. Default: nobody, so that calls the policy does not allow are denied.
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
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

    /// Reaches all servers at once, each within its time. Must be called on a tokio runtime, which
    /// must outlive the broker.
    ///
    /// # Errors
    /// [`Error`] for names that cannot be. A server that cannot be reached is no error: see
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
        let Self { sources, policy, approver, limits, events } = self;
        let events = events.unwrap_or_else(|| Arc::new(Silence));
        let reaching = sources
            .into_iter()
            .map(|(name, source)| connect(name, source, &limits, events.as_ref()));
        let (mut servers, mut tools, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
        for connected in join_all(reaching).await {
            let Connected { server, tools: usable, rejected: unusable } = connected;
            servers.push((server.name.clone(), Arc::new(server)));
            tools.extend(usable);
            rejected.extend(unusable);
        }
        let catalogue = Arc::new(Catalogue::new(tools, rejected));
        let servers = servers.into_iter().collect();
        let grants = Grants::default();
        Ok(Broker::new(Inner { servers, catalogue, policy, approver, limits, events, grants }))
    }
}
