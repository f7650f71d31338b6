//! Any string to an identifier, and identifiers that do not collide.
//!
//! A name depends on the tool it belongs to and on those it collides with, never on its place in
//! the list, so that it stays when unrelated tools come and go.

use std::collections::{HashMap, HashSet};

use swc_ecma_ast::{EsReserved, Ident};

use crate::jsdoc::is_invisible;

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
    let mut taken: HashSet<String> = first
        .iter()
        .zip(&yields)
        .filter(|(_, yields)| !**yields)
        .map(|(named, _)| named.identifier.clone())
        .collect();
    first
        .iter()
        .zip(&yields)
        .zip(tools)
        .map(|((named, yields), (server, tool))| {
            if !yields {
                return named.clone();
            }
            let seed = format!("{server}\0{tool}");
            let identifier = suffixed(&named.identifier, &seed, &mut taken);
            Named { identifier, reason: Some(RenameReason::Collision) }
        })
        .collect()
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

/// `name` with a suffix made from `seed`, as long as it takes to be new; the result is taken.
pub(crate) fn suffixed(name: &str, seed: &str, taken: &mut HashSet<String>) -> String {
    let hash = format!("{:016x}", stable_hash(seed));
    let lengths = [4, 8, 16];
    let short =
        lengths.iter().map(|length| format!("{name}_{}", hash.get(..*length).unwrap_or(&hash)));
    let counted = (2..).map(|count: u64| format!("{name}_{hash}_{count}"));
    let free = short.chain(counted).find(|candidate| !taken.contains(candidate));
    let free = free.unwrap_or_else(|| name.to_owned());
    taken.insert(free.clone());
    free
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
    if is_reserved(&name) || TYPES.contains(&name.as_str()) {
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
    let name = name.to_owned();
    let name = swc_ecma_ast::IdentName::from(name).sym;
    name.is_reserved_in_any()
        || name.is_reserved_in_strict_mode(true)
        || name.is_reserved_in_strict_bind()
        || matches!(&*name, "undefined" | "NaN" | "Infinity" | "async" | "of" | "mcp" | "console")
}

/// FNV-1a: the same on every machine and in every release.
fn stable_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Types that scripts have already: ours, TypeScript's keywords, and those of its ECMAScript library.
const TYPES: &[&str] = &[
    "AudioContent",
    "BlobResource",
    "CallOptions",
    "CallToolResult",
    "ContentBlock",
    "EmbeddedResource",
    "ImageContent",
    "Resource",
    "ResourceLink",
    "TextContent",
    "TextResource",
    "ToolError",
    "ToolErrorKind",
    "ToolResult",
    "any",
    "bigint",
    "boolean",
    "never",
    "number",
    "object",
    "string",
    "symbol",
    "undefined",
    "unknown",
    "void",
    "type",
    "declare",
    "namespace",
    "module",
    "global",
    "abstract",
    "readonly",
    "AbortController",
    "AbortSignal",
    "AggregateError",
    "Array",
    "ArrayBuffer",
    "ArrayBufferLike",
    "ArrayBufferTypes",
    "ArrayBufferView",
    "ArrayIterator",
    "ArrayLike",
    "AsyncDisposable",
    "AsyncDisposableStack",
    "AsyncFunction",
    "AsyncGenerator",
    "AsyncGeneratorFunction",
    "AsyncIterable",
    "AsyncIterableIterator",
    "AsyncIterator",
    "AsyncIteratorObject",
    "Atomics",
    "Awaited",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Boolean",
    "BuiltinIteratorReturn",
    "CallableFunction",
    "Capitalize",
    "Console",
    "ConcatArray",
    "ConstructorParameters",
    "Crypto",
    "DataView",
    "Date",
    "Disposable",
    "DisposableStack",
    "Error",
    "ErrorOptions",
    "EvalError",
    "Event",
    "EventTarget",
    "Exclude",
    "Extract",
    "FinalizationRegistry",
    "FlatArray",
    "Float16Array",
    "Float32Array",
    "Float64Array",
    "Function",
    "Generator",
    "GeneratorFunction",
    "IArguments",
    "ImportAttributes",
    "ImportCallOptions",
    "ImportMeta",
    "Infinity",
    "InstanceType",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "Intl",
    "Iterable",
    "IterableIterator",
    "Iterator",
    "IteratorObject",
    "IteratorResult",
    "IteratorReturnResult",
    "IteratorYieldResult",
    "JSON",
    "Lowercase",
    "Map",
    "MapConstructor",
    "MapIterator",
    "Math",
    "NaN",
    "NewableFunction",
    "NoInfer",
    "NonNullable",
    "Number",
    "Object",
    "Omit",
    "OmitThisParameter",
    "Parameters",
    "Partial",
    "Performance",
    "Pick",
    "Promise",
    "PromiseConstructor",
    "PromiseConstructorLike",
    "PromiseFulfilledResult",
    "PromiseLike",
    "PromiseRejectedResult",
    "PromiseSettledResult",
    "PromiseWithResolvers",
    "PropertyDescriptor",
    "PropertyDescriptorMap",
    "PropertyKey",
    "Proxy",
    "ProxyHandler",
    "RangeError",
    "Readonly",
    "ReadonlyArray",
    "ReadonlyMap",
    "ReadonlySet",
    "ReadonlySetLike",
    "Record",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "RegExpExecArray",
    "RegExpIndicesArray",
    "RegExpMatchArray",
    "RegExpStringIterator",
    "Required",
    "ReturnType",
    "Set",
    "SetIterator",
    "SharedArrayBuffer",
    "String",
    "StringIterator",
    "SuppressedError",
    "Symbol",
    "SyntaxError",
    "TemplateStringsArray",
    "TextDecoder",
    "TextEncoder",
    "ThisParameterType",
    "ThisType",
    "TypeError",
    "TypedPropertyDescriptor",
    "URIError",
    "URL",
    "URLSearchParams",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "Uncapitalize",
    "Uppercase",
    "WeakKey",
    "WeakKeyTypes",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "WebAssembly",
];

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
