//! All pages of `tools/list`, with an end to everything that a server could let grow.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::{RejectReason, Rejected, Rules, Usable, decode};
use crate::paging::{Paging, PagingError};
use crate::size::size;
use crate::transport::{Connection, SendError};

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
    #[error(transparent)]
    Paging(#[from] PagingError),
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
    let mut paging = Paging::new("tools", LIST_BYTES);
    let mut names = HashSet::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut page = match connection.tools_page(cursor.as_deref()).await {
            Err(SendError::Rpc { code: INVALID_PARAMS, .. }) if cursor.is_some() => {
                return Err(ListingError::BadCursor);
            }
            page => page?,
        };
        let bytes = size(&page);
        let (entries, next) = paging.take(&mut page, bytes)?;
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
        match next {
            None => return Ok(listing),
            next => cursor = next,
        }
    }
}

/// `ttlMs`. Zero, which nearly all servers say, promises nothing: asking again before every use
/// would double the traffic and change nothing.
fn fresh_for(page: &Value) -> Option<Duration> {
    let millis = page.get("ttlMs").and_then(Value::as_u64).filter(|millis| *millis > 0)?;
    Some(Duration::from_millis(millis).clamp(SHORTEST_TTL, LONGEST_TTL))
}
