//! What we are to a server.

use std::sync::Arc;

use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCapability,
    ElicitationCreateRequestMethod, FormElicitationCapability, Implementation,
    ListRootsRequestMethod, ProgressNotificationParam, ProtocolVersion, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};

use super::notices::{Notices, Progress};
use crate::elicitation::{Desk, Elicitor};

/// A client that lists and calls tools, reads resources, and puts questions to the user if somebody
/// is there to do that.
#[derive(Clone, Default)]
pub(crate) struct Client {
    pub(super) notices: Arc<Notices>,
    pub(super) desk: Arc<Desk>,
}

impl Client {
    pub(crate) fn new(elicitor: Option<Arc<dyn Elicitor>>) -> Self {
        Self { desk: Arc::new(Desk::new(elicitor)), ..Self::default() }
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("cofferdam", env!("CARGO_PKG_VERSION"));
        // The revision is for the old handshake; the modern question names its own.
        let mut capabilities = ClientCapabilities::default();
        // Whoever says that it can be asked will be asked.
        capabilities.elicitation = self.desk.is_staffed().then(|| {
            ElicitationCapability::new()
                .with_form(FormElicitationCapability::default())
                .with_url(UrlElicitationCapability::default())
        });
        ClientConfig::new(capabilities, us).with_protocol_version(legacy_revision())
    }

    // We do not declare roots, so the answer is not an empty list.
    #[allow(deprecated, reason = "old servers ask for it all the same")]
    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<rmcp::model::ListRootsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListRootsRequestMethod>())
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if !self.desk.is_staffed() {
            return Err(ErrorData::method_not_found::<ElicitationCreateRequestMethod>());
        }
        let odd = |problem: String| ErrorData::invalid_params(problem, None);
        let params = serde_json::to_value(params).map_err(|error| odd(error.to_string()))?;
        let answer = tokio::select! {
            biased;
            answer = self.desk.ask(&params) => answer.map_err(|error| odd(error.to_string()))?,
            // The answer would be to a question that nobody has any more.
            () = self.desk.deserted() => serde_json::json!({ "action": "cancel" }),
        };
        serde_json::from_value(answer).map_err(|error| odd(error.to_string()))
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
