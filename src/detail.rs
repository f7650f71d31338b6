//! What is told of a tool that was found.

use broker::Catalogue;
use discovery::Tool;
use serde_json::{Map, Value, json};
use std::str::FromStr;
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
        put("summary", json!(summary(tool)));
        put("readOnly", json!(tool.read_only));
    }
    if detail >= Detail::Full {
        put("declaration", json!(declaration(declarations, &tool.function)));
        if let Some(schemas) = catalogue.find(&tool.server, &tool.name) {
            put("inputSchema", schemas.input_schema.clone());
            if let Some(output) = &schemas.output_schema {
                put("outputSchema", output.clone());
            }
        }
    }
    object
}

/// What a tool does, in one line.
pub(crate) fn summary(tool: &Tool) -> String {
    let summary = tool.summary(SUMMARY_CHARS);
    // One line stays one line, whatever a server writes.
    summary.chars().map(|char| if char.is_control() { ' ' } else { char }).collect()
}

/// A function's declaration, after those of the types that it needs.
pub(crate) fn declaration(declarations: &Declarations, function: &str) -> String {
    let Some(function) = declarations.function(function) else { return String::new() };
    let needed = |name: &String| function.interfaces.contains(name);
    let types = declarations.interfaces.iter().filter(|ty| needed(&ty.name));
    let types = types.map(|ty| ty.declaration.as_str());
    types.chain([function.declaration.as_str()]).collect()
}
