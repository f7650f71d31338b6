//! The catalogue, looked through, in the shape of answers.

use crate::{Sandbox, nearest::nearest, visible::first_line};
use discovery::Query;
use serde_json::{Value, json};
use std::fmt::Write;

const SUMMARY_CHARS: usize = 160;

/// The tools that a query finds: text for the model, and the same with structure.
pub(super) async fn search(
    sandbox: &Sandbox,
    query: &str,
    server: Option<&str>,
    limit: usize,
    with_summary: bool,
) -> (String, Value) {
    let wanted = server.into_iter().fold(Query::new(query), Query::server);
    let found = sandbox.search(&wanted.limit(usize::MAX)).await.hits;
    let mut text = String::new();
    let mut tools = Vec::new();
    for tool in found.iter().take(limit).map(|hit| &hit.tool) {
        let about = tool.description.as_deref().or(tool.title.as_deref());
        let summary = first_line(about.unwrap_or_default(), SUMMARY_CHARS);
        let mut entry = json!({ "name": tool.function, "server": tool.server });
        text.push_str(&tool.function);
        if with_summary && !summary.is_empty() {
            let _ = write!(text, ": {summary}");
            entry["summary"] = summary.into();
        }
        text.push('\n');
        tools.push(entry);
    }
    if found.len() > tools.len() {
        let _ =
            writeln!(text, "[{} more match; ask for a larger `limit`]", found.len() - tools.len());
    }
    if tools.is_empty() {
        let mut servers: Vec<String> =
            sandbox.servers().into_iter().map(|server| server.name).collect();
        servers.sort();
        let _ = writeln!(text, "No tool matches. Try other words. Servers: {}", servers.join(", "));
    }
    (text, json!({ "tools": tools, "found": found.len() }))
}

/// The declarations of tools, by the names of their functions or as `server/tool`.
pub(super) fn details(sandbox: &Sandbox, names: &[String]) -> (String, Value) {
    let declarations = sandbox.declarations();
    let mut wanted = Vec::new();
    let mut unknown = Vec::new();
    for name in names {
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
    (text, json!({ "declarations": only.text(), "unknown": unknown }))
}
