//! JSON Schema, compiled once per tool.
//!
//! A schema stands alone: nothing is ever fetched, so a `$ref` to anything outside of it makes the
//! tool unusable rather than its check permissive. Without `$schema` the dialect is 2020-12, as MCP
//! says; the drafts back to 4 are understood because most servers still name draft 7.

use std::fmt;

use jsonschema::{Draft, PatternOptions};
use serde_json::Value;

use super::RejectReason;

/// How many steps one regular expression of a schema may go back before the check gives up.
const BACKTRACK_LIMIT: usize = 100_000;
/// How many misfits a message names, and how long each may be.
const MISFITS: usize = 3;
const MISFIT_CHARS: usize = 200;

/// A compiled schema.
#[derive(Debug)]
pub(crate) struct Validator(jsonschema::Validator);

/// What does not fit a schema: where in the value, and what is wrong there.
#[derive(Debug)]
pub(crate) struct Misfit(String);

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Validator {
    /// Compiles a schema; `part` is the member of the tool in which it stands.
    pub(crate) fn compile(part: &'static str, schema: &Value) -> Result<Self, RejectReason> {
        let draft = match schema.get("$schema") {
            None => Draft::Draft202012,
            Some(dialect) => draft(dialect).ok_or_else(|| RejectReason::Dialect {
                part,
                dialect: dialect.as_str().map_or_else(|| dialect.to_string(), str::to_owned),
            })?,
        };
        jsonschema::options()
            .with_draft(draft)
            .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT))
            .offline()
            .build(schema)
            .map(Self)
            .map_err(|error| RejectReason::Schema { part, problem: short(&error.to_string()) })
    }

    /// Checks a value.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Misfit> {
        let mut errors = self.0.iter_errors(value);
        let mut problems: Vec<String> = errors
            .by_ref()
            .take(MISFITS)
            .map(|error| {
                let place = error.instance_path().to_string();
                let problem = short(&error.to_string());
                if place.is_empty() { problem } else { format!("at {place}: {problem}") }
            })
            .collect();
        if problems.is_empty() {
            return Ok(());
        }
        if errors.next().is_some() {
            problems.push("and more".to_owned());
        }
        Err(Misfit(problems.join("; ")))
    }
}

fn draft(dialect: &Value) -> Option<Draft> {
    let name = dialect.as_str()?.trim_end_matches('#');
    let name = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://"))?;
    match name.strip_prefix("json-schema.org/")? {
        "draft/2020-12/schema" => Some(Draft::Draft202012),
        "draft/2019-09/schema" => Some(Draft::Draft201909),
        "draft-07/schema" => Some(Draft::Draft7),
        "draft-06/schema" => Some(Draft::Draft6),
        "draft-04/schema" => Some(Draft::Draft4),
        _ => None,
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(MISFIT_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_dialect_that_servers_use_is_understood() {
        for dialect in [
            "https://json-schema.org/draft/2020-12/schema",
            "https://json-schema.org/draft/2019-09/schema#",
            "http://json-schema.org/draft-07/schema#",
            "http://json-schema.org/draft-06/schema",
            "http://json-schema.org/draft-04/schema#",
        ] {
            let schema = json!({ "$schema": dialect, "type": "object", "required": ["a"] });
            let validator = Validator::compile("inputSchema", &schema).unwrap();
            assert!(validator.check(&json!({ "a": 1 })).is_ok(), "{dialect}");
            assert!(validator.check(&json!({})).is_err(), "{dialect}");
        }
    }

    #[test]
    fn dialects_differ_where_they_should() {
        // `prefixItems` is a word of 2020-12; draft 7 ignores it.
        let mut schema = json!({ "prefixItems": [{ "type": "string" }] });
        let value = json!([1]);
        assert!(Validator::compile("inputSchema", &schema).unwrap().check(&value).is_err());
        schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
        assert!(Validator::compile("inputSchema", &schema).unwrap().check(&value).is_ok());
    }

    #[test]
    fn misfits_name_the_place_and_stay_short() {
        let schema = json!({ "properties": { "level": { "enum": ["a", "b"] } } });
        let validator = Validator::compile("inputSchema", &schema).unwrap();
        let misfit = validator.check(&json!({ "level": "c" })).unwrap_err().to_string();
        assert_eq!(misfit, r#"at /level: "c" is not one of "a" or "b""#);
        let long = "ä".repeat(10_000);
        let misfit = validator.check(&json!({ "level": long })).unwrap_err().to_string();
        assert!(misfit.len() < 1000, "{misfit}");
    }

    #[test]
    fn local_references_work_and_foreign_ones_are_refused() {
        let schema = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "string" } } });
        let validator = Validator::compile("inputSchema", &schema).unwrap();
        assert!(validator.check(&json!(1)).is_err());
        for foreign in ["https://example.org/a.json", "file:///etc/passwd", "other.json"] {
            let schema = json!({ "$ref": foreign });
            assert!(Validator::compile("inputSchema", &schema).is_err(), "{foreign}");
        }
    }
}
