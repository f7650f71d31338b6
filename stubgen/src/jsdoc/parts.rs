//! What parts of a schema say of themselves that have no place of their own for a comment: the
//! items of an array, the members of a union.

use serde_json::{Map, Value};

use super::{Doc, cut};
use crate::name::is_type_like;

/// Longest label of a member, in characters.
const LABEL_CHARS: usize = 40;

/// What tells members apart is looked for among so many; of more, not all are shown anyway.
const MEMBERS: usize = 16;

impl Doc {
    /// Adds what the parts of `schema` say; all prose together is cut at `limit` characters.
    pub(super) fn add_parts(&mut self, schema: &Map<String, Value>, limit: usize) {
        if let Some(Value::Array(parts)) = schema.get("allOf") {
            parts.iter().for_each(|part| self.join(Self::of_part(part, limit)));
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(members)) = schema.get(keyword) {
                let is_null = |member: &Value| member.get("type").is_some_and(|ty| ty == "null");
                let members: Vec<&Value> =
                    members.iter().filter(|member| !is_null(member)).collect();
                self.add_members(&members, limit);
            }
        }
        for keyword in ["items", "prefixItems"] {
            if let Some(Value::Array(items)) = schema.get(keyword) {
                for (at, item) in items.iter().enumerate() {
                    self.add_part(&format!("[{at}]"), item, limit);
                }
            }
        }
        if let Some(items) = schema.get("items") {
            self.add_part("each", items, limit);
        }
        if let Some(values) = schema.get("additionalProperties") {
            self.add_part("each", values, limit);
        }
    }

    /// What the members of a union say: a line for each, but what only one of them says, or all
    /// of them, needs none.
    fn add_members(&mut self, members: &[&Value], limit: usize) {
        let said: Vec<(usize, Self)> = members
            .iter()
            .map(|member| Self::of_part(member, limit))
            .enumerate()
            .filter(|(_, part)| !part.is_empty())
            .collect();
        let Some((_, first)) = said.first() else { return };
        let is_of_one = said.len() == 1 && first.facts.is_empty() && self.prose.is_empty();
        let is_of_all = said.len() == members.len() && said.iter().all(|(_, part)| part == first);
        if is_of_one || is_of_all {
            return self.join(first.clone());
        }
        let labels = labels(members);
        for (at, part) in &said {
            self.add_line(labels.get(*at).map_or("or", String::as_str), part, limit);
        }
    }

    /// What a part says, unless it has a name under which that stands.
    fn of_part(part: &Value, limit: usize) -> Self {
        let title = part.get("title").and_then(Value::as_str);
        let named = part.get("properties").is_some() && title.is_some_and(is_type_like);
        match part {
            Value::Object(map) if !named && !map.contains_key("$ref") => {
                Self::of_schema(map, limit)
            }
            _ => Self::default(),
        }
    }

    /// A line of its own for a part.
    fn add_part(&mut self, label: &str, part: &Value, limit: usize) {
        let part = Self::of_part(part, limit);
        if !part.is_empty() {
            self.add_line(label, &part, limit);
        }
    }

    fn add_line(&mut self, label: &str, part: &Self, limit: usize) {
        let line = format!("- {label}: {}", part.on_one_line());
        if !self.prose.is_empty() {
            self.prose.push('\n');
        }
        self.prose.push_str(&line);
        self.prose = cut(&self.prose, limit);
    }

    /// The same thing said of the same values: what is not said yet is added.
    fn join(&mut self, other: Self) {
        if self.prose.is_empty() {
            self.prose = other.prose;
        }
        for fact in other.facts {
            if !self.facts.contains(&fact) {
                self.facts.push(fact);
            }
        }
    }

    /// Prose and facts without a line end.
    pub(crate) fn on_one_line(&self) -> String {
        let words = self.prose.split_whitespace();
        let words: Vec<&str> = words.chain(self.facts.iter().map(String::as_str)).collect();
        words.join(" ")
    }
}

/// What each member of a union is told by. Where that is the same for several, it is a property
/// that only this one has.
fn labels(members: &[&Value]) -> Vec<String> {
    let plain: Vec<String> = members.iter().map(|member| label(member)).collect();
    let of_member = |(at, member): (usize, &&Value)| {
        let label = plain.get(at).cloned().unwrap_or_default();
        let is_alone = plain.iter().filter(|other| **other == label).count() < 2;
        if is_alone || members.len() > MEMBERS {
            return label;
        }
        let others = || members.iter().enumerate().filter(|(other, _)| *other != at);
        let is_own = |name: &&String| {
            !others().any(|(_, other)| {
                other.get("properties").is_some_and(|has| has.get(name.as_str()).is_some())
            })
        };
        let own = member.get("properties").and_then(Value::as_object);
        let own = own.and_then(|properties| properties.keys().find(is_own));
        own.map_or(label, |own| cut(&format!("with {own}"), LABEL_CHARS).replace('\n', " "))
    };
    members.iter().enumerate().map(of_member).collect()
}

/// What a member of a union is told by alone: its constant, title or type.
fn label(member: &Value) -> String {
    let kind = member.get("properties").and_then(Value::as_object).and_then(|properties| {
        properties
            .iter()
            .find_map(|(name, schema)| Some(format!("{name} {}", schema.get("const")?)))
    });
    let label = match (member.get("const"), kind, member.get("title"), member.get("type")) {
        (Some(value), ..) => value.to_string(),
        (_, Some(kind), ..) => kind,
        (_, _, Some(Value::String(title)), _) => title.clone(),
        (.., Some(Value::String(ty))) => ty.clone(),
        _ => "or".to_owned(),
    };
    cut(&label, LABEL_CHARS).replace('\n', " ")
}
