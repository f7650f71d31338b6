//! The doors that a request passes before it gets to the protocol: its `Host` is one of ours, it has a
//! token if tokens are wanted, and its session is one that its client began. Its `Origin` is looked at
//! by the protocol itself.

use super::{
    Shared,
    access::{Access, Bad, Resource},
    http::{Http, Identity, Token},
    seal,
};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use std::{net::SocketAddr, sync::Arc};

/// Where a resource says who issues tokens for it (RFC 9728 §3.1).
pub(super) const METADATA: &str = "/.well-known/oauth-protected-resource";
const SESSION: &str = "mcp-session-id";
/// When to try again while the issuer of tokens cannot be asked, in seconds.
const RETRY_AFTER: &str = "30";

pub(super) struct Doors {
    pub(super) shared: Arc<Shared>,
    /// The names by which this server may be reached.
    pub(super) hosts: Vec<String>,
    tokens: Vec<Token>,
    access: Option<Arc<Access>>,
    /// What only this program knows.
    secret: String,
}

/// Why a request gets no further.
enum Refusal {
    NoToken,
    Bad(Bad),
}

impl Doors {
    pub(super) fn new(
        shared: Arc<Shared>,
        http: &Http,
        access: Option<Arc<Access>>,
        bound: SocketAddr,
    ) -> Self {
        let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
        hosts.push(bound.ip().to_string());
        hosts.extend(http.hosts.iter().cloned());
        let mut secret = [0; 32];
        seal::random(&mut secret);
        let secret = URL_SAFE_NO_PAD.encode(secret);
        Self { shared, hosts, tokens: http.tokens.clone(), access, secret }
    }

    /// Who has this token. Nobody in particular, if tokens are not wanted.
    async fn identity(&self, given: Option<&str>) -> Result<Option<Identity>, Refusal> {
        if self.tokens.is_empty() && self.access.is_none() {
            return Ok(None);
        }
        let given = given.ok_or(Refusal::NoToken)?;
        if let Some(token) = self.tokens.iter().find(|token| token.is(given)) {
            return Ok(Some(token.identity()));
        }
        match &self.access {
            Some(access) => access.identity(given).await.map(Some).map_err(Refusal::Bad),
            None => Err(Refusal::Bad(Bad::Token("it is not one of this server's"))),
        }
    }

    fn resource(&self) -> Option<&Resource> {
        self.access.as_ref().map(|access| &access.resource)
    }

    fn host_is_ours(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST).and_then(|it| it.to_str().ok());
        let authority = host.and_then(|it| it.parse::<axum::http::uri::Authority>().ok());
        let Some(authority) = authority else { return false };
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        let is = |it: &String| {
            it.eq_ignore_ascii_case(name) || it.eq_ignore_ascii_case(authority.as_str())
        };
        self.hosts.iter().any(is)
    }

    /// What a client gets for a session, and only whoever began it has the use of: an identifier
    /// alone must not let anybody else in (MCP security best practices, session hijacking).
    fn bound(&self, session: &str, identity: &Identity) -> String {
        let proof = Identity::new(&["session", &self.secret, session, &identity.0]);
        format!("{session}.{}", proof.0)
    }

    /// The session that a client means, if it is its own.
    fn unbound<'a>(&self, given: &'a str, identity: &Identity) -> Option<&'a str> {
        let (session, _) = given.rsplit_once('.')?;
        seal::is_same(&self.bound(session, identity), given).then_some(session)
    }

    fn refuse(&self, refusal: &Refusal) -> Response {
        let (reason, status, text) = match refusal {
            Refusal::NoToken => {
                ("token", StatusCode::UNAUTHORIZED, "a token is needed\n".to_owned())
            }
            Refusal::Bad(Bad::Token(why)) => {
                ("token", StatusCode::UNAUTHORIZED, format!("the token lets nobody in: {why}\n"))
            }
            Refusal::Bad(Bad::Scope) => {
                ("scope", StatusCode::FORBIDDEN, "the token lacks a scope\n".to_owned())
            }
            Refusal::Bad(Bad::Unreachable) => {
                let text = "the issuer of the token cannot be asked for its keys\n".to_owned();
                ("issuer", StatusCode::SERVICE_UNAVAILABLE, text)
            }
        };
        self.shared.metrics.refuse(reason);
        let mut response = (status, text).into_response();
        let headers = response.headers_mut();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER));
        } else if let Ok(challenge) = HeaderValue::from_str(&self.challenge(refusal)) {
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }

    /// How to get in (RFC 6750 §3, RFC 9728 §5.1).
    fn challenge(&self, refusal: &Refusal) -> String {
        let mut parts = Vec::new();
        match refusal {
            Refusal::Bad(Bad::Token(why)) => {
                parts.push("error=\"invalid_token\"".to_owned());
                parts.push(format!("error_description=\"{}\"", why.replace('`', "")));
            }
            Refusal::Bad(Bad::Scope) => parts.push("error=\"insufficient_scope\"".to_owned()),
            _ => {}
        }
        if let Some(resource) = self.resource() {
            if !resource.scopes.is_empty() {
                parts.push(format!("scope=\"{}\"", resource.scopes.join(" ")));
            }
            let mut metadata = resource.url.clone();
            let path = resource.url.path().trim_end_matches('/');
            metadata.set_path(&format!("{METADATA}{path}"));
            parts.push(format!("resource_metadata=\"{metadata}\""));
        }
        match parts.is_empty() {
            true => "Bearer".to_owned(),
            false => format!("Bearer {}", parts.join(", ")),
        }
    }
}

/// The doors of everything that is not for everybody.
pub(super) async fn admit(
    State(doors): State<Arc<Doors>>,
    mut request: Request,
    next: Next,
) -> Response {
    // Also of what the protocol does not look at itself.
    if !doors.host_is_ours(request.headers()) {
        doors.shared.metrics.refuse("host");
        return (StatusCode::FORBIDDEN, "this is not a name of this server\n").into_response();
    }
    let identity = match doors.identity(bearer(request.headers())).await {
        Ok(Some(identity)) => identity,
        Ok(None) => return next.run(request).await,
        Err(refusal) => return doors.refuse(&refusal),
    };
    if let Some(given) = request.headers().get(SESSION) {
        let session = given.to_str().ok().and_then(|given| doors.unbound(given, &identity));
        let Some(session) = session.and_then(|session| HeaderValue::from_str(session).ok()) else {
            doors.shared.metrics.refuse("session");
            return (StatusCode::NOT_FOUND, "there is no such session of yours\n").into_response();
        };
        request.headers_mut().insert(SESSION, session);
    }
    request.extensions_mut().insert(identity.clone());
    let mut response = next.run(request).await;
    let session = response.headers().get(SESSION).and_then(|it| it.to_str().ok());
    let bound = session.map(|session| doors.bound(session, &identity));
    if let Some(bound) = bound.and_then(|bound| HeaderValue::from_str(&bound).ok()) {
        response.headers_mut().insert(SESSION, bound);
    }
    response
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (kind, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    kind.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Where clients get tokens, and for what (RFC 9728 §2).
pub(super) async fn resource(State(doors): State<Arc<Doors>>, headers: HeaderMap) -> Response {
    let Some(resource) = doors.resource() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if !doors.host_is_ours(&headers) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let issuers: Vec<&str> = resource.issuers.iter().map(|(name, _)| name.as_str()).collect();
    let mut metadata = serde_json::json!({
        "resource": resource.url.as_str(),
        "authorization_servers": issuers,
        "bearer_methods_supported": ["header"],
    });
    if !resource.scopes.is_empty() {
        metadata["scopes_supported"] = resource.scopes.clone().into();
    }
    ([(header::CONTENT_TYPE, "application/json")], metadata.to_string()).into_response()
}
