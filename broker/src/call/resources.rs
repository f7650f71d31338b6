//! Resources: what a server has to read, by the way that calls of its tools go.
//!
//! To policy, approval, ledger and limits a read is a call of the tool `resources/read` and a list
//! one of `resources/list`, the names that MCP has for them. No server lists these, and none that
//! lists a tool of such a name is meant by them.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};

use super::{Answer, Fault, Kind};
use crate::catalogue::{Rules, Usable, decode};
use crate::limits::CallLimits;
use crate::paging::{Paging, PagingError};
use crate::transport::{Connection, Method, Raw, SendError, ToolCall};

/// Where in an answer a list of resources is.
const RESOURCES: &str = "resources";

/// What policy and approval see of one server in place of tools, made when it is first needed.
#[derive(Default)]
pub(crate) struct StandIns {
    read: OnceLock<Made>,
    list: OnceLock<Made>,
}

type Made = Result<Arc<Usable>, String>;

impl StandIns {
    pub(super) fn of(&self, server: &str, method: Method) -> Result<Arc<Usable>, Fault> {
        let place = if method == Method::ReadResource { &self.read } else { &self.list };
        let made = place.get_or_init(|| make(server, method)).clone();
        made.map_err(|problem| Fault::new(Kind::Unavailable, problem))
    }
}

fn make(server: &str, method: Method) -> Made {
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
    decode(&rules, entry).map_err(|bad| bad.reason.to_string())
}

/// All pages of the list, as one result.
pub(super) async fn list(
    connection: &dyn Connection,
    call: ToolCall,
    limits: &CallLimits,
) -> Result<Raw, SendError> {
    let mut paging = Paging::new(RESOURCES, limits.result_bytes);
    let mut resources = Vec::new();
    let mut arguments = Map::new();
    loop {
        let Raw { value: mut page, bytes } =
            connection.call(ToolCall { arguments, ..call.clone() }).await?;
        let (entries, next) = paging.take(&mut page, bytes).map_err(|error| match error {
            PagingError::Bytes { limit, .. } => SendError::TooLarge { limit },
            other => SendError::Odd { detail: other.to_string() },
        })?;
        resources.extend(entries);
        let Some(next) = next else {
            let value = Value::Object(Map::from_iter([(RESOURCES.to_owned(), resources.into())]));
            return Ok(Raw { value, bytes: paging.bytes() });
        };
        arguments = Map::from_iter([("cursor".to_owned(), next.into())]);
    }
}

/// Reads the result.
pub(super) fn read(method: Method, raw: Raw, limits: &CallLimits) -> Result<Answer, Fault> {
    let result = super::result::admit(raw, limits)?;
    super::result::complete(result.get("resultType"))?;
    let member = if method == Method::ReadResource { "contents" } else { RESOURCES };
    let is_list =
        |value: &&Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_object));
    if result.get(member).filter(is_list).is_none() {
        let message = format!("the server's answer has no list `{member}`");
        return Err(Fault::new(Kind::Protocol, message));
    }
    Ok(Answer::new(result, false))
}
