//! The HTTP client under rmcp's transport.
//!
//! It keeps connections alive, takes proxies from the environment, follows redirects only within
//! the origin, because a redirect must not carry credentials to somebody else, and remembers the
//! last failure, which rmcp's errors do not always bring up to where it can be told.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream::BoxStream;
use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::redirect::Policy;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification};
use rmcp::transport::AuthError;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use url::Url;

use super::failure::Failure;
use super::post::{Post, without_url};
use crate::here::is_this_machine;
use crate::oauth::{Bearer, wanted_scopes};
use crate::transport::notices::Notices;
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
    bearer: Option<Arc<Bearer>>,
    notices: Arc<Notices>,
    /// Whether hands were shaken.
    greeted: Arc<AtomicBool>,
}

impl Http {
    /// A client for one endpoint.
    pub(super) fn new(
        url: &Url,
        shelf: Arc<Shelf>,
        bearer: Option<Arc<Bearer>>,
        notices: Arc<Notices>,
    ) -> Result<Self, String> {
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
        let (failure, greeted) = Default::default();
        Ok(Self { client, failure, shelf, bearer, notices, greeted })
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

    /// The token of the login, if there is one.
    async fn token(&self) -> Result<Option<HeaderValue>, Error> {
        match &self.bearer {
            Some(bearer) => self.note(bearer.header().await.map_err(unusable)),
            None => Ok(None),
        }
    }

    /// The headers with the token.
    async fn with_token(
        &self,
        mut headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<HashMap<HeaderName, HeaderValue>, Error> {
        headers.extend(self.token().await?.map(|token| (AUTHORIZATION, token)));
        Ok(headers)
    }

    /// rmcp shakes hands again when the server has forgotten the session (404), and sends once more
    /// what was refused for that. What the server offers may be something else by now.
    fn greeted(&self) {
        if self.greeted.swap(true, Ordering::Relaxed) {
            tracing::debug!("the server has forgotten the session; there is a new one");
            self.notices.list_changed();
        }
    }

    fn note<T>(&self, outcome: Result<T, Error>) -> Result<T, Error> {
        let failure = outcome.as_ref().err().map(Failure::from);
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
        outcome
    }
}

/// Whether this is the end of a handshake.
fn is_greeting(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Notification(message) = message else { return false };
    matches!(message.notification, ClientNotification::InitializedNotification(_))
}

/// An error of rmcp's own requests, without the URL.
fn discreet(error: Error) -> Error {
    match error {
        Error::Client(error) => without_url(error),
        other => other,
    }
}

fn unusable(problem: String) -> Error {
    Error::Auth(AuthError::CredentialStoreError(problem))
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
        // Whatever credential there is stands among the headers, or is the login's.
        let _ = auth;
        let post = |message, token: Option<&HeaderValue>| {
            let mut headers = headers.clone();
            headers.extend(token.map(|token| (AUTHORIZATION, token.clone())));
            let (uri, session) = (Arc::clone(&uri), session.clone());
            let shelf = Arc::clone(&self.shelf);
            Post { uri, message, session, headers, limits, shelf }
        };
        let is_greeting = is_greeting(&message);
        let token = self.token().await?;
        let again = token.is_some().then(|| message.clone());
        let outcome = post(message, token.as_ref()).send(&self.client).await;
        let outcome = match (outcome, &self.bearer, token, again) {
            // Refused at the door: what was asked has not been looked at.
            (Err(Error::AuthRequired(error)), Some(bearer), Some(token), Some(message)) => {
                match bearer.other_than(&token).await.map_err(unusable)? {
                    Some(other) => post(message, Some(&other)).send(&self.client).await,
                    None => Err(Error::AuthRequired(error)),
                }
            }
            (Err(Error::InsufficientScope(error)), Some(bearer), ..) => {
                if let Some(scopes) = wanted_scopes(&error.www_authenticate_header) {
                    bearer.want(&scopes).await;
                }
                Err(Error::InsufficientScope(error))
            }
            (outcome, ..) => outcome,
        };
        if is_greeting && outcome.is_ok() {
            self.greeted();
        }
        self.note(outcome)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Error> {
        let headers = self.with_token(headers).await?;
        self.client.delete_session(uri, session, auth, headers).await.map_err(discreet)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Error> {
        let headers = self.with_token(headers).await?;
        self.client.get_stream(uri, session, last_event, auth, headers).await.map_err(discreet)
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
        let headers = self.with_token(headers).await?;
        self.client
            .get_stream_with_max_sse_event_size(uri, session, last_event, auth, headers, max_event)
            .await
            .map_err(discreet)
    }
}
