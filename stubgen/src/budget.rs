//! What a model is shown of many tools within so many tokens.
//!
//! Every tool starts as a name in a list. Tools that were asked for are then shown in full, as
//! long as there is room, then the others by their signatures. The order of the tools decides, so
//! the same question gives the same bytes.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::declarations::Declarations;
use crate::emit::Style;
use crate::jsdoc::harmless;
use crate::print::Printer;

/// Bytes of text that count as one token. An estimate: the real number depends on the model.
const BYTES_PER_TOKEN: usize = 4;

/// Declarations that keep to a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budgeted {
    /// What the model is shown: named types, functions, then names grouped by server.
    pub text: String,
    /// The size of `text` in tokens, at 4 bytes for one. Above the budget only if the budget has
    /// no room for one line per server.
    pub tokens: usize,
    /// How each tool is shown, in the order of the tools.
    pub shown: Vec<Shown>,
}

/// How one tool is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shown {
    /// The function's name in scripts.
    pub identifier: String,
    /// How much of it is shown.
    pub detail: Detail,
    /// What the full declaration costs in tokens, with the types that it needs.
    pub full_tokens: usize,
}

/// How much of a tool is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detail {
    /// It is counted among its server's tools.
    Counted,
    /// Its name.
    Name,
    /// Its signature without comments.
    Signature,
    /// All of its declaration.
    Full,
}

impl Declarations {
    /// The declarations in so many tokens, those of `wanted` first; `wanted` holds identifiers,
    /// and if it is empty all tools are wanted.
    pub fn within(&self, tokens: usize, wanted: &[&str]) -> Budgeted {
        let mut page = Page::new(self, tokens.saturating_mul(BYTES_PER_TOKEN));
        let wanted: HashSet<&str> = wanted.iter().copied().collect();
        let all: Vec<usize> = (0..self.functions.len()).collect();
        let is_wanted = |at: &usize| {
            wanted.is_empty()
                || self
                    .functions
                    .get(*at)
                    .is_some_and(|function| wanted.contains(function.identifier.as_str()))
        };
        let (first, later): (Vec<usize>, Vec<usize>) = all.into_iter().partition(is_wanted);
        // What is wanted, in full; what does not fit, and what is not wanted, by its signature.
        let unfit: Vec<usize> =
            first.into_iter().filter(|at| !page.raise(*at, Detail::Full)).collect();
        for at in unfit.into_iter().chain(later) {
            page.raise(at, Detail::Signature);
        }
        page.finish()
    }
}

/// The text in the making.
struct Page<'a> {
    declarations: &'a Declarations,
    /// Bytes that may be used.
    limit: usize,
    /// Bytes that the functions and types use which are shown so far.
    used: usize,
    details: Vec<Detail>,
    signatures: Vec<String>,
    types: HashMap<&'a str, TypeText>,
    /// For each server the names that are still only listed: their count and bytes.
    listed: BTreeMap<&'a str, (usize, usize)>,
}

/// A named type in the making.
struct TypeText {
    /// Without comments.
    signature: String,
    full_bytes: usize,
    /// How it is shown; [`Detail::Counted`] while nothing needs it.
    shown: Detail,
}

impl<'a> Page<'a> {
    fn new(declarations: &'a Declarations, limit: usize) -> Self {
        let all = &declarations.types;
        let printer = Printer::default();
        let signatures = declarations
            .functions
            .iter()
            .zip(&all.functions)
            .map(|(function, ty)| {
                all.print_function(&function.identifier, ty, Style::Signature, &printer)
            })
            .collect();
        let full: HashMap<&str, usize> = declarations
            .interfaces
            .iter()
            .map(|ty| (ty.name.as_str(), ty.declaration.len()))
            .collect();
        let types = all
            .shared
            .iter()
            .filter_map(|ty| {
                let signature = all.print_shared(ty, Style::Signature, &printer);
                let full_bytes = *full.get(ty.name.as_str())?;
                Some((ty.name.as_str(), TypeText { signature, full_bytes, shown: Detail::Counted }))
            })
            .collect();
        let mut listed: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for function in &declarations.functions {
            let (count, bytes) = listed.entry(&function.server).or_default();
            *count += 1;
            *bytes += function.identifier.len() + ", ".len();
        }
        let mut page = Self {
            declarations,
            limit,
            used: 0,
            details: vec![Detail::Name; declarations.functions.len()],
            signatures,
            types,
            listed,
        };
        if page.total() > limit {
            page.details.fill(Detail::Counted);
            page.listed.values_mut().for_each(|(_, bytes)| *bytes = 0);
        }
        page
    }

    /// Shows a tool in more detail, if there is room; whether there was.
    fn raise(&mut self, at: usize, detail: Detail) -> bool {
        let declarations = self.declarations;
        let (Some(function), Some(before)) =
            (declarations.functions.get(at), self.details.get(at).copied())
        else {
            return false;
        };
        let text = match detail {
            Detail::Full => function.declaration.len(),
            _ => self.signatures.get(at).map_or(0, String::len),
        };
        let more: usize = function.interfaces.iter().map(|name| self.type_cost(name, detail)).sum();
        let kept = self.listed.get(function.server.as_str()).copied();
        if let Some((count, bytes)) = self.listed.get_mut(function.server.as_str()) {
            *count -= 1;
            if before == Detail::Name {
                *bytes -= function.identifier.len() + ", ".len();
            }
        }
        self.used += text + more;
        if self.total() > self.limit {
            self.used -= text + more;
            if let (Some(slot), Some(kept)) = (self.listed.get_mut(function.server.as_str()), kept)
            {
                *slot = kept;
            }
            return false;
        }
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

    /// The bytes that a named type costs if it is to be shown in `detail`.
    fn type_cost(&self, name: &str, detail: Detail) -> usize {
        let Some(ty) = self.types.get(name) else { return 0 };
        match (ty.shown, detail) {
            (Detail::Full, _) | (Detail::Signature, Detail::Signature) => 0,
            (Detail::Signature, _) => ty.full_bytes.saturating_sub(ty.signature.len()),
            (_, Detail::Full) => ty.full_bytes,
            _ => ty.signature.len(),
        }
    }

    /// The bytes of the whole text; a little more where a list is cut short.
    fn total(&self) -> usize {
        let lists = self.listed.iter().filter(|(_, (count, _))| *count > 0);
        let lists = lists.map(|(server, (count, bytes))| {
            heading(server, *count, *bytes > 0).len() + bytes + "\n".len()
        });
        self.used + lists.sum::<usize>()
    }

    fn finish(self) -> Budgeted {
        let mut text = String::new();
        for interface in &self.declarations.interfaces {
            let Some(ty) = self.types.get(interface.name.as_str()) else { continue };
            match ty.shown {
                Detail::Full => text.push_str(&interface.declaration),
                Detail::Signature => text.push_str(&ty.signature),
                _ => {}
            }
        }
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let functions = self.declarations.functions.iter();
        for ((function, signature), detail) in
            functions.clone().zip(&self.signatures).zip(&self.details)
        {
            match detail {
                Detail::Full => text.push_str(&function.declaration),
                Detail::Signature => text.push_str(signature),
                Detail::Name => {
                    names.entry(&function.server).or_default().push(&function.identifier);
                }
                Detail::Counted => {}
            }
        }
        for (server, (count, _)) in self.listed.iter().filter(|(_, (count, _))| *count > 0) {
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

/// The beginning of the line for a server's other tools: a comment of its own.
fn heading(server: &str, count: usize, listed: bool) -> String {
    let tools = if count == 1 { "tool" } else { "tools" };
    let server = harmless(server).replace('\n', " ");
    format!("// {server}: {count} more {tools}{}", if listed { ": " } else { "" })
}
