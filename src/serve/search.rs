//! The catalogue, looked through: what the tools about tools answer.

use super::{
    Shared, answer,
    arguments::{Answer, DetailArguments, No, SearchArguments, read},
};
use crate::{
    Sandbox,
    detail::{self, Detail, NoDetail},
    nearest::nearest,
};
use broker::{ConnectError, ServerState, ServerStatus};
use discovery::{Hit, Query};
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::fmt::Write;

/// How many names are looked up at once.
const NAMES: usize = 50;
const FOUND: usize = 10;
pub(super) const LISTED: usize = 100;
pub(super) const FOUND_MAX: usize = 200;

/// The tools that a query finds.
pub(super) async fn search(shared: &Shared, arguments: JsonObject) -> Answer {
    let SearchArguments { query, server, detail, limit } = read(arguments)?;
    let sandbox = &shared.sandbox;
    let detail = detail.as_deref().map_or(Ok(Detail::default()), str::parse);
    let detail = detail.map_err(|error: NoDetail| No::new(error.to_string()))?;
    if let Some(server) = &server {
        let reached = sandbox.reach(server).await;
        let reached = reached.ok_or_else(|| no_server(sandbox, server))?;
        reached.map_err(|error| not_there(server, &error))?;
    }
    let usual = if query.trim().is_empty() { LISTED } else { FOUND };
    let limit = limit.unwrap_or(usual).clamp(1, FOUND_MAX);
    let query = server.into_iter().fold(Query::new(query), Query::server);
    let found = sandbox.search(&query.limit(usize::MAX)).await.hits;
    let (text, structure) = page(sandbox, &found, limit, detail, shared.options.budget);
    Ok(answer::structured(text, structure).into())
}

/// Tools that were found: text for the model, and the same with structure. No more than `budget` bytes
/// of structure are told in full; what is beyond that has one line.
fn page(
    sandbox: &Sandbox,
    found: &[Hit],
    limit: usize,
    detail: Detail,
    budget: usize,
) -> (String, Value) {
    let (declarations, catalogue) = (sandbox.declarations(), sandbox.catalogue());
    let object = |hit: &Hit, detail| detail::object(&hit.tool, detail, &declarations, &catalogue);
    let (mut text, mut tools, mut left) = (String::new(), Vec::new(), budget);
    let (mut in_full, mut cut) = (Vec::new(), 0);
    for hit in found.iter().take(limit) {
        let mut entry = object(hit, detail);
        if detail == Detail::Full {
            let bytes = Value::Object(entry.clone()).to_string().len();
            if bytes <= left {
                left -= bytes;
                in_full.push(hit.tool.function.as_str());
                tools.push(Value::Object(entry));
                continue;
            }
            cut += 1;
            entry = object(hit, Detail::Summary);
        }
        text += &hit.tool.function;
        if let Some(summary) = entry.get("summary").and_then(Value::as_str) {
            let _ = write!(text, ": {summary}");
        }
        text.push('\n');
        tools.push(Value::Object(entry));
    }
    text.insert_str(0, &detail::declarations_of(&declarations, in_full));
    if cut > 0 {
        let _ = writeln!(text, "[{cut} not in full, which would be too long; get_tool_details]");
    }
    if found.len() > tools.len() {
        let _ =
            writeln!(text, "[{} more match; ask for a larger `limit`]", found.len() - tools.len());
    }
    if tools.is_empty() {
        let mut servers: Vec<String> = sandbox.servers().iter().map(named).collect();
        servers.sort();
        let _ = writeln!(text, "No tool matches. Try other words. Servers: {}", servers.join(", "));
    }
    (text, json!({ "tools": tools, "found": found.len() }))
}

fn named(server: &ServerStatus) -> String {
    match server.state {
        ServerState::Off => format!("{} (off)", server.name),
        _ => server.name.clone(),
    }
}

/// There is no such server.
fn no_server(sandbox: &Sandbox, server: &str) -> No {
    let servers = sandbox.servers();
    let near = nearest(server, servers.iter().map(|known| known.name.as_str()));
    let hint = near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    No::new(format!("there is no server `{server}`{hint}"))
}

/// The server cannot be searched.
fn not_there(server: &str, error: &ConnectError) -> No {
    let hint = if *error == ConnectError::Off { " (enable_server)" } else { "" };
    No::new(format!("the server `{server}` is not available: {error}{hint}"))
}

/// The declarations of tools, by the names of their functions or as `server/tool`.
pub(super) fn details(shared: &Shared, arguments: JsonObject) -> Answer {
    let DetailArguments { names } = read(arguments)?;
    if names.len() > NAMES {
        return Err(No::new(format!("`names` may have {NAMES} names")));
    }
    let declarations = shared.sandbox.declarations();
    let mut wanted = Vec::new();
    let mut unknown = Vec::new();
    for name in &names {
        let known = declarations.function(name).map(|it| (it.server.clone(), it.tool.clone()));
        let path = name.split_once('/').filter(|(s, t)| declarations.identifier(s, t).is_some());
        let path = path.map(|(server, tool)| (server.to_owned(), tool.to_owned()));
        match known.or(path) {
            Some(tool) => wanted.push(tool),
            None => {
                let all = declarations.functions.iter().map(|it| it.identifier.as_str());
                let mut entry = json!({ "name": name });
                if let Some(near) = nearest(name, all) {
                    entry["nearest"] = near.into();
                }
                unknown.push(entry);
            }
        }
    }
    let is_wanted = |server: &str, tool: &str| {
        wanted.iter().any(|(s, t)| (s.as_str(), t.as_str()) == (server, tool))
    };
    let only = declarations.only(is_wanted);
    let mut text = only.text().to_owned();
    for entry in &unknown {
        let _ = write!(text, "// There is no tool {}", entry["name"]);
        if let Some(near) = entry["nearest"].as_str() {
            let _ = write!(text, "; did you mean {near}?");
        }
        text.push('\n');
    }
    let structure = json!({ "declarations": only.text(), "unknown": unknown });
    Ok(answer::structured(text, structure).into())
}
