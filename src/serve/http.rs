//! Many clients at once, over streamable HTTP. Beyond this machine nothing is served without a token.

use super::{
    LAST_ANSWERS, Shared,
    access::{Access, Resource},
    doors::{self, Doors},
    handler::{Carrier, Handler},
    seal,
};
use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::get,
};
use broker::Secret;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
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
    /// The authorization servers whose access tokens let clients in, beside
    /// [`tokens`](Self::tokens). Default: none.
    pub resource: Option<Resource>,
}

/// A token that lets its bearer in. Clients with different tokens do not see each other's runs.
#[derive(Clone, Debug)]
pub struct Token(Secret);

/// Why HTTP is not served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Everybody in the network could use the tools.
    #[error(
        "{address} can be reached from other machines, so it needs a token, or an issuer of tokens"
    )]
    Unprotected {
        /// The address.
        address: SocketAddr,
    },
    /// The token can be guessed.
    #[error("a token has at least {SHORTEST} characters")]
    WeakToken,
    /// This machine cannot make requests of its own, as to an authorization server.
    #[error("authorization servers cannot be asked for their keys")]
    Client {
        /// Why.
        source: reqwest::Error,
    },
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity(pub(super) String);

impl Http {
    /// This address, without tokens.
    pub fn new(address: SocketAddr) -> Self {
        let (tokens, hosts, origins) = Default::default();
        Self { address, tokens, hosts, origins, resource: None }
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

    pub(super) fn is(&self, given: &str) -> bool {
        seal::is_same(self.0.expose(), given)
    }

    pub(super) fn identity(&self) -> Identity {
        Identity::new(&["token", self.0.expose()])
    }
}

impl Identity {
    /// Whoever these texts tell apart from all others.
    pub(super) fn new(texts: &[&str]) -> Self {
        Self(super::past::digest(texts))
    }
}

/// An address that is listened on.
pub struct Listening {
    shared: Arc<Shared>,
    http: Http,
    access: Option<Arc<Access>>,
    listener: TcpListener,
    bound: SocketAddr,
}

pub(super) async fn listen(shared: Arc<Shared>, http: Http) -> Result<Listening, HttpError> {
    let address = http.address;
    if !address.ip().is_loopback() && http.tokens.is_empty() && http.resource.is_none() {
        return Err(HttpError::Unprotected { address });
    }
    let io = |source| HttpError::Io { address, source };
    let listener = TcpListener::bind(address).await.map_err(io)?;
    let bound = listener.local_addr().map_err(io)?;
    let access = http.resource.clone().map(Access::new).transpose();
    let access = access.map_err(|source| HttpError::Client { source })?.map(Arc::new);
    Ok(Listening { shared, http, access, listener, bound })
}

impl Listening {
    /// The address, with the port that was chosen if none was given.
    pub fn address(&self) -> SocketAddr {
        self.bound
    }

    /// Asks the issuers of tokens for their keys, for the time when somebody shows a token, and for
    /// whoever set them up: the result has those that cannot be asked, by their URLs, and why. They
    /// are asked again when they are needed.
    pub fn prepare(&self) -> impl Future<Output = Vec<(String, String)>> + Send + use<> {
        let access = self.access.clone();
        async move {
            match access {
                Some(access) => access.prepare().await,
                None => Vec::new(),
            }
        }
    }

    /// Serves, until [`Server::drain`](super::Server::drain) is done. A client that does not read its
    /// answers is waited for another 4 seconds.
    ///
    /// # Errors
    /// [`HttpError::Io`] if connections cannot be taken any more.
    pub async fn serve(self) -> Result<(), HttpError> {
        let (closing, closed) = (self.shared.runs.closed(), CancellationToken::new());
        let address = self.bound;
        let doors = Doors::new(self.shared, &self.http, self.access, address);
        let router = router(doors, self.http.origins, address, closed.clone());
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

fn router(
    doors: Doors,
    origins: Vec<String>,
    bound: SocketAddr,
    closed: CancellationToken,
) -> Router {
    let shared = Arc::clone(&doors.shared);
    // A page of ours, if there were one. Not those of other programs of this machine.
    let port = bound.port();
    let own = ["localhost", "127.0.0.1", "[::1]"].map(|name| format!("http://{name}:{port}"));
    let own = own.into_iter();
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(doors.hosts.clone())
        .with_allowed_origins(own.chain(origins))
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
    let doors = Arc::new(doors);
    let protected = Router::new()
        .route_service("/mcp", service)
        .route("/metrics", get(metrics))
        .layer(from_fn_with_state(Arc::clone(&doors), doors::admit));
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route(doors::METADATA, get(doors::resource))
        .route(&format!("{}/{{*path}}", doors::METADATA), get(doors::resource))
        .merge(protected)
        .with_state(doors)
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
