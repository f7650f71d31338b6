//! One rmcp client, whatever carries it, as a [`Connection`].
//!
//! Results do not come out of rmcp but from the [`Shelf`] onto which the transport has put them.

use async_trait::async_trait;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam,
    ClientCapabilities, ClientConfig, ClientNotification, ClientRequest, Implementation,
    ListToolsRequest, PaginatedRequestParams, ProtocolVersion, RequestId, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, RunningService};
use rmcp::{ClientHandler, Peer as RmcpPeer, RoleClient, ServiceError};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Mutex;

use super::shelf::Shelf;
use super::{Connection, Peer, Raw, SendError};
use crate::server::Era;
use crate::size::size;

/// Codes of errors that a transport makes up for an answer it cannot deliver. No server sends them:
/// they are outside of what the specification assigns, and a server that did would only fail its
/// own call.
pub(super) const TOO_LARGE: i32 = i32::MIN;
pub(super) const UNREADABLE: i32 = i32::MIN + 1;

/// Time for an orderly end, after which the rest is left to the transport's `Drop`.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(8);

/// What we are to a server: a client that can do nothing but list and call tools.
#[derive(Clone)]
pub(super) struct Client;

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("cofferdam", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), us)
    }
}

/// What a session needs to know of the transport that carries it.
#[async_trait]
pub(super) trait Carrier: Send + Sync {
    /// Why the connection ended, as far as it can be found out.
    async fn epitaph(&self) -> String;

    /// An error of the transport, in our words.
    fn failure(&self, error: &(dyn std::error::Error + 'static)) -> SendError;

    /// What the server wrote to its standard error.
    fn stderr(&self) -> Option<String> {
        None
    }

    /// Ends what is left when the connection has been closed.
    async fn end(&self) {}
}

/// A connection that has shaken hands.
pub(super) struct Session {
    rmcp: RmcpPeer<RoleClient>,
    running: Mutex<Option<RunningService<RoleClient, Client>>>,
    peer: Peer,
    carrier: Arc<dyn Carrier>,
    shelf: Arc<Shelf>,
    result_bytes: usize,
    runtime: Handle,
}

impl Session {
    pub(super) fn new(
        running: RunningService<RoleClient, Client>,
        carrier: Arc<dyn Carrier>,
        shelf: Arc<Shelf>,
        result_bytes: usize,
    ) -> Self {
        let info = running.peer_info();
        let revision = info.as_ref().map(|info| info.protocol_version.clone());
        let modern = revision.as_ref().is_some_and(|revision| !revision.has_initialize());
        let peer = Peer {
            era: if modern { Era::Modern } else { Era::Legacy },
            revision: revision.map(|revision| revision.to_string()).unwrap_or_default(),
            calls_itself: info
                .and_then(|info| info.server_info.as_ref().map(|server| server.name.clone())),
        };
        let rmcp = running.peer().clone();
        let running = Mutex::new(Some(running));
        Self { rmcp, running, peer, carrier, shelf, result_bytes, runtime: Handle::current() }
    }

    async fn request(&self, request: ClientRequest) -> Result<Raw, SendError> {
        let sent =
            self.rmcp.send_request_with_option(request, PeerRequestOptions::no_options()).await;
        let RequestHandle { id, rx, .. } = match sent {
            Ok(handle) => handle,
            Err(error) => return Err(self.failure(error).await),
        };
        let mut cancel = CancelOnDrop { session: self, id: Some(id.clone()) };
        let answer = rx.await;
        cancel.id = None;
        let shelved = self.shelf.take(&id);
        match answer {
            Ok(Ok(result)) => shelved.map_or_else(|| typed(&result), Ok),
            Ok(Err(error)) => Err(self.failure(error).await),
            Err(_) => Err(self.failure(ServiceError::TransportClosed).await),
        }
    }

    async fn failure(&self, error: ServiceError) -> SendError {
        match error {
            ServiceError::McpError(error) if error.code.0 == TOO_LARGE => {
                SendError::TooLarge { limit: self.result_bytes }
            }
            ServiceError::McpError(error) if error.code.0 == UNREADABLE => {
                SendError::Odd { detail: error.message.into_owned() }
            }
            ServiceError::McpError(error) => {
                let (code, message) = (i64::from(error.code.0), error.message.into_owned());
                SendError::Rpc { code, message }
            }
            ServiceError::TransportSend(error) => self.carrier.failure(error.error.as_ref()),
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => {
                SendError::Gone { detail: self.carrier.epitaph().await }
            }
            other => SendError::Odd { detail: other.to_string() },
        }
    }
}

/// A result that went through rmcp's types after all.
fn typed(result: &ServerResult) -> Result<Raw, SendError> {
    let value = serde_json::to_value(result)
        .map_err(|error| SendError::Odd { detail: error.to_string() })?;
    let bytes = size(&value);
    Ok(Raw { value, bytes })
}

#[async_trait]
impl Connection for Session {
    fn peer(&self) -> &Peer {
        &self.peer
    }

    async fn tools_page(&self, cursor: Option<&str>) -> Result<Value, SendError> {
        let request = match cursor {
            None => ListToolsRequest::default(),
            Some(cursor) => ListToolsRequest::with_param(
                PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned())),
            ),
        };
        Ok(self.request(ClientRequest::ListToolsRequest(request)).await?.value)
    }

    async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<Raw, SendError> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        self.request(ClientRequest::CallToolRequest(CallToolRequest::new(params))).await
    }

    fn stderr(&self) -> Option<String> {
        self.carrier.stderr()
    }

    async fn close(&self) {
        if let Some(mut running) = self.running.lock().await.take() {
            let _ = running.close_with_timeout(CLOSE_TIMEOUT).await;
        }
        self.carrier.end().await;
    }
}

/// Tells the server that nobody waits for an answer any more, unless it has come.
struct CancelOnDrop<'a> {
    session: &'a Session,
    id: Option<RequestId>,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        self.session.shelf.take(&id);
        let peer = self.session.rmcp.clone();
        self.session.runtime.spawn(async move {
            let reason = Some("the caller gave up".to_owned());
            let params = CancelledNotificationParam::new(Some(id), reason);
            let notification = CancelledNotification::new(params);
            // If this cannot be sent the server is gone, and so is the call.
            let _ = peer
                .send_notification(ClientNotification::CancelledNotification(notification))
                .await;
        });
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
