//! The HTTP client under rmcp's transport.
//!
//! It keeps connections alive, takes proxies from the environment, follows redirects only within
//! the origin, because a redirect must not carry credentials to somebody else, and remembers the
//! last failure, which rmcp's errors do not always bring up to where it can be told.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream::BoxStream;
use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::redirect::Policy;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use url::{Host, Url};

use super::failure::Failure;
use super::post::Post;
use crate::transport::shelf::Shelf;

/// How many redirects one request may follow.
const REDIRECTS: usize = 5;

type Error = StreamableHttpError<reqwest::Error>;

/// reqwest with our rules.
#[derive(Clone)]
pub(super) struct Http {
    client: reqwest::Client,
    failure: Arc<Mutex<Option<Failure>>>,
    shelf: Arc<Shelf>,
}

impl Http {
    /// A client for one endpoint.
    pub(super) fn new(url: &Url, shelf: Arc<Shelf>) -> Result<Self, String> {
        let origin = url.origin();
        let mut builder = reqwest::Client::builder();
        if is_this_machine(url) {
            // A proxy would look for the server on its own machine.
            builder = builder.no_proxy();
        }
        let client = builder
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
        Ok(Self { client, failure: Arc::default(), shelf })
    }

    /// Asks for what is at a URL of the endpoint's origin.
    pub(super) async fn get(
        &self,
        url: Url,
        headers: http::HeaderMap,
    ) -> reqwest::Result<reqwest::Response> {
        self.client.get(url).headers(headers).send().await
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

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
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
        // Whatever credential there is stands among the headers.
        let _ = auth;
        let shelf = Arc::clone(&self.shelf);
        let post = Post { uri, message, session, headers, limits, shelf };
        self.note(post.send(&self.client).await)
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
