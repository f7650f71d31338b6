//! What goes in: tools as their servers describe them, and bounds for what comes out.

use serde_json::Value;

/// A tool, as a server lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name that the host gave to the server.
    pub server: String,
    /// The tool's own name.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// What the tool does.
    pub description: Option<String>,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    /// JSON Schema of the structured result, if the server promises one.
    pub output_schema: Option<Value>,
    /// What the server says of the tool's effects.
    pub annotations: Annotations,
}

impl Tool {
    /// Whether nothing could be declared otherwise. In a schema that is equal the order of the
    /// properties may be another, which is theirs in the declaration too.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let Self { server, name, title, description, input_schema, output_schema, annotations } =
            other;
        self.server == *server
            && self.name == *name
            && self.title == *title
            && self.description == *description
            && self.annotations == *annotations
            && is_same(&self.input_schema, input_schema)
            && match (&self.output_schema, output_schema) {
                (Some(schema), Some(other)) => is_same(schema, other),
                (schema, other) => schema.is_none() && other.is_none(),
            }
    }
}

/// Whether two values are equal and in the same order.
fn is_same(value: &Value, other: &Value) -> bool {
    match (value, other) {
        (Value::Object(map), Value::Object(other)) => {
            let mut members = map.iter().zip(other);
            map.len() == other.len()
                && members.all(|((key, value), (other_key, other))| {
                    key == other_key && is_same(value, other)
                })
        }
        (Value::Array(items), Value::Array(others)) => {
            items.len() == others.len()
                && items.iter().zip(others).all(|(item, other)| is_same(item, other))
        }
        _ => value == other,
    }
}

/// What a server says of a tool's effects. Hints, not facts: nothing may be allowed because of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Calling it twice is as good as calling it once.
    pub idempotent: Option<bool>,
    /// It reaches things outside the server.
    pub open_world: Option<bool>,
}

/// Bounds of what is read and written. A tool that passes one is unavailable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Longest description, in characters; more is cut, with a mark. Default: 1,000.
    pub description_chars: usize,
    /// How deeply a schema may be nested, as JSON and by its references. Default: 64.
    pub depth: usize,
    /// How many parts a schema may have, those behind references counted each time they are
    /// expanded. Default: 20,000.
    pub subschemas: usize,
    /// Longest schema, in bytes of JSON, about. Default: 1 MiB.
    pub schema_bytes: usize,
    /// Longest declaration of one tool with the types it needs. Default: 256 KiB.
    pub declaration_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            description_chars: 1000,
            depth: 64,
            subschemas: 20_000,
            schema_bytes: 1 << 20,
            declaration_bytes: 256 << 10,
        }
    }
}
