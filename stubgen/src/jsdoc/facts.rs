//! What a schema says and a type cannot: bounds, patterns, defaults.

use serde_json::{Map, Value};

use super::cut;

/// Longest value that is shown for `@default`, `@pattern` and `@example`, in characters.
const FACT_CHARS: usize = 80;

/// Formats by which schema generators tell how a number is stored: `number` says it to a script.
const MACHINE_FORMATS: [&str; 4] = ["int32", "int64", "float", "double"];

/// The largest whole number to which all smaller ones are exact too. Generators write it where
/// there is no bound.
const SAFE_INTEGER: i64 = (1 << 53) - 1;

/// Keywords that are left out of types, so that these are wider than the schema.
const UNTYPED: [&str; 6] =
    ["not", "if", "contains", "dependentSchemas", "dependentRequired", "dependencies"];

/// Keywords that are common and that no fact is made of.
fn is_in_the_type(keyword: &str) -> bool {
    matches!(
        keyword,
        "type"
            | "properties"
            | "required"
            | "additionalProperties"
            | "items"
            | "enum"
            | "const"
            | "anyOf"
            | "oneOf"
            | "allOf"
            | "description"
            | "title"
            | "$ref"
            | "$defs"
            | "$schema"
    )
}

/// Keywords with a meaning that TypeScript types do not have.
pub(super) fn facts(schema: &Map<String, Value>) -> Vec<String> {
    if schema.keys().all(|key| is_in_the_type(key)) {
        return Vec::new();
    }
    let mut facts = Vec::new();
    if schema.get("deprecated") == Some(&Value::Bool(true)) {
        facts.push("@deprecated".to_owned());
    }
    // To leave it out is what `null` means there.
    if let Some(value) = schema.get("default").filter(|value| !value.is_null()) {
        push_value(&mut facts, "default", value);
    }
    for keyword in ["format", "pattern"] {
        if let Some(Value::String(text)) = schema.get(keyword)
            && !(keyword == "format" && MACHINE_FORMATS.contains(&text.as_str()))
        {
            facts.push(format!("@{keyword} {}", cut(text, FACT_CHARS)));
        }
    }
    push_range(&mut facts, schema);
    push_size(&mut facts, schema, "length", ["minLength", "maxLength"]);
    push_size(&mut facts, schema, "items", ["minItems", "maxItems"]);
    push_size(&mut facts, schema, "properties", ["minProperties", "maxProperties"]);
    if let Some(Value::Number(step)) = schema.get("multipleOf") {
        facts.push(format!("@multipleOf {step}"));
    }
    if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
        facts.push("@unique".to_owned());
    }
    let untyped: Vec<&str> =
        UNTYPED.iter().copied().filter(|keyword| schema.contains_key(*keyword)).collect();
    if !untyped.is_empty() {
        facts.push(format!("@untyped {}", untyped.join(", ")));
    }
    let first = schema.get("examples").and_then(Value::as_array).and_then(|all| all.first());
    if let Some(value) = first.or_else(|| schema.get("example")) {
        push_value(&mut facts, "example", value);
    }
    facts
}

/// A value as JSON, if it is short enough to be worth its tokens.
fn push_value(facts: &mut Vec<String>, tag: &str, value: &Value) {
    let size = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.len(),
        Value::Object(map) => map.len(),
        _ => 0,
    };
    if size > FACT_CHARS {
        return;
    }
    let text = value.to_string();
    if text.len() <= FACT_CHARS {
        facts.push(format!("@{tag} {text}"));
    }
}

/// Bounds of a number: `@range 1..10`, an excluded bound as `>1` or `<10`.
fn push_range(facts: &mut Vec<String>, schema: &Map<String, Value>) {
    let bound = |inclusive: &str, exclusive: &str, sign: &str| {
        let is_bound = |value: &&Value| {
            value.is_number() && value.as_i64().is_none_or(|value| value.abs() != SAFE_INTEGER)
        };
        let number = schema.get(inclusive).filter(is_bound);
        match schema.get(exclusive) {
            Some(Value::Number(limit)) => Some(format!("{sign}{limit}")),
            Some(Value::Bool(true)) => number.map(|limit| format!("{sign}{limit}")),
            _ => number.map(Value::to_string),
        }
    };
    let low = bound("minimum", "exclusiveMinimum", ">");
    let high = bound("maximum", "exclusiveMaximum", "<");
    if low.is_some() || high.is_some() {
        facts.push(format!("@range {}..{}", low.unwrap_or_default(), high.unwrap_or_default()));
    }
}

/// Bounds of a size: `@length 1..50`.
fn push_size(facts: &mut Vec<String>, schema: &Map<String, Value>, tag: &str, keys: [&str; 2]) {
    let [low, high] = keys.map(|key| schema.get(key).and_then(Value::as_u64));
    let low = low.filter(|low| *low > 0);
    if low.is_some() || high.is_some() {
        let text = |bound: Option<u64>| bound.map(|bound| bound.to_string()).unwrap_or_default();
        facts.push(format!("@{tag} {}..{}", text(low), text(high)));
    }
}
