//! All pages of `tools/list`, with an end to everything that a server could let grow.

use std::collections::HashSet;

use serde_json::Value;

use super::{RejectReason, Rejected, Usable, decode};
use crate::transport::{Connection, SendError};

const PAGES: usize = 100;
const TOOLS: usize = 10_000;
const LIST_BYTES: usize = 64 * 1024 * 1024;

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
    #[error(transparent)]
    Send(#[from] SendError),
}

/// What a server offers.
pub(crate) struct Listing {
    pub(crate) tools: Vec<Usable>,
    pub(crate) rejected: Vec<Rejected>,
}

/// Asks for all pages and decodes the tools one by one.
pub(crate) async fn list(
    server: &str,
    connection: &dyn Connection,
) -> Result<Listing, ListingError> {
    let mut listing = Listing { tools: Vec::new(), rejected: Vec::new() };
    let (mut names, mut cursors) = (HashSet::new(), HashSet::new());
    let mut cursor: Option<String> = None;
    let mut bytes = 0;
    for _ in 0..PAGES {
        let mut page = connection.tools_page(cursor.as_deref()).await?;
        bytes += page.to_string().len();
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
            match decode(server, entry) {
                Ok(usable) if !names.insert(usable.tool.name.clone()) => {
                    listing.rejected.push(Rejected {
                        server: server.to_owned(),
                        name: Some(usable.tool.name),
                        reason: RejectReason::Duplicate,
                    });
                }
                Ok(usable) => listing.tools.push(usable),
                Err(rejected) => listing.rejected.push(rejected),
            }
        }
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
