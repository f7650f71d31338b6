//! The tools of the server. They never change, whatever the servers behind it have: those about servers
//! on demand are there if the configuration has such servers, whether they are enabled or not.

mod finding;
mod running;
mod switching;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use std::sync::Arc;

pub(super) const RUN: &str = "run_code";
pub(super) const WAIT: &str = "wait_run";
pub(super) const CANCEL: &str = "cancel_run";
pub(super) const SEARCH: &str = "search_tools";
pub(super) const DETAILS: &str = "get_tool_details";
pub(super) const CALL: &str = "call_tool";
pub(super) const SERVERS: &str = "search_servers";
pub(super) const ENABLE: &str = "enable_server";
pub(super) const DISABLE: &str = "disable_server";

/// What hosts show a model before anything else.
pub(super) fn instructions(on_demand: bool) -> String {
    let more = if on_demand { ON_DEMAND } else { "" };
    format!("{INSTRUCTIONS}{more}")
}

const INSTRUCTIONS: &str = include_str!("instructions.md");
/// What they show of it where there are servers on demand.
const ON_DEMAND: &str = "
Some servers are off until they are wanted, and their tools are not found. Where no tool fits, `search_servers` finds servers by what they are for, and `enable_server` switches one on; the user may be asked. Then search for its tools. Enable what you need before you begin, and `disable_server` when all is done.
";

/// All tools, in the order in which they are listed.
pub(super) fn all(on_demand: bool) -> Vec<Tool> {
    let mut tools = finding::all();
    tools.extend(running::all());
    if on_demand {
        tools.extend(switching::all());
    }
    tools
}

struct Hints {
    read_only: bool,
    idempotent: bool,
    open_world: bool,
}

fn tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    input: Value,
    output: Value,
    hints: Hints,
) -> Tool {
    let mut tool = Tool::new(name, description, object(input));
    tool.title = Some(title.to_owned());
    tool.output_schema = Some(Arc::new(object(output)));
    tool.annotations = Some(ToolAnnotations::from_raw(
        Some(title.to_owned()),
        Some(hints.read_only),
        Some(!hints.read_only && hints.open_world),
        Some(hints.idempotent),
        Some(hints.open_world),
    ));
    tool
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
