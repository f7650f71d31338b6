//! Arguments of a call as indented JSON, for somebody who has to decide about it.

use super::visible::visible;
use serde_json::{Map, Value};

/// The arguments with everything long cut.
pub(super) fn shortened(arguments: &Map<String, Value>) -> String {
    let mut sheet = Sheet { text: String::new(), lines_left: Sheet::LINES };
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

    fn members(&mut self, members: &Map<String, Value>, depth: usize) {
        self.many(
            "{",
            "}",
            &members.iter().map(|(key, value)| (Some(key), value)).collect::<Vec<_>>(),
            depth,
        );
    }

    fn many(&mut self, open: &str, close: &str, items: &[(Option<&String>, &Value)], depth: usize) {
        let indent = |depth: usize| "  ".repeat(depth);
        if items.is_empty() {
            self.text += &format!("{open}{close}");
            return;
        }
        if depth == 1 {
            self.text += "  ";
        }
        self.text += open;
        let more = items.len().saturating_sub(Self::ITEMS);
        for (key, value) in items.iter().take(Self::ITEMS) {
            if !self.new_line(&indent(depth + 1)) {
                return;
            }
            if let Some(key) = key {
                self.string(key);
                self.text += ": ";
            }
            match value {
                Value::String(text) => self.string(text),
                Value::Array(items) => {
                    self.many(
                        "[",
                        "]",
                        &items.iter().map(|item| (None, item)).collect::<Vec<_>>(),
                        depth + 1,
                    );
                }
                Value::Object(members) => self.members(members, depth + 1),
                other => self.text += &other.to_string(),
            }
        }
        if more > 0 && self.new_line(&indent(depth + 1)) {
            self.text += &format!("… {more} more");
        }
        if self.new_line(&indent(depth)) {
            self.text += close;
        }
    }

    fn new_line(&mut self, indent: &str) -> bool {
        if self.lines_left == 0 {
            return false;
        }
        self.lines_left -= 1;
        self.text += &format!("\n{indent}");
        self.lines_left > 0
    }

    fn string(&mut self, text: &str) {
        let short: String = text.chars().take(Self::STRING_CHARS).collect();
        self.text += &visible(&Value::from(short.as_str()).to_string());
        if short.len() < text.len() {
            self.text += &format!(" … cut: {} bytes in all", text.len());
        }
    }
}
