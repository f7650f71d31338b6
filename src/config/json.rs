//! JSON that remembers where each value is.

use super::error::{Fault, Place, Problem};
use jsonc_parser::{ParseOptions, ast, common::Ranged};

/// A value and where it is.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) at: Place,
    pub(super) value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    String(String),
    List(Vec<Node>),
    Object(Vec<Member>),
}

/// A member of an object. A key may come twice.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) at: Place,
    pub(super) key: String,
    pub(super) value: Node,
}

impl Node {
    pub(super) fn object(&self, what: &str) -> Result<&[Member], Fault> {
        match &self.value {
            Value::Object(members) => Ok(members),
            _ => Err(self.wrong_type(what, "an object")),
        }
    }

    pub(super) fn list(&self, what: &str, expected: &str) -> Result<&[Node], Fault> {
        match &self.value {
            Value::List(items) => Ok(items),
            _ => Err(self.wrong_type(what, expected)),
        }
    }

    pub(super) fn string(&self, what: &str) -> Result<&str, Fault> {
        match &self.value {
            Value::String(text) => Ok(text),
            _ => Err(self.wrong_type(what, "a string")),
        }
    }

    /// The value without its places.
    pub(super) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            // What no number can hold stays the text that it is.
            Value::Number(text) => {
                serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into())
            }
            Value::String(text) => text.as_str().into(),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Object(members) => {
                let member = |member: &Member| (member.key.clone(), member.value.to_json());
                serde_json::Value::Object(members.iter().map(member).collect())
            }
        }
    }

    pub(super) fn wrong_type(&self, what: &str, expected: &str) -> Fault {
        let found = match &self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        };
        let (what, expected) = (what.to_owned(), expected.to_owned());
        self.at.fault(Problem::WrongType { what, expected, found })
    }

    pub(super) fn bad_value(&self, what: &str, problem: impl ToString) -> Fault {
        self.at.fault(Problem::BadValue { what: what.to_owned(), problem: problem.to_string() })
    }
}

/// Reads JSON, in which comments and a comma after the last member are allowed.
pub(super) fn parse(bytes: &[u8]) -> Result<Node, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let valid = String::from_utf8_lossy(valid);
        Lines::of(&valid).place(valid.len()).fault(Problem::NotText)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = Lines::of(text);
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = jsonc_parser::parse_to_ast(text, &Default::default(), &options);
    let parsed = parsed.map_err(|error| {
        let mut problem = error.kind().to_string();
        if let Some(first) = problem.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        lines.place(error.range().start).fault(Problem::Syntax { problem })
    })?;
    match parsed.value {
        Some(value) => Ok(lines.node(&value)),
        None => {
            let problem = "the file is empty; the least is `{}`".to_owned();
            Err(lines.place(0).fault(Problem::Syntax { problem }))
        }
    }
}

/// Where the lines of a text begin.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = [0].into_iter().chain(ends.map(|(index, _)| index + 1)).collect();
        Self { text, starts }
    }

    fn place(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|index| self.starts.get(index));
        let before = self.text.get(start.copied().unwrap_or(0)..offset).unwrap_or_default();
        Place { line, column: before.chars().count() + 1 }
    }

    fn node(&self, value: &ast::Value<'_>) -> Node {
        let converted = match value {
            ast::Value::NullKeyword(_) => Value::Null,
            ast::Value::BooleanLit(literal) => Value::Bool(literal.value),
            ast::Value::NumberLit(literal) => Value::Number(literal.value.to_owned()),
            ast::Value::StringLit(literal) => Value::String(literal.value.to_string()),
            ast::Value::Array(array) => {
                Value::List(array.elements.iter().map(|element| self.node(element)).collect())
            }
            ast::Value::Object(object) => {
                Value::Object(object.properties.iter().map(|member| self.member(member)).collect())
            }
        };
        Node { at: self.place(value.start()), value: converted }
    }

    fn member(&self, member: &ast::ObjectProp<'_>) -> Member {
        let key = match &member.name {
            ast::ObjectPropName::String(literal) => literal.value.to_string(),
            ast::ObjectPropName::Word(word) => word.value.to_owned(),
        };
        Member { at: self.place(member.start()), key, value: self.node(&member.value) }
    }
}
