//! Recognising the transport of 2024, so that its servers get a message that helps.
//!
//! There a client opens a stream with GET and is told where to POST. No crate that is kept up
//! speaks it any more, and its servers have had successors for years.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::client::Http;
use super::place;
use crate::server::ConnectError;
use crate::transport::shelf::Shelf;

/// How long the first event may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// A better reason why the endpoint does not work, if there is one.
pub(super) async fn explain(
    url: &Url,
    headers: &HashMap<HeaderName, HeaderValue>,
    error: ConnectError,
) -> ConnectError {
    match tokio::time::timeout(PATIENCE, is_old(url, headers)).await {
        Ok(Some(())) => ConnectError::OldTransport { url: place(url) },
        _ => error,
    }
}

/// Whether the first event of a GET is `endpoint`.
async fn is_old(url: &Url, headers: &HashMap<HeaderName, HeaderValue>) -> Option<()> {
    let mut headers = HeaderMap::from_iter(headers.clone());
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    let client = Http::new(url, Shelf::default().into(), None, Arc::default()).ok()?;
    let mut response = client.get(url.clone(), headers).await.ok()?;
    let kind = response.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    if !response.status().is_success() || !kind.starts_with("text/event-stream") {
        return None;
    }
    let first = response.chunk().await.ok()??;
    first.starts_with(b"event: endpoint").then_some(())
}
