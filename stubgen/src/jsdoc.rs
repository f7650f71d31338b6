//! Descriptions and what types cannot say, as comments that nothing breaks out of.

use serde_json::{Map, Value};

/// What a comment tells about a type, a property or a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Doc {
    /// Prose; its lines are kept.
    pub(crate) prose: String,
    /// Short facts such as `@default 10`.
    pub(crate) facts: Vec<String>,
}

/// Longest value that is shown for `@default`, `@pattern` and `@example`, in characters.
const FACT_CHARS: usize = 80;

/// A comment is one line when it is not longer than this, in characters.
const LINE_CHARS: usize = 160;

impl Doc {
    /// Reads what a schema says about itself; prose is cut at `limit` characters.
    pub(crate) fn of_schema(schema: &Map<String, Value>, limit: usize) -> Self {
        let prose = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let mut doc = Self { prose: cut(prose.trim(), limit), facts: facts(schema) };
        // Not worth a comment of its own.
        if !doc.is_empty() && schema.get("type").and_then(Value::as_str) == Some("integer") {
            doc.facts.push("@integer".to_owned());
        }
        doc
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.prose.is_empty() && self.facts.is_empty()
    }

    /// The text between `/*` and `*/`, or nothing if there is nothing to say.
    pub(crate) fn comment(&self) -> Option<String> {
        let mut lines: Vec<String> = Vec::new();
        for line in self.prose.split(['\n', '\u{2028}', '\u{2029}']) {
            let line = harmless(line.trim_end());
            if !(line.is_empty() && lines.last().is_none_or(String::is_empty)) {
                lines.push(line);
            }
        }
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let facts: Vec<String> = self.facts.iter().map(|fact| harmless(fact)).collect();
        let facts = facts.join(" ");
        if !facts.is_empty() {
            match lines.as_mut_slice() {
                [only] if only.len() + facts.len() < LINE_CHARS => {
                    only.push(' ');
                    only.push_str(&facts);
                }
                _ => lines.push(facts),
            }
        }
        match lines.as_slice() {
            [] => None,
            [only] => Some(format!("* {only} ")),
            many => {
                let mut text = String::from("*");
                for line in many {
                    text.push_str("\n *");
                    if !line.is_empty() {
                        text.push(' ');
                        text.push_str(line);
                    }
                }
                text.push_str("\n ");
                Some(text)
            }
        }
    }
}

/// Cuts `text` after `limit` characters, with a mark where something was left out.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((end, _)) => {
            let kept = text.get(..end).unwrap_or_default().trim_end();
            format!("{kept}…")
        }
    }
}

/// Text that can stand in a comment: no end of it, nothing that reorders or hides characters.
pub(crate) fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\r' => {}
            '\t' => out.push(' '),
            '/' if out.ends_with('*') => out.push_str("\\/"),
            c if is_invisible(c) => out.extend(visible(c)),
            c => out.push(c),
        }
    }
    out
}

/// Control characters, line separators, and characters that reorder or hide others.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// The escape by which JavaScript writes `c`, one per UTF-16 unit.
pub(crate) fn visible(c: char) -> impl Iterator<Item = char> {
    let mut units = [0u16; 2];
    let escapes: Vec<String> =
        c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect();
    escapes.concat().chars().collect::<Vec<_>>().into_iter()
}

/// Keywords with a meaning that TypeScript types do not have.
fn facts(schema: &Map<String, Value>) -> Vec<String> {
    let mut facts = Vec::new();
    if schema.get("deprecated") == Some(&Value::Bool(true)) {
        facts.push("@deprecated".to_owned());
    }
    if let Some(value) = schema.get("default") {
        push_value(&mut facts, "default", value);
    }
    for keyword in ["format", "pattern"] {
        if let Some(Value::String(text)) = schema.get(keyword) {
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
    let untyped: Vec<&str> = ["not", "if", "contains", "dependentSchemas", "dependentRequired"]
        .into_iter()
        .filter(|keyword| schema.contains_key(*keyword))
        .collect();
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
        let number = schema.get(inclusive).filter(|value| value.is_number());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_cannot_be_ended_from_within() {
        assert_eq!(harmless("a */ b **/ c"), "a *\\/ b **\\/ c");
    }

    #[test]
    fn what_hides_or_reorders_is_made_visible() {
        assert_eq!(harmless("a\u{202e}b\0\u{e0041}"), "a\\u202eb\\u0000\\udb40\\udc41");
    }

    #[test]
    fn a_slash_after_a_removed_character_still_cannot_end_it() {
        assert_eq!(harmless("*\r/"), "*\\/");
    }

    #[test]
    fn a_cut_is_marked() {
        assert_eq!(cut("abcdef", 3), "abc…");
        assert_eq!(cut("abc", 3), "abc");
    }
}
