//! One login: where to go, and what came back.

use std::net::Ipv4Addr;
use std::sync::Arc;

use rmcp::transport::auth::{
    AuthorizationCallback, AuthorizationManager, AuthorizationMetadata,
    AuthorizationMetadataSource, CredentialStore, OAuthClientConfig, StoredCredentials,
};
use tokio::net::TcpListener;
use url::Url;

use super::record::Record;
use super::store::canonical;
use super::{OAuth, StoreError, TokenStore, callback, challenge, in_words};
use crate::server::ConnectError;

/// How we call ourselves where we register.
const CLIENT_NAME: &str = "Cofferdam";

/// Why there is no login.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoginError {
    /// Nobody can log in there.
    #[error("{url} has no login: {problem}")]
    NoLogin {
        /// The server.
        url: String,
        /// Why.
        problem: String,
    },
    /// The secret of the client cannot be had.
    #[error(transparent)]
    Secret(#[from] ConnectError),
    /// The browser cannot come back.
    #[error("the port of this machine for the browser's return cannot be used: {problem}")]
    Port {
        /// What the system says.
        problem: String,
    },
    /// What was given is not where the browser was sent back to.
    #[error("this is not the URL that the browser was sent to at the end")]
    NotTheRedirect,
    /// The authorization server says no.
    #[error("the authorization server refused: {code}")]
    Refused {
        /// Its reason, such as `access_denied`.
        code: String,
    },
    /// The login went wrong.
    #[error("the login failed: {problem}")]
    Failed {
        /// What went wrong.
        problem: String,
    },
    /// The login cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A login under way.
pub struct Login {
    manager: AuthorizationManager,
    kept: Kept,
    store: TokenStore,
    resource: String,
    url: Url,
    redirect: Url,
    state: String,
    issuer: Option<String>,
    client_secret: Option<String>,
    listener: TcpListener,
}

impl Login {
    /// Finds out where to log in at the server behind a URL, and listens for the browser's return.
    ///
    /// # Errors
    /// See [`LoginError`].
    pub async fn begin(url: &str, config: &OAuth, store: TokenStore) -> Result<Self, LoginError> {
        let resource = canonical(url).ok_or_else(|| no_login(url, "this is not a URL"))?;
        let before = store.load(&resource).await?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, config.redirect_port.unwrap_or(0)));
        let port = |error: std::io::Error| LoginError::Port { problem: error.to_string() };
        let listener = listener.await.map_err(port)?;
        let number = listener.local_addr().map_err(port)?.port();
        let redirect = format!("http://127.0.0.1:{number}{}", callback::PATH);
        let wrong = |error| no_login(&resource, &in_words(&error));

        let mut manager = AuthorizationManager::new(&resource).await.map_err(wrong)?;
        let said = challenge::of(&resource).await;
        let resolution = manager.resolve_metadata_from_challenge(said.as_deref());
        let resolution = resolution.await.map_err(wrong)?;
        if resolution.source == AuthorizationMetadataSource::LegacyEndpointFallback {
            return Err(no_login(&resource, "it does not say where to log in"));
        }
        let metadata = resolution.metadata;
        fit(&metadata).map_err(|problem| no_login(&resource, problem))?;
        let issuer = metadata.issuer.clone();
        manager.set_metadata(metadata.clone());
        let kept = Kept::default();
        manager.set_credential_store(kept.clone());

        let scopes = scopes(&manager, config, before.as_ref()).await;
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let client = match client(&metadata, config, &redirect).await? {
            Some(client) => client,
            None => {
                let registered = manager.register_client(CLIENT_NAME, &redirect, &scopes).await;
                registered.map_err(wrong)?
            }
        };
        let client_secret = client.client_secret.clone();
        manager.configure_client(client).map_err(wrong)?;
        let url = manager.get_authorization_url(&scopes).await.map_err(wrong)?;
        let odd = |_| no_login(&resource, "its authorization server has no usable URL");
        let url = Url::parse(&url).map_err(odd)?;
        let redirect = Url::parse(&redirect).map_err(odd)?;
        let state = url.query_pairs().find(|(key, _)| key == "state");
        let state = state.map(|(_, state)| state.into_owned()).unwrap_or_default();
        Ok(Self {
            manager,
            kept,
            store,
            resource,
            url,
            redirect,
            state,
            issuer,
            client_secret: client_secret.filter(|_| config.client_id.is_none()),
            listener,
        })
    }

    /// The page at which the user logs in.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Waits until the user's browser comes back, and returns the URL it was sent to.
    ///
    /// # Errors
    /// [`LoginError::Port`].
    pub async fn wait(&self) -> Result<String, LoginError> {
        let url = callback::wait(&self.listener, &self.redirect, &self.state).await;
        url.map(Into::into).map_err(|error| LoginError::Port { problem: error.to_string() })
    }

    /// Takes the URL that the browser was sent to, gets the token and keeps it: in the keychain if
    /// that is wanted.
    ///
    /// # Errors
    /// See [`LoginError`]. After [`LoginError::NotTheRedirect`] another URL can be tried.
    pub async fn finish(&self, redirected: &str, in_keychain: bool) -> Result<(), LoginError> {
        let url = Url::parse(redirected.trim()).map_err(|_| LoginError::NotTheRedirect)?;
        if url.origin() != self.redirect.origin() || !callback::belongs(&url, &self.state) {
            return Err(LoginError::NotTheRedirect);
        }
        let value = |wanted: &str| {
            let mut pairs = url.query_pairs();
            pairs.find(|(key, _)| key == wanted).map(|(_, value)| value.into_owned())
        };
        // An answer of somebody else is not repeated, not even its refusal.
        if let (Some(iss), Some(issuer)) = (value("iss"), &self.issuer)
            && iss != *issuer
        {
            let problem = "the answer is not from the authorization server that was asked";
            return Err(LoginError::Failed { problem: problem.to_owned() });
        }
        if let Some(code) = value("error") {
            let plain = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
            return Err(LoginError::Refused {
                code: code.chars().filter(plain).take(60).collect(),
            });
        }
        let failed = |error| LoginError::Failed { problem: in_words(&error) };
        let callback = AuthorizationCallback::from_redirect_url(url.as_str()).map_err(failed)?;
        let AuthorizationCallback { code, csrf_token, issuer, .. } = callback;
        let exchange =
            self.manager.exchange_code_for_token_with_issuer(&code, &csrf_token, issuer.as_deref());
        exchange.await.map_err(failed)?;
        let mut record = Record::new(&self.resource);
        record.credentials = self.kept.take().await;
        record.client_secret = self.client_secret.clone();
        Ok(self.store.save(&record, Some(in_keychain)).await?)
    }
}

fn no_login(url: &str, problem: &str) -> LoginError {
    let url = Url::parse(url).map_or_else(
        |_| "the server".to_owned(),
        |url| format!("{}{}", url.origin().ascii_serialization(), url.path()),
    );
    LoginError::NoLogin { url, problem: problem.to_owned() }
}

/// PKCE protects the code on its way through the browser. rmcp goes on when the server is silent
/// about it; the specification does not let us.
fn fit(metadata: &AuthorizationMetadata) -> Result<(), &'static str> {
    let methods = metadata.code_challenge_methods_supported.as_deref().unwrap_or_default();
    if methods.iter().any(|method| method == "S256") {
        return Ok(());
    }
    Err("its authorization server does not say that it supports PKCE with S256")
}

/// What was configured; or else what there was before and what was wanted beyond it; or else what
/// the server names.
async fn scopes(
    manager: &AuthorizationManager,
    config: &OAuth,
    before: Option<&Record>,
) -> Vec<String> {
    let mut scopes = config.scopes.clone();
    if let Some(record) = before.filter(|record| !record.wanted.is_empty()) {
        let granted = record.credentials.iter().flat_map(|kept| &kept.granted_scopes);
        scopes.extend(granted.chain(&record.wanted).cloned());
    }
    if scopes.is_empty() {
        return manager.select_initial_scopes(&[]).await;
    }
    scopes.sort();
    scopes.dedup();
    scopes
}

/// The client that is known already: registered beforehand, or by a document that describes it.
async fn client(
    metadata: &AuthorizationMetadata,
    config: &OAuth,
    redirect: &str,
) -> Result<Option<OAuthClientConfig>, LoginError> {
    if let Some(id) = &config.client_id {
        let client = OAuthClientConfig::new(id, redirect);
        return Ok(Some(match secret(config).await? {
            Some(secret) => client.with_client_secret(secret),
            None => client,
        }));
    }
    let reads = metadata.additional_fields.get("client_id_metadata_document_supported");
    let document = config.client_metadata_url.as_ref();
    let document = document.filter(|_| reads.and_then(|reads| reads.as_bool()) == Some(true));
    Ok(document.map(|document| OAuthClientConfig::new(document, redirect)))
}

/// The secret of the configured client.
pub(super) async fn secret(config: &OAuth) -> Result<Option<String>, ConnectError> {
    let Some(template) = &config.client_secret else { return Ok(None) };
    let fetched = template.fetch().await.map_err(|missing| ConnectError::Credential {
        place: missing.place,
        error: missing.error,
    })?;
    Ok(Some(fetched.text))
}

/// Takes what rmcp wants to keep, for [`Login::finish`] to keep it.
#[derive(Clone, Default)]
struct Kept(Arc<tokio::sync::Mutex<Option<StoredCredentials>>>);

impl Kept {
    async fn take(&self) -> Option<StoredCredentials> {
        self.0.lock().await.take()
    }
}

#[async_trait::async_trait]
impl CredentialStore for Kept {
    async fn load(&self) -> Result<Option<StoredCredentials>, rmcp::transport::AuthError> {
        Ok(self.0.lock().await.clone())
    }

    async fn save(&self, kept: StoredCredentials) -> Result<(), rmcp::transport::AuthError> {
        *self.0.lock().await = Some(kept);
        Ok(())
    }

    async fn clear(&self) -> Result<(), rmcp::transport::AuthError> {
        *self.0.lock().await = None;
        Ok(())
    }
}
