//! Tools made by decisions that bytes take.

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};
use stubgen::Tool;

use crate::case;

/// Schemas are nested up to this deep.
const DEPTH: usize = 6;

/// Keywords whose value is a schema, a list of schemas, or schemas under names.
const ONE: &[&str] = &[
    "items",
    "additionalProperties",
    "unevaluatedProperties",
    "additionalItems",
    "unevaluatedItems",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
];
const LIST: &[&str] = &["anyOf", "oneOf", "allOf", "prefixItems", "items"];
const NAMED: &[&str] =
    &["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const TEXT: &[&str] =
    &["title", "description", "format", "pattern", "$id", "$anchor", "$dynamicAnchor", "id"];
const SIZE: &[&str] = &[
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "minLength",
    "maxProperties",
];
const DATA: &[&str] = &["const", "default", "enum", "examples", "nullable", "required", "type"];
const TYPES: &[&str] = &["object", "array", "string", "number", "integer", "boolean", "null"];
const REFERENCES: &[&str] = &[
    "#",
    "#/$defs/a",
    "#/definitions/a",
    "#/properties/a",
    "#a",
    "a",
    "urn:a",
    "#/$defs/a/items",
    "https://example.org/a",
];
const DIALECTS: &[&str] = &[
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

/// Up to `most` tools; none if there are too few bytes.
pub(crate) fn tools(bytes: &[u8], most: usize) -> Option<Vec<Tool>> {
    let mut bytes = Unstructured::new(bytes);
    let count = bytes.int_in_range(1..=most).ok()?;
    (0..count).map(|_| tool(&mut bytes)).collect::<Result<_>>().ok()
}

fn tool(bytes: &mut Unstructured<'_>) -> Result<Tool> {
    let value = json!({
        "server": text(bytes)?,
        "name": text(bytes)?,
        "description": text(bytes)?,
        "annotations": { "readOnlyHint": bytes.arbitrary::<bool>()? },
        "inputSchema": document(bytes)?,
    });
    let mut tool = case::tool("s", &value);
    if bytes.arbitrary()? {
        tool.output_schema = Some(document(bytes)?);
    }
    Ok(tool)
}

fn document(bytes: &mut Unstructured<'_>) -> Result<Value> {
    let mut document = schema(bytes, 0)?;
    if let Value::Object(map) = &mut document {
        if bytes.arbitrary()? {
            map.insert("type".to_owned(), json!("object"));
        }
        if bytes.ratio(1, 3)? {
            map.insert("$schema".to_owned(), json!(bytes.choose(DIALECTS)?));
        }
    }
    Ok(document)
}

fn schema(bytes: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    if bytes.ratio(1, 16)? {
        return Ok(Value::Bool(bytes.arbitrary()?));
    }
    let mut map = Map::new();
    for _ in 0..bytes.int_in_range(0..=3)? {
        let kinds = if depth < DEPTH { 8 } else { 5 };
        let (keyword, value) = match bytes.int_in_range(0..=kinds)? {
            0 => ("type", json!(bytes.choose(TYPES)?)),
            1 => ("$ref", json!(bytes.choose(REFERENCES)?)),
            2 => (*bytes.choose(TEXT)?, json!(text(bytes)?)),
            3 => (*bytes.choose(SIZE)?, json!(bytes.int_in_range(-2..=5)?)),
            4 => (*bytes.choose(DATA)?, data(bytes, 0)?),
            5 => ("required", json!([text(bytes)?])),
            6 => (*bytes.choose(ONE)?, schema(bytes, depth + 1)?),
            7 => {
                let count = bytes.int_in_range(0..=3)?;
                let list: Result<Vec<Value>> =
                    (0..count).map(|_| schema(bytes, depth + 1)).collect();
                (*bytes.choose(LIST)?, Value::Array(list?))
            }
            _ => {
                let mut named = Map::new();
                for _ in 0..bytes.int_in_range(0..=3)? {
                    named.insert(text(bytes)?, schema(bytes, depth + 1)?);
                }
                (*bytes.choose(NAMED)?, Value::Object(named))
            }
        };
        map.insert(keyword.to_owned(), value);
    }
    Ok(Value::Object(map))
}

fn data(bytes: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    Ok(match bytes.int_in_range(0..=if depth < 2 { 5 } else { 3 })? {
        0 => Value::Null,
        1 => Value::Bool(bytes.arbitrary()?),
        2 => json!(bytes.arbitrary::<f64>()?),
        3 => Value::String(text(bytes)?),
        4 => {
            let count = bytes.int_in_range(0..=3)?;
            let list: Result<Vec<Value>> = (0..count).map(|_| data(bytes, depth + 1)).collect();
            Value::Array(list?)
        }
        _ => json!({ text(bytes)?: data(bytes, depth + 1)? }),
    })
}

/// Often short and plain, so that names meet.
fn text(bytes: &mut Unstructured<'_>) -> Result<String> {
    if bytes.arbitrary()? {
        return Ok((*bytes.choose(&["a", "b", "A", "a-b", "", "*/", "\u{2028}"])?).to_owned());
    }
    let length = bytes.int_in_range(0..=12)?;
    Ok(String::from_utf8_lossy(bytes.bytes(length.min(bytes.len()))?).into_owned())
}
