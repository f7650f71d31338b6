//! Schemas that want too much: each has a reason, takes no long time, and spares the others.

#![allow(clippy::unwrap_used, reason = "a thread that does not start or end has failed")]

mod support;

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use stubgen::{Catalogue, Declarations, Options, Reason};
use support::case::plain;

/// Declares one tool with `schema` between two others, which must be there.
fn declared(schema: Value) -> Declarations {
    let other = json!({ "type": "object" });
    let tools = [
        plain("s", "before", other.clone()),
        plain("s", "odd", schema),
        plain("s", "after", other),
    ];
    let declarations = support::declared(&tools);
    assert!(declarations.function("s_before").is_some());
    assert!(declarations.function("s_after").is_some());
    support::parse::parse(declarations.text());
    assert!(declarations.text().len() < 1 << 20, "{}", declarations.text().len());
    declarations
}

fn reason(schema: Value) -> Option<Reason> {
    declared(schema).unavailable.pop().map(|unavailable| unavailable.reason)
}

/// `{"properties": {"p": …}}` around `inner`, so many times.
fn nested(times: usize, inner: Value, wrap: impl Fn(Value) -> Value) -> Value {
    (0..times).fold(inner, |inner, _| wrap(inner))
}

#[test]
fn nesting_is_bounded() {
    let deep = |times| {
        nested(times, json!({}), |inner| json!({ "type": "object", "properties": { "p": inner } }))
    };
    assert_eq!(reason(deep(31)), None);
    assert_eq!(reason(deep(33)), Some(Reason::TooDeep { limit: 64 }));
    assert_eq!(reason(deep(500)), Some(Reason::TooDeep { limit: 64 }));
}

#[test]
fn nesting_by_references_is_bounded() {
    let chain = |length: usize| {
        let mut definitions = Map::new();
        for at in 0..length {
            let next = format!("#/$defs/D{}", at + 1);
            definitions.insert(
                format!("D{at}"),
                json!({ "type": "object", "properties": { "p": { "$ref": next } } }),
            );
        }
        definitions.insert(format!("D{length}"), json!({ "type": "string" }));
        json!({ "type": "object", "properties": { "p": { "$ref": "#/$defs/D0" } }, "$defs": definitions })
    };
    assert_eq!(reason(chain(25)), None);
    assert_eq!(reason(chain(1000)), Some(Reason::TooDeep { limit: 64 }));
}

#[test]
fn the_number_of_parts_is_bounded() {
    let wide = |count: usize| {
        let properties: Map<String, Value> =
            (0..count).map(|at| (format!("p{at}"), json!({ "type": "string" }))).collect();
        json!({ "type": "object", "properties": properties })
    };
    assert_eq!(reason(wide(2000)), None);
    assert_eq!(reason(wide(30_000)), Some(Reason::TooManySubschemas { limit: 20_000 }));
}

#[test]
fn the_size_is_bounded() {
    let long = |length: usize| json!({ "type": "object", "description": "x".repeat(length) });
    assert_eq!(reason(long(100_000)), None);
    assert_eq!(reason(long(2_000_000)), Some(Reason::TooLarge { limit: 1 << 20 }));
    let names = json!({ "type": "object", "required": vec!["x".repeat(1000); 2000] });
    assert_eq!(reason(names), Some(Reason::TooLarge { limit: 1 << 20 }));
}

#[test]
fn the_length_of_a_declaration_is_bounded() {
    let values: Vec<String> =
        (0..15_000).map(|at| format!("a value with the number {at}")).collect();
    let reason = reason(json!({ "type": "object", "properties": { "p": { "enum": values } } }));
    assert!(matches!(reason, Some(Reason::DeclarationTooLong { .. })), "{reason:?}");
}

#[test]
fn unions_do_not_multiply_without_end() {
    let choice = |names: &[&str]| {
        let branch = |name: &&str| json!({ "type": "object", "properties": { *name: {} }, "required": [*name] });
        json!({ "anyOf": names.iter().map(branch).collect::<Vec<_>>() })
    };
    let level = |inner: Value| {
        json!({
            "type": "object",
            "properties": { "p": inner },
            "allOf": [choice(&["a", "b", "c", "d", "e"]), choice(&["f", "g", "h", "i", "j"])],
        })
    };
    let bomb = nested(20, json!({ "type": "string" }), level);
    let declarations = declared(bomb);
    assert!(declarations.functions.len() >= 2);
}

#[test]
fn references_do_not_unfold_without_end() {
    // Each definition is one of two that are each one of two, …: 2^40 if all were opened.
    let mut definitions = Map::new();
    for at in 0..40 {
        let [left, right] =
            ["L", "R"].map(|side| json!({ "$ref": format!("#/$defs/{side}{}", at + 1) }));
        for side in ["L", "R"] {
            let own = json!({ "type": "object", "required": [format!("{side}{at}")] });
            definitions.insert(format!("{side}{at}"), json!({ "anyOf": [left, right, own] }));
        }
    }
    for side in ["L", "R"] {
        definitions.insert(format!("{side}40"), json!({ "type": "object", "required": [side] }));
    }
    let bomb = json!({
        "type": "object",
        "required": ["x"],
        "allOf": [{ "$ref": "#/$defs/L0" }],
        "$defs": definitions,
    });
    declared(bomb);
}

#[test]
fn a_large_definition_is_not_copied_without_end() {
    let properties: Map<String, Value> =
        (0..2000).map(|at| (format!("p{at}"), json!({ "type": "string" }))).collect();
    let uses: Map<String, Value> = (0..2000)
        .map(|at| {
            (format!("u{at}"), json!({ "$ref": "#/$defs/Big", "required": [format!("p{at}")] }))
        })
        .collect();
    let bomb = json!({
        "type": "object",
        "properties": uses,
        "$defs": { "Big": { "type": "object", "properties": properties } },
    });
    assert_eq!(reason(bomb), Some(Reason::TooManySubschemas { limit: 20_000 }));
}

#[test]
fn many_tools_that_want_one_name() {
    let punctuation = |at: usize| -> String {
        (0..14).map(|bit| if at >> bit & 1 == 1 { '-' } else { '.' }).collect()
    };
    let tools: Vec<_> =
        (0..10_000).map(|at| plain("s", &punctuation(at), json!({ "type": "object" }))).collect();
    let declarations = support::declared(&tools);
    let names: HashSet<&str> =
        declarations.functions.iter().map(|function| function.identifier.as_str()).collect();
    assert_eq!(names.len(), tools.len());
}

#[test]
fn many_definitions_of_one_name_in_many_tools() {
    let schema = |at: usize| {
        let definitions: Map<String, Value> = (0..200)
            .map(|number| {
                let next = format!("#/$defs/D{}", (number * 7 + 1) % 200);
                let body = json!({ "type": "object", "properties": { format!("p{at}"): { "$ref": next } } });
                (format!("D{number}"), json!({ "anyOf": [body, { "type": "null" }] }))
            })
            .collect();
        json!({ "type": "object", "properties": { "p": { "type": "array", "items": { "$ref": "#/$defs/D0" } } }, "$defs": definitions })
    };
    let options = Options { depth: 1000, ..Options::default() };
    let tools: Vec<_> = (0..20).map(|at| plain("s", &format!("t{at}"), schema(at))).collect();
    let declarations = std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(move || {
            let mut catalogue = Catalogue::new(options);
            catalogue.extend(tools);
            catalogue.declare()
        })
        .unwrap()
        .join()
        .unwrap();
    assert_eq!(declarations.functions.len(), 20);
}
