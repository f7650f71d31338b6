//! What comes out: a declaration per tool, and what is to be said about the list as a whole.

use std::collections::{HashMap, HashSet};

use crate::emit::{Emit, Signature};
use crate::jsdoc::{Doc, cut};
use crate::lower::{Definition, both, lower};
use crate::name::{Named, RenameReason, functions, pascal};
use crate::reason::Reason;
use crate::shared::Shared;
use crate::tool::{Annotations, Options, Tool};
use crate::ty::{DefinitionId, Type};

/// How much of a tool's own name is shown in the comment of its function, in characters.
const NAME_CHARS: usize = 128;

/// Declarations for a list of tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declarations {
    /// Named types, each once, in the order in which functions first need them.
    pub interfaces: Vec<Interface>,
    /// One function per available tool, in the order of the tools.
    pub functions: Vec<Function>,
    /// Tools whose function is not called `<server>_<tool>`.
    pub renamed: Vec<Renaming>,
    /// Tools without a declaration.
    pub unavailable: Vec<Unavailable>,
    text: String,
}

/// A named type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// Comment and `interface …` or `type …`, with a line end.
    pub declaration: String,
}

/// The function of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Function {
    /// Its name in scripts.
    pub identifier: String,
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// Comment and `declare function …`, with a line end.
    pub declaration: String,
    /// What a call gives.
    pub returns: Returns,
    /// Names of all interfaces that the declaration needs, those of interfaces included.
    pub interfaces: Vec<String>,
}

/// What a call gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Returns {
    /// The structured content, of the type that the tool's output schema has.
    Structured,
    /// A `ToolResult`: the tool has no output schema.
    ToolResult,
}

/// A tool whose function has another name than `<server>_<tool>`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Renaming {
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// The function's name.
    pub identifier: String,
    /// Why.
    pub reason: RenameReason,
}

/// A tool without a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unavailable {
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// Why.
    pub reason: Reason,
}

impl Declarations {
    /// All of it: named types, then functions. The same tools give the same bytes.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The function that scripts call `identifier`.
    pub fn function(&self, identifier: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.identifier == identifier)
    }

    /// What scripts call the tool.
    pub fn identifier(&self, server: &str, tool: &str) -> Option<&str> {
        let found = self
            .functions
            .iter()
            .find(|function| function.server == server && function.tool == tool)?;
        Some(&found.identifier)
    }
}

/// Declares all tools. Never fails: a tool that cannot be declared is listed with the reason.
pub fn declare(tools: &[Tool], options: &Options) -> Declarations {
    let mut declarations = Declarations::default();
    let mut seen = HashSet::new();
    let mut distinct = Vec::new();
    for tool in tools {
        if seen.insert((tool.server.as_str(), tool.name.as_str())) {
            distinct.push(tool);
        } else {
            declarations.refuse(tool, Reason::Duplicate);
        }
    }
    let pairs: Vec<_> =
        distinct.iter().map(|tool| (tool.server.as_str(), tool.name.as_str())).collect();
    let mut shared = Shared::default();
    let mut typed = Vec::new();
    for (tool, named) in distinct.into_iter().zip(functions(&pairs)) {
        match TypedTool::lower(tool, named, options) {
            Ok((mut lowered, definitions)) => {
                let mut roots = vec![&mut lowered.input];
                roots.extend(lowered.output.as_mut());
                shared.add(&definitions, &mut roots);
                typed.push(lowered);
            }
            Err(reason) => declarations.refuse(tool, reason),
        }
    }
    declarations.print(&shared, &typed, options);
    declarations
}

/// A tool between lowering and printing.
struct TypedTool<'a> {
    tool: &'a Tool,
    named: Named,
    input: Type,
    optional: bool,
    output: Option<Type>,
}

impl<'a> TypedTool<'a> {
    fn lower(
        tool: &'a Tool,
        named: Named,
        options: &Options,
    ) -> Result<(Self, Vec<Definition>), Reason> {
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
            Some(schema) => {
                Some(lower(schema, &format!("{hint}Output"), options, &mut definitions)?)
            }
        };
        Ok((Self { tool, named, input, optional, output }, definitions))
    }

    fn doc(&self, options: &Options) -> Doc {
        let said = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let prose = said(&self.tool.description).or_else(|| said(&self.tool.title));
        let mut facts = Vec::new();
        if let Some(effects) = effects(self.tool.annotations) {
            facts.push(effects.to_owned());
        }
        if self.named.reason.is_some() {
            let [tool, server] = [&self.tool.name, &self.tool.server]
                .map(|name| serde_json::Value::from(cut(name, NAME_CHARS)));
            facts.push(format!("@tool {tool} of server {server}"));
        }
        Doc { prose: cut(&prose.unwrap_or_default(), options.description_chars), facts }
    }
}

impl Declarations {
    fn refuse(&mut self, tool: &Tool, reason: Reason) {
        let (server, tool) = (tool.server.clone(), tool.name.clone());
        self.unavailable.push(Unavailable { server, tool, reason });
    }

    fn print(&mut self, shared: &Shared, typed: &[TypedTool<'_>], options: &Options) {
        let names =
            |id: DefinitionId| shared.get(id).map_or("unknown", |found| found.name.as_str());
        let printed: Vec<Interface> = shared
            .iter()
            .map(|ty| Interface {
                name: ty.name.clone(),
                declaration: Emit::new(&names).definition(&ty.name, &ty.body, &ty.doc),
            })
            .collect();
        let sizes: HashMap<&str, usize> = printed
            .iter()
            .map(|interface| (interface.name.as_str(), interface.declaration.len()))
            .collect();
        let mut needed_by_any = HashSet::new();
        for lowered in typed {
            let TypedTool { tool, named, input, optional, output } = lowered;
            let signature = Signature {
                identifier: &named.identifier,
                input,
                optional: *optional,
                output: output.as_ref(),
            };
            let declaration = Emit::new(&names).function(&signature, &lowered.doc(options));
            let mut types = vec![input];
            types.extend(output);
            let interfaces: Vec<String> =
                shared.needed(&types).into_iter().map(|ty| ty.name.clone()).collect();
            let with_types: usize =
                interfaces.iter().filter_map(|name| sizes.get(name.as_str())).sum();
            let bytes = declaration.len() + with_types;
            let limit = options.declaration_bytes;
            if bytes > limit {
                self.refuse(tool, Reason::DeclarationTooLong { bytes, limit });
                continue;
            }
            if let Some(reason) = named.reason {
                self.renamed.push(Renaming {
                    server: tool.server.clone(),
                    tool: tool.name.clone(),
                    identifier: named.identifier.clone(),
                    reason,
                });
            }
            needed_by_any.extend(interfaces.iter().cloned());
            self.functions.push(Function {
                identifier: named.identifier.clone(),
                server: tool.server.clone(),
                tool: tool.name.clone(),
                declaration,
                returns: if output.is_some() { Returns::Structured } else { Returns::ToolResult },
                interfaces,
            });
        }
        self.interfaces =
            printed.into_iter().filter(|ty| needed_by_any.contains(&ty.name)).collect();
        self.text = self
            .interfaces
            .iter()
            .map(|interface| interface.declaration.as_str())
            .chain(self.functions.iter().map(|function| function.declaration.as_str()))
            .collect();
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
