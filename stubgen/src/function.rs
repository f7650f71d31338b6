//! From one tool to the types of its function and what its comment says.

use serde_json::Value;

use crate::jsdoc::{Doc, cut};
use crate::lower::{Definition, both, lower};
use crate::name::pascal;
use crate::reason::Reason;
use crate::tool::{Annotations, Options, Tool};
use crate::ty::Type;

/// How much of a tool's own name is shown in the comment of its function, in characters.
const NAME_CHARS: usize = 128;

/// What is told of an input schema in the comment of its function.
const ABOUT_INPUT: [&str; 4] = ["@deprecated", "@properties", "@untyped", "@example"];

/// The types of one function.
#[derive(Debug)]
pub(crate) struct FunctionType {
    pub(crate) doc: Doc,
    pub(crate) input: Type,
    /// The input may be left out.
    pub(crate) optional: bool,
    /// None for a `ToolResult`.
    pub(crate) output: Option<Type>,
}

/// Reads a tool; the names in its types are those of the definitions beside them.
///
/// # Errors
/// The reason why it cannot be declared.
pub(crate) fn read(
    tool: &Tool,
    options: &Options,
) -> Result<(FunctionType, Vec<Definition>), Reason> {
    let mut definitions = Vec::new();
    let hint = pascal(&tool.name);
    let input = lower(&tool.input_schema, &format!("{hint}Input"), options, &mut definitions)?;
    // Arguments are an object, whatever the schema says.
    let input = both(input, Type::any_object(), &definitions);
    if input == Type::Never {
        return Err(Reason::NoInput);
    }
    let optional = admits_empty(&input, &definitions);
    let output = match &tool.output_schema {
        None => None,
        Some(schema) => Some(lower(schema, &format!("{hint}Output"), options, &mut definitions)?),
    };
    let doc = doc(tool, output.as_ref(), options);
    Ok((FunctionType { doc, input, optional, output }, definitions))
}

/// The comment of a function.
fn doc(tool: &Tool, output: Option<&Type>, options: &Options) -> Doc {
    let said = |text: &Option<String>| {
        text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let of_schema = |schema: &Value| {
        let map = schema.as_object();
        map.map(|map| Doc::of_schema(map, options.description_chars)).unwrap_or_default()
    };
    let input = of_schema(&tool.input_schema);
    let prose = said(&tool.description).or_else(|| said(&tool.title)).unwrap_or(input.prose);
    // Of the arguments as a whole; each of them has its own.
    let tells = |fact: &String| ABOUT_INPUT.iter().any(|tag| fact.starts_with(tag));
    let mut facts: Vec<String> = input.facts.into_iter().filter(tells).collect();
    // A type with a name has its comment there.
    if let Some(schema) = tool.output_schema.as_ref()
        && !matches!(output, Some(Type::Named(_)))
    {
        let result = of_schema(schema).on_one_line();
        if !result.is_empty() {
            facts.push(format!("@returns {result}"));
        }
    }
    if let Some(effects) = effects(tool.annotations) {
        facts.push(effects.to_owned());
    }
    Doc { prose: cut(&prose, options.description_chars), facts }
}

/// What is told of a tool whose function has another name than its own.
pub(crate) fn own_name(server: &str, tool: &str) -> String {
    let is_plain = |name: &str| {
        !name.is_empty()
            && name.len() <= NAME_CHARS
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    if is_plain(server) && is_plain(tool) {
        return format!("@tool {server}/{tool}");
    }
    let [tool, server] = [tool, server].map(|name| Value::from(cut(name, NAME_CHARS)));
    format!("@tool {tool} of server {server}")
}

/// A tool's annotations in a few words.
fn effects(annotations: Annotations) -> Option<&'static str> {
    match (annotations.read_only, annotations.destructive) {
        (Some(true), _) => Some("@readonly"),
        (_, Some(true)) => Some("@destructive"),
        _ => None,
    }
}

/// Whether `{}` is in the type of an input.
fn admits_empty(ty: &Type, definitions: &[Definition]) -> bool {
    match ty {
        Type::Unknown => true,
        Type::Object(object) => object.properties.iter().all(|property| property.optional),
        Type::Union(members) => members.iter().any(|member| admits_empty(member, definitions)),
        Type::Intersection(members) => {
            members.iter().all(|member| admits_empty(member, definitions))
        }
        // A definition never names itself but behind a property, so this ends.
        Type::Named(id) => definitions
            .get(id.0)
            .and_then(|found| found.body.as_ref())
            .is_some_and(|body| admits_empty(body, definitions)),
        _ => false,
    }
}
