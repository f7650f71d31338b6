//! Tokens without a user: the client shows its own name and secret, and acts for itself (the grant
//! "client credentials"). They are kept in memory and nowhere else, since another is had for the
//! asking.

use http::HeaderValue;
use rmcp::transport::AuthError;
use rmcp::transport::auth::{
    AuthorizationManager, AuthorizationMetadataSource, ClientCredentialsConfig, OAuthTokenResponse,
};
use tokio::time::{Duration, Instant};

use super::login::secret;
use super::{Bearer, OAuth, challenge, in_words};

/// A token is not used any more when it ends so soon.
const NEAR: Duration = Duration::from_secs(30);

/// The token that we have.
pub(super) struct Held {
    value: HeaderValue,
    until: Option<Instant>,
}

impl Bearer {
    /// The header with a token of the client's own, and not with one that was refused.
    pub(super) async fn own(
        &self,
        refused: Option<&HeaderValue>,
    ) -> Result<Option<HeaderValue>, String> {
        // Held while one is asked for, so that many requests ask once.
        let mut held = self.held.lock().await;
        if let Some(Held { value, until }) = &*held
            && refused != Some(value)
            && until.is_none_or(|until| Instant::now() < until)
        {
            return Ok(Some(value.clone()));
        }
        let response = ask(&self.resource, &self.config).await.map_err(|error| in_words(&error))?;
        let response = serde_json::to_value(&response).map_err(|error| error.to_string())?;
        let token = response.get("access_token").and_then(|token| token.as_str());
        let Some(value) = token.and_then(|token| self.value(token)) else {
            return Err("its authorization server gave no usable token".to_owned());
        };
        let lasts = response.get("expires_in").and_then(|lasts| lasts.as_u64());
        let until = lasts.map(Duration::from_secs).and_then(|lasts| {
            Instant::now().checked_add(lasts.saturating_sub(NEAR.min(lasts / 2)))
        });
        *held = Some(Held { value: value.clone(), until });
        Ok(Some(value))
    }
}

async fn ask(resource: &str, config: &OAuth) -> Result<OAuthTokenResponse, AuthError> {
    let unusable = |problem: String| AuthError::CredentialStoreError(problem);
    let secret = secret(config).await.map_err(|error| unusable(error.to_string()))?;
    let (Some(client_id), Some(client_secret)) = (config.client_id.clone(), secret) else {
        return Err(unusable("without a user it takes a client's name and secret".to_owned()));
    };
    let mut manager = AuthorizationManager::new(resource).await?;
    let said = challenge::of(resource).await;
    let resolution = manager.resolve_metadata_from_challenge(said.as_deref()).await?;
    if resolution.source == AuthorizationMetadataSource::LegacyEndpointFallback {
        return Err(AuthError::NoAuthorizationSupport);
    }
    manager.set_metadata(resolution.metadata);
    let scopes = match config.scopes.is_empty() {
        true => manager.select_initial_scopes(&[]).await,
        false => config.scopes.clone(),
    };
    let resource = Some(resource.to_owned());
    let client =
        ClientCredentialsConfig::ClientSecret { client_id, client_secret, scopes, resource };
    manager.validate_client_credentials_metadata(&client)?;
    manager.configure_client_credentials(&client)?;
    manager.exchange_client_credentials(&client).await
}
