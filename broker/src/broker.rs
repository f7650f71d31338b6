//! The broker: all servers together.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::approval::{Approver, Grants};
use crate::builder::Builder;
use crate::catalogue::Catalogue;
use crate::events::Events;
use crate::limits::CallLimits;
use crate::policy::Policy;
use crate::run::Run;
use crate::server::{Link, Server, ServerStatus};

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
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) policy: Policy,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) limits: CallLimits,
    pub(crate) events: Arc<dyn Events>,
    /// Approvals that last as long as the broker.
    pub(crate) grants: Grants,
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

    /// The tools of all servers, as they are now.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.inner.catalogue)
    }

    /// Begins the calls of one script run.
    pub fn open_run(&self) -> Run {
        Run::new(Arc::clone(&self.inner), None)
    }

    /// The same for a run with a label, which rules of the policy can be about.
    pub fn open_labelled_run(&self, label: impl Into<String>) -> Run {
        Run::new(Arc::clone(&self.inner), Some(label.into()))
    }

    /// Ends all connections and the programs behind them. Calls made afterwards fail as
    /// unavailable.
    pub async fn shutdown(&self) {
        let connections = self.inner.servers.values().filter_map(|server| match &server.link {
            Link::Up(connection) => Some(connection.close()),
            Link::Down(_) => None,
        });
        futures::future::join_all(connections).await;
    }
}
