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
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcError, JsonRpcRequest,
    RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
    StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use serde_json::{Map, Value};

use crate::transport::session::{RAW, TOO_LARGE, UNREADABLE};

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
        let body = serde_json::to_vec(&self.message)?;
        let sent = client.post(self.uri.as_ref()).headers(headers).body(body).send().await;
        let response = sent.map_err(Error::Client)?;

        let ClientJsonRpcMessage::Request(request) = self.message else {
            // Nobody waits for an answer; what is there, if anything, means nothing.
            return match response.status() {
                status if status.is_success() => Ok(StreamableHttpPostResponse::Accepted),
                _ => Err(refusal(&response, in_session)),
            };
        };
        if response.status().is_success() {
            accept(response, request, &self.limits).await
        } else {
            refuse(response, request, in_session, &self.limits).await
        }
    }
}

/// Reads a good answer.
async fn accept(
    response: Response,
    request: JsonRpcRequest<ClientRequest>,
    limits: &StreamableHttpResponseLimits,
) -> Result<StreamableHttpPostResponse, Error> {
    if response.status() == StatusCode::ACCEPTED {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    let session = header(&response, &SESSION);
    let kind = header(&response, &CONTENT_TYPE);
    let essence = kind.as_deref().and_then(|kind| kind.split(';').next()).map(str::trim);
    let unwrapped = !matches!(request.request, ClientRequest::CallToolRequest(_));
    match essence.map(str::to_ascii_lowercase).as_deref() {
        Some(JSON) => {
            let message = match body::whole(response, limits.max_json_response_size).await? {
                Some(body) => read(&body, &request.id, unwrapped),
                None => error(&request.id, TOO_LARGE, "too large"),
            };
            Ok(StreamableHttpPostResponse::Json(message, session))
        }
        Some(EVENTS) => {
            let events = body::events(response, limits.max_sse_event_size).map(move |event| {
                match event {
                    Ok(mut event) => {
                        if !unwrapped {
                            event.data = event.data.map(|data| read_event(data, &request.id));
                        }
                        Ok(event)
                    }
                    // An error would make rmcp ask for the rest of the stream again.
                    Err(problem) if body::is_too_large(&problem) => {
                        Ok(body::event(&error(&request.id, TOO_LARGE, "too large")))
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

fn header(response: &Response, name: &HeaderName) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// The message in a body. One that cannot be read becomes an error for its request.
fn read(body: &[u8], id: &RequestId, unwrapped: bool) -> ServerJsonRpcMessage {
    let message = serde_json::from_slice::<Map<String, Value>>(body)
        .and_then(|message| serde_json::from_value(wrap(message, unwrapped)));
    message.unwrap_or_else(|problem| unreadable(id, &problem))
}

fn unreadable(id: &RequestId, problem: &serde_json::Error) -> ServerJsonRpcMessage {
    error(id, UNREADABLE, &format!("its JSON cannot be read: {problem}"))
}

/// The same for the data of an event. What does not even look like a message is left to rmcp, which
/// skips it.
fn read_event(data: String, id: &RequestId) -> String {
    if !data.trim_start().starts_with('{') {
        return data;
    }
    match serde_json::from_str::<Map<String, Value>>(&data) {
        Ok(message) => wrap(message, false).to_string(),
        Err(problem) => {
            let error = unreadable(id, &problem);
            serde_json::to_string(&error).unwrap_or(data)
        }
    }
}

/// Hides the result of a call from rmcp's types. Lists are left to them: rmcp makes the headers of
/// later calls of what it reads there.
fn wrap(mut message: Map<String, Value>, unwrapped: bool) -> Value {
    if !unwrapped && let Some(result) = message.remove("result") {
        let wrapped = Map::from_iter([(RAW.to_owned(), result)]);
        message.insert("result".to_owned(), Value::Object(wrapped));
    }
    Value::Object(message)
}

fn error(id: &RequestId, code: i32, problem: &str) -> ServerJsonRpcMessage {
    let error = ErrorData::new(ErrorCode(code), problem.to_owned(), None);
    ServerJsonRpcMessage::error(error, Some(id.clone()))
}
