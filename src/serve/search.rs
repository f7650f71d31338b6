//! The catalogue, looked through.
//!
//! [`rank`] is the whole of what decides which tools a query finds; everything else here is the shape
//! of the answer.

use crate::{Sandbox, nearest::nearest, visible::first_line};
use serde_json::{Value, json};
use std::fmt::Write;

const SUMMARY_CHARS: usize = 160;

/// A tool that can be found.
struct Candidate<'a> {
    function: &'a str,
    tool: &'a broker::Tool,
}

/// The places of the candidates that match, best first.
fn rank(query: &str, candidates: &[Candidate<'_>]) -> Vec<usize> {
    let words: Vec<String> = words(query);
    let score = |candidate: &Candidate<'_>| -> usize {
        let names = words_of(&[candidate.function, &candidate.tool.name]);
        let title = candidate.tool.title.as_deref().unwrap_or_default();
        let texts = words_of(&[title, candidate.tool.description.as_deref().unwrap_or_default()]);
        let properties = candidate.tool.input_schema.get("properties").and_then(Value::as_object);
        let parameters: Vec<String> = properties
            .into_iter()
            .flat_map(|map| map.keys())
            .flat_map(|name| self::words(name))
            .collect();
        let has = |among: &[String], word: &String| {
            among
                .iter()
                .any(|other| other == word || (word.len() > 3 && other.starts_with(word.as_str())))
        };
        words
            .iter()
            .map(|word| {
                8 * usize::from(has(&names, word))
                    + 3 * usize::from(has(&texts, word))
                    + 2 * usize::from(has(&parameters, word))
            })
            .sum()
    };
    let mut found: Vec<(usize, usize)> =
        candidates.iter().map(score).enumerate().map(|(place, score)| (score, place)).collect();
    if !words.is_empty() {
        found.retain(|(score, _)| *score > 0);
    }
    found.sort_by(|(a, one), (b, other)| b.cmp(a).then(one.cmp(other)));
    found.into_iter().map(|(_, place)| place).collect()
}

fn words_of(texts: &[&str]) -> Vec<String> {
    texts.iter().flat_map(|text| words(text)).collect()
}

/// `readFile_by-name` are four words.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for char in text.chars() {
        if !char.is_alphanumeric() || (was_lower && char.is_uppercase()) {
            words.push(String::new());
        }
        was_lower = char.is_lowercase();
        if char.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(char.to_lowercase());
        }
    }
    words.retain(|word| {
        word.len() > 1 && !matches!(word.as_str(), "the" | "of" | "to" | "for" | "in" | "an")
    });
    words
}

/// The tools that a query finds: text for the model, and the same with structure.
pub(super) fn search(
    sandbox: &Sandbox,
    query: &str,
    server: Option<&str>,
    limit: usize,
    with_summary: bool,
) -> (String, Value) {
    let (catalogue, declarations) = (sandbox.catalogue(), sandbox.declarations());
    let candidates: Vec<Candidate<'_>> = catalogue
        .tools()
        .filter(|tool| server.is_none_or(|server| tool.server == server))
        .filter_map(|tool| {
            let function = declarations.identifier(&tool.server, &tool.name)?;
            Some(Candidate { function, tool })
        })
        .collect();
    let found = rank(query, &candidates);
    let mut text = String::new();
    let mut tools = Vec::new();
    for candidate in found.iter().take(limit).filter_map(|place| candidates.get(*place)) {
        let about = candidate.tool.description.as_deref().or(candidate.tool.title.as_deref());
        let summary = first_line(about.unwrap_or_default(), SUMMARY_CHARS);
        let mut entry = json!({ "name": candidate.function, "server": candidate.tool.server });
        let _ = write!(text, "{}", candidate.function);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(
            words("readFile_by-Name.of the HTTPServer"),
            ["read", "file", "by", "name", "httpserver"]
        );
        assert_eq!(words(""), Vec::<String>::new());
    }
}
