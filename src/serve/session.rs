//! The session of a client: what it has enabled is let go of when it ends.
//!
//! A run outlives the request that began it, and may outlive the session. So a run that enables a
//! server has to know whether there still is somebody to enable it for.

use super::{Shared, client::Who};
use std::sync::{Arc, OnceLock, Weak};
use tokio_util::sync::CancellationToken;

/// A connection of one client, until it is dropped.
pub(super) struct Session {
    shared: Weak<Shared>,
    who: OnceLock<Who>,
    over: CancellationToken,
}

impl Session {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        let (who, over) = (OnceLock::new(), CancellationToken::new());
        Self { shared: Arc::downgrade(shared), who, over }
    }

    /// Takes note of a client that begins something. What is returned is cancelled when the session
    /// ends, before anything is let go of. A client that has no session has no end either.
    pub(super) fn begins(&self, who: &Who) -> CancellationToken {
        if who.session.is_none() {
            return CancellationToken::new();
        }
        let _ = self.who.set(who.clone());
        self.over.clone()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.over.cancel();
        let Some((shared, who)) = self.shared.upgrade().zip(self.who.take()) else { return };
        // There is no runtime any more when the whole program ends.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            if let Some(demand) = &shared.demand {
                demand.let_go_of_all(&shared.sandbox, &who).await;
            }
        });
    }
}
