//! What we are to a server.

use std::sync::Arc;

use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ListRootsRequestMethod,
    ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};

use super::notices::{Notices, Progress};

/// A client that can do nothing but list and call tools.
#[derive(Clone, Default)]
pub(super) struct Client {
    pub(super) notices: Arc<Notices>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("cofferdam", env!("CARGO_PKG_VERSION"));
        // The revision is for the old handshake; the modern question names its own.
        ClientConfig::new(ClientCapabilities::default(), us)
            .with_protocol_version(legacy_revision())
    }

    // We do not declare roots, so the answer is not an empty list.
    #[allow(deprecated, reason = "old servers ask for it all the same")]
    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<rmcp::model::ListRootsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListRootsRequestMethod>())
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let ProgressNotificationParam { progress_token, progress, total, message, .. } = params;
        self.notices.progress(&progress_token, Progress { progress, total, message });
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.notices.list_changed();
    }
}

/// The revisions without a handshake that we speak, best first.
pub(super) fn modern_revisions() -> Vec<ProtocolVersion> {
    vec![ProtocolVersion::V_2026_07_28]
}

/// The revision we propose to a server that wants a handshake; it may answer with an older one.
pub(super) fn legacy_revision() -> ProtocolVersion {
    ProtocolVersion::LATEST_WITH_INITIALIZE
}
