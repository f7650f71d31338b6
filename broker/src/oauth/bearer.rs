//! The token in the requests to its server: fetched from the store, renewed when it must be.

use std::sync::Arc;

use async_trait::async_trait;
use http::HeaderValue;
use rmcp::transport::AuthError;
use rmcp::transport::auth::{
    AuthorizationManager, CredentialRefreshGuard, CredentialStore, OAuthClientConfig,
    StoredCredentials, WWWAuthenticateParams,
};
use tokio::sync::Mutex;
use url::Url;

use super::login::secret;
use super::own::Held;
use super::record::Record;
use super::store::canonical;
use super::{OAuth, TokenStore, in_words};
use crate::secret::{Hidden, Secret};

/// The login at one server.
pub(crate) struct Bearer {
    pub(super) resource: String,
    pub(super) config: OAuth,
    /// Where logins are kept, for a client that has users.
    store: Option<TokenStore>,
    secrets: Hidden,
    pub(super) held: Mutex<Option<Held>>,
    /// Made when a token has to be renewed: that takes questions to the network.
    manager: Mutex<Option<Arc<AuthorizationManager>>>,
}

impl Bearer {
    /// None where there can be no login: nobody keeps one, and the client does not act for itself.
    pub(crate) fn new(
        url: &Url,
        config: OAuth,
        store: Option<TokenStore>,
        secrets: Hidden,
    ) -> Option<Self> {
        let store = store.filter(|_| !config.client_credentials);
        if store.is_none() && !config.client_credentials {
            return None;
        }
        let resource = canonical(url.as_str()).unwrap_or_else(|| url.to_string());
        let (held, manager) = Default::default();
        Some(Self { resource, config, store, secrets, held, manager })
    }

    /// Whether a user can log in.
    pub(crate) fn has_user(&self) -> bool {
        self.store.is_some()
    }

    /// The header, if somebody has logged in. A token that is about to expire is renewed first.
    pub(crate) async fn header(&self) -> Result<Option<HeaderValue>, String> {
        if !self.has_user() {
            return self.own(None).await;
        }
        let Some(record) = self.record().await? else { return Ok(None) };
        let Some(kept) = record.credentials else { return Ok(None) };
        if !expires(&kept) {
            return Ok(token(&kept).and_then(|token| self.value(&token)));
        }
        self.renewed().await
    }

    /// The header with another token than the one that was refused; none if there is no other.
    pub(crate) async fn other_than(
        &self,
        refused: &HeaderValue,
    ) -> Result<Option<HeaderValue>, String> {
        if !self.has_user() {
            return Ok(self.own(Some(refused)).await?.filter(|header| header != refused));
        }
        // Another request, or another process, may have been here first.
        if let Some(other) = self.header().await?.filter(|header| header != refused) {
            return Ok(Some(other));
        }
        Ok(self.renewed().await?.filter(|header| header != refused))
    }

    /// Remembers that the server wants more than the token gives; the next login asks for it.
    pub(crate) async fn want(&self, scopes: &[String]) {
        let (Some(store), Ok(Some(mut record))) = (&self.store, self.record().await) else {
            return;
        };
        let new: Vec<_> = scopes.iter().filter(|scope| !record.wanted.contains(scope)).collect();
        if new.is_empty() {
            return;
        }
        record.wanted.extend(new.into_iter().cloned());
        if let Err(error) = store.save(&record, None).await {
            tracing::warn!(%error, "the rights that are missing are not remembered");
        }
    }

    pub(super) fn value(&self, token: &str) -> Option<HeaderValue> {
        self.secrets.add(Secret::new(token));
        let mut value = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    async fn record(&self) -> Result<Option<Record>, String> {
        let Some(store) = &self.store else { return Ok(None) };
        store.load(&self.resource).await.map_err(|error| error.to_string())
    }

    async fn renewed(&self) -> Result<Option<HeaderValue>, String> {
        let mut manager = self.manager.lock().await;
        let ready = match &*manager {
            Some(ready) => Arc::clone(ready),
            None => match self.manager().await.map_err(|error| in_words(&error))? {
                Some(made) => Arc::clone(manager.insert(Arc::new(made))),
                None => return Ok(None),
            },
        };
        match ready.refresh_token().await {
            Ok(response) => {
                use rmcp::transport::auth::OAuthTokenResponse;
                let token: &OAuthTokenResponse = &response;
                let text = serde_json::to_value(token).ok();
                let text = text.as_ref().and_then(|value| value.get("access_token")?.as_str());
                Ok(text.and_then(|token| self.value(token)))
            }
            // Nothing to be renewed with: whoever asks has to log in.
            Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => Ok(None),
            Err(error) => Err(in_words(&error)),
        }
    }

    async fn manager(&self) -> Result<Option<AuthorizationManager>, AuthError> {
        let Some(store) = self.store.clone() else { return Ok(None) };
        let mut manager = AuthorizationManager::new(&self.resource).await?;
        let resource = self.resource.clone();
        manager.set_credential_store(Shelf { resource, store });
        if !manager.initialize_from_store().await? {
            return Ok(None);
        }
        let record = self.record().await.map_err(AuthError::CredentialStoreError)?;
        let Some(record) = record else { return Ok(None) };
        let secret = match secret(&self.config).await {
            Ok(Some(secret)) => Some(secret),
            Ok(None) => record.client_secret,
            Err(error) => return Err(AuthError::CredentialStoreError(error.to_string())),
        };
        if let (Some(secret), Some(kept)) = (secret, record.credentials) {
            let client = OAuthClientConfig::new(kept.client_id, &self.resource);
            manager.configure_client(client.with_client_secret(secret))?;
        }
        Ok(Some(manager))
    }
}

/// The rights that a refusal asks for, if it is for want of rights.
pub(crate) fn wanted_scopes(challenge: &str) -> Option<Vec<String>> {
    let nowhere = Url::parse("http://localhost").ok()?;
    let challenge = WWWAuthenticateParams::parse(challenge, &nowhere);
    let plain = |scope: &str| scope.chars().filter(|c| c.is_ascii_graphic()).take(100).collect();
    challenge.is_insufficient_scope().then(|| {
        challenge.scope.unwrap_or_default().split_whitespace().take(50).map(plain).collect()
    })
}

fn token(kept: &StoredCredentials) -> Option<String> {
    let response = serde_json::to_value(kept.token_response.as_ref()?).ok()?;
    Some(response.get("access_token")?.as_str()?.to_owned())
}

/// Whether a token is at its end, or so near that it may not last for the request.
fn expires(kept: &StoredCredentials) -> bool {
    const NEAR: u64 = 30;
    let response = kept.token_response.as_ref().and_then(|all| serde_json::to_value(all).ok());
    let lasts = response.and_then(|response| response.get("expires_in")?.as_u64());
    let (Some(lasts), Some(since)) = (lasts, kept.token_received_at) else { return false };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.map(|now| now.as_secs()).unwrap_or(since);
    since.saturating_add(lasts) <= now.saturating_add(NEAR.min(lasts / 2))
}

/// The store as rmcp wants it.
struct Shelf {
    resource: String,
    store: TokenStore,
}

fn failed(error: impl ToString) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

#[async_trait]
impl CredentialStore for Shelf {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let record = self.store.load(&self.resource).await.map_err(failed)?;
        Ok(record.and_then(|record| record.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let record = self.store.load(&self.resource).await.map_err(failed)?;
        let mut record = record.unwrap_or_else(|| Record::new(&self.resource));
        record.credentials = Some(credentials);
        self.store.save(&record, None).await.map_err(failed)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.store.forget(&self.resource).await.map(|_| ()).map_err(failed)
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let (store, resource) = (self.store.clone(), self.resource.clone());
        let locking = tokio::task::spawn_blocking(move || store.lock(&resource)).await;
        let lock = locking.map_err(failed)?.map_err(failed)?;
        Ok(Some(CredentialRefreshGuard::new(lock)))
    }
}
