//! Access tokens of authorization servers: for whom they are, and whose.
//!
//! What the MCP specification wants of a server here (authorization, 2026-07-28) is that a token is
//! for this very server (RFC 8707, RFC 9068), signed by an issuer that it trusts, and of this time.

use super::{
    http::Identity,
    issuer::{Issuer, NoKey},
};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, errors::ErrorKind};
use serde::Deserialize;
use url::Url;

/// Longer tokens are not looked at.
const TOKEN_BYTES: usize = 16 * 1024;
/// What clocks may differ by, in seconds.
const LEEWAY: u64 = 30;
/// Signatures that only the issuer can make: with the others whoever can check could sign, too.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// What a server is to the authorization servers whose access tokens let clients in.
#[derive(Clone, Debug)]
pub struct Resource {
    pub(super) url: Url,
    pub(super) issuers: Vec<(String, Url)>,
    pub(super) scopes: Vec<String>,
}

/// Why a [`Resource`] cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// What travels to that URL could be read or changed.
    #[error(
        "`{url}` cannot be the URL of this server or of an issuer of tokens: that is https, or http on this machine, without a fragment"
    )]
    Url {
        /// The URL.
        url: String,
    },
    /// No token could have that scope.
    #[error(
        "`{scope}` is no scope: printable ASCII without spaces, quotes and backslashes (RFC 6749 §3.3)"
    )]
    Scope {
        /// The scope.
        scope: String,
    },
    /// Nobody's tokens would be good.
    #[error("no issuer of tokens is given")]
    NoIssuer,
}

impl Resource {
    /// The URL by which clients reach the server, which tokens must be for (`aud`), and the issuers
    /// of tokens, by their URLs as they have them in `iss`.
    ///
    /// # Errors
    /// See [`ResourceError`].
    pub fn new<T: Into<String>>(
        url: &str,
        issuers: impl IntoIterator<Item = T>,
    ) -> Result<Self, ResourceError> {
        let issuers = issuers.into_iter().map(|issuer| {
            let name = issuer.into();
            safe(&name).map(|url| (name, url))
        });
        let issuers: Vec<_> = issuers.collect::<Result<_, _>>()?;
        if issuers.is_empty() {
            return Err(ResourceError::NoIssuer);
        }
        Ok(Self { url: safe(url)?, issuers, scopes: Vec::new() })
    }

    /// Sets the scopes, all of which a token must have. Default: none.
    ///
    /// # Errors
    /// [`ResourceError::Scope`].
    pub fn scopes<T: Into<String>>(
        self,
        scopes: impl IntoIterator<Item = T>,
    ) -> Result<Self, ResourceError> {
        let scopes: Vec<String> = scopes.into_iter().map(Into::into).collect();
        let is_one = |scope: &str| {
            let may_be = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
            !scope.is_empty() && scope.bytes().all(may_be)
        };
        match scopes.iter().find(|scope| !is_one(scope)) {
            Some(scope) => Err(ResourceError::Scope { scope: scope.clone() }),
            None => Ok(Self { scopes, ..self }),
        }
    }

    /// The URL as text, without a slash at its end.
    pub(super) fn name(&self) -> &str {
        self.url.as_str().trim_end_matches('/')
    }
}

/// A URL that nobody on the way can listen to.
pub(super) fn safe(url: &str) -> Result<Url, ResourceError> {
    let parsed = Url::parse(url).ok().filter(|url| url.fragment().is_none() && url.has_host());
    parsed
        .filter(|url| {
            url.scheme() == "https" || (url.scheme() == "http" && broker::is_this_machine(url))
        })
        .ok_or_else(|| ResourceError::Url { url: url.to_owned() })
}

/// Why a token lets nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bad {
    /// It is not good, for this reason.
    Token(&'static str),
    /// It is good, but not for this.
    Scope,
    /// It cannot be told now.
    Unreachable,
}

/// Looks at access tokens.
pub(super) struct Access {
    pub(super) resource: Resource,
    issuers: Vec<Issuer>,
}

/// What of a token is looked at besides what [`Validation`] does.
#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    client_id: Option<String>,
    azp: Option<String>,
    scope: Option<Scopes>,
    scp: Option<Scopes>,
}

/// One text with spaces between them (RFC 8693 §4.2), or a list, as some issuers have it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scopes {
    Text(String),
    List(Vec<String>),
}

impl Access {
    pub(super) fn new(resource: Resource) -> Result<Self, reqwest::Error> {
        let issuers = resource.issuers.iter().map(|(name, url)| Issuer::new(name, url));
        Ok(Self { issuers: issuers.collect::<Result<_, _>>()?, resource })
    }

    /// Gets the keys of all issuers. Those that cannot be asked, and why.
    pub(super) async fn prepare(&self) -> Vec<(String, String)> {
        let asked = self.issuers.iter().map(|issuer| async {
            let problem = issuer.prepare().await.err()?;
            Some((issuer.name().to_owned(), problem))
        });
        futures::future::join_all(asked).await.into_iter().flatten().collect()
    }

    /// Whom the token is about.
    pub(super) async fn identity(&self, token: &str) -> Result<Identity, Bad> {
        let claims = self.claims(token).await?;
        if claims.sub.is_empty() {
            return Err(Bad::Token("it has no `sub`"));
        }
        let has = |scope: &String| {
            [&claims.scope, &claims.scp].into_iter().flatten().any(|it| it.has(scope))
        };
        if !self.resource.scopes.iter().all(has) {
            return Err(Bad::Scope);
        }
        // A user's other programs are other clients.
        let client = claims.client_id.or(claims.azp).unwrap_or_default();
        Ok(Identity::new(&["oauth", &claims.iss, &claims.sub, &client]))
    }

    async fn claims(&self, token: &str) -> Result<Claims, Bad> {
        #[derive(Deserialize)]
        struct Issued {
            iss: String,
        }
        const MALFORMED: Bad = Bad::Token("it is no JWT that says who issued it");
        if token.len() > TOKEN_BYTES {
            return Err(Bad::Token("it is too long"));
        }
        let header = jsonwebtoken::decode_header(token).map_err(|_| MALFORMED)?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(Bad::Token("it is not signed by a key that only its issuer has"));
        }
        // Whose it says it is: that decides only by whose keys it is looked at.
        let issued: Issued =
            jsonwebtoken::dangerous::insecure_decode_claims(token).map_err(|_| MALFORMED)?;
        let issuer = self.issuers.iter().find(|issuer| issuer.name() == issued.iss);
        let issuer = issuer.ok_or(Bad::Token("it is of another issuer"))?;
        let key = issuer.key(&header).await.map_err(|error| match error {
            NoKey::Unknown => Bad::Token("its issuer has no such key"),
            NoKey::Unreachable => Bad::Unreachable,
        })?;
        let key =
            DecodingKey::from_jwk(&key).map_err(|_| Bad::Token("its issuer has no such key"))?;
        let resource = self.resource.name();
        let mut validation = Validation::new(header.alg);
        validation.leeway = LEEWAY;
        validation.validate_nbf = true;
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_audience(&[resource.to_owned(), format!("{resource}/")]);
        validation.set_issuer(&[issuer.name()]);
        let decoded = jsonwebtoken::decode(token, &key, &validation);
        decoded.map(|decoded| decoded.claims).map_err(|error| {
            Bad::Token(match error.kind() {
                ErrorKind::ExpiredSignature => "it has expired",
                ErrorKind::ImmatureSignature => "it is not valid yet",
                ErrorKind::InvalidAudience => "it is not for this server",
                ErrorKind::MissingRequiredClaim(_) => "it lacks `exp`, `iss`, `aud` or `sub`",
                ErrorKind::Json(_) | ErrorKind::InvalidClaimFormat(_) => {
                    "its claims cannot be read"
                }
                _ => "its signature is wrong",
            })
        })
    }
}

impl Scopes {
    fn has(&self, wanted: &str) -> bool {
        match self {
            Self::Text(text) => text.split(' ').any(|scope| scope == wanted),
            Self::List(scopes) => scopes.iter().any(|scope| scope == wanted),
        }
    }
}

#[cfg(test)]
mod tests;
