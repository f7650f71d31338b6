//! Logging in at servers that want it: OAuth 2.1 with PKCE, by the browser of the user.
//!
//! rmcp has the protocol. Here is what surrounds it: where tokens are kept ([`TokenStore`]), how the
//! user's browser comes back ([`Login`]), and how a token gets into requests (`Bearer`): into the
//! header `Authorization` of requests to its own server, and nowhere else.

mod bearer;
mod callback;
mod challenge;
mod login;
mod own;
mod record;
mod store;

pub(crate) use bearer::{Bearer, wanted_scopes};
pub use login::{Login, LoginError};
pub use store::{StoreError, TokenStore};

use crate::credential::Template;

/// What is known of us at the authorization server of a server. Nothing has to be: most register
/// clients by themselves.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OAuth {
    /// The name of a client that was registered beforehand.
    pub client_id: Option<String>,
    /// Its secret, if it has one.
    pub client_secret: Option<Template>,
    /// The `https` URL of a document that describes the client, for servers that read such.
    pub client_metadata_url: Option<String>,
    /// The rights to ask for. Default: those that the server names.
    pub scopes: Vec<String>,
    /// Nobody logs in: the client asks for tokens with its own name and secret, both of which it needs.
    pub client_credentials: bool,
    /// The port of this machine to which the browser comes back, if the client was registered with
    /// one. Default: a free one.
    pub redirect_port: Option<u16>,
}

/// rmcp's errors, in a sentence, without what a server may have put into them.
pub(crate) fn in_words(error: &rmcp::transport::auth::AuthError) -> String {
    use rmcp::transport::auth::AuthError as E;
    match error {
        E::AuthorizationRequired | E::TokenExpired | E::TokenRefreshRejected(_) => {
            "the login is no longer valid".to_owned()
        }
        E::PkceUnsupported => "its authorization server does not support PKCE with S256".to_owned(),
        E::NoAuthorizationSupport => "it does not say where to log in".to_owned(),
        E::AuthorizationServerMismatch { .. } | E::AuthorizationServerMissingIssuer { .. } => {
            "the answer is not from the authorization server that was asked".to_owned()
        }
        E::RegistrationFailed(_) => {
            "its authorization server does not register clients by themselves; set `clientId` under \
             `oauth`"
                .to_owned()
        }
        E::TokenExchangeFailed(_) | E::ClientCredentialsError(_) => "its authorization server gave no token".to_owned(),
        E::TokenRefreshFailed(_) => "its authorization server gave no new token".to_owned(),
        E::CredentialStoreError(problem) => problem.clone(),
        E::DiscoveryRequestFailed { url, .. } => {
            format!("{} does not answer", url.origin().ascii_serialization())
        }
        E::ProtectedResourceMetadataInvalid { reason, .. } => {
            format!("what it says about itself cannot be used: {reason}")
        }
        E::AuthorizationServersUnavailable { .. } => {
            "none of its authorization servers says how to log in".to_owned()
        }
        E::HttpError(_) => "its authorization server cannot be reached".to_owned(),
        E::MetadataError(_) => "what its authorization server says of itself is wrong".to_owned(),
        _ => "its authorization server does not do what it should".to_owned(),
    }
}

#[cfg(test)]
mod tests;
