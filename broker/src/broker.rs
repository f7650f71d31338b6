//! The broker: all servers together.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::approval::{Approver, Grants};
use crate::builder::Builder;
use crate::catalogue::Catalogue;
use crate::policy::Policy;
use crate::principal::Principal;
use crate::run::Run;
use crate::server::{ConnectError, Hub, Server, ServerState, ServerStatus};
use crate::turns::RunKey;

/// Connections to servers, with what stands between them and a script. Cheap to clone; all clones
/// are the same broker.
///
/// When the last clone and the last [`Run`] are dropped, the programs of its servers are ended;
/// [`Broker::shutdown`] does so in good order.
#[derive(Clone)]
pub struct Broker {
    inner: Arc<Inner>,
}

/// What all runs share.
pub(crate) struct Inner {
    pub(crate) servers: BTreeMap<String, Arc<Server>>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) policy: Policy,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// Approvals that last as long as the broker.
    pub(crate) grants: Grants,
    pub(crate) runs: AtomicU64,
}

impl Broker {
    /// Begins a broker without servers, whose policy asks about everything.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// What has become of each server, by name.
    pub fn servers(&self) -> Vec<ServerStatus> {
        self.inner.servers.values().map(|server| server.status()).collect()
    }

    /// Whether each server can be used, by name: as [`Broker::servers`], without looking through
    /// what the servers wrote to their standard error.
    pub fn states(&self) -> impl Iterator<Item = (&str, ServerState)> {
        self.inner.servers.values().map(|server| (server.name.as_str(), server.state()))
    }

    /// The tools of all servers, as they are now: a snapshot. As long as nothing changes it is the
    /// same `Arc`.
    ///
    /// Servers change their tools while they run; [`Event::CatalogueChanged`](crate::Event) says
    /// when. Those of a [lazy](crate::ServerConfig::lazy) server are here once it was reached.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.freshen();
        self.inner.hub.catalogue.current()
    }

    /// Reaches a server that has not been reached, or not any more. `None` if there is none of this
    /// name.
    pub async fn reach(&self, server: &str) -> Option<Result<(), ConnectError>> {
        let server = self.inner.servers.get(server)?;
        Some(server.reach().await.map(|_| ()))
    }

    /// Reaches all servers, also the [lazy](crate::ServerConfig::lazy) ones. What becomes of each
    /// is in [`Broker::servers`].
    pub async fn reach_all(&self) {
        futures::future::join_all(self.inner.servers.values().map(Server::reach)).await;
    }

    /// Begins the calls of one script run.
    pub fn open_run(&self) -> Run {
        self.open(None, None)
    }

    /// The same for a run with a label, which rules of the policy can be about.
    pub fn open_labelled_run(&self, label: impl Into<String>) -> Run {
        self.open(Some(label.into()), None)
    }

    /// The same for a run of somebody in particular, with a label or without.
    pub fn open_run_of(&self, principal: Principal, label: Option<String>) -> Run {
        self.open(label, Some(principal))
    }

    fn open(&self, label: Option<String>, principal: Option<Principal>) -> Run {
        self.freshen();
        let key = RunKey(self.inner.runs.fetch_add(1, Ordering::Relaxed));
        Run::new(Arc::clone(&self.inner), key, label, principal)
    }

    /// Ends all connections and the programs behind them. Calls made afterwards fail as
    /// unavailable.
    pub async fn shutdown(&self) {
        let servers = self.inner.servers.values();
        futures::future::join_all(servers.map(|server| server.shut_down())).await;
    }

    fn freshen(&self) {
        self.inner.servers.values().for_each(Server::freshen);
    }
}
