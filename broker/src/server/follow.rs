//! Keeping the catalogue as the server wants it.

use std::sync::Arc;

use super::Server;
use crate::catalogue::{Changes, Listing};
use crate::events::Event;

impl Server {
    /// Lists the tools again.
    pub(crate) async fn refresh(self: &Arc<Self>) {
        let _turn = self.life.listing.lock().await;
        let Some(reached) = self.connection() else { return };
        let time = self.connect_timeout();
        match tokio::time::timeout(time, self.list(reached.connection.as_ref())).await {
            Ok(Ok(listing)) if self.life.is_latest(&reached) => {
                self.take_listing(listing, true);
            }
            Ok(Ok(_)) => {}
            // The old list is better than none.
            Ok(Err(error)) => tracing::warn!(server = %self.name, %error, "listing failed"),
            Err(_) => tracing::warn!(server = %self.name, "listing takes too long"),
        }
    }

    /// Lists the tools again in the background, if the list is older than the server promised.
    pub(crate) fn freshen(self: &Arc<Self>) {
        if self.life.is_list_due() {
            let server = Arc::clone(self);
            self.hub.runtime.spawn(async move { server.refresh().await });
        }
    }

    /// Puts a list into the catalogue; returns how many tools can be called.
    pub(super) fn take_listing(&self, listing: Listing, tell: bool) -> usize {
        let tools = listing.tools.len();
        self.life.note_list(tools, listing.fresh_for);
        for bad in &listing.rejected {
            let tool = bad.name.as_deref().unwrap_or("(without a name)");
            tracing::warn!(server = %self.name, tool, reason = %bad.reason, "unusable tool");
        }
        let changes = self.hub.catalogue.replace(&self.name, listing);
        if tell && !changes.is_empty() {
            let server = self.name.clone();
            let Changes { added, removed, changed, .. } = changes;
            let event = Event::CatalogueChanged { server, added, removed, changed };
            self.hub.events.on_event(&event);
        }
        tools
    }
}
