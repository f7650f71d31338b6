//! What a model is shown of many tools within so many tokens.
//!
//! Every tool is at least counted. Tools that were asked for are shown in full, as long as there
//! is room; then all others get their names into a list, server by server, and then those for
//! which there is room a signature in its place. If no tool was asked for in particular, the names
//! come first. The order of the tools decides, so the same question gives the same bytes.

mod page;

use std::collections::HashSet;

use crate::declarations::Declarations;
use page::Page;

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
        // Without its name a tool cannot even be asked for.
        if wanted.is_empty() {
            page.list_names();
        }
        // What is wanted, in full; what does not fit, and what is not wanted, by its signature.
        let unfit: Vec<usize> =
            first.into_iter().filter(|at| !page.raise(*at, Detail::Full)).collect();
        page.list_names();
        for at in unfit.into_iter().chain(later) {
            page.raise(at, Detail::Signature);
        }
        page.finish()
    }
}
