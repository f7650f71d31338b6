//! All pages of `tools/list`, with an end to everything that a server could let grow.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::{RejectReason, Rejected, Rules, Usable, decode};
use crate::size::size;
use crate::transport::{Connection, SendError};

const PAGES: usize = 100;
const TOOLS: usize = 10_000;
const LIST_BYTES: usize = 64 * 1024 * 1024;
/// JSON-RPC's code for a cursor that the server does not know.
const INVALID_PARAMS: i64 = -32602;
/// A server that wants to be asked more often than this is asked as often as this.
const SHORTEST_TTL: Duration = Duration::from_secs(1);
/// A list is not believed for longer.
const LONGEST_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// Why a server's tools could not be listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ListingError {
    #[error("a page of its tool list has no array `tools`")]
    NoTools,
    #[error("its tool list repeats the cursor of an earlier page")]
    RepeatedCursor,
    #[error("its tool list has more than {PAGES} pages")]
    Pages,
    #[error("it lists more than {TOOLS} tools")]
    Tools,
    #[error("its tool list has more than {LIST_BYTES} bytes")]
    Bytes,
    #[error("a cursor of its tool list is not valid any more")]
    BadCursor,
    #[error(transparent)]
    Send(#[from] SendError),
}

/// What a server offers.
#[derive(Default)]
pub(crate) struct Listing {
    pub(crate) tools: Vec<Arc<Usable>>,
    pub(crate) rejected: Vec<Rejected>,
    /// How long the server promises that the list stays as it is. Most promise nothing.
    pub(crate) fresh_for: Option<Duration>,
}

/// Asks for all pages and decodes the tools one by one.
pub(crate) async fn list(
    rules: &Rules<'_>,
    connection: &dyn Connection,
) -> Result<Listing, ListingError> {
    match pages(rules, connection).await {
        // The list changed between two pages, so that the first are worth nothing any more.
        Err(ListingError::BadCursor) => pages(rules, connection).await,
        other => other,
    }
}

async fn pages(rules: &Rules<'_>, connection: &dyn Connection) -> Result<Listing, ListingError> {
    let mut listing = Listing::default();
    let (mut names, mut cursors) = (HashSet::new(), HashSet::new());
    let mut cursor: Option<String> = None;
    let mut bytes = 0;
    for _ in 0..PAGES {
        let mut page = match connection.tools_page(cursor.as_deref()).await {
            Err(SendError::Rpc { code: INVALID_PARAMS, .. }) if cursor.is_some() => {
                return Err(ListingError::BadCursor);
            }
            page => page?,
        };
        bytes += size(&page);
        if bytes > LIST_BYTES {
            return Err(ListingError::Bytes);
        }
        let Some(Value::Array(entries)) = page.get_mut("tools").map(Value::take) else {
            return Err(ListingError::NoTools);
        };
        if listing.tools.len() + listing.rejected.len() + entries.len() > TOOLS {
            return Err(ListingError::Tools);
        }
        for entry in entries {
            match decode(rules, entry) {
                Ok(usable) if !names.insert(usable.tool.name.clone()) => {
                    listing.rejected.push(Rejected {
                        server: rules.server.to_owned(),
                        name: Some(usable.tool.name.clone()),
                        reason: RejectReason::Duplicate,
                    });
                }
                Ok(usable) => listing.tools.push(usable),
                Err(rejected) => listing.rejected.push(rejected),
            }
        }
        let fresh_for = fresh_for(&page);
        // The list is as fresh as its oldest page.
        listing.fresh_for = match cursor {
            None => fresh_for,
            Some(_) => listing.fresh_for.zip(fresh_for).map(|(a, b)| a.min(b)),
        };
        // An empty cursor is a cursor like any other; only its absence ends the list.
        match page.get("nextCursor").and_then(Value::as_str) {
            None => return Ok(listing),
            Some(next) if !cursors.insert(next.to_owned()) => {
                return Err(ListingError::RepeatedCursor);
            }
            Some(next) => cursor = Some(next.to_owned()),
        }
    }
    Err(ListingError::Pages)
}

/// `ttlMs`. Zero, which nearly all servers say, promises nothing: asking again before every use
/// would double the traffic and change nothing.
fn fresh_for(page: &Value) -> Option<Duration> {
    let millis = page.get("ttlMs").and_then(Value::as_u64).filter(|millis| *millis > 0)?;
    Some(Duration::from_millis(millis).clamp(SHORTEST_TTL, LONGEST_TTL))
}
