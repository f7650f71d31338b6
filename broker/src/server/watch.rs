//! Acting on what a server says without being asked.

use std::sync::Weak;
use std::time::Duration;

use tokio::sync::watch;

use super::Server;
use crate::transport::notices::Heard;

/// A list is asked for at most this often, however often the server says that it changed.
const PAUSE: Duration = Duration::from_millis(500);

/// Watches one connection until it ends.
pub(super) async fn watch(
    server: Weak<Server>,
    generation: u64,
    mut heard: watch::Receiver<Heard>,
) {
    let mut seen = 0;
    loop {
        let now = *heard.borrow_and_update();
        // Nothing but this task keeps the server: otherwise a broker that was dropped would live.
        let Some(server) = server.upgrade() else { return };
        if now.ended {
            server.bury(generation).await;
            return;
        }
        if now.list_changes != seen {
            seen = now.list_changes;
            server.refresh().await;
            drop(server);
            tokio::time::sleep(PAUSE).await;
            continue;
        }
        drop(server);
        if heard.changed().await.is_err() {
            return;
        }
    }
}
