//! What is told of a tool that was found.

use broker::Catalogue;
use discovery::{Hit, Tool};
use serde_json::{Map, Value, json};
use std::{collections::HashSet, fmt::Write, str::FromStr};
use stubgen::Declarations;

/// Characters of a tool's summary.
const SUMMARY_CHARS: usize = 160;

/// How much is told of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Its name and its server's.
    Name,
    /// What it does in one line, and whether it says that it changes nothing.
    #[default]
    Summary,
    /// All that is needed to call it: its declaration with the types that it needs, and its schemas.
    Full,
}

/// The text names no [`Detail`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`detail` is \"name\", \"summary\" or \"full\"")]
pub struct NoDetail;

impl FromStr for Detail {
    type Err = NoDetail;

    fn from_str(text: &str) -> Result<Self, NoDetail> {
        match text {
            "name" => Ok(Self::Name),
            "summary" => Ok(Self::Summary),
            "full" => Ok(Self::Full),
            _ => Err(NoDetail),
        }
    }
}

/// A tool as an object for scripts and programs.
pub(crate) fn object(
    tool: &Tool,
    detail: Detail,
    declarations: &Declarations,
    catalogue: &Catalogue,
) -> Map<String, Value> {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| drop(object.insert(name.to_owned(), value));
    put("name", json!(tool.function));
    put("server", json!(tool.server));
    if detail >= Detail::Summary {
        let summary = summary(tool);
        if !summary.is_empty() {
            put("summary", json!(summary));
        }
        put("readOnly", json!(tool.read_only));
    }
    if detail >= Detail::Full {
        put("declaration", json!(declarations_of(declarations, [tool.function.as_str()])));
        if let Some(schemas) = catalogue.find(&tool.server, &tool.name) {
            put("inputSchema", schemas.input_schema.clone());
            if let Some(output) = &schemas.output_schema {
                put("outputSchema", output.clone());
            }
        }
    }
    object
}

/// What a tool does, in one line. What a server hides in it, or would end the line with, is a space.
pub(crate) fn summary(tool: &Tool) -> String {
    let plain = |char: char| if is_hidden(char) { ' ' } else { char };
    tool.summary(SUMMARY_CHARS).chars().map(plain).collect()
}

fn is_hidden(char: char) -> bool {
    match char {
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{200b}'..='\u{200f}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => char.is_control(),
    }
}

/// The declarations of functions in this order, each after the types that it is the first to need.
pub(crate) fn declarations_of<'a>(
    declarations: &Declarations,
    functions: impl IntoIterator<Item = &'a str>,
) -> String {
    let mut known = HashSet::new();
    let mut text = String::new();
    for function in functions.into_iter().filter_map(|name| declarations.function(name)) {
        for ty in &declarations.interfaces {
            if function.interfaces.contains(&ty.name) && known.insert(ty.name.as_str()) {
                text.push_str(&ty.declaration);
            }
        }
        text.push_str(&function.declaration);
    }
    text
}

/// What a search has found as text for a model: by server, the best first.
pub(crate) fn page(hits: &[Hit], detail: Detail, declarations: &Declarations) -> String {
    if hits.is_empty() {
        return "No tool was found.\n".to_owned();
    }
    let mut text = String::new();
    for group in discovery::by_server(hits) {
        let _ = writeln!(text, "// {}", group.server);
        let tools = group.hits.iter().map(|hit| &hit.tool);
        match detail {
            Detail::Full => {
                let names = tools.map(|tool| tool.function.as_str());
                text.push_str(&declarations_of(declarations, names));
            }
            Detail::Summary => tools.for_each(|tool| {
                let _ = writeln!(text, "{}: {}", tool.function, summary(tool));
            }),
            Detail::Name => tools.for_each(|tool| {
                let _ = writeln!(text, "{}", tool.function);
            }),
        }
    }
    text
}
