//! Hearing from a modern server that its list of tools changed.
//!
//! There a client asks to be told (`subscriptions/listen`). Such a request lasts as long as the
//! connection; when it ends before, it is made again, and since nobody knows what was missed, the
//! list counts as changed.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::{Peer, RoleClient, ServiceError};

use super::notices::Notices;

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Listens until the connection ends or the server does not want to be listened to.
pub(super) async fn listen(peer: Peer<RoleClient>, notices: Arc<Notices>) {
    let mut pause = FIRST_PAUSE;
    let mut has_listened = false;
    loop {
        let wanted = SubscriptionFilter::builder().tools_list_changed().build();
        let began = tokio::time::Instant::now();
        match peer.listen(wanted).await {
            Ok(mut subscription) => {
                if subscription.acknowledged().tools_list_changed != Some(true) {
                    return;
                }
                if std::mem::replace(&mut has_listened, true) {
                    notices.list_changed();
                }
                while let Ok(Some(notification)) = subscription.next().await {
                    if matches!(notification, ServerNotification::ToolListChangedNotification(_)) {
                        notices.list_changed();
                    }
                }
            }
            // It says that it can and does not. Its tools work all the same.
            Err(ServiceError::McpError(error)) => {
                tracing::debug!(code = error.code.0, "the server does not tell of changes");
                return;
            }
            Err(error) => tracing::debug!(%error, "listening failed"),
        }
        if peer.is_transport_closed() {
            return;
        }
        if began.elapsed() > LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
