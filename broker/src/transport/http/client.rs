//! The HTTP client under rmcp's transport.
//!
//! It keeps connections alive, follows redirects only within the origin, because a redirect must
//! not carry credentials to somebody else, and remembers the last failure, which rmcp's errors do
//! not always bring up to where it can be told.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use futures::stream::BoxStream;
use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::redirect::Policy;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use serde_json::{Map, Value};
use sse_stream::Sse;
use url::Origin;

use super::failure::Failure;
use crate::transport::session::RAW;

/// How many redirects one request may follow.
const REDIRECTS: usize = 5;

type Error = StreamableHttpError<reqwest::Error>;

/// reqwest with our rules.
#[derive(Clone)]
pub(super) struct Http {
    client: reqwest::Client,
    failure: Arc<Mutex<Option<Failure>>>,
}

impl Http {
    pub(super) fn new(origin: Origin) -> Result<Self, String> {
        let client = reqwest::Client::builder()
            .redirect(Policy::custom(move |attempt| {
                // Other statuses than these turn a POST into a GET and lose the message.
                let kept = matches!(
                    attempt.status(),
                    StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
                );
                if kept && attempt.url().origin() == origin && attempt.previous().len() <= REDIRECTS
                {
                    attempt.follow()
                } else {
                    attempt.stop()
                }
            }))
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self { client, failure: Arc::default() })
    }

    /// The failure of the last exchange, unless it was good.
    pub(super) fn last_failure(&self) -> Option<Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note<T>(&self, outcome: Result<T, Error>) -> Result<T, Error> {
        let failure = outcome.as_ref().err().map(Failure::from);
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
        outcome
    }
}

impl StreamableHttpClient for Http {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, auth, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let wanted_raw = is_call(&message);
        let answer = self
            .client
            .post_message_with_response_limits(uri, message, session, auth, headers, limits)
            .await;
        match self.note(answer)? {
            StreamableHttpPostResponse::Sse(events, session) if wanted_raw => {
                let events = events.map(|event| event.map(keep_raw)).boxed();
                Ok(StreamableHttpPostResponse::Sse(events, session))
            }
            other => Ok(other),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Error> {
        self.client.delete_session(uri, session, auth, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Error> {
        self.client.get_stream(uri, session, last_event, auth, headers).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        max_event: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Error> {
        self.client
            .get_stream_with_max_sse_event_size(uri, session, last_event, auth, headers, max_event)
            .await
    }
}

/// Lists are left to rmcp, which needs them to make the headers of later calls.
fn is_call(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    matches!(request.request, ClientRequest::CallToolRequest(_))
}

/// Wraps the result in an event, if there is one, so that rmcp leaves it as it is.
fn keep_raw(mut event: Sse) -> Sse {
    let Some(data) = &event.data else { return event };
    let Ok(mut message) = serde_json::from_str::<Map<String, Value>>(data) else { return event };
    if let Some(result) = message.remove("result") {
        let wrapped = Map::from_iter([(RAW.to_owned(), result)]);
        message.insert("result".to_owned(), Value::Object(wrapped));
        event.data = Some(Value::Object(message).to_string());
    }
    event
}
