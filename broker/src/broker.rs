//! The broker: all servers together.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::approval::{Approver, Grant, GrantId, Grants};
use crate::builder::Builder;
use crate::catalogue::Catalogue;
use crate::flow::DataFlow;
use crate::policy::Policy;
use crate::review::Reviewer;
use crate::run::{Run, RunOptions};
use crate::secret::Redactor;
use crate::server::{ConnectError, Held, Hub, Server, ServerState, ServerStatus};
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
    pub(crate) flow: DataFlow,
    pub(crate) reviewers: Vec<Arc<dyn Reviewer>>,
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

    /// Enables a server that is [on demand](crate::ServerConfig::on_demand), and reaches it. Its
    /// tools are in the catalogue from then on. `None` if there is no server of this name.
    ///
    /// This is the host's own decision; [`Request::enable_server`](crate::Request) asks the policy.
    pub async fn enable(&self, server: &str) -> Option<Result<(), ConnectError>> {
        Some(self.inner.servers.get(server)?.enable().await)
    }

    /// Disables a server that is [on demand](crate::ServerConfig::on_demand): its connection ends and
    /// its tools leave the catalogue, unless something [holds](Broker::hold) it. Calls under way
    /// fail. Others are not affected by this. Whether there is a server of this name.
    pub async fn disable(&self, server: &str) -> bool {
        match self.inner.servers.get(server) {
            Some(server) => server.disable().await,
            None => return false,
        }
        true
    }

    /// Enables servers for as long as the value lives.
    ///
    /// # Errors
    /// The name that no server has.
    pub async fn hold(&self, servers: &[String]) -> Result<Held, String> {
        let find =
            |name: &String| self.inner.servers.get(name).cloned().ok_or_else(|| name.clone());
        Ok(Held::new(servers.iter().map(find).collect::<Result<_, _>>()?).await)
    }

    /// Reaches all servers, also the [lazy](crate::ServerConfig::lazy) ones. What becomes of each
    /// is in [`Broker::servers`].
    pub async fn reach_all(&self) {
        futures::future::join_all(self.inner.servers.values().map(Server::reach)).await;
    }

    /// What replaces the credentials of the servers in texts: those that are known now, which are of
    /// servers that were reached. Ask again after a run: tokens are renewed.
    pub fn redactor(&self) -> Redactor {
        self.inner.hub.credentials.redactor()
    }

    /// Begins the calls of one script run.
    pub fn open_run(&self) -> Run {
        self.open_run_with(RunOptions::default())
    }

    /// The same for a run with options.
    pub fn open_run_with(&self, options: RunOptions) -> Run {
        self.freshen();
        let key = RunKey(self.inner.runs.fetch_add(1, Ordering::Relaxed));
        Run::new(Arc::clone(&self.inner), key, options)
    }

    /// The grants that hold now, the oldest first: those of the session, which hold for all runs as
    /// long as the broker lives, and those of runs under way, which end with their run. Those of a
    /// [`Principal`](crate::Principal) are not among them: see
    /// [`SessionGrants`](crate::SessionGrants).
    pub fn grants(&self) -> Vec<Grant> {
        self.inner.grants.list()
    }

    /// Ends one of these. Returns whether it was there. Calls that it covered and that have not been
    /// sent yet are asked about.
    pub fn revoke(&self, grant: GrantId) -> bool {
        self.inner.grants.revoke(grant)
    }

    /// Ends all connections and the programs behind them, and all grants of the session, and writes
    /// what the audit log still has to hear. Calls made afterwards fail as unavailable.
    pub async fn shutdown(&self) {
        self.inner.grants.end();
        let servers = self.inner.servers.values();
        futures::future::join_all(servers.map(|server| server.shut_down())).await;
        if let Some(audit) = &self.inner.hub.audit {
            audit.flush().await;
        }
    }

    fn freshen(&self) {
        self.inner.servers.values().for_each(Server::freshen);
    }
}
