//! Arguments of a call as indented JSON, for somebody who has to decide about it.

use super::visible::visible;
use serde_json::{Map, Value};

/// The arguments with everything long cut.
pub(super) fn shortened(arguments: &Map<String, Value>) -> String {
    let mut sheet = Sheet { text: "  ".to_owned(), lines_left: Sheet::LINES };
    sheet.members(arguments, 1);
    if sheet.lines_left == 0 {
        let bytes = Value::Object(arguments.clone()).to_string().len();
        sheet.text += &format!("\n  … cut: the arguments have {bytes} bytes in all");
    }
    sheet.text
}

/// The arguments with nothing cut.
pub(super) fn in_full(arguments: &Map<String, Value>) -> String {
    let text = format!("{:#}", Value::Object(arguments.clone()));
    visible(&text).into_owned()
}

/// Arguments as indented JSON, as far as there is room.
struct Sheet {
    text: String,
    lines_left: usize,
}

impl Sheet {
    const LINES: usize = 60;
    const STRING_CHARS: usize = 400;
    const ITEMS: usize = 20;
    /// What is shorter than this stays on its line.
    const SHORT_BYTES: usize = 70;

    fn value(&mut self, value: &Value, depth: usize) {
        let short = value.to_string();
        match value {
            Value::String(text) => self.string(text),
            _ if short.len() <= Self::SHORT_BYTES && depth > 1 => self.text += &visible(&short),
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| (None, item)).collect();
                self.many(["[", "]"], &items, depth);
            }
            Value::Object(members) => self.members(members, depth),
            _ => self.text += &short,
        }
    }

    fn members(&mut self, members: &Map<String, Value>, depth: usize) {
        let items: Vec<_> = members.iter().map(|(key, value)| (Some(key), value)).collect();
        self.many(["{", "}"], &items, depth);
    }

    fn many(&mut self, brackets: [&str; 2], items: &[(Option<&String>, &Value)], depth: usize) {
        let [open, close] = brackets;
        self.text += open;
        let more = items.len().saturating_sub(Self::ITEMS);
        let last = items.len().saturating_sub(1);
        for (index, (key, value)) in items.iter().take(Self::ITEMS).enumerate() {
            if !self.new_line(depth + 1) {
                return;
            }
            if let Some(key) = key {
                self.string(key);
                self.text += ": ";
            }
            self.value(value, depth + 1);
            if index < last {
                self.text += ",";
            }
        }
        if more > 0 && self.new_line(depth + 1) {
            self.text += &format!("… {more} more");
        }
        if !items.is_empty() && !self.new_line(depth) {
            return;
        }
        self.text += close;
    }

    /// Whether there was room for one.
    fn new_line(&mut self, depth: usize) -> bool {
        let Some(left) = self.lines_left.checked_sub(1) else { return false };
        self.lines_left = left;
        self.text += "\n";
        self.text += &"  ".repeat(depth);
        true
    }

    fn string(&mut self, text: &str) {
        let short: String = text.chars().take(Self::STRING_CHARS).collect();
        self.text += &visible(&Value::from(short.as_str()).to_string());
        if short.len() < text.len() {
            self.text += &format!(" … cut: {} bytes in all", text.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(arguments: Value) -> String {
        shortened(arguments.as_object().unwrap())
    }

    #[test]
    fn arguments_are_json_on_lines() {
        let arguments = json!({ "list": [1, 2], "text": "a\u{202e}\u{1b}b", "none": {} });
        let expected = r#"  {
    "list": [1,2],
    "text": "a\u{202e}\u001bb",
    "none": {}
  }"#;
        assert_eq!(shown(arguments), expected);
        assert_eq!(shown(json!({})), "  {}");
    }

    #[test]
    fn what_is_long_is_cut_and_says_how_long_it_is() {
        let text = shown(json!({ "text": "ü".repeat(1000), "list": vec!["item"; 100] }));
        assert!(text.contains("… cut: 2000 bytes in all"), "{text}");
        assert!(text.contains("… 80 more"), "{text}");
    }

    #[test]
    fn nothing_is_so_large_that_it_fills_the_screen_many_times() {
        let deep = (0..50).fold(json!(["x".repeat(100)]), |deep, _| json!([deep, deep_string()]));
        let text = shown(json!({ "deep": deep }));
        assert!(text.lines().count() < 70, "{text}");
        assert!(text.ends_with("bytes in all"), "{text}");
    }

    fn deep_string() -> String {
        "y".repeat(100)
    }
}
