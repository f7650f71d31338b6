//! The list of tools, and the way from it to declarations: names for all, then text for each.
//!
//! What a tool's schemas say depends on the tool alone and is worked out when it comes in. What is
//! printed depends on names as well, which all tools decide together; it is printed again only if
//! one of its names is another.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::declarations::{
    Declarations, Function, Interface, Renaming, Returns, TypeNames, Unavailable,
};
use crate::emit::Style;
use crate::function::{FunctionType, read};
use crate::name::{Named, functions};
use crate::print::Printer;
use crate::reason::Reason;
use crate::shared::{Printed, Shared, SharedType, names_in};
use crate::tool::{Options, Tool};
use crate::ty::DefinitionId;

/// Types that no tool needs any more are kept until there are so many more of them than others.
const UNNEEDED: usize = 64;

/// Tools in their order, each with what was found out about it.
///
/// Collect one from [`Tool`]s, [`declare`](Self::declare) it, and keep it: when a list has changed,
/// [`update`](Self::update) or [`update_server`](Self::update_server) takes the new one, and only
/// what is new in it is worked on.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    options: Options,
    entries: Vec<Entry>,
    shared: Shared,
}

/// A tool, and what was found out about it.
#[derive(Clone, Debug)]
struct Entry {
    tool: Tool,
    read: Result<Readable, Reason>,
}

/// A tool whose schemas have types.
#[derive(Clone, Debug)]
struct Readable {
    types: Arc<FunctionType>,
    /// The named types in `types`.
    names: Vec<DefinitionId>,
    /// The same, and those that they need.
    needed: Vec<DefinitionId>,
    printed: Option<Printed>,
}

/// The named types, printed.
struct Page {
    names: TypeNames,
    types: Vec<(DefinitionId, Arc<SharedType>)>,
    interfaces: Vec<Interface>,
    /// Where in `interfaces` each type is.
    places: HashMap<DefinitionId, usize>,
    printer: Printer,
}

impl Catalogue {
    /// A catalogue without tools. With the default options, collect one from tools instead.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// The tools, in order.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &Tool> {
        self.entries.iter().map(|entry| &entry.tool)
    }

    /// Holds these tools from now on, in this order, and no others. A tool that was there and has
    /// not changed is not read again.
    pub fn update(&mut self, tools: impl IntoIterator<Item = Tool>) {
        let before = std::mem::take(&mut self.entries);
        self.entries = self.read_all(tools, before, &[]);
        self.forget_unneeded();
    }

    /// The same for one server alone, which costs no more than its tools: in place of those that it
    /// had it has these, or after all others if it had none. [`Tool::server`] becomes `server`.
    pub fn update_server(&mut self, server: &str, tools: impl IntoIterator<Item = Tool>) {
        let is_of_server = |entry: &Entry| entry.tool.server == server;
        let place = self.entries.iter().position(is_of_server).unwrap_or(self.entries.len());
        let mut others = Vec::with_capacity(self.entries.len());
        let mut before = Vec::new();
        for entry in std::mem::take(&mut self.entries) {
            if is_of_server(&entry) { before.push(entry) } else { others.push(entry) }
        }
        let tools = tools.into_iter().map(|tool| Tool { server: server.to_owned(), ..tool });
        let entries = self.read_all(tools, before, &[]);
        others.splice(place..place, entries);
        self.entries = others;
        self.forget_unneeded();
    }

    /// Declares all tools. Never fails: a tool that cannot be declared is listed with the reason.
    ///
    /// The same tools give the same declarations, whatever the catalogue held before.
    pub fn declare(&mut self) -> Declarations {
        let page = self.page();
        let names = self.function_names();
        let mut declarations = Declarations::default();
        for (Entry { tool, read }, named) in self.entries.iter_mut().zip(names) {
            let (server, name) = (tool.server.clone(), tool.name.clone());
            let declared = match read {
                Err(reason) => Err(reason.clone()),
                Ok(readable) => {
                    let limit = self.options.declaration_bytes;
                    let function = readable.declare(tool, &named.identifier, &page, limit);
                    function.map(|function| (function, Arc::clone(&readable.types)))
                }
            };
            match declared {
                Err(reason) => {
                    declarations.unavailable.push(Unavailable { server, tool: name, reason });
                }
                Ok((function, types)) => {
                    declarations.push(function, types);
                    declarations.renamed.extend(named.reason.map(|reason| Renaming {
                        server,
                        tool: name,
                        identifier: named.identifier,
                        reason,
                    }));
                }
            }
        }
        let Page { names, types, interfaces, .. } = page;
        declarations.types.names = names;
        declarations.types.shared = types;
        declarations.keep_needed(interfaces);
        declarations
    }

    /// The named types, in the order in which tools need them.
    fn page(&mut self) -> Page {
        let mut places = HashMap::new();
        let mut needed = Vec::new();
        for entry in &self.entries {
            for id in entry.read.iter().flat_map(|readable| &readable.needed) {
                places.entry(*id).or_insert_with(|| {
                    needed.push(*id);
                    needed.len() - 1
                });
            }
        }
        let names = self.shared.names(&needed);
        let printer = Printer::default();
        let mut interfaces = Vec::with_capacity(needed.len());
        for id in &needed {
            let declaration = self.shared.declaration(*id, &names, &printer).to_owned();
            interfaces.push(Interface { name: names.get(*id).to_owned(), declaration });
        }
        let types =
            needed.iter().filter_map(|id| Some((*id, Arc::clone(self.shared.get(*id)?)))).collect();
        Page { names, types, places, interfaces, printer }
    }

    /// Reads tools that come after `earlier` ones; uses what was found out `before`.
    fn read_all(
        &mut self,
        tools: impl IntoIterator<Item = Tool>,
        before: Vec<Entry>,
        earlier: &[Entry],
    ) -> Vec<Entry> {
        let key = |tool: &Tool| (tool.server.clone(), tool.name.clone());
        let is_first = |entry: &Entry| !matches!(entry.read, Err(Reason::Duplicate));
        let mut before: HashMap<(String, String), Entry> =
            before.into_iter().filter(is_first).map(|entry| (key(&entry.tool), entry)).collect();
        let mut seen: HashSet<(String, String)> =
            earlier.iter().map(|entry| key(&entry.tool)).collect();
        let mut entries = Vec::new();
        for tool in tools {
            let key = key(&tool);
            let known = before.remove(&key);
            entries.push(match known {
                _ if !seen.insert(key) => Entry { tool, read: Err(Reason::Duplicate) },
                Some(entry) if entry.tool.is_same(&tool) => entry,
                _ => Entry { read: self.read(&tool), tool },
            });
        }
        entries
    }

    /// Begins anew if most named types are of tools that have gone or changed.
    fn forget_unneeded(&mut self) {
        let readable = self.entries.iter().filter_map(|entry| entry.read.as_ref().ok());
        let needed: HashSet<DefinitionId> =
            readable.flat_map(|readable| readable.needed.iter().copied()).collect();
        if self.shared.len() > 2 * needed.len() + UNNEEDED {
            self.shared = Shared::default();
            let tools = std::mem::take(&mut self.entries).into_iter().map(|entry| entry.tool);
            self.entries = self.read_all(tools, Vec::new(), &[]);
        }
    }

    fn read(&mut self, tool: &Tool) -> Result<Readable, Reason> {
        let (mut types, definitions) = read(tool, &self.options)?;
        let mut roots = vec![&mut types.input];
        roots.extend(types.output.as_mut());
        let needed = self.shared.add(&definitions, &mut roots);
        let mut roots = vec![&types.input];
        roots.extend(types.output.as_ref());
        let names = names_in(&roots);
        Ok(Readable { types: Arc::new(types), names, needed, printed: None })
    }

    /// What each tool's function is called, whether it has one or not.
    fn function_names(&self) -> Vec<Named> {
        let is_first = |entry: &&Entry| !matches!(entry.read, Err(Reason::Duplicate));
        let first: Vec<(&str, &str)> =
            self.entries.iter().filter(is_first).map(|entry| entry.key()).collect();
        let mut names = functions(&first).into_iter();
        let of_entry = |entry: &Entry| match entry.read {
            Err(Reason::Duplicate) => Named::default(),
            _ => names.next().unwrap_or_default(),
        };
        self.entries.iter().map(of_entry).collect()
    }
}

impl FromIterator<Tool> for Catalogue {
    fn from_iter<T: IntoIterator<Item = Tool>>(tools: T) -> Self {
        let mut catalogue = Self::default();
        catalogue.extend(tools);
        catalogue
    }
}

impl Extend<Tool> for Catalogue {
    fn extend<T: IntoIterator<Item = Tool>>(&mut self, tools: T) {
        let mut entries = std::mem::take(&mut self.entries);
        let added = self.read_all(tools, Vec::new(), &entries);
        entries.extend(added);
        self.entries = entries;
    }
}

impl Entry {
    fn key(&self) -> (&str, &str) {
        (&self.tool.server, &self.tool.name)
    }
}

impl Readable {
    /// The function under its name. What was printed last is used if all names are the same.
    fn declare(
        &mut self,
        tool: &Tool,
        identifier: &str,
        page: &Page,
        limit: usize,
    ) -> Result<Function, Reason> {
        let types = &self.types;
        let print = || {
            let own = (tool.server.as_str(), tool.name.as_str());
            page.names.print_function(identifier, own, types, Style::Declaration, &page.printer)
        };
        let declaration =
            Printed::update(&mut self.printed, identifier, &self.names, &page.names, print);
        let mut places: Vec<usize> =
            self.needed.iter().filter_map(|id| page.places.get(id).copied()).collect();
        places.sort_unstable();
        let interfaces = || places.iter().filter_map(|place| page.interfaces.get(*place));
        let with_types: usize = interfaces().map(|ty| ty.declaration.len()).sum();
        let bytes = declaration.len() + with_types;
        if bytes > limit {
            return Err(Reason::DeclarationTooLong { bytes, limit });
        }
        let returns =
            if types.output.is_some() { Returns::Structured } else { Returns::ToolResult };
        Ok(Function {
            identifier: identifier.to_owned(),
            server: tool.server.clone(),
            tool: tool.name.clone(),
            declaration: declaration.to_owned(),
            returns,
            interfaces: interfaces().map(|ty| ty.name.clone()).collect(),
        })
    }
}
