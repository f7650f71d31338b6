//! Any string to an identifier, and identifiers that do not collide.
//!
//! A name depends on the tool it belongs to and on those it collides with, never on its place in
//! the list, so that it stays when unrelated tools come and go.

mod known;

use std::collections::{HashMap, HashSet};

use swc_ecma_ast::{EsReserved, Ident};

use crate::jsdoc::is_invisible;
use known::is_known_type;

/// Why a function is not simply called `<server>_<tool>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum RenameReason {
    /// Characters that cannot stand in an identifier became `_`.
    #[error("characters that cannot stand in an identifier were replaced")]
    Characters,
    /// The name is longer than an identifier should be.
    #[error("the name is too long")]
    Length,
    /// The name means something else in scripts.
    #[error("the name is reserved")]
    Reserved,
    /// Another tool has the same name after replacement.
    #[error("another tool has the same name")]
    Collision,
}

/// The identifier of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) identifier: String,
    /// None if the identifier is `<server>_<tool>` unchanged.
    pub(crate) reason: Option<RenameReason>,
}

/// The longest identifier, in characters; what is longer is cut and gets a suffix.
const LONGEST: usize = 128;

/// Names for functions, one for each `(server, tool)` in order; the pairs differ.
pub(crate) fn functions(tools: &[(&str, &str)]) -> Vec<Named> {
    let first: Vec<Named> = tools.iter().map(|(server, tool)| function(server, tool)).collect();
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, named) in first.iter().enumerate() {
        groups.entry(named.identifier.as_str()).or_default().push(at);
    }
    // Whose name needed no change keeps it, if it is the only such one; all others yield.
    let mut yields = vec![false; tools.len()];
    for group in groups.values().filter(|group| group.len() > 1) {
        let unchanged =
            group.iter().filter(|at| first.get(**at).is_some_and(|named| named.reason.is_none()));
        let keeper = match unchanged.copied().collect::<Vec<_>>().as_slice() {
            [only] => Some(*only),
            _ => None,
        };
        for at in group.iter().filter(|at| Some(**at) != keeper) {
            if let Some(slot) = yields.get_mut(*at) {
                *slot = true;
            }
        }
    }
    let kept: HashSet<&str> = first
        .iter()
        .zip(&yields)
        .filter(|(_, yields)| !**yields)
        .map(|(named, _)| named.identifier.as_str())
        .collect();
    let mut names = first.clone();
    for (identifier, group) in &groups {
        let mut group: Vec<(&(&str, &str), usize)> = group
            .iter()
            .filter(|at| yields.get(**at) == Some(&true))
            .filter_map(|at| Some((tools.get(*at)?, *at)))
            .collect();
        group.sort();
        let seeds: Vec<String> =
            group.iter().map(|((server, tool), _)| format!("{server}\0{tool}")).collect();
        let suffixes =
            suffixes(&seeds, |suffix| kept.contains(format!("{identifier}_{suffix}").as_str()));
        for ((_, at), suffix) in group.into_iter().zip(suffixes) {
            if let Some(name) = names.get_mut(at) {
                let identifier = format!("{identifier}_{suffix}");
                *name = Named { identifier, reason: Some(RenameReason::Collision) };
            }
        }
    }
    names
}

/// A suffix for each of `seeds`: all are of one length, the shortest at which they differ and
/// none is `taken`.
fn suffixes(seeds: &[String], taken: impl Fn(&str) -> bool) -> Vec<String> {
    let hashes: Vec<String> = seeds.iter().map(|seed| hash(seed)).collect();
    for length in [4, 8, 16] {
        let short: Vec<&str> = hashes.iter().filter_map(|hash| hash.get(..length)).collect();
        let distinct: HashSet<&&str> = short.iter().collect();
        if distinct.len() == seeds.len() && !short.iter().any(|suffix| taken(suffix)) {
            return short.into_iter().map(str::to_owned).collect();
        }
    }
    // Nobody comes here but by intent.
    let mut count = 0;
    let mut next = |hash: &String| {
        loop {
            count += 1;
            let suffix = format!("{hash}{count}");
            if !taken(&suffix) {
                return suffix;
            }
        }
    };
    hashes.iter().map(&mut next).collect()
}

/// The identifier that a tool would have if it were alone.
fn function(server: &str, tool: &str) -> Named {
    let plain = format!("{server}_{tool}");
    let mut identifier: String = plain.chars().take(LONGEST).map(identifier_char).collect();
    let mut reason = (identifier != plain).then_some(RenameReason::Characters);
    if !identifier.chars().next().is_some_and(Ident::is_valid_start) {
        identifier.insert(0, '_');
        reason = Some(RenameReason::Characters);
    }
    // Built-ins that begin with two underscores are on every object, the global one included.
    if is_reserved(&identifier) || identifier.starts_with("__") {
        identifier = suffixed(&identifier, &plain, &mut HashSet::new());
        identifier =
            format!("tool{}{identifier}", if identifier.starts_with('_') { "" } else { "_" });
        reason = Some(RenameReason::Reserved);
    } else if plain.chars().count() > LONGEST {
        identifier = suffixed(&identifier, &plain, &mut HashSet::new());
        reason = Some(RenameReason::Length);
    }
    Named { identifier, reason }
}

/// `name` with a suffix made from `seed` that makes it new; the result is taken.
pub(crate) fn suffixed(name: &str, seed: &str, taken: &mut HashSet<String>) -> String {
    let suffixes =
        suffixes(&[seed.to_owned()], |suffix| taken.contains(&format!("{name}_{suffix}")));
    let unique = format!("{name}_{}", suffixes.concat());
    taken.insert(unique.clone());
    unique
}

/// A name for a type: what stands between other characters is joined in capitals.
pub(crate) fn pascal(text: &str) -> String {
    let mut name = String::new();
    let mut upper = true;
    for c in text.chars().take(LONGEST) {
        if identifier_char(c) == c {
            if upper {
                name.extend(c.to_uppercase())
            } else {
                name.push(c)
            }
            upper = false;
        } else {
            upper = true;
        }
    }
    if !name.chars().next().is_some_and(Ident::is_valid_start) {
        name.insert(0, 'T');
    }
    // Capitals may bring in characters of their own.
    let mut name: String = name.chars().map(identifier_char).collect();
    if is_reserved(&name) || is_known_type(&name) {
        name.push_str("Type");
    }
    name
}

/// Whether a title is meant as the name of a type.
pub(crate) fn is_type_like(title: &str) -> bool {
    title.chars().next().is_some_and(|first| first.is_ascii_uppercase())
        && title.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && title.len() <= 64
}

/// Whether a property name can stand without quotes.
pub(crate) fn is_plain_key(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

fn identifier_char(c: char) -> char {
    let visible_letter = c.is_ascii() || (c.is_alphanumeric() && !is_invisible(c));
    if visible_letter && Ident::is_valid_continue(c) { c } else { '_' }
}

fn is_reserved(name: &str) -> bool {
    // No such word is longer, or of anything but letters.
    if name.len() > "instanceof".len() || !name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    let name = name.to_owned();
    let name = swc_ecma_ast::IdentName::from(name).sym;
    name.is_reserved_in_any()
        || name.is_reserved_in_strict_mode(true)
        || name.is_reserved_in_strict_bind()
        || matches!(&*name, "undefined" | "NaN" | "Infinity" | "async" | "of" | "mcp" | "console")
}

/// 16 hexadecimal digits, the same on every computer and in every release: FNV-1a, then a mix so
/// that each byte reaches the first digits.
pub(crate) fn hash(text: &str) -> String {
    let mut hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
    }
    format!("{:016x}", hash ^ (hash >> 33))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identifiers(tools: &[(&str, &str)]) -> Vec<String> {
        functions(tools).into_iter().map(|named| named.identifier).collect()
    }

    #[test]
    fn plain_names_are_joined() {
        assert_eq!(identifiers(&[("logging", "getLogs")]), ["logging_getLogs"]);
    }

    #[test]
    fn names_that_differ_only_in_punctuation_both_get_a_suffix() {
        let both = identifiers(&[("s", "a.b"), ("s", "a-b")]);
        assert_eq!(both.len(), 2);
        assert_ne!(both.first(), both.last());
        let alone: HashSet<String> =
            identifiers(&[("s", "a-b"), ("s", "a.b")]).into_iter().collect();
        assert_eq!(alone, both.into_iter().collect());
    }

    #[test]
    fn the_unchanged_name_keeps_it() {
        let names = functions(&[("s", "a.b"), ("s", "a_b")]);
        assert_eq!(names.last().map(|named| named.identifier.as_str()), Some("s_a_b"));
        assert_eq!(names.last().and_then(|named| named.reason), None);
    }

    #[test]
    fn built_ins_cannot_be_overwritten() {
        for (server, tool) in [("_", "proto__"), ("", "_defineGetter__"), ("", "")] {
            let name = identifiers(&[(server, tool)]).remove(0);
            assert!(!name.starts_with("__"), "{name}");
        }
    }

    #[test]
    fn digits_and_other_scripts() {
        assert_eq!(identifiers(&[("1password", "get")]), ["_1password_get"]);
        assert_eq!(identifiers(&[("météo", "天気")]), ["météo_天気"]);
        assert_eq!(identifiers(&[("a\u{200d}", "\u{3164}")]), ["a___"]);
    }

    #[test]
    fn types_do_not_take_known_names() {
        assert_eq!(pascal("log-entry"), "LogEntry");
        assert_eq!(pascal("Map"), "MapType");
        assert_eq!(pascal("2d point"), "T2dPoint");
        assert_eq!(pascal(""), "T");
    }
}
