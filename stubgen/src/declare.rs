//! From tools to declarations: names for all, then types for each, then text.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::declarations::{
    Declarations, Function, FunctionType, Interface, Renaming, Returns, Unavailable,
};
use crate::emit::Style;
use crate::jsdoc::{Doc, cut};
use crate::lower::{Definition, both, lower};
use crate::name::{Named, functions, pascal};
use crate::print::Printer;
use crate::reason::Reason;
use crate::shared::Shared;
use crate::tool::{Annotations, Options, Tool};
use crate::ty::Type;

/// How much of a tool's own name is shown in the comment of its function, in characters.
const NAME_CHARS: usize = 128;

/// What is told of an input schema in the comment of its function.
const ABOUT_INPUT: [&str; 4] = ["@deprecated", "@properties", "@untyped", "@example"];

/// Declares all tools. Never fails: a tool that cannot be declared is listed with the reason.
pub fn declare(tools: &[Tool], options: &Options) -> Declarations {
    let mut declarations = Declarations::default();
    let distinct = distinct(tools, &mut declarations);
    let pairs: Vec<_> =
        distinct.iter().map(|tool| (tool.server.as_str(), tool.name.as_str())).collect();
    let mut shared = Shared::default();
    let mut typed = Vec::new();
    for (tool, named) in distinct.into_iter().zip(functions(&pairs)) {
        match function_type(tool, &named, options) {
            Ok((mut types, definitions)) => {
                let mut roots = vec![&mut types.input];
                roots.extend(types.output.as_mut());
                shared.add(&definitions, &mut roots);
                typed.push((tool, named, types));
            }
            Err(reason) => declarations.refuse(tool, reason),
        }
    }
    declarations.print(shared, typed, options);
    declarations
}

/// The first tool of each name.
fn distinct<'a>(tools: &'a [Tool], declarations: &mut Declarations) -> Vec<&'a Tool> {
    let mut seen = HashSet::new();
    let mut distinct = Vec::new();
    for tool in tools {
        if seen.insert((tool.server.as_str(), tool.name.as_str())) {
            distinct.push(tool);
        } else {
            declarations.refuse(tool, Reason::Duplicate);
        }
    }
    distinct
}

fn function_type(
    tool: &Tool,
    named: &Named,
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
    let doc = doc(tool, named, output.as_ref(), options);
    Ok((FunctionType { doc, input, optional, output }, definitions))
}

/// The comment of a function.
fn doc(tool: &Tool, named: &Named, output: Option<&Type>, options: &Options) -> Doc {
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
    if named.reason.is_some() {
        let [tool, server] =
            [&tool.name, &tool.server].map(|name| Value::from(cut(name, NAME_CHARS)));
        facts.push(format!("@tool {tool} of server {server}"));
    }
    Doc { prose: cut(&prose, options.description_chars), facts }
}

impl Declarations {
    fn refuse(&mut self, tool: &Tool, reason: Reason) {
        let (server, tool) = (tool.server.clone(), tool.name.clone());
        self.unavailable.push(Unavailable { server, tool, reason });
    }

    fn print(
        &mut self,
        shared: Shared,
        typed: Vec<(&Tool, Named, FunctionType)>,
        options: &Options,
    ) {
        let needed: Vec<Vec<String>> = typed
            .iter()
            .map(|(_, _, types)| {
                let mut roots = vec![&types.input];
                roots.extend(&types.output);
                shared.needed(&roots).into_iter().map(|ty| ty.name.clone()).collect()
            })
            .collect();
        let printer = Printer::default();
        self.types.shared = shared.into_types();
        let printed: Vec<Interface> = self
            .types
            .shared
            .iter()
            .map(|ty| Interface {
                name: ty.name.clone(),
                declaration: self.types.print_shared(ty, Style::Declaration, &printer),
            })
            .collect();
        let sizes: HashMap<&str, usize> = printed
            .iter()
            .map(|interface| (interface.name.as_str(), interface.declaration.len()))
            .collect();
        for ((tool, named, types), interfaces) in typed.into_iter().zip(needed) {
            let declaration =
                self.types.print_function(&named.identifier, &types, Style::Declaration, &printer);
            let with_types: usize =
                interfaces.iter().filter_map(|name| sizes.get(name.as_str())).sum();
            let bytes = declaration.len() + with_types;
            let limit = options.declaration_bytes;
            if bytes > limit {
                self.refuse(tool, Reason::DeclarationTooLong { bytes, limit });
                continue;
            }
            self.admit(tool, named, types, declaration, interfaces);
        }
        self.keep_needed(printed);
    }

    fn admit(
        &mut self,
        tool: &Tool,
        named: Named,
        types: FunctionType,
        declaration: String,
        interfaces: Vec<String>,
    ) {
        let (server, name) = (tool.server.clone(), tool.name.clone());
        let identifier = named.identifier;
        if let Some(reason) = named.reason {
            let (server, tool, identifier) = (server.clone(), name.clone(), identifier.clone());
            self.renamed.push(Renaming { server, tool, identifier, reason });
        }
        let returns =
            if types.output.is_some() { Returns::Structured } else { Returns::ToolResult };
        let function =
            Function { identifier, server, tool: name, declaration, returns, interfaces };
        self.push(function, types);
    }
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
