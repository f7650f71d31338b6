//! Any string to an identifier, and identifiers that do not collide.
//!
//! A name depends on what it belongs to and on those that wish for the same, never on its place in
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) identifier: String,
    /// None if the identifier is `<server>_<tool>` unchanged.
    pub(crate) reason: Option<RenameReason>,
}

/// The longest identifier, in characters; what is longer is cut and gets a suffix.
const LONGEST: usize = 128;

/// Names for functions, one for each `(server, tool)` in order; the pairs differ.
pub(crate) fn functions(tools: &[(&str, &str)]) -> Vec<Named> {
    let mut names: Vec<Named> = tools.iter().map(|(server, tool)| function(server, tool)).collect();
    let wishes: Vec<Wish<'_>> = names
        .iter()
        .zip(tools)
        .map(|(named, (server, tool))| Wish {
            name: &named.identifier,
            seed: [*server, *tool],
            // Whose name needed no change.
            first: named.reason.is_none(),
        })
        .collect();
    for (at, identifier) in settle(&wishes) {
        if let Some(name) = names.get_mut(at) {
            *name = Named { identifier, reason: Some(RenameReason::Collision) };
        }
    }
    names
}

/// Names for types, one for each in order: what it would like to be called, and a text that says
/// what it is. One name for different types would tell a model something false of one of them, and
/// tell it something else when the other comes: so of these none keeps it.
pub(crate) fn types(types: &[(&str, &str)]) -> Vec<String> {
    let wishes: Vec<Wish<'_>> = types
        .iter()
        .map(|(name, content)| Wish { name, seed: [name, content], first: false })
        .collect();
    let mut names: Vec<String> = types.iter().map(|(name, _)| (*name).to_owned()).collect();
    for (at, other) in settle(&wishes) {
        if let Some(name) = names.get_mut(at) {
            *name = other;
        }
    }
    names
}

/// A name that something would like to have.
struct Wish<'a> {
    name: &'a str,
    /// What its suffix is made of, should it need one.
    seed: [&'a str; 2],
    /// It may keep the name if it is the only one of which this is said.
    first: bool,
}

/// Other names for those that cannot have what they wish, each with its place.
fn settle(wishes: &[Wish<'_>]) -> Vec<(usize, String)> {
    let mut groups: HashMap<&str, Vec<(usize, &Wish<'_>)>> = HashMap::with_capacity(wishes.len());
    for (at, wish) in wishes.iter().enumerate() {
        groups.entry(wish.name).or_default().push((at, wish));
    }
    // Most names are wished for once.
    let kept: HashSet<&str> = groups
        .iter()
        .filter(|(_, group)| group.len() == 1 || only_first(group).is_some())
        .map(|(name, _)| *name)
        .collect();
    let mut settled = Vec::new();
    for (name, group) in groups.iter().filter(|(_, group)| group.len() > 1) {
        let keeper = only_first(group);
        let yielding: Vec<_> = group.iter().filter(|(at, _)| Some(*at) != keeper).collect();
        let hashes: Vec<String> =
            yielding.iter().map(|(_, wish)| hash(&wish.seed.join("\0"))).collect();
        let suffixes =
            suffixes(&hashes, |suffix| kept.contains(format!("{name}_{suffix}").as_str()));
        for ((at, _), suffix) in yielding.into_iter().zip(suffixes) {
            settled.push((*at, format!("{name}_{suffix}")));
        }
    }
    settled
}

/// The only member of a group that may keep its name.
fn only_first(group: &[(usize, &Wish<'_>)]) -> Option<usize> {
    let mut first = group.iter().filter(|(_, wish)| wish.first);
    match (first.next(), first.next()) {
        (Some((at, _)), None) => Some(*at),
        _ => None,
    }
}

/// A suffix for each of `hashes`: the shortest beginning that no other has and that makes no name
/// which is `taken`. So a suffix changes only when another hash begins like it.
fn suffixes(hashes: &[String], taken: impl Fn(&str) -> bool) -> Vec<String> {
    const LENGTHS: [usize; 3] = [4, 8, 16];
    let mut alike: HashMap<&str, usize> = HashMap::new();
    for short in hashes.iter().flat_map(|hash| LENGTHS.map(|length| hash.get(..length))).flatten() {
        *alike.entry(short).or_default() += 1;
    }
    let mut count = 0;
    let mut suffix = |hash: &String| {
        for short in LENGTHS.into_iter().filter_map(|length| hash.get(..length)) {
            if alike.get(short) == Some(&1) && !taken(short) {
                return short.to_owned();
            }
        }
        // Nobody comes here but by intent.
        loop {
            count += 1;
            let suffix = format!("{hash}{count}");
            if !taken(&suffix) {
                return suffix;
            }
        }
    };
    hashes.iter().map(&mut suffix).collect()
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
        let joint = if identifier.starts_with('_') { "" } else { "_" };
        identifier = format!("tool{joint}{identifier}_{}", suffix(&plain));
        reason = Some(RenameReason::Reserved);
    } else if plain.chars().count() > LONGEST {
        identifier = format!("{identifier}_{}", suffix(&plain));
        reason = Some(RenameReason::Length);
    }
    Named { identifier, reason }
}

/// A suffix for one that collides with nothing that is known yet.
fn suffix(seed: &str) -> String {
    suffixes(&[hash(seed)], |_| false).concat()
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
    fn of_different_types_none_keeps_the_name() {
        let names = types(&[("Issue", "a"), ("User", "b"), ("Issue", "c")]);
        let [issue, user, other] = names.as_slice() else { panic!("{names:?}") };
        assert_eq!(user, "User");
        assert_ne!(issue, other);
        assert!(issue.starts_with("Issue_") && other.starts_with("Issue_"), "{names:?}");
        // A third one, or another order, changes nothing.
        let more = types(&[("Issue", "d"), ("Issue", "c"), ("Issue", "a")]);
        assert_eq!(more.get(1..), Some([other.clone(), issue.clone()].as_slice()));
    }

    #[test]
    fn a_suffix_makes_no_name_that_is_there() {
        let names = types(&[("Issue", "a"), ("Issue", "b")]);
        let taken = names.first().map_or("", String::as_str);
        let again = types(&[("Issue", "a"), ("Issue", "b"), (taken, "c")]);
        assert_eq!(again.last().map(String::as_str), Some(taken));
        let distinct: HashSet<&String> = again.iter().collect();
        assert_eq!(distinct.len(), 3, "{again:?}");
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
