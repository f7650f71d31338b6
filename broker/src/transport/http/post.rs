//! One message to the endpoint, and what comes back.
//!
//! rmcp has code for this as well; ours keeps the result of a call as it came, gives every status
//! its number instead of a text, and answers a request itself when the server's answer cannot be
//! delivered.

mod body;

use std::collections::HashMap;
use std::sync::Arc;

use futures::StreamExt;
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use reqwest::Response;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, GetExtensions, JsonRpcError,
    JsonRpcRequest, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
    StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use serde_json::Value;

use crate::transport::discover;
use crate::transport::session::{CallHeaders, TOO_LARGE, UNREADABLE};
use crate::transport::shelf::Shelf;
use crate::transport::text;

type Error = StreamableHttpError<reqwest::Error>;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// A message and where it goes.
pub(super) struct Post {
    pub(super) uri: Arc<str>,
    pub(super) message: ClientJsonRpcMessage,
    pub(super) session: Option<Arc<str>>,
    pub(super) headers: HashMap<HeaderName, HeaderValue>,
    pub(super) limits: StreamableHttpResponseLimits,
    pub(super) shelf: Arc<Shelf>,
}

impl Post {
    /// Sends the message and reads the answer, or its beginning if it is a stream.
    pub(super) async fn send(
        self,
        client: &reqwest::Client,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let mut headers = HeaderMap::from_iter(self.headers);
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        let in_session = self.session.is_some();
        if let Some(session) = self.session.as_deref()
            && let Ok(session) = HeaderValue::from_str(session)
        {
            headers.insert(SESSION, session);
        }
        headers.extend(call_headers(&self.message));
        let body = serde_json::to_vec(&self.message)?;
        let shelved = shelved(&self.message);
        if let Some(id) = &shelved {
            self.shelf.expect(id.clone());
        }
        let sent = client.post(self.uri.as_ref()).headers(headers).body(body).send().await;
        let response = sent.map_err(without_url)?;

        let ClientJsonRpcMessage::Request(request) = self.message else {
            // Nobody waits for an answer; what is there, if anything, means nothing.
            return match response.status() {
                status if status.is_success() => Ok(StreamableHttpPostResponse::Accepted),
                _ => Err(refusal(&response, in_session)),
            };
        };
        if response.status().is_success() {
            let is_probe = matches!(request.request, ClientRequest::DiscoverRequest(_));
            let shelf = shelved.map(|_| self.shelf);
            let expected = Expected { id: request.id, is_probe, shelf };
            accept(response, expected, &self.limits).await
        } else {
            refuse(response, request, in_session, &self.limits).await
        }
    }
}

/// The id of a request whose result is wanted as it comes.
fn shelved(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    let ClientJsonRpcMessage::Request(request) = message else { return None };
    let wanted = matches!(
        request.request,
        ClientRequest::CallToolRequest(_)
            | ClientRequest::ListToolsRequest(_)
            | ClientRequest::ReadResourceRequest(_)
            | ClientRequest::ListResourcesRequest(_)
    );
    wanted.then(|| request.id.clone())
}

/// The headers that a call brings along.
fn call_headers(message: &ClientJsonRpcMessage) -> HeaderMap {
    let ClientJsonRpcMessage::Request(request) = message else { return HeaderMap::new() };
    let headers = request.request.extensions().get::<CallHeaders>();
    let headers = headers.into_iter().flat_map(|CallHeaders(headers)| headers);
    // Both were made of characters that a header may have.
    headers.filter_map(|(name, value)| Some((name.parse().ok()?, value.parse().ok()?))).collect()
}

/// Reads a good answer.
async fn accept(
    response: Response,
    expected: Expected,
    limits: &StreamableHttpResponseLimits,
) -> Result<StreamableHttpPostResponse, Error> {
    if response.status() == StatusCode::ACCEPTED {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    let session = header(&response, &SESSION);
    let kind = header(&response, &CONTENT_TYPE);
    let essence = kind.as_deref().and_then(|kind| kind.split(';').next()).map(str::trim);
    match essence.map(str::to_ascii_lowercase).as_deref() {
        Some(JSON) => {
            let message = match body::whole(response, limits.max_json_response_size).await? {
                Some(body) => expected.read(&body),
                None => expected.error(TOO_LARGE, "too large"),
            };
            Ok(StreamableHttpPostResponse::Json(message, session))
        }
        Some(EVENTS) => {
            let events = body::events(response, limits.max_sse_event_size).map(move |event| {
                match event {
                    Ok(mut event) => {
                        event.data = event.data.map(|data| expected.read_event(data));
                        Ok(event)
                    }
                    // An error would make rmcp ask for the rest of the stream again.
                    Err(problem) if body::is_too_large(&problem) => {
                        Ok(body::event(&expected.error(TOO_LARGE, "too large")))
                    }
                    Err(problem) => Err(problem),
                }
            });
            Ok(StreamableHttpPostResponse::Sse(events.boxed(), session))
        }
        _ => Err(Error::UnexpectedContentType(kind)),
    }
}

/// Reads an answer with a status that is not success.
async fn refuse(
    response: Response,
    request: JsonRpcRequest<ClientRequest>,
    in_session: bool,
    limits: &StreamableHttpResponseLimits,
) -> Result<StreamableHttpPostResponse, Error> {
    let status = response.status();
    let refusal = refusal(&response, in_session);
    let probe = matches!(request.request, ClientRequest::DiscoverRequest(_));
    // Whether somebody may come in, and whether the server works at all, says nothing about which
    // handshake it understands.
    let about_access = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if about_access || matches!(refusal, Error::SessionExpired) {
        return Err(refusal);
    }
    if probe && !status.is_client_error() {
        return Err(refusal);
    }
    let body = body::whole(response, limits.max_error_response_size).await.ok().flatten();
    // Servers that cannot read a request cannot repeat its id either; the exchange says whose it is.
    let said = body.and_then(|body| serde_json::from_slice::<JsonRpcError>(&body).ok());
    let said = match said {
        Some(said) => said.error,
        None if probe => ErrorData::invalid_request(format!("HTTP {}", status.as_u16()), None),
        None => return Err(refusal),
    };
    let message = ServerJsonRpcMessage::error(said, Some(request.id));
    Ok(StreamableHttpPostResponse::Json(message, None))
}

/// A status that is not success, as rmcp wants to hear of it.
fn refusal(response: &Response, in_session: bool) -> Error {
    let challenge = header(response, &WWW_AUTHENTICATE);
    match response.status() {
        StatusCode::UNAUTHORIZED => {
            Error::AuthRequired(AuthRequiredError::new(challenge.unwrap_or_default()))
        }
        StatusCode::FORBIDDEN => Error::InsufficientScope(InsufficientScopeError::new(
            challenge.unwrap_or_default(),
            None,
        )),
        StatusCode::NOT_FOUND if in_session => Error::SessionExpired,
        status => {
            let retry_after = header(response, &RETRY_AFTER);
            Error::HttpStatus(HttpStatusError::new(status.as_u16(), retry_after))
        }
    }
}

/// The URL of a server may be a credential, and rmcp logs errors as a whole.
pub(super) fn without_url(error: reqwest::Error) -> Error {
    Error::Client(error.without_url())
}

fn header(response: &Response, name: &HeaderName) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// The answer to one request. Whatever id it carries, the exchange says whose it is.
struct Expected {
    id: RequestId,
    /// Whether this is the modern question.
    is_probe: bool,
    /// The shelf for results of lists and calls.
    shelf: Option<Arc<Shelf>>,
}

impl Expected {
    /// The message in a body. One that cannot be read becomes an error for its request.
    fn read(&self, body: &[u8]) -> ServerJsonRpcMessage {
        let message = text::parse(body).and_then(|mut message| {
            let is_ours = self.shelf.is_some() || self.is_probe;
            let result = if is_ours { message.remove("result") } else { None };
            match (&self.shelf, result) {
                (Some(shelf), Some(result)) => Ok(shelf.put(self.id.clone(), result, body.len())),
                (None, Some(result)) => match discover::mend(&result) {
                    Ok(result) => {
                        message.insert("result".to_owned(), result);
                        serde_json::from_value(Value::Object(message))
                    }
                    Err(error) => Ok(ServerJsonRpcMessage::error(error, Some(self.id.clone()))),
                },
                _ => serde_json::from_value(Value::Object(message)),
            }
        });
        message.unwrap_or_else(|problem| {
            self.error(UNREADABLE, &format!("its JSON cannot be read: {problem}"))
        })
    }

    /// The same for the data of an event. Requests and notifications of the server, and what does
    /// not even look like a message, are left to rmcp.
    fn read_event(&self, data: String) -> String {
        /// What tells an answer from the rest.
        #[derive(serde::Deserialize)]
        struct Envelope {
            method: Option<serde::de::IgnoredAny>,
        }
        let other = serde_json::from_str::<Envelope>(&data).is_ok_and(|it| it.method.is_some());
        if other || !data.trim_start().starts_with('{') {
            return data;
        }
        let read = match &self.shelf {
            _ if self.is_probe => serde_json::to_string(&self.read(data.as_bytes())),
            Some(_) => serde_json::to_string(&self.read(data.as_bytes())),
            // What cannot be read is left to rmcp as well.
            None => {
                text::parse(data.as_bytes()).and_then(|message| serde_json::to_string(&message))
            }
        };
        read.unwrap_or(data)
    }

    fn error(&self, code: i32, problem: &str) -> ServerJsonRpcMessage {
        let error = ErrorData::new(ErrorCode(code), problem.to_owned(), None);
        ServerJsonRpcMessage::error(error, Some(self.id.clone()))
    }
}
