//! Resources: what a server has to read, by the way that calls of its tools go.
//!
//! To policy, approval, ledger and limits a read is a call of the tool `resources/read` and a list
//! one of `resources/list`, the names that MCP has for them. No server lists these, and none that
//! lists a tool of such a name is meant by them.

use serde_json::{Map, Value, json};

use super::{Answer, Fault, Kind};
use crate::catalogue::{Rules, Usable, decode};
use crate::limits::CallLimits;
use crate::transport::{Connection, Method, Raw, SendError, ToolCall};

/// Pages of a list that are asked for, and resources that are taken from them.
const PAGES: usize = 100;
const RESOURCES: usize = 10_000;

/// What policy and approval see in place of a tool.
pub(super) fn stand_in(server: &str, method: Method) -> Result<std::sync::Arc<Usable>, Fault> {
    let (properties, title) = match method {
        Method::ReadResource => {
            (json!({ "uri": { "type": "string", "minLength": 1 } }), "Reads a resource")
        }
        _ => (json!({}), "Lists the resources"),
    };
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(Map::keys).collect();
    let entry = json!({
        "name": method.name(),
        "title": title,
        "inputSchema": { "type": "object", "required": required, "properties": properties,
                         "additionalProperties": false },
        // Believed only of a server that is trusted, as always.
        "annotations": { "readOnlyHint": true },
    });
    let nothing = std::collections::BTreeMap::new();
    let known = crate::catalogue::Catalogue::default();
    let rules = Rules { server, pins: &nothing, headers: false, known: &known };
    decode(&rules, entry).map_err(|bad| Fault::new(Kind::Unavailable, bad.reason.to_string()))
}

/// All pages of the list, as one result.
pub(super) async fn list(
    connection: &dyn Connection,
    call: ToolCall,
    limits: &CallLimits,
) -> Result<Raw, SendError> {
    let odd = |detail: &str| SendError::Odd { detail: detail.to_owned() };
    let (mut resources, mut bytes) = (Vec::new(), 0);
    let mut cursors = std::collections::HashSet::new();
    let mut arguments = Map::new();
    for _ in 0..PAGES {
        let page = connection.call(ToolCall { arguments, ..call.clone() }).await?;
        bytes += page.bytes;
        if bytes > limits.result_bytes {
            return Err(SendError::TooLarge { limit: limits.result_bytes });
        }
        let mut page = page.value;
        let Some(Value::Array(entries)) = page.get_mut("resources").map(Value::take) else {
            return Err(odd("a page of its list has no array `resources`"));
        };
        resources.extend(entries);
        if resources.len() > RESOURCES {
            return Err(odd("it lists more than 10,000 resources"));
        }
        match page.get("nextCursor").and_then(Value::as_str) {
            None => return Ok(Raw { value: json!({ "resources": resources }), bytes }),
            Some(next) if !cursors.insert(next.to_owned()) => {
                return Err(odd("its list repeats the cursor of an earlier page"));
            }
            Some(next) => arguments = Map::from_iter([("cursor".to_owned(), next.into())]),
        }
    }
    Err(odd("its list has more than 100 pages"))
}

/// Reads the result.
pub(super) fn read(method: Method, raw: Raw, limits: &CallLimits) -> Result<Answer, Fault> {
    let Raw { value: result, bytes } = raw;
    let limit = limits.result_bytes;
    if bytes > limit {
        let message = format!("the result has {bytes} bytes, `result_bytes` allows {limit}");
        return Err(Fault::new(Kind::Limit, message));
    }
    super::result::complete(result.get("resultType"))?;
    let member = if method == Method::ReadResource { "contents" } else { "resources" };
    let is_list =
        |value: &&Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_object));
    if result.get(member).filter(is_list).is_none() {
        let message = format!("the server's answer has no list `{member}`");
        return Err(Fault::new(Kind::Protocol, message));
    }
    Ok(Answer { result, checked: false })
}
