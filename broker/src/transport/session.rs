//! One rmcp client, whatever carries it, as a [`Connection`].
//!
//! Results do not come out of rmcp but from the [`Shelf`] onto which the transport has put them.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam,
    ClientNotification, ClientRequest, ErrorCode, ListResourcesRequest, ListToolsRequest,
    PaginatedRequestParams, ReadResourceRequest, ReadResourceRequestParams, RequestId,
    ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, RunningService};
use rmcp::{ErrorData, Peer as RmcpPeer, RoleClient, ServiceError};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, watch};
use tokio::task::AbortHandle;

use super::client::Client;
use super::listen::listen;
use super::notices::{Heard, Notices, OnProgress};
use super::shelf::Shelf;
use super::{Connection, Method, Peer, Raw, SendError, ToolCall};
use crate::elicitation::Desk;
use crate::server::Era;
use crate::size::size;

/// Codes of errors that a transport makes up for an answer it cannot deliver. No server sends them:
/// they are outside of what the specification assigns, and a server that did would only fail its
/// own call.
pub(super) const TOO_LARGE: i32 = i32::MIN;
pub(super) const UNREADABLE: i32 = i32::MIN + 1;

/// The code of a server that does not take the revision of a request.
pub(crate) const UNSUPPORTED_REVISION: i64 = -32022;

/// Time for an orderly end, after which the rest is left to the transport's `Drop`.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(8);

/// The headers of one call, on their way through rmcp to the transport.
#[derive(Clone)]
pub(super) struct CallHeaders(pub(super) Vec<(String, String)>);

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

    /// Whether a request has headers.
    fn has_headers(&self) -> bool {
        false
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
    notices: Arc<Notices>,
    desk: Arc<Desk>,
    listener: Option<AbortHandle>,
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
        let notices = Arc::clone(&running.service().notices);
        let desk = Arc::clone(&running.service().desk);
        let info = running.peer_info();
        let revision = info.as_ref().map(|info| info.protocol_version.clone());
        let modern = revision.as_ref().is_some_and(|revision| !revision.has_initialize());
        let peer = Peer {
            era: if modern { Era::Modern } else { Era::Legacy },
            revision: revision.map(|revision| revision.to_string()).unwrap_or_default(),
            calls_itself: info
                .as_ref()
                .and_then(|info| info.server_info.as_ref().map(|server| server.name.clone())),
            param_headers: modern && carrier.has_headers(),
        };
        let tells = info.is_some_and(|info| {
            let tools = info.capabilities.tools.as_ref();
            tools.is_some_and(|tools| tools.list_changed == Some(true))
        });
        let rmcp = running.peer().clone();
        let runtime = Handle::current();
        let listener = (modern && tells)
            .then(|| runtime.spawn(listen(rmcp.clone(), Arc::clone(&notices))).abort_handle());
        let running = Mutex::new(Some(running));
        Self { rmcp, running, peer, carrier, shelf, notices, desk, listener, result_bytes, runtime }
    }

    /// Sends a request, and once more if the server refuses its revision although it knows it: such
    /// a server refuses before it does anything.
    async fn request(
        &self,
        request: ClientRequest,
        on_progress: Option<OnProgress>,
    ) -> Result<Raw, SendError> {
        let again = (self.peer.era == Era::Modern).then(|| request.clone());
        match self.exchange(request, on_progress.clone()).await {
            Err(Refusal::Revision { supported }) if supported.contains(&self.peer.revision) => {
                match again {
                    Some(request) => self.exchange(request, on_progress).await,
                    None => Err(Refusal::Revision { supported }),
                }
            }
            other => other,
        }
        .map_err(Refusal::into_error)
    }

    async fn exchange(
        &self,
        request: ClientRequest,
        on_progress: Option<OnProgress>,
    ) -> Result<Raw, Refusal> {
        let sent =
            self.rmcp.send_request_with_option(request, PeerRequestOptions::no_options()).await;
        let RequestHandle { id, rx, progress_token, .. } = match sent {
            Ok(handle) => handle,
            Err(error) => return Err(self.failure(error).await.into()),
        };
        let _following = on_progress.map(|to| self.notices.follow(progress_token, to));
        let mut cancel = CancelOnDrop { session: self, id: Some(id.clone()) };
        let answer = rx.await;
        cancel.id = None;
        let shelved = self.shelf.take(&id);
        match answer {
            Ok(Ok(result)) => Ok(shelved.map_or_else(|| typed(&result), Ok)?),
            Ok(Err(ServiceError::McpError(error)))
                if error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION =>
            {
                Err(Refusal::revision(&error))
            }
            Ok(Err(error)) => Err(self.failure(error).await.into()),
            Err(_) => Err(self.failure(ServiceError::TransportClosed).await.into()),
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

/// Why an exchange has no result, as far as it decides what to do next.
enum Refusal {
    /// The server does not take the revision that was used.
    Revision {
        supported: Vec<String>,
    },
    Other(SendError),
}

impl Refusal {
    fn revision(error: &ErrorData) -> Self {
        let supported = error.data.as_ref().and_then(|data| data.get("supported")?.as_array());
        let supported = supported.into_iter().flatten().filter_map(Value::as_str);
        Self::Revision { supported: supported.map(str::to_owned).collect() }
    }

    fn into_error(self) -> SendError {
        match self {
            Self::Revision { supported } => SendError::Rpc {
                code: UNSUPPORTED_REVISION,
                message: format!(
                    "the server does not speak the revision any more that it spoke, only {}",
                    supported.join(", ")
                ),
            },
            Self::Other(error) => error,
        }
    }
}

impl From<SendError> for Refusal {
    fn from(error: SendError) -> Self {
        Self::Other(error)
    }
}

/// A call as rmcp has it.
fn request(call: ToolCall) -> ClientRequest {
    let ToolCall { method, tool, arguments, headers, round, .. } = call;
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    match method {
        Method::CallTool => {
            let mut params = CallToolRequestParams::new(tool).with_arguments(arguments);
            if let Some(round) = round {
                params.input_responses = Some(round.responses).filter(|all| !all.is_empty());
                params.request_state = round.state;
            }
            let mut request = CallToolRequest::new(params);
            if !headers.is_empty() {
                request.extensions.insert(CallHeaders(headers));
            }
            ClientRequest::CallToolRequest(request)
        }
        Method::ReadResource => {
            let mut params = ReadResourceRequestParams::new(argument("uri").unwrap_or_default());
            if let Some(round) = round {
                params.input_responses = Some(round.responses).filter(|all| !all.is_empty());
                params.request_state = round.state;
            }
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
        }
        Method::ListResources => {
            let params = PaginatedRequestParams::default().with_cursor(argument("cursor"));
            ClientRequest::ListResourcesRequest(ListResourcesRequest::with_param(params))
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
        Ok(self.request(ClientRequest::ListToolsRequest(request), None).await?.value)
    }

    async fn call(&self, call: ToolCall) -> Result<Raw, SendError> {
        let _seat = self.desk.seat(call.caller.clone());
        let on_progress = Arc::clone(&call.on_progress);
        self.request(request(call), Some(on_progress)).await
    }

    fn heard(&self) -> Option<watch::Receiver<Heard>> {
        Some(self.notices.subscribe())
    }

    fn stderr(&self) -> Option<String> {
        self.carrier.stderr()
    }

    async fn epitaph(&self) -> String {
        self.carrier.epitaph().await
    }

    async fn close(&self) {
        if let Some(mut running) = self.running.lock().await.take() {
            let _ = running.close_with_timeout(CLOSE_TIMEOUT).await;
        }
        self.carrier.end().await;
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(listener) = &self.listener {
            listener.abort();
        }
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
