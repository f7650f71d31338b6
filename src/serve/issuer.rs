//! An authorization server as somebody knows it who only checks its tokens: by its keys.
//!
//! They are found as RFC 8414 and OpenID Connect Discovery have it, and fetched again now and then,
//! since issuers change them.

use super::access::safe;
use crate::body;
use jsonwebtoken::{
    Header,
    jwk::{Jwk, PublicKeyUse},
};
use serde::Deserialize;
use serde_json::Value;
use std::{error::Error, time::Duration};
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};
use url::Url;

/// What it may take to get the keys.
const TIME: Duration = Duration::from_secs(10);
/// The longest answer that is read, in bytes.
const ANSWER_BYTES: usize = 1024 * 1024;
/// Keys older than this are fetched again.
pub(super) const FRESH: Duration = Duration::from_secs(600);
/// Keys older than this are not used, if no others can be had.
pub(super) const STALE: Duration = Duration::from_secs(24 * 3600);
/// The time between two attempts, whoever asks for them: anybody can send a token with a made-up key.
pub(super) const PAUSE: Duration = Duration::from_secs(30);

pub(super) struct Issuer {
    name: String,
    url: Url,
    client: reqwest::Client,
    known: Mutex<Known>,
}

/// Why there is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoKey {
    /// The issuer has none such.
    Unknown,
    /// The issuer cannot be asked.
    Unreachable,
}

#[derive(Default)]
struct Known {
    keys: Vec<Jwk>,
    fetched: Option<Instant>,
    /// The last attempt, and whether it failed.
    tried: Option<(Instant, bool)>,
}

/// Why the keys cannot be had.
#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    #[error("{0} gives nothing that can be read")]
    Unreadable(Url),
    #[error("it has no metadata of itself (RFC 8414, OpenID Connect Discovery)")]
    NoMetadata,
    #[error("its keys are at `{0}`, where others could change them on the way")]
    Unsafe(String),
    #[error("it takes longer than {} s", TIME.as_secs())]
    Late,
}

impl Issuer {
    pub(super) fn new(name: &str, url: &Url) -> Result<Self, reqwest::Error> {
        let mut client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        if url.scheme() == "http" {
            // It is on this machine: a proxy knows another by that name.
            client = client.no_proxy();
        }
        let client = client.build()?;
        Ok(Self { name: name.to_owned(), url: url.clone(), client, known: Mutex::default() })
    }

    /// As it calls itself.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The key that a token says it was signed by.
    pub(super) async fn key(&self, header: &Header) -> Result<Jwk, NoKey> {
        let mut known = self.known.lock().await;
        let age = |at: Option<Instant>| at.map_or(Duration::MAX, |at| at.elapsed());
        if age(known.fetched) < FRESH
            && let Some(key) = known.key(header)
        {
            return Ok(key);
        }
        if age(known.tried.map(|(at, _)| at)) >= PAUSE
            && let Err(error) = self.renew(&mut known).await
        {
            tracing::warn!(issuer = self.name, %error, "the keys of an issuer cannot be had");
        }
        let has_failed = known.tried.is_some_and(|(_, failed)| failed);
        let key = known.key(header).filter(|_| age(known.fetched) < STALE);
        key.ok_or(if has_failed { NoKey::Unreachable } else { NoKey::Unknown })
    }

    /// Gets the keys before anybody needs them.
    ///
    /// # Errors
    /// Why there are none, in words.
    pub(super) async fn prepare(&self) -> Result<(), String> {
        let renewed = self.renew(&mut *self.known.lock().await).await;
        renewed.map_err(|error| {
            let causes = std::iter::successors(error.source(), |error| (*error).source());
            causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
        })
    }

    async fn renew(&self, known: &mut Known) -> Result<(), FetchError> {
        let fetched = timeout(TIME, self.fetch()).await.unwrap_or(Err(FetchError::Late));
        known.tried = Some((Instant::now(), fetched.is_err()));
        (known.keys, known.fetched) = (fetched?, Some(Instant::now()));
        Ok(())
    }

    async fn fetch(&self) -> Result<Vec<Jwk>, FetchError> {
        #[derive(Deserialize)]
        struct Metadata {
            issuer: String,
            jwks_uri: String,
        }
        let mut problem = FetchError::NoMetadata;
        for url in metadata_urls(&self.url) {
            let metadata = match self.get(url).await {
                Ok(metadata) => metadata,
                Err(error) => {
                    problem = error;
                    continue;
                }
            };
            // RFC 8414 §3.3: whoever calls itself something else is somebody else.
            let metadata = serde_json::from_value(metadata).ok();
            let Some(Metadata { jwks_uri, .. }) =
                metadata.filter(|it: &Metadata| it.issuer == self.name)
            else {
                problem = FetchError::NoMetadata;
                continue;
            };
            let keys = safe(&jwks_uri).map_err(|_| FetchError::Unsafe(jwks_uri))?;
            let set = self.get(keys.clone()).await?;
            let all = set.get("keys").and_then(Value::as_array);
            let all = all.ok_or(FetchError::Unreadable(keys))?;
            // One that cannot be read spoils none of the others.
            return Ok(all.iter().filter_map(|key| Jwk::deserialize(key).ok()).collect());
        }
        Err(problem)
    }

    async fn get(&self, url: Url) -> Result<Value, FetchError> {
        let request = self.client.get(url.clone()).header("accept", "application/json");
        let answer = request.send().await?.error_for_status()?;
        let bytes = body::whole(answer, ANSWER_BYTES).await?;
        let read = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        read.ok_or(FetchError::Unreadable(url))
    }
}

impl Known {
    /// The key with this number; without one, the only one that there is.
    fn key(&self, header: &Header) -> Option<Jwk> {
        let fits = |key: &&Jwk| {
            let common = &key.common;
            common.public_key_use.as_ref().is_none_or(|it| *it == PublicKeyUse::Signature)
                && common.key_algorithm.is_none_or(|it| it == header.alg.into())
        };
        let mut keys = self.keys.iter().filter(fits);
        match &header.kid {
            Some(wanted) => keys.find(|key| key.common.key_id.as_ref() == Some(wanted)).cloned(),
            None => keys.next().filter(|_| keys.next().is_none()).cloned(),
        }
    }
}

/// Where an issuer's metadata may be, in the order in which the MCP specification wants it tried.
fn metadata_urls(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let paths = [
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
        format!("{path}/.well-known/openid-configuration"),
    ];
    let mut urls: Vec<Url> = paths
        .iter()
        .map(|path| {
            let mut url = issuer.clone();
            url.set_path(path);
            url
        })
        .collect();
    urls.dedup();
    urls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_looked_for_where_both_standards_have_it() {
        let urls = |issuer: &str| metadata_urls(&Url::parse(issuer).unwrap());
        let texts = |urls: Vec<Url>| urls.iter().map(Url::to_string).collect::<Vec<_>>();
        assert_eq!(
            texts(urls("https://a.example")),
            [
                "https://a.example/.well-known/oauth-authorization-server",
                "https://a.example/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            texts(urls("https://a.example/b/")),
            [
                "https://a.example/.well-known/oauth-authorization-server/b",
                "https://a.example/.well-known/openid-configuration/b",
                "https://a.example/b/.well-known/openid-configuration",
            ]
        );
    }
}
