//! What becomes of a line from the server.
//!
//! Results of lists and calls go onto the [`Shelf`], past rmcp; an answer that
//! cannot be read becomes an error for the request it belongs to, which would wait for ever
//! otherwise; a late answer to a question we gave up on is dropped.

use std::collections::HashSet;
use std::sync::Arc;

use rmcp::model::{
    ClientRequest, ErrorCode, ErrorData, JsonRpcRequest, RequestId, ServerJsonRpcMessage,
};
use serde_json::{Map, Value};

use super::super::lines::id_near_ends;
use crate::transport::discover;
use crate::transport::session::{TOO_LARGE, UNREADABLE};
use crate::transport::shelf::Shelf;
use crate::transport::text;

/// The requests under way, as far as their answers need attention.
pub(super) struct Inbox {
    /// Where results go that are wanted as they come.
    shelf: Arc<Shelf>,
    /// The modern question, while it is open.
    probe: Option<RequestId>,
    /// Questions whose answers nobody wants any more.
    stale: HashSet<RequestId>,
}

/// A line that is not a message.
#[derive(Debug)]
pub(super) struct NotMcp;

type Parsed = serde_json::Result<Map<String, Value>>;

/// Parses a line: the part of the work that grows with the line and needs no inbox.
pub(super) fn parse(line: &[u8]) -> Parsed {
    text::parse(line)
}

impl Inbox {
    pub(super) fn new(shelf: Arc<Shelf>) -> Self {
        Self { shelf, probe: None, stale: HashSet::new() }
    }

    /// Takes note of a request that is about to be sent.
    pub(super) fn expect(&mut self, request: &JsonRpcRequest<ClientRequest>) {
        match &request.request {
            ClientRequest::ListToolsRequest(_)
            | ClientRequest::CallToolRequest(_)
            | ClientRequest::ReadResourceRequest(_)
            | ClientRequest::ListResourcesRequest(_) => {
                self.shelf.expect(request.id.clone());
            }
            ClientRequest::DiscoverRequest(_) => self.probe = Some(request.id.clone()),
            ClientRequest::InitializeRequest(_) => self.stale.extend(self.probe.take()),
            _ => {}
        }
    }

    /// The answer in place of the one to the modern question that does not come.
    pub(super) fn give_up_probe(&mut self) -> Option<ServerJsonRpcMessage> {
        let id = self.probe.clone()?;
        let silence = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no answer", None);
        Some(ServerJsonRpcMessage::error(silence, Some(id)))
    }

    /// Sorts a line that has been parsed. `None` if there is nothing in it for rmcp.
    pub(super) fn sort(
        &mut self,
        line: &[u8],
        parsed: Parsed,
    ) -> Result<Option<ServerJsonRpcMessage>, NotMcp> {
        if line.is_empty() {
            return Ok(None);
        }
        let mut message = match parsed {
            Ok(message) => message,
            // Valid for the server perhaps, but not for us: nested too deeply, or cut off.
            Err(error) if line.starts_with(b"{") => {
                let problem = format!("its JSON cannot be read: {error}");
                return match self.made_up(id_near_ends(line, b""), UNREADABLE, problem) {
                    None => Err(NotMcp),
                    message => Ok(message),
                };
            }
            Err(_) => return Err(NotMcp),
        };
        if !message.contains_key("jsonrpc") {
            return Err(NotMcp);
        }
        let id = message.get("id").and_then(id);
        if message.contains_key("method") {
            return Ok(serde_json::from_value(Value::Object(message)).ok());
        }
        if id.as_ref().is_some_and(|id| self.stale.contains(id)) {
            return Ok(None);
        }
        if let Some(id) = id.as_ref().filter(|id| self.shelf.expects(id))
            && let Some(result) = message.remove("result")
        {
            return Ok(Some(self.shelf.put(id.clone(), result, line.len())));
        }
        if let Some(id) = id.as_ref().filter(|id| self.probe.as_ref() == Some(id))
            && let Some(result) = message.remove("result")
        {
            match discover::mend(&result) {
                Ok(result) => message.insert("result".to_owned(), result),
                Err(error) => {
                    return Ok(Some(ServerJsonRpcMessage::error(error, Some(id.clone()))));
                }
            };
        }
        match serde_json::from_value(Value::Object(message)) {
            Ok(message) => Ok(Some(message)),
            Err(error) => {
                let problem = format!("it is neither a result nor an error: {error}");
                Ok(id.map(|id| error_for(id, UNREADABLE, problem)))
            }
        }
    }

    /// The error for the request that a line of excessive length belongs to.
    pub(super) fn too_long(&mut self, head: &[u8], tail: &[u8]) -> Option<ServerJsonRpcMessage> {
        self.made_up(id_near_ends(head, tail), TOO_LARGE, "too large".to_owned())
    }

    fn made_up(
        &mut self,
        id: Option<i64>,
        code: i32,
        problem: String,
    ) -> Option<ServerJsonRpcMessage> {
        let id = RequestId::Number(id?);
        // Only of a request that is open: a guess must not disturb anything else.
        self.shelf.expects(&id).then(|| error_for(id, code, problem))
    }
}

fn error_for(id: RequestId, code: i32, problem: String) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::new(ErrorCode(code), problem, None), Some(id))
}

/// An id as we sent it: we number our requests, and some servers answer with the number as text.
fn id(value: &Value) -> Option<RequestId> {
    let number = value.as_i64().or_else(|| value.as_str()?.parse().ok())?;
    Some(RequestId::Number(number))
}

#[cfg(test)]
mod tests {
    use rmcp::model::ListToolsRequest;
    use serde_json::json;

    use super::*;

    fn expecting(id: i64) -> Inbox {
        let mut inbox = Inbox::new(Arc::default());
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::default());
        inbox.expect(&JsonRpcRequest::new(RequestId::Number(id), request));
        inbox
    }

    fn read(inbox: &mut Inbox, line: &str) -> Result<Option<ServerJsonRpcMessage>, NotMcp> {
        inbox.sort(line.as_bytes(), parse(line.as_bytes()))
    }

    fn open(inbox: &mut Inbox, message: &Value) -> Option<ServerJsonRpcMessage> {
        read(inbox, &message.to_string()).unwrap()
    }

    #[test]
    fn results_pass_unchanged() {
        for result in [json!({ "tools": [{ "odd": true }] }), json!(5), json!(null), json!({})] {
            let message = json!({ "jsonrpc": "2.0", "id": "3", "result": result });
            let mut inbox = expecting(3);
            let ticket = open(&mut inbox, &message);
            assert!(matches!(ticket, Some(ServerJsonRpcMessage::Response(_))), "{ticket:?}");
            let raw = inbox.shelf.take(&RequestId::Number(3)).unwrap();
            assert_eq!((raw.value, raw.bytes), (result, message.to_string().len()));
        }
    }

    #[test]
    fn an_answer_that_cannot_be_read_still_ends_its_request() {
        let deep = format!(r#"{{"jsonrpc":"2.0","id":3,"result":{}"#, "[".repeat(500));
        let opened = read(&mut expecting(3), &deep).unwrap();
        assert!(matches!(opened, Some(ServerJsonRpcMessage::Error(_))), "{opened:?}");
        let bare = json!({ "jsonrpc": "2.0", "id": 3, "error": "no" });
        let opened = open(&mut expecting(3), &bare);
        assert!(matches!(opened, Some(ServerJsonRpcMessage::Error(_))), "{opened:?}");
        assert!(read(&mut expecting(3), r#"{"jsonrpc":"2.0","id":9,"result":[["#).is_err());
    }

    #[test]
    fn text_is_not_mcp() {
        for line in ["Server started on port 1", "{}", "[1]", "{\"a\":1}", "null"] {
            assert!(read(&mut expecting(3), line).is_err(), "{line}");
        }
    }
}
