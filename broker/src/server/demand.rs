//! Servers that are there only while somebody wants them, and connections only while they are used.
//!
//! A server [on demand](crate::ServerConfig::on_demand) is nothing but a name and a description until
//! it is enabled: no connection, no tools in the catalogue. It is enabled for good, or held by
//! whatever needs it for a time. Any server may be let go of when nobody has called it for a while.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use super::{ConnectError, Server};
use crate::catalogue::Listing;

/// Who wants a server, and since when nobody has used it.
pub(crate) struct Demand {
    on_demand: bool,
    idle: Option<Duration>,
    wanted: Mutex<Wanted>,
}

struct Wanted {
    is_enabled: bool,
    /// Of how many it is held.
    holders: usize,
    /// Calls under way.
    calls: usize,
    last_call: Instant,
}

impl Demand {
    pub(super) fn new(on_demand: bool, idle: Option<Duration>) -> Self {
        let last_call = Instant::now();
        let wanted = Wanted { is_enabled: false, holders: 0, calls: 0, last_call };
        Self { on_demand, idle, wanted: Mutex::new(wanted) }
    }

    fn lock(&self) -> MutexGuard<'_, Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn on_demand(&self) -> bool {
        self.on_demand
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.lock().is_enabled
    }

    /// Whether the server may be reached.
    pub(super) fn is_wanted(&self) -> bool {
        let wanted = self.lock();
        !self.on_demand || wanted.is_enabled || wanted.holders > 0
    }

    /// How long the connection may stay as things are; `None` while it is used.
    fn rest(&self, idle: Duration) -> Option<Duration> {
        let wanted = self.lock();
        (wanted.calls == 0).then(|| idle.saturating_sub(wanted.last_call.elapsed()))
    }
}

impl Server {
    /// Whether somebody wants it.
    pub(crate) fn is_wanted(&self) -> bool {
        self.demand.is_wanted()
    }

    /// Reaches the server and keeps it until it is disabled. If it cannot be reached it is not
    /// enabled.
    ///
    /// # Errors
    /// Why it cannot be reached.
    pub(crate) async fn enable(self: &Arc<Self>) -> Result<(), ConnectError> {
        let was_enabled = std::mem::replace(&mut self.demand.lock().is_enabled, true);
        let reached = self.reach().await.map(|_| ());
        if reached.is_err() && !was_enabled {
            self.disable().await;
        }
        reached
    }

    /// Lets go of the server, unless something holds it.
    pub(crate) async fn disable(&self) {
        self.demand.lock().is_enabled = false;
        self.leave().await;
    }

    pub(super) fn forget_tools(&self) {
        self.take_listing(Listing::default(), true);
    }

    /// A call is under way as long as the value lives.
    pub(crate) fn in_use(self: &Arc<Self>) -> InUse {
        self.demand.lock().calls += 1;
        InUse(Arc::clone(self))
    }

    /// Ends the connection when nobody has called for as long as is configured.
    pub(super) fn watch_idleness(self: &Arc<Self>, generation: u64) {
        let Some(idle) = self.demand.idle else { return };
        self.demand.lock().last_call = Instant::now();
        self.hub.runtime.spawn(end_when_idle(Arc::downgrade(self), generation, idle));
    }
}

async fn end_when_idle(server: Weak<Server>, generation: u64, idle: Duration) {
    let mut wait = idle;
    loop {
        tokio::time::sleep(wait).await;
        let Some(server) = server.upgrade() else { return };
        if server.connection().is_none_or(|reached| reached.generation() != generation) {
            return;
        }
        match server.demand.rest(idle) {
            Some(rest) if rest.is_zero() => return server.disconnect().await,
            Some(rest) => wait = rest,
            None => wait = idle,
        }
    }
}

/// A call under way.
pub(crate) struct InUse(Arc<Server>);

impl Drop for InUse {
    fn drop(&mut self) {
        let mut wanted = self.0.demand.lock();
        wanted.calls = wanted.calls.saturating_sub(1);
        wanted.last_call = Instant::now();
    }
}

/// Servers that are held: enabled at least as long as this lives.
#[must_use = "the servers are let go of when this is dropped"]
pub struct Held(Vec<Arc<Server>>);

impl Held {
    /// Holds these, and reaches those that are not there. What becomes of each is in
    /// [`Broker::servers`](crate::Broker::servers).
    pub(crate) async fn new(servers: Vec<Arc<Server>>) -> Self {
        servers.iter().for_each(|server| server.demand.lock().holders += 1);
        let held = Self(servers);
        futures::future::join_all(held.0.iter().map(Server::reach)).await;
        held
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        for server in self.0.drain(..) {
            let holders = &mut server.demand.lock().holders;
            *holders = holders.saturating_sub(1);
            let leaving = Arc::clone(&server);
            server.hub.runtime.spawn(async move { leaving.leave().await });
        }
    }
}
