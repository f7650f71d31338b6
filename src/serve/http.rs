//! Many clients at once, over streamable HTTP.
//!
//! Before a request gets to the protocol it has passed three doors: its `Host` is one of ours, its
//! `Origin`, if it has one, is allowed, and it has a token if tokens are wanted. Beyond this machine
//! nothing is served without a token.

use super::{
    LAST_ANSWERS, Shared,
    handler::{Carrier, Handler},
};
use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::get,
};
use broker::Secret;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use sha2::{Digest, Sha256};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Where and to whom HTTP is served.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Http {
    /// The address. Another than a loopback address needs tokens.
    pub address: SocketAddr,
    /// The tokens, one of which a request must have. None: every program of this machine is served.
    pub tokens: Vec<Token>,
    /// Names by which clients may reach this server, with or without a port, beside those of this
    /// machine itself.
    pub hosts: Vec<String>,
    /// Origins of web pages that may use this server, such as `https://inspector.example`. Default:
    /// none, so that no page in a browser can.
    pub origins: Vec<String>,
    /// The issuers of tokens, for clients that look for them at
    /// `/.well-known/oauth-protected-resource`. Whether a token is good is decided by
    /// [`tokens`](Self::tokens) all the same.
    pub issuers: Vec<String>,
}

/// A token that lets its bearer in. Clients with different tokens do not see each other's runs.
#[derive(Clone, Debug)]
pub struct Token(Secret);

/// Why HTTP is not served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Everybody in the network could use the tools.
    #[error("{address} can be reached from other machines, so it needs a token")]
    Unprotected {
        /// The address.
        address: SocketAddr,
    },
    /// The token can be guessed.
    #[error("a token has at least {SHORTEST} characters")]
    WeakToken,
    /// The address cannot be listened on, or no more.
    #[error("{address} cannot be served")]
    Io {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
}

/// How much longer than that a session of the older era lives.
const SESSION_SLACK: Duration = Duration::from_secs(60);
/// A shorter one could be tried out.
const SHORTEST: usize = 16;

/// Who a request is from: told by the token, and not the token itself.
#[derive(Clone, Debug)]
pub(super) struct Identity(pub(super) String);

impl Http {
    /// This address, without tokens.
    pub fn new(address: SocketAddr) -> Self {
        let (tokens, hosts, origins, issuers) = Default::default();
        Self { address, tokens, hosts, origins, issuers }
    }
}

impl Token {
    /// A token, which must be hard to guess.
    ///
    /// # Errors
    /// [`HttpError::WeakToken`] if it is short.
    pub fn new(token: impl Into<String>) -> Result<Self, HttpError> {
        let token = token.into();
        if token.len() < SHORTEST {
            Err(HttpError::WeakToken)
        } else {
            Ok(Self(Secret::new(token)))
        }
    }

    /// Compares digests: how long that takes says nothing about the token.
    fn is(&self, given: &str) -> bool {
        Sha256::digest(self.0.expose()) == Sha256::digest(given)
    }

    fn identity(&self) -> Identity {
        Identity(super::tape::digest(&["token", self.0.expose()]))
    }
}

struct Doors {
    shared: Arc<Shared>,
    http: Http,
    hosts: Vec<String>,
}

/// An address that is listened on.
pub struct Listening {
    shared: Arc<Shared>,
    http: Http,
    listener: TcpListener,
    bound: SocketAddr,
}

pub(super) async fn listen(shared: Arc<Shared>, http: Http) -> Result<Listening, HttpError> {
    let address = http.address;
    if !address.ip().is_loopback() && http.tokens.is_empty() {
        return Err(HttpError::Unprotected { address });
    }
    let io = |source| HttpError::Io { address, source };
    let listener = TcpListener::bind(address).await.map_err(io)?;
    let bound = listener.local_addr().map_err(io)?;
    Ok(Listening { shared, http, listener, bound })
}

impl Listening {
    /// The address, with the port that was chosen if none was given.
    pub fn address(&self) -> SocketAddr {
        self.bound
    }

    /// Serves, until [`Server::drain`](super::Server::drain) is done. A client that does not read its
    /// answers is waited for another 4 seconds.
    ///
    /// # Errors
    /// [`HttpError::Io`] if connections cannot be taken any more.
    pub async fn serve(self) -> Result<(), HttpError> {
        let (closing, closed) = (self.shared.runs.closed(), CancellationToken::new());
        let address = self.bound;
        let router = router(self.shared, self.http, address, closed.clone());
        let begins = closing.clone();
        let serving = axum::serve(self.listener, router)
            .with_graceful_shutdown(async move { begins.cancelled().await });
        // Answers are on their way out by now, and streams that wait for nothing would never end.
        // Neither would connections whose client reads nothing: those are given up.
        let close = async move {
            closing.cancelled().await;
            tokio::time::sleep(LAST_ANSWERS).await;
            closed.cancel();
            tokio::time::sleep(LAST_ANSWERS).await;
            Ok(())
        };
        let served = tokio::select! {
            served = async { serving.await } => served,
            served = close => served,
        };
        served.map_err(|source| HttpError::Io { address, source })
    }
}

fn router(shared: Arc<Shared>, http: Http, bound: SocketAddr, closed: CancellationToken) -> Router {
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
    hosts.push(bound.ip().to_string());
    hosts.extend(http.hosts.iter().cloned());
    // A page of ours, if there were one. Not those of other programs of this machine.
    let port = bound.port();
    let own = ["localhost", "127.0.0.1", "[::1]"].map(|name| format!("http://{name}:{port}"));
    let own = own.into_iter();
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts.clone())
        .with_allowed_origins(own.chain(http.origins.iter().cloned()))
        .enforce_origin_validation()
        .with_cancellation_token(closed);
    let mut sessions = LocalSessionManager::default();
    // Nothing comes over a session while its user thinks about a question.
    let keep = shared.options.answer_time.max(shared.options.keep) + SESSION_SLACK;
    sessions.session_config.keep_alive = Some(keep);
    let (made, sessions) = (Arc::clone(&shared), Arc::new(sessions));
    let service = StreamableHttpService::new(
        move || Ok(Handler::new(Arc::clone(&made), Carrier::Http)),
        sessions,
        config,
    );
    let doors = Arc::new(Doors { shared, http, hosts });
    let protected = Router::new()
        .route_service("/mcp", service)
        .route("/metrics", get(metrics))
        .layer(from_fn_with_state(Arc::clone(&doors), admit));
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/.well-known/oauth-protected-resource", get(resource))
        .route("/.well-known/oauth-protected-resource/mcp", get(resource))
        .merge(protected)
        .with_state(doors)
}

/// The doors of everything that is not for everybody.
async fn admit(State(doors): State<Arc<Doors>>, mut request: Request, next: Next) -> Response {
    // Also of what the protocol does not look at itself.
    if !host_is_ours(request.headers(), &doors.hosts) {
        doors.shared.metrics.refuse("host");
        return (StatusCode::FORBIDDEN, "this is not a name of this server\n").into_response();
    }
    let bearer = request.headers().get(header::AUTHORIZATION).and_then(|it| it.to_str().ok());
    let bearer = bearer.and_then(|it| it.split_once(' '));
    let given =
        bearer.filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer")).map(|(_, it)| it.trim());
    let known = given.and_then(|given| doors.http.tokens.iter().find(|token| token.is(given)));
    match known {
        Some(token) => {
            request.extensions_mut().insert(token.identity());
        }
        None if doors.http.tokens.is_empty() => {}
        None => {
            doors.shared.metrics.refuse("token");
            return challenge(&doors, request.headers(), given.is_some());
        }
    }
    next.run(request).await
}

fn challenge(doors: &Doors, headers: &HeaderMap, was_given: bool) -> Response {
    let mut challenge = "Bearer".to_owned();
    if !doors.http.issuers.is_empty() {
        let base = base_url(headers);
        challenge += &format!(" resource_metadata=\"{base}/.well-known/oauth-protected-resource\"");
    }
    if was_given {
        challenge += if challenge.len() > 6 { ", " } else { " " };
        challenge += "error=\"invalid_token\"";
    }
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, challenge)], "a token is needed\n")
        .into_response()
}

async fn ready(State(doors): State<Arc<Doors>>) -> Response {
    if doors.shared.draining.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "draining\n").into_response();
    }
    "ready\n".into_response()
}

async fn metrics(State(doors): State<Arc<Doors>>) -> Response {
    let text = doors.shared.metrics.text(&doors.shared);
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// Where clients get tokens (RFC 9728).
async fn resource(State(doors): State<Arc<Doors>>, headers: HeaderMap) -> Response {
    if doors.http.issuers.is_empty() || !host_is_ours(&headers, &doors.hosts) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let metadata = serde_json::json!({
        "resource": format!("{}/mcp", base_url(&headers)),
        "authorization_servers": doors.http.issuers,
        "bearer_methods_supported": ["header"],
    });
    ([(header::CONTENT_TYPE, "application/json")], metadata.to_string()).into_response()
}

/// How the client reaches us, by the host that was found to be ours.
fn base_url(headers: &HeaderMap) -> String {
    let text = |name: &str| headers.get(name).and_then(|it| it.to_str().ok());
    let scheme = if text("x-forwarded-proto") == Some("https") { "https" } else { "http" };
    format!("{scheme}://{}", text("host").unwrap_or("localhost"))
}

fn host_is_ours(headers: &HeaderMap, ours: &[String]) -> bool {
    let host = headers.get(header::HOST).and_then(|it| it.to_str().ok());
    let Some(authority) = host.and_then(|it| it.parse::<axum::http::uri::Authority>().ok()) else {
        return false;
    };
    let name = authority.host().trim_start_matches('[').trim_end_matches(']');
    ours.iter()
        .any(|it| it.eq_ignore_ascii_case(name) || it.eq_ignore_ascii_case(authority.as_str()))
}
