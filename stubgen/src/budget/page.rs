//! The text in the making: what each tool costs, and whether there is room.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use super::{BYTES_PER_TOKEN, Budgeted, Detail, Shown};
use crate::declarations::{Declarations, Function};
use crate::emit::Style;
use crate::jsdoc::harmless;
use crate::print::Printer;
use crate::shared::SharedType;

/// No declaration is shorter than this and its identifier.
const LEAST: usize = "declare function (): Promise<>;".len();

/// The text in the making.
pub(super) struct Page<'a> {
    declarations: &'a Declarations,
    /// Bytes that may be used.
    limit: usize,
    /// Bytes that the functions and types use which are shown so far.
    used: usize,
    details: Vec<Detail>,
    /// Printed when there may be room for them.
    signatures: Vec<OnceCell<String>>,
    types: HashMap<&'a str, TypeText<'a>>,
    listed: BTreeMap<&'a str, Listed>,
    /// Bytes of all lines for `listed`.
    listed_bytes: usize,
    printer: Printer,
}

/// The tools of a server that are still only listed.
#[derive(Clone, Copy, Default)]
struct Listed {
    count: usize,
    /// Bytes of their names, if these are listed.
    names: usize,
}

/// A named type in the making.
struct TypeText<'a> {
    name: &'a str,
    ty: &'a SharedType,
    /// Without comments.
    signature: OnceCell<String>,
    full_bytes: usize,
    /// How it is shown; [`Detail::Counted`] while nothing needs it.
    shown: Detail,
}

impl<'a> Page<'a> {
    pub(super) fn new(declarations: &'a Declarations, limit: usize) -> Self {
        let all = &declarations.types;
        let full: HashMap<&str, usize> = declarations
            .interfaces
            .iter()
            .map(|ty| (ty.name.as_str(), ty.declaration.len()))
            .collect();
        let types = all
            .shared
            .iter()
            .filter_map(|(id, ty)| {
                let name = all.names.get(*id);
                let full_bytes = *full.get(name)?;
                let (signature, shown) = (OnceCell::new(), Detail::Counted);
                Some((name, TypeText { name, ty, signature, full_bytes, shown }))
            })
            .collect();
        let mut listed: BTreeMap<&str, Listed> = BTreeMap::new();
        for function in &declarations.functions {
            let listed = listed.entry(&function.server).or_default();
            listed.count += 1;
            listed.names += name_bytes(function);
        }
        let mut page = Self {
            declarations,
            limit,
            used: 0,
            details: vec![Detail::Name; declarations.functions.len()],
            signatures: vec![OnceCell::new(); declarations.functions.len()],
            types,
            listed,
            listed_bytes: 0,
            printer: Printer::default(),
        };
        page.measure_lists();
        if page.listed_bytes > limit {
            page.details.fill(Detail::Counted);
            page.listed.values_mut().for_each(|listed| listed.names = 0);
            page.measure_lists();
        }
        page
    }

    fn measure_lists(&mut self) {
        self.listed_bytes =
            self.listed.iter().map(|(server, listed)| listed.line_bytes(server)).sum();
    }

    /// Shows a tool in more detail, if there is room; whether there was.
    pub(super) fn raise(&mut self, at: usize, detail: Detail) -> bool {
        let declarations = self.declarations;
        let Some(function) = declarations.functions.get(at) else { return false };
        let before = self.listed.get(function.server.as_str()).copied().unwrap_or_default();
        let after = Listed {
            count: before.count.saturating_sub(1),
            names: match self.details.get(at) {
                Some(Detail::Name) => before.names.saturating_sub(name_bytes(function)),
                _ => before.names,
            },
        };
        let lists = self.listed_bytes - before.line_bytes(&function.server)
            + after.line_bytes(&function.server);
        let room = self.limit.saturating_sub(self.used + lists);
        // Nothing is printed for which there is no room anyway.
        if function.identifier.len() + LEAST > room {
            return false;
        }
        let text = match detail {
            Detail::Full => function.declaration.len(),
            _ => self.signature(at).len(),
        };
        let more: usize = function.interfaces.iter().map(|name| self.type_cost(name, detail)).sum();
        if text + more > room {
            return false;
        }
        self.used += text + more;
        self.listed_bytes = lists;
        self.listed.insert(&function.server, after);
        for name in &function.interfaces {
            if let Some(ty) = self.types.get_mut(name.as_str()) {
                ty.shown = detail.max(ty.shown);
            }
        }
        if let Some(slot) = self.details.get_mut(at) {
            *slot = detail;
        }
        true
    }

    /// The declaration of a function without comments.
    fn signature(&self, at: usize) -> &str {
        let all = &self.declarations.types;
        let (Some(slot), Some(function), Some(ty)) =
            (self.signatures.get(at), self.declarations.functions.get(at), all.functions.get(at))
        else {
            return "";
        };
        slot.get_or_init(|| function.print(&all.names, ty, Style::Signature, &self.printer))
    }

    /// The declaration of a named type without comments.
    fn type_signature<'b>(&self, text: &'b TypeText<'_>) -> &'b str {
        let names = &self.declarations.types.names;
        let print = || names.print_type(text.name, text.ty, Style::Signature, &self.printer);
        text.signature.get_or_init(print)
    }

    /// The bytes that a named type costs if it is to be shown in `detail`.
    fn type_cost(&self, name: &str, detail: Detail) -> usize {
        let Some(ty) = self.types.get(name) else { return 0 };
        match (ty.shown, detail) {
            (Detail::Full, _) | (Detail::Signature, Detail::Signature) => 0,
            (Detail::Signature, _) => ty.full_bytes.saturating_sub(self.type_signature(ty).len()),
            (_, Detail::Full) => ty.full_bytes,
            _ => self.type_signature(ty).len(),
        }
    }

    pub(super) fn finish(self) -> Budgeted {
        let mut text = String::new();
        for interface in &self.declarations.interfaces {
            let Some(ty) = self.types.get(interface.name.as_str()) else { continue };
            match ty.shown {
                Detail::Full => text.push_str(&interface.declaration),
                Detail::Signature => text.push_str(self.type_signature(ty)),
                _ => {}
            }
        }
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let functions = self.declarations.functions.iter();
        for (at, (function, detail)) in functions.clone().zip(&self.details).enumerate() {
            match detail {
                Detail::Full => text.push_str(&function.declaration),
                Detail::Signature => text.push_str(self.signature(at)),
                Detail::Name => {
                    names.entry(&function.server).or_default().push(&function.identifier);
                }
                Detail::Counted => {}
            }
        }
        for (server, Listed { count, .. }) in self.listed.iter().filter(|(_, l)| l.count > 0) {
            let listed = names.get(server).map(|names| names.join(", ")).unwrap_or_default();
            text.push_str(&heading(server, *count, !listed.is_empty()));
            text.push_str(&listed);
            text.push('\n');
        }
        let shown = functions
            .zip(&self.details)
            .map(|(function, detail)| {
                let types = function.interfaces.iter();
                let types: usize = types
                    .filter_map(|name| self.types.get(name.as_str()))
                    .map(|ty| ty.full_bytes)
                    .sum();
                Shown {
                    identifier: function.identifier.clone(),
                    detail: *detail,
                    full_tokens: (function.declaration.len() + types).div_ceil(BYTES_PER_TOKEN),
                }
            })
            .collect();
        Budgeted { tokens: text.len().div_ceil(BYTES_PER_TOKEN), text, shown }
    }
}

impl Listed {
    /// Bytes of the line for these tools; a little more than it will have, for the last comma.
    fn line_bytes(self, server: &str) -> usize {
        match self.count {
            0 => 0,
            count => heading(server, count, self.names > 0).len() + self.names + "\n".len(),
        }
    }
}

/// Bytes of a tool in the list of names.
fn name_bytes(function: &Function) -> usize {
    function.identifier.len() + ", ".len()
}

/// The beginning of the line for a server's other tools: a comment of its own.
fn heading(server: &str, count: usize, listed: bool) -> String {
    let tools = if count == 1 { "tool" } else { "tools" };
    let server = harmless(server).replace('\n', " ");
    format!("// {server}: {count} more {tools}{}", if listed { ": " } else { "" })
}
