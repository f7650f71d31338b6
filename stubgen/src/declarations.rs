//! What comes out: a declaration per tool, and what is to be said about the list as a whole.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::emit::{Emit, Signature, Style};
use crate::function::{FunctionType, own_name};
use crate::name::RenameReason;
use crate::print::Printer;
use crate::reason::Reason;
use crate::shared::SharedType;
use crate::ty::DefinitionId;

/// Declarations for a list of tools. Two are equal if they say the same.
#[derive(Clone, Debug, Default)]
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
#[derive(Clone, Debug, Default)]
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
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    /// As `interfaces`, and those that only unavailable tools need.
    pub(crate) shared: Vec<(DefinitionId, Arc<SharedType>)>,
    pub(crate) names: TypeNames,
    /// As `functions`.
    pub(crate) functions: Vec<Arc<FunctionType>>,
}

/// What the named types are called.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypeNames(HashMap<DefinitionId, String>);

impl FromIterator<(DefinitionId, String)> for TypeNames {
    fn from_iter<T: IntoIterator<Item = (DefinitionId, String)>>(names: T) -> Self {
        Self(names.into_iter().collect())
    }
}

impl TypeNames {
    pub(crate) fn get(&self, id: DefinitionId) -> &str {
        self.0.get(&id).map_or("unknown", String::as_str)
    }

    /// Prints a named type.
    pub(crate) fn print_type(
        &self,
        name: &str,
        ty: &SharedType,
        style: Style,
        printer: &Printer,
    ) -> String {
        let names = |id: DefinitionId| self.get(id);
        Emit::new(&names, style, printer).definition(name, &ty.body, &ty.doc)
    }

    /// Prints the function of a tool, which is told by its server's name and its own.
    pub(crate) fn print_function(
        &self,
        identifier: &str,
        (server, tool): (&str, &str),
        function: &FunctionType,
        style: Style,
        printer: &Printer,
    ) -> String {
        let names = |id: DefinitionId| self.get(id);
        let signature = Signature {
            identifier,
            input: &function.input,
            optional: function.optional,
            output: function.output.as_ref(),
        };
        let emit = Emit::new(&names, style, printer);
        if *identifier == format!("{server}_{tool}") {
            return emit.function(&signature, &function.doc);
        }
        let mut doc = function.doc.clone();
        doc.facts.push(own_name(server, tool));
        emit.function(&signature, &doc)
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

impl PartialEq for Declarations {
    fn eq(&self, other: &Self) -> bool {
        // All that is not public was printed of these, or says where they are.
        self.interfaces == other.interfaces
            && self.functions == other.functions
            && self.renamed == other.renamed
            && self.unavailable == other.unavailable
    }
}

impl Eq for Declarations {}

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
            types: Types { functions: Vec::new(), ..self.types.clone() },
            ..Self::default()
        };
        for (function, types) in self.functions.iter().zip(&self.types.functions) {
            if is_wanted(&function.server, &function.tool) {
                only.push(function.clone(), Arc::clone(types));
            }
        }
        only.keep_needed(self.interfaces.clone());
        only
    }

    /// Adds the function of a tool.
    pub(crate) fn push(&mut self, function: Function, types: Arc<FunctionType>) {
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
        let (printer, style) = (Printer::default(), Style::Stub);
        let Types { shared, names, functions } = &self.types;
        let mut text = String::new();
        let needed: HashSet<&str> =
            self.interfaces.iter().map(|interface| interface.name.as_str()).collect();
        for (id, ty) in shared {
            let name = names.get(*id);
            if needed.contains(name) {
                text.push_str(&names.print_type(name, ty, style, &printer));
            }
        }
        for (function, ty) in self.functions.iter().zip(functions) {
            text.push_str(&function.print(names, ty, style, &printer));
        }
        text
    }
}

impl Function {
    /// Prints another form of it.
    pub(crate) fn print(
        &self,
        names: &TypeNames,
        ty: &FunctionType,
        style: Style,
        printer: &Printer,
    ) -> String {
        names.print_function(&self.identifier, (&self.server, &self.tool), ty, style, printer)
    }
}
