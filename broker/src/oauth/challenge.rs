//! What a server says when somebody comes without a login: where its authorization server is described
//! and which rights it wants.

use std::time::Duration;

use http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use serde_json::json;
use url::Url;

use crate::here::is_this_machine;

const TIME: Duration = Duration::from_secs(30);
const REVISION: &str = "2026-07-28";

/// Asks a harmless question without a token. Nothing if the server lets everybody in, or says nothing
/// of use: then the well-known places are looked at.
pub(super) async fn of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let mut builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    if is_this_machine(&url) {
        builder = builder.no_proxy();
    }
    let question = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {
        "_meta": { "io.modelcontextprotocol/protocolVersion": REVISION,
                   "io.modelcontextprotocol/clientCapabilities": {} } } });
    let request = builder.timeout(TIME).build().ok()?.post(url);
    let request = request.header(CONTENT_TYPE, "application/json");
    let request = request.header(ACCEPT, "application/json, text/event-stream");
    let request = request.header("MCP-Protocol-Version", REVISION);
    let request = request.header("Mcp-Method", "server/discover");
    let response = request.body(question.to_string()).send().await.ok()?;
    if response.status() != http::StatusCode::UNAUTHORIZED {
        return None;
    }
    response.headers().get(WWW_AUTHENTICATE)?.to_str().ok().map(str::to_owned)
}
