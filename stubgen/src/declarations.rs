//! What comes out: a declaration per tool, and what is to be said about the list as a whole.

use std::collections::{HashMap, HashSet};

use crate::emit::{Emit, Signature, Style};
use crate::jsdoc::Doc;
use crate::name::RenameReason;
use crate::print::Printer;
use crate::reason::Reason;
use crate::shared::SharedType;
use crate::ty::{DefinitionId, Type};

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
    pub(crate) text: String,
    pub(crate) types: Types,
    places: Places,
}

/// Where in `functions` each one is, by its identifier and by its tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Places {
    by_identifier: HashMap<String, usize>,
    by_tool: HashMap<String, HashMap<String, usize>>,
}

impl Places {
    fn add(&mut self, function: &Function, place: usize) {
        self.by_identifier.insert(function.identifier.clone(), place);
        let of_server = self.by_tool.entry(function.server.clone()).or_default();
        of_server.insert(function.tool.clone(), place);
    }
}

/// The types behind the declarations, from which other forms of them are printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Types {
    /// As `interfaces`, and those that only unavailable tools need.
    pub(crate) shared: Vec<SharedType>,
    /// As `functions`.
    pub(crate) functions: Vec<FunctionType>,
}

/// The types of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FunctionType {
    pub(crate) doc: Doc,
    pub(crate) input: Type,
    /// The input may be left out.
    pub(crate) optional: bool,
    /// None for a `ToolResult`.
    pub(crate) output: Option<Type>,
}

impl Types {
    /// Prints a named type.
    pub(crate) fn print_shared(&self, ty: &SharedType, style: Style, printer: &Printer) -> String {
        let names = |id: DefinitionId| self.name(id);
        Emit::new(&names, style, printer).definition(&ty.name, &ty.body, &ty.doc)
    }

    /// Prints a function.
    pub(crate) fn print_function(
        &self,
        identifier: &str,
        function: &FunctionType,
        style: Style,
        printer: &Printer,
    ) -> String {
        let names = |id: DefinitionId| self.name(id);
        let signature = Signature {
            identifier,
            input: &function.input,
            optional: function.optional,
            output: function.output.as_ref(),
        };
        Emit::new(&names, style, printer).function(&signature, &function.doc)
    }

    fn name(&self, id: DefinitionId) -> &str {
        self.shared.get(id.0).map_or("unknown", |found| found.name.as_str())
    }
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
        let place = *self.places.by_identifier.get(identifier)?;
        // The list is public: its owner may have changed it.
        self.functions.get(place).filter(|function| function.identifier == identifier)
    }

    /// What scripts call the tool.
    pub fn identifier(&self, server: &str, tool: &str) -> Option<&str> {
        let place = *self.places.by_tool.get(server)?.get(tool)?;
        let function = self.functions.get(place)?;
        (function.server == server && function.tool == tool).then_some(&function.identifier)
    }

    /// The same without the tools that are not wanted, asked by server and tool. Names stay as
    /// they are, whatever is left out.
    pub fn only(&self, is_wanted: impl Fn(&str, &str) -> bool) -> Self {
        let renamed = self.renamed.iter().filter(|tool| is_wanted(&tool.server, &tool.tool));
        let bad = self.unavailable.iter().filter(|tool| is_wanted(&tool.server, &tool.tool));
        let mut only = Self {
            renamed: renamed.cloned().collect(),
            unavailable: bad.cloned().collect(),
            types: Types { shared: self.types.shared.clone(), functions: Vec::new() },
            ..Self::default()
        };
        for (function, types) in self.functions.iter().zip(&self.types.functions) {
            if is_wanted(&function.server, &function.tool) {
                only.push(function.clone(), types.clone());
            }
        }
        only.keep_needed(self.interfaces.clone());
        only
    }

    /// Adds the function of a tool.
    pub(crate) fn push(&mut self, function: Function, types: FunctionType) {
        self.places.add(&function, self.functions.len());
        self.functions.push(function);
        self.types.functions.push(types);
    }

    /// Takes those of `interfaces` that the functions need; after this the text is complete.
    pub(crate) fn keep_needed(&mut self, mut interfaces: Vec<Interface>) {
        let needed: HashSet<&String> =
            self.functions.iter().flat_map(|function| &function.interfaces).collect();
        interfaces.retain(|interface| needed.contains(&interface.name));
        self.interfaces = interfaces;
        let types = self.interfaces.iter().map(|interface| interface.declaration.as_str());
        let functions = self.functions.iter().map(|function| function.declaration.as_str());
        self.text = types.chain(functions).collect();
    }

    /// The same functions as a TypeScript module with bodies, for hosts with a runtime of their
    /// own: each calls `mcp.callTool` with its own identifier. It needs [`GLOBALS`](crate::GLOBALS).
    pub fn stubs(&self) -> String {
        let printer = Printer::default();
        let mut text = String::new();
        let needed: HashSet<&str> =
            self.interfaces.iter().map(|interface| interface.name.as_str()).collect();
        for ty in &self.types.shared {
            if needed.contains(ty.name.as_str()) {
                text.push_str(&self.types.print_shared(ty, Style::Stub, &printer));
            }
        }
        for (function, types) in self.functions.iter().zip(&self.types.functions) {
            text.push_str(&self.types.print_function(
                &function.identifier,
                types,
                Style::Stub,
                &printer,
            ));
        }
        text
    }
}
