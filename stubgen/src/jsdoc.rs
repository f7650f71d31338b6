//! Descriptions and what types cannot say, as comments that nothing breaks out of.

mod facts;
mod parts;

use serde_json::{Map, Value};

use facts::facts;

use crate::ty::Type;

/// What a comment tells about a type, a property or a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Doc {
    /// Prose; its lines are kept.
    pub(crate) prose: String,
    /// Short facts such as `@default 10`.
    pub(crate) facts: Vec<String>,
}

/// A comment is one line when it is not longer than this, in characters.
const LINE_CHARS: usize = 160;

impl Doc {
    /// Reads what a schema says about itself; prose is cut at `limit` characters.
    pub(crate) fn of_schema(schema: &Map<String, Value>, limit: usize) -> Self {
        let prose = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let mut doc = Self { prose: cut(prose.trim(), limit), facts: facts(schema) };
        doc.add_parts(schema, limit);
        // Not worth a comment of its own.
        if !doc.is_empty() && schema.get("type").and_then(Value::as_str) == Some("integer") {
            doc.facts.push("@integer".to_owned());
        }
        doc
    }

    /// The same beside `ty`, without what that says by itself: how many items a tuple has.
    pub(crate) fn beside(mut self, ty: &Type) -> Self {
        if let Some(tuple) = ty.only_tuple() {
            self.facts
                .retain(|fact| !fact.strip_prefix("@items ").is_some_and(|size| tuple.says(size)));
        }
        self
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
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && !text.contains("*/") {
        return text.to_owned();
    }
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
    if c.is_ascii() {
        return c.is_ascii_control();
    }
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
