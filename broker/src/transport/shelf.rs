//! Results that pass rmcp by.
//!
//! rmcp decodes results into its own types, drops what those do not know, and takes its time with
//! large ones. So a transport puts the result of a list or call on the shelf and hands rmcp a ticket
//! instead; the session takes the result from the shelf when its ticket comes out.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::{CustomResult, RequestId, ServerJsonRpcMessage, ServerResult};
use serde_json::{Value, json};

use super::Raw;

/// Where results wait for their requests.
#[derive(Default)]
pub(super) struct Shelf(Mutex<HashMap<RequestId, Option<Raw>>>);

impl Shelf {
    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Option<Raw>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for the result of a request that is about to be sent.
    pub(super) fn expect(&self, id: RequestId) {
        self.lock().insert(id, None);
    }

    /// Whether a result is expected that has not come.
    pub(super) fn expects(&self, id: &RequestId) -> bool {
        matches!(self.lock().get(id), Some(None))
    }

    /// Puts a result down, if anybody still waits for it, and returns its ticket.
    pub(super) fn put(&self, id: RequestId, value: Value, bytes: usize) -> ServerJsonRpcMessage {
        if let Some(room) = self.lock().get_mut(&id) {
            *room = Some(Raw { value, bytes });
        }
        let ticket = CustomResult::new(json!({ "cofferdam/shelf": true }));
        ServerJsonRpcMessage::response(ServerResult::CustomResult(ticket), id)
    }

    /// Takes a result. Nothing is expected for its request afterwards.
    pub(super) fn take(&self, id: &RequestId) -> Option<Raw> {
        self.lock().remove(id).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_for_which_nobody_waits() {
        let shelf = Shelf::default();
        let id = RequestId::Number(1);
        shelf.expect(id.clone());
        assert!(shelf.expects(&id));
        shelf.put(id.clone(), json!(1), 1);
        assert!(!shelf.expects(&id));
        assert_eq!(shelf.take(&id).map(|raw| raw.value), Some(json!(1)));
        // A late answer to a request that was given up.
        shelf.put(id.clone(), json!(2), 1);
        assert!(shelf.take(&id).is_none() && shelf.lock().is_empty());
    }

    #[test]
    fn rmcp_reads_a_ticket_as_what_it_is() {
        let ticket = Shelf::default().put(RequestId::Number(1), json!(1), 1);
        let text = serde_json::to_string(&ticket).unwrap();
        let ServerJsonRpcMessage::Response(read) = serde_json::from_str(&text).unwrap() else {
            panic!("{text}")
        };
        assert!(matches!(read.result, ServerResult::CustomResult(_)), "{text}");
    }
}
