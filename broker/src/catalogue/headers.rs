//! Arguments that travel as headers too: `x-mcp-header` in a tool's input schema.
//!
//! A modern server behind a URL may want some arguments as `Mcp-Param-*` headers, so that what
//! stands before it can route a call without reading its body. Which ones is read once per tool; a
//! tool that says it wrongly cannot be called, because its calls could be routed anywhere.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

const ANNOTATION: &str = "x-mcp-header";
const PREFIX: &str = "mcp-param-";
/// The integers that JavaScript, and so the other end, can tell apart: ±(2^53 − 1).
const LARGEST: i64 = (1 << 53) - 1;

/// Keywords whose value is data or a list of names, not a schema.
const DATA: [&str; 6] = ["const", "default", "enum", "examples", "required", "dependentRequired"];
/// Keywords whose members are schemas by a name that is no keyword.
const BY_NAME: [&str; 5] =
    ["$defs", "definitions", "patternProperties", "dependentSchemas", "dependencies"];

/// The arguments of one tool that become headers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ParamHeaders(Vec<ParamHeader>);

#[derive(Debug, PartialEq, Eq)]
struct ParamHeader {
    /// Names of properties from the root to the argument.
    path: Vec<String>,
    /// Name of the header, in lower case.
    name: String,
}

impl ParamHeaders {
    /// Reads the annotations of an input schema; the error says which is wrong.
    pub(crate) fn read(schema: &Value) -> Result<Self, String> {
        let mut reader = Reader { path: Vec::new(), names: HashSet::new(), found: Vec::new() };
        reader.schema(schema, true)?;
        Ok(Self(reader.found))
    }

    /// The headers of a call, as name and value. An argument that is absent or null has none.
    pub(crate) fn of(
        &self,
        arguments: &Map<String, Value>,
    ) -> Result<Vec<(String, String)>, String> {
        let mut headers = Vec::new();
        for ParamHeader { path, name } in &self.0 {
            let [first, rest @ ..] = path.as_slice() else { continue };
            let value = rest
                .iter()
                .try_fold(arguments.get(first), |value, key| value.map(|value| value.get(key)));
            let Some(value) = value.flatten() else { continue };
            let problem = |problem: &str| format!("`{}` {problem}", path.join("."));
            let text = match value {
                Value::Null => continue,
                Value::String(text) => text.clone(),
                Value::Bool(flag) => flag.to_string(),
                Value::Number(number) => match integer(number) {
                    Some(number) => number.to_string(),
                    None => return Err(problem("is a header and no integer within ±(2^53 − 1)")),
                },
                _ => return Err(problem("is a header and neither text, integer nor boolean")),
            };
            headers.push((name.clone(), encode(text)));
        }
        Ok(headers)
    }
}

fn integer(number: &serde_json::Number) -> Option<i64> {
    let exact = number.as_i64().or_else(|| {
        // 2.0 is an integer for JSON Schema, and this cast is exact where it is used.
        #[allow(clippy::cast_possible_truncation, reason = "within 2^53 it loses nothing")]
        let whole =
            |float: f64| (float.fract() == 0.0 && float.abs() < 9.1e15).then_some(float as i64);
        number.as_f64().and_then(whole)
    })?;
    (-LARGEST..=LARGEST).contains(&exact).then_some(exact)
}

/// The text as a header may carry it.
fn encode(text: String) -> String {
    let edge = |end: Option<char>| matches!(end, Some(' ' | '\t'));
    let is_unsafe = text.chars().any(|c| !matches!(c, ' '..='~'))
        || edge(text.chars().next())
        || edge(text.chars().next_back())
        || text.starts_with("=?base64?") && text.ends_with("?=");
    if is_unsafe { format!("=?base64?{}?=", STANDARD.encode(text)) } else { text }
}

struct Reader {
    path: Vec<String>,
    names: HashSet<String>,
    found: Vec<ParamHeader>,
}

impl Reader {
    /// Reads one schema; `is_reachable` while only `properties` lie between it and the root.
    fn schema(&mut self, schema: &Value, is_reachable: bool) -> Result<(), String> {
        let Value::Object(keywords) = schema else { return Ok(()) };
        if let Some(annotation) = keywords.get(ANNOTATION) {
            if !is_reachable || self.path.is_empty() {
                return Err(format!("`{ANNOTATION}` stands where no argument is"));
            }
            self.annotation(annotation, keywords.get("type"))?;
        }
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        self.path.push(name.clone());
                        self.schema(property, is_reachable)?;
                        self.path.pop();
                    }
                }
                (keyword, _) if DATA.contains(&keyword) || keyword == ANNOTATION => {}
                (keyword, Value::Object(schemas)) if BY_NAME.contains(&keyword) => {
                    schemas.values().try_for_each(|schema| self.schema(schema, false))?;
                }
                (_, Value::Array(schemas)) => {
                    schemas.iter().try_for_each(|schema| self.schema(schema, false))?;
                }
                (_, schema) => self.schema(schema, false)?,
            }
        }
        Ok(())
    }

    fn annotation(&mut self, annotation: &Value, kind: Option<&Value>) -> Result<(), String> {
        let place = self.path.join(".");
        let problem = |problem: &str| Err(format!("`{ANNOTATION}` of `{place}` {problem}"));
        let Some(name) = annotation.as_str() else { return problem("is not a string") };
        if name.is_empty() {
            return problem("is empty");
        }
        if !name.bytes().all(is_of_token) {
            return problem("is not the name of a header");
        }
        if !matches!(kind.and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
            return problem("is on something else than a string, an integer or a boolean");
        }
        let name = name.to_ascii_lowercase();
        if !self.names.insert(name.clone()) {
            return problem("is on another argument as well");
        }
        self.found.push(ParamHeader { path: self.path.clone(), name: format!("{PREFIX}{name}") });
        Ok(())
    }
}

/// RFC 9110, `tchar`.
fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema(property: &Value) -> Value {
        json!({ "type": "object", "properties": { "a": property } })
    }

    fn header(kind: &str, value: &Value) -> Result<Option<String>, String> {
        let headers = ParamHeaders::read(&schema(&json!({ "type": kind, "x-mcp-header": "A" })))?;
        let arguments = json!({ "a": value }).as_object().cloned().unwrap();
        Ok(headers.of(&arguments)?.pop().map(|(name, value)| {
            assert_eq!(name, "mcp-param-a");
            value
        }))
    }

    #[test]
    fn values_are_written_as_the_specification_says() {
        for (value, written) in [
            ("plain", "plain"),
            ("", ""),
            ("a b~", "a b~"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("a\tb", "=?base64?YQli?="),
            ("a\r\nb", "=?base64?YQ0KYg==?="),
            ("\u{7f}", "=?base64?fw==?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("=?base64?", "=?base64?"),
        ] {
            assert_eq!(header("string", &json!(value)), Ok(Some(written.to_owned())), "{value:?}");
        }
        assert_eq!(header("boolean", &json!(true)), Ok(Some("true".to_owned())));
        assert_eq!(header("string", &json!(null)), Ok(None));
    }

    #[test]
    fn integers_keep_within_what_both_ends_can_tell_apart() {
        for (value, written) in [
            (json!(-0), "0"),
            (json!(42), "42"),
            (json!(2.0), "2"),
            (json!(LARGEST), "9007199254740991"),
            (json!(-LARGEST), "-9007199254740991"),
        ] {
            assert_eq!(header("integer", &value), Ok(Some(written.to_owned())));
        }
        for value in
            [json!(LARGEST + 1), json!(-LARGEST - 1), json!(u64::MAX), json!(1e300), json!(0.5)]
        {
            assert!(header("integer", &value).is_err(), "{value}");
        }
        assert!(header("string", &json!({})).is_err());
    }

    #[test]
    fn nested_arguments_are_found_by_their_exact_path() {
        let inner = json!({ "type": "object", "properties": {
            "b": { "type": "integer", "x-mcp-header": "X-B" } } });
        let headers = ParamHeaders::read(&schema(&inner)).unwrap();
        let of = |arguments: Value| headers.of(arguments.as_object().unwrap()).unwrap();
        assert_eq!(of(json!({ "a": { "b": 1 } })), [("mcp-param-x-b".to_owned(), "1".to_owned())]);
        assert_eq!(of(json!({ "b": 1 })), []);
        assert_eq!(of(json!({ "a": 1 })), []);
    }

    #[test]
    fn every_wrong_annotation_is_one() {
        let marked = json!({ "type": "string", "x-mcp-header": "A" });
        for property in [
            json!({ "type": "string", "x-mcp-header": "" }),
            json!({ "type": "string", "x-mcp-header": 1 }),
            json!({ "type": "string", "x-mcp-header": "a b" }),
            json!({ "type": "string", "x-mcp-header": "a:b" }),
            json!({ "type": "string", "x-mcp-header": "ä" }),
            json!({ "type": "number", "x-mcp-header": "A" }),
            json!({ "type": ["string", "null"], "x-mcp-header": "A" }),
            json!({ "x-mcp-header": "A" }),
            json!({ "type": "array", "items": marked }),
            json!({ "anyOf": [marked] }),
            json!({ "not": marked }),
            json!({ "if": marked }),
            json!({ "additionalProperties": marked }),
            json!({ "type": "object", "patternProperties": { "x": marked } }),
            json!({ "items": { "properties": { "b": marked } } }),
        ] {
            assert!(ParamHeaders::read(&schema(&property)).is_err(), "{property}");
        }
        let twice = json!({ "properties": { "a": marked, "b": { "type": "string", "x-mcp-header": "a" } } });
        assert!(ParamHeaders::read(&twice).unwrap_err().contains("another argument"));
        assert!(ParamHeaders::read(&json!({ "x-mcp-header": "A" })).is_err());
        assert!(ParamHeaders::read(&json!({ "$defs": { "d": marked } })).is_err());
    }

    #[test]
    fn data_and_names_are_no_annotations() {
        for property in [
            json!({ "default": { "x-mcp-header": "A" }, "enum": [{ "x-mcp-header": 1 }] }),
            json!({ "type": "object", "properties": { "x-mcp-header": { "type": "string" } } }),
            json!({ "$defs": { "x-mcp-header": { "type": "string" } } }),
        ] {
            assert_eq!(
                ParamHeaders::read(&schema(&property)),
                Ok(ParamHeaders::default()),
                "{property}"
            );
        }
    }
}
