//! A server behind a URL.
//!
//! Here rmcp finds out which handshake the server understands: over HTTP a refusal leaves nothing
//! behind that a second attempt would have to clean up.

mod client;
mod failure;
mod post;
mod sse;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::time::timeout;
use url::Url;

use super::client::{Client, legacy_revision, modern_revisions};
use super::session::{Carrier, Session};
use super::shelf::Shelf;
use super::{Connection, SendError, handshake_failed};
use crate::limits::CallLimits;
use crate::oauth::{Bearer, OAuth, TokenStore};
use crate::secret::{Hidden, Secret};
use crate::server::{ConnectError, Era};
use client::Http;
use failure::{Failure, Shown};

/// Where a server is.
pub(crate) struct Place<'a> {
    pub(crate) url: &'a str,
    pub(crate) headers: &'a BTreeMap<String, Secret>,
    /// Its name.
    pub(crate) server: &'a str,
    /// What must not be shown; tokens come to it.
    pub(crate) secrets: &'a Hidden,
    pub(crate) oauth: &'a OAuth,
    pub(crate) tokens: Option<&'a TokenStore>,
}

impl Place<'_> {
    /// The login, unless the configuration has a credential of its own.
    fn bearer(&self, url: &Url) -> Option<Arc<Bearer>> {
        if self.headers.keys().any(|name| name.eq_ignore_ascii_case(AUTHORIZATION.as_str())) {
            return None;
        }
        let (oauth, secrets) = (self.oauth.clone(), self.secrets.clone());
        Bearer::new(url, oauth, self.tokens.cloned(), secrets).map(Arc::new)
    }
}

/// What an exchange needs to know of the other end.
struct Other<'a> {
    url: &'a Url,
    headers: &'a HashMap<HeaderName, HeaderValue>,
    bearer: Option<Arc<Bearer>>,
    shown: Shown,
}

/// Reaches the endpoint and shakes hands. What the server turned out to be the last time, if it is
/// known, saves the question and comes first.
pub(crate) async fn connect(
    place: Place<'_>,
    known: Option<Era>,
    time: Duration,
    limits: &CallLimits,
    client: &Client,
) -> Result<Arc<dyn Connection>, ConnectError> {
    let url = parse(place.url)?;
    let headers = header_map(place.headers)?;
    let bearer = place.bearer(&url);
    let has_user = bearer.as_ref().is_some_and(|bearer| bearer.has_user());
    let server = has_user.then(|| place.server.to_owned());
    let shown = Shown { url: self::place(&url), server };
    let other = Other { url: &url, headers: &headers, bearer, shown };
    let auto = ClientLifecycleMode::Auto {
        preferred_versions: modern_revisions(),
        legacy_version: Some(legacy_revision()),
    };
    let first = match known {
        Some(Era::Legacy) => ClientLifecycleMode::Initialize,
        Some(Era::Modern) => {
            ClientLifecycleMode::Discover { preferred_versions: modern_revisions() }
        }
        _ => auto.clone(),
    };
    let shaking = async {
        match shake_hands(&other, first, limits, client).await {
            // It answered, and not as the last time: another server is there now.
            Err(error) if known.is_some() && says_another_era(&error) => {
                shake_hands(&other, auto, limits, client).await
            }
            other => other,
        }
    };
    match timeout(time, shaking).await {
        Ok(Err(error)) if says_another_era(&error) => {
            Err(sse::explain(&url, &headers, error).await)
        }
        Ok(result) => result,
        Err(_) => Err(ConnectError::Timeout { after: time, stderr: String::new() }),
    }
}

fn says_another_era(error: &ConnectError) -> bool {
    match error {
        ConnectError::NotMcp { .. } | ConnectError::Revision { .. } => true,
        ConnectError::NotFound { .. } => true,
        ConnectError::Status { status, .. } => (400..500).contains(status),
        _ => false,
    }
}

async fn shake_hands(
    other: &Other<'_>,
    mode: ClientLifecycleMode,
    limits: &CallLimits,
    client: &Client,
) -> Result<Arc<dyn Connection>, ConnectError> {
    let Other { url, headers, bearer, shown } = other;
    let shelf = Arc::new(Shelf::default());
    let notices = Arc::clone(&client.notices);
    let http = Http::new(url, Arc::clone(&shelf), bearer.clone(), notices)
        .map_err(|problem| ConnectError::NotMcp { problem })?;
    let largest = limits.result_bytes.saturating_add(ENVELOPE_BYTES);
    let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .custom_headers((*headers).clone())
        .max_json_response_size(largest)
        .max_sse_event_size(largest)
        // How many calls there may be is decided before they come here; this only must not be less.
        .max_concurrent_requests(MAX_REQUESTS);
    let transport = StreamableHttpClientTransport::with_client(http.clone(), config);
    match client.clone().serve_with_lifecycle(transport, mode).await {
        Ok(running) => {
            let carrier =
                Arc::new(Endpoint { shown: shown.clone(), result_bytes: limits.result_bytes });
            Ok(Arc::new(Session::new(running, carrier, shelf, limits.result_bytes)))
        }
        // What HTTP said is more than what the protocol missed because of it.
        Err(error) => Err(http
            .last_failure()
            .map_or_else(|| handshake_failed(&error), |failure| failure.of(shown))),
    }
}

/// Requests that rmcp may have under way to one endpoint.
const MAX_REQUESTS: usize = 1024;
/// Room in a body for what surrounds a result.
const ENVELOPE_BYTES: usize = 64 * 1024;

fn parse(url: &str) -> Result<Url, ConnectError> {
    let bad = |problem: String| ConnectError::BadUrl { problem };
    let url = Url::parse(url).map_err(|error| bad(error.to_string()))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(bad(format!("`{other}` is not `http` or `https`"))),
    }
}

/// The URL as it may be shown: users, passwords and queries can be credentials.
fn place(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

fn header_map(
    headers: &BTreeMap<String, Secret>,
) -> Result<HashMap<HeaderName, HeaderValue>, ConnectError> {
    headers
        .iter()
        .map(|(name, value)| {
            let bad = |problem: &str| ConnectError::BadHeader {
                name: name.clone(),
                problem: problem.to_owned(),
            };
            let header = name.parse().map_err(|_| bad("this is not the name of a header"))?;
            let mut value = HeaderValue::from_str(value.expose())
                .map_err(|_| bad("its value has characters that no header may have"))?;
            value.set_sensitive(true);
            Ok((header, value))
        })
        .collect()
}

/// The other end of a session.
struct Endpoint {
    shown: Shown,
    result_bytes: usize,
}

#[async_trait]
impl Carrier for Endpoint {
    async fn epitaph(&self) -> String {
        format!("{} closed the connection", self.shown.url)
    }

    fn failure(&self, error: &(dyn std::error::Error + 'static)) -> SendError {
        let place = &self.shown.url;
        match Failure::find(error) {
            Some(Failure::TooLarge) => SendError::TooLarge { limit: self.result_bytes },
            // The request did not leave.
            Some(failure @ (Failure::UnknownHost | Failure::Unreachable(_))) => {
                SendError::Unreachable { detail: failure.of(&self.shown).to_string() }
            }
            // It did, and nobody knows what became of it.
            Some(Failure::Broken(problem)) => {
                SendError::Gone { detail: format!("{place} broke off: {problem}") }
            }
            Some(Failure::Status(404 | 410)) => {
                SendError::Unreachable { detail: format!("there is nothing at {place} any more") }
            }
            Some(failure) => SendError::Refused { detail: failure.of(&self.shown).to_string() },
            None => SendError::Gone { detail: place.clone() },
        }
    }

    fn has_headers(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_what_could_be_a_credential() {
        let url = parse("https://me:token@example.org:8443/mcp?key=token#part").unwrap();
        assert_eq!(place(&url), "https://example.org:8443/mcp");
    }

    #[test]
    fn only_http_is_accepted() {
        let error = parse("file:///etc/passwd").unwrap_err();
        assert_eq!(error.to_string(), "the URL is not usable: `file` is not `http` or `https`");
        assert!(parse("example.org").is_err());
    }

    #[test]
    fn a_bad_header_is_named_and_its_value_is_not() {
        let headers = BTreeMap::from([("X-Key".to_owned(), Secret::from("line\nbreak"))]);
        let error = header_map(&headers).unwrap_err().to_string();
        assert!(error.contains("`X-Key`") && !error.contains("break"), "{error}");
    }
}
