//! Enabling a server, by the way that calls go: to policy, approval and ledger it is a call of the
//! tool `servers/enable` of that server. Nothing is sent for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::approval::AllowedCall;
use super::resolve::{Target, not_there};
use super::{Answer, Fault, Kind};
use crate::catalogue::{Catalogue, Rules, decode};
use crate::ledger::{Book, CallId};
use crate::server::Server;
use crate::transport::Method;

/// The name that rules of the policy can be about.
pub(super) const NAME: &str = "servers/enable";

/// What policy and approval see.
pub(super) fn target(server: &Arc<Server>) -> Result<Target, Fault> {
    let entry = json!({
        "name": NAME,
        "title": "Enables the server",
        "description": server.description,
        "inputSchema": { "type": "object", "additionalProperties": false },
    });
    let (nothing, known) = (BTreeMap::new(), Catalogue::default());
    let rules = Rules { server: &server.name, pins: &nothing, headers: false, known: &known };
    let tool = decode(&rules, entry)
        .map_err(|bad| Fault::new(Kind::Unavailable, bad.reason.to_string()))?;
    Ok(Target { tool, server: Arc::clone(server), method: Method::CallTool })
}

/// Enables the server of a call that was allowed.
pub(super) async fn enable(call: AllowedCall, book: &Book, id: CallId) -> Result<Answer, Fault> {
    let call = call.into_call();
    let server = &call.target().server;
    if !book.mark_sent(id) {
        return Err(Fault::new(Kind::Cancelled, "the run has ended"));
    }
    server.enable().await.map_err(|error| not_there(&server.name, &error))?;
    let catalogue = server.hub.catalogue.current();
    let tools = catalogue.tools().filter(|tool| tool.server == server.name).count();
    let text = format!("the server `{}` is enabled; it has {tools} tools", server.name);
    let result = json!({ "content": [{ "type": "text", "text": text }] });
    Ok(Answer::new(result, false))
}
