//! A tool as a search knows it.

use serde_json::Value;

/// Levels of a schema that are read, and parts of it in all: schemas are a stranger's.
const DEPTH: usize = 6;
const PARTS: usize = 400;

/// A tool that can be found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tool {
    /// The server's name.
    pub server: String,
    /// The tool's own name.
    pub name: String,
    /// What scripts call it.
    pub function: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it does, in its server's words.
    pub description: Option<String>,
    /// What it takes.
    pub parameters: Parameters,
    /// Whether it says that it changes nothing.
    pub read_only: bool,
}

impl Tool {
    /// What it does in one line of at most so many characters: the first sentence of its
    /// description, else its title. Empty if it has neither. Control characters are in it as they
    /// came.
    pub fn summary(&self, chars: usize) -> String {
        let about = self.description.as_deref().or(self.title.as_deref()).unwrap_or_default();
        let sentence = first_sentence(about);
        let mut summary: String = sentence.chars().take(chars).collect();
        if summary.len() < sentence.len() {
            summary.pop();
            summary.push('…');
        }
        summary
    }
}

/// The first sentence of the first line that has any text.
pub(crate) fn first_sentence(text: &str) -> &str {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let end = line.match_indices(". ").map(|(at, _)| at).find(|at| *at > 10);
    end.and_then(|end| line.get(..=end)).unwrap_or(line)
}

/// What a schema says in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// The names of properties, also of nested ones.
    pub names: Vec<String>,
    /// Texts that can be given: members of `enum`, and `const`.
    pub values: Vec<String>,
    /// What properties say of themselves.
    pub about: Vec<String>,
}

impl Parameters {
    /// Reads a schema, as far as it is neither too deep nor too long. References are not followed,
    /// but definitions are read where they stand.
    pub fn of(schema: &Value) -> Self {
        let mut reading = Reading { found: Self::default(), left: PARTS };
        reading.schema(schema, DEPTH);
        reading.found
    }
}

struct Reading {
    found: Parameters,
    /// Parts that may still be read.
    left: usize,
}

impl Reading {
    fn schema(&mut self, schema: &Value, depth: usize) {
        let Some(schema) = schema.as_object() else { return };
        if depth == 0 || self.left == 0 {
            return;
        }
        self.left -= 1;
        for (key, value) in schema {
            match (key.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties.iter().take(PARTS) {
                        self.found.names.push(name.clone());
                        if let Some(about) = property.get("description").and_then(Value::as_str) {
                            self.found.about.push(about.to_owned());
                        }
                        self.schema(property, depth - 1);
                    }
                }
                ("enum", Value::Array(values)) => {
                    let texts = values.iter().take(PARTS).filter_map(Value::as_str);
                    self.found.values.extend(texts.map(str::to_owned));
                }
                ("const", Value::String(value)) => self.found.values.push(value.clone()),
                ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(parts)) => {
                    parts.iter().for_each(|part| self.schema(part, depth - 1));
                }
                ("$defs" | "definitions", Value::Object(parts)) => {
                    parts.values().for_each(|part| self.schema(part, depth - 1));
                }
                ("items" | "additionalProperties", part) => self.schema(part, depth - 1),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_values_and_descriptions_are_found_at_any_place() {
        let found = Parameters::of(&json!({
            "properties": {
                "state": { "enum": ["open", "closed", 3], "description": "Which ones." },
                "fields": { "items": { "properties": { "kind": { "const": "date" } } } },
            },
            "$defs": { "Who": { "properties": { "mail": true } } },
        }));
        let sorted = |mut texts: Vec<String>| {
            texts.sort();
            texts
        };
        assert_eq!(sorted(found.names), ["fields", "kind", "mail", "state"]);
        assert_eq!(sorted(found.values), ["closed", "date", "open"]);
        assert_eq!(found.about, ["Which ones."]);
    }

    #[test]
    fn deep_and_wide_schemas_are_read_in_part() {
        let mut deep = json!({ "properties": { "bottom": true } });
        for _ in 0..100 {
            deep = json!({ "items": deep });
        }
        assert_eq!(Parameters::of(&deep), Parameters::default());
        let wide = json!({ "anyOf": vec![json!({ "properties": { "x": true } }); 10_000] });
        assert!(Parameters::of(&wide).names.len() <= PARTS);
    }

    #[test]
    fn a_summary_is_one_sentence_and_never_too_long() {
        let about = |text: &str| Tool { description: Some(text.into()), ..Tool::default() };
        let tool = about("\n Lists issues. Use it often.\nMore.");
        assert_eq!(tool.summary(100), "Lists issues.");
        assert_eq!(tool.summary(6), "Lists…");
        assert_eq!(about("Größe").summary(5), "Größe");
        assert_eq!(Tool { title: Some("A".into()), ..Tool::default() }.summary(5), "A");
    }
}
