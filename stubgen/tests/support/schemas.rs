//! Schemas made by chance, in which every keyword occurs.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

const NAMES: &[&str] = &["a", "b", "c-d", "1", "constructor", "é", ""];
const TYPES: &[&str] = &["object", "array", "string", "number", "integer", "boolean", "null"];
const REFERENCES: &[&str] =
    &["#", "#/$defs/A", "#/$defs/B", "#/$defs/C", "#/properties/p", "#anchor", "urn:c"];
const DIALECTS: &[&str] = &[
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

/// A schema of a tool's input, with definitions that refer to each other.
pub(crate) fn documents() -> impl Strategy<Value = Value> {
    let definitions = (schemas(), schemas(), schemas());
    (schemas(), schemas(), definitions, proptest::option::of(select(DIALECTS))).prop_map(
        |(mut root, property, (a, mut b, mut c), dialect)| {
            // What references point to is there, and the root admits objects.
            for (schema, extra) in [
                (&mut b, json!({ "$anchor": "anchor" })),
                (
                    &mut c,
                    json!({
                        "$id": "urn:c",
                        "properties": { "p": true },
                        "$defs": { "A": {}, "B": { "$anchor": "anchor" }, "C": {} },
                    }),
                ),
            ] {
                let mut map = schema.as_object().cloned().unwrap_or_default();
                // Older dialects do not see what stands beside it.
                map.remove("$ref");
                map.extend(extra.as_object().cloned().unwrap_or_default());
                *schema = Value::Object(map);
            }
            if !root.is_object() {
                root = json!({});
            }
            root["type"] = json!("object");
            root["properties"] = json!({ "p": property, "q": { "$ref": "#/$defs/A" } });
            root["$defs"] = json!({ "A": a, "B": b, "C": c });
            if let Some(dialect) = dialect {
                root["$schema"] = json!(dialect);
            }
            root
        },
    )
}

fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        select(TYPES).prop_map(|name| json!({ "type": name })),
        subsequence(TYPES, 1..4).prop_map(|names| json!({ "type": names })),
        select(REFERENCES).prop_map(|reference| json!({ "$ref": reference })),
        Just(json!({ "$dynamicRef": "#anchor" })),
        vec(values(), 0..4).prop_map(|values| json!({ "enum": values })),
        values().prop_map(|value| json!({ "const": value })),
        Just(
            json!({ "type": "string", "format": "uri", "pattern": "^a*/", "minLength": 1, "maxLength": 5 })
        ),
        Just(json!({ "type": "number", "minimum": 1, "exclusiveMaximum": 5, "multipleOf": 0.5 })),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| vec(keyword(inner), 1..4).prop_map(merged))
}

/// One keyword with a value that fits it.
fn keyword(
    inner: impl Strategy<Value = Value> + Clone + 'static,
) -> BoxedStrategy<(&'static str, Value)> {
    let list = || vec(inner.clone(), 0..3).prop_map(Value::Array);
    let names = || subsequence(NAMES, 0..4);
    let map = || {
        (names(), vec(inner.clone(), 4)).prop_map(|(names, schemas)| {
            Value::Object(names.into_iter().map(str::to_owned).zip(schemas).collect())
        })
    };
    let of = |keywords: &'static [&'static str], values: BoxedStrategy<Value>| {
        (select(keywords), values).boxed()
    };
    prop_oneof![
        2 => of(&["properties"], map().boxed()),
        1 => of(&["patternProperties", "dependentSchemas"], map().boxed()),
        1 => of(&["required"], names().prop_map(|names| json!(names)).boxed()),
        1 => of(&["type"], subsequence(TYPES, 1..4).prop_map(|names| json!(names)).boxed()),
        2 => of(&["anyOf", "oneOf", "allOf", "prefixItems"], list().boxed()),
        1 => of(&["items"], prop_oneof![inner.clone(), list()].boxed()),
        2 => of(
            &["additionalProperties", "unevaluatedProperties", "propertyNames", "additionalItems",
                "unevaluatedItems", "contains", "not", "if", "then", "else"],
            inner.clone().boxed(),
        ),
        1 => of(&["minItems", "maxItems", "minProperties", "minContains"], (0..4).prop_map(|n| json!(n)).boxed()),
        1 => of(&["nullable", "uniqueItems", "deprecated"], any::<bool>().prop_map(Value::Bool).boxed()),
        1 => of(&["title", "description"], select(&["Title", "Some words. */", "Map"][..]).prop_map(Value::from).boxed()),
        1 => of(&["default", "examples"], values().boxed()),
        1 => of(&["dependentRequired"], Just(json!({ "a": ["b"] })).boxed()),
        1 => of(&["$ref"], select(REFERENCES).prop_map(Value::from).boxed()),
    ]
    .boxed()
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-3..3).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        select(&["", "x", "y z", "*/", "\u{2028}", "\"'`"][..]).prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::Array),
            (subsequence(NAMES, 0..3), vec(inner, 3)).prop_map(|(names, values)| {
                Value::Object(names.into_iter().map(str::to_owned).zip(values).collect())
            }),
        ]
    })
}

fn merged(keywords: Vec<(&'static str, Value)>) -> Value {
    let map: Map<String, Value> =
        keywords.into_iter().map(|(keyword, value)| (keyword.to_owned(), value)).collect();
    Value::Object(map)
}
