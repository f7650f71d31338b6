//! Arguments of a call as indented JSON, for somebody who has to decide about it.
//!
//! Long values are cut and say how long they are. What is different from the call before of the same
//! tool has a mark at the beginning of its line: `+` new, `~` changed, `-` gone.

use super::visible::visible;
use serde_json::{Map, Value};

/// How much is shown.
#[derive(Clone, Copy)]
pub(super) struct Room {
    lines: usize,
    string_chars: usize,
    items: usize,
    /// By how much all is moved to the right, in steps.
    indent: usize,
}

impl Room {
    /// For a call that is looked at alone.
    pub(super) const ALONE: Self = Self { lines: 60, string_chars: 400, items: 20, indent: 1 };
    /// For a call in a list of several.
    pub(super) const IN_LIST: Self = Self { lines: 12, string_chars: 120, items: 8, indent: 2 };

    /// The space before each line.
    pub(super) fn margin(self) -> String {
        "  ".repeat(self.indent)
    }
}

/// The arguments with everything long cut, and marked where they are not as in `previous`.
pub(super) fn shortened(
    arguments: &Map<String, Value>,
    previous: Option<&Map<String, Value>>,
    room: Room,
) -> String {
    let mut sheet = Sheet { text: room.margin(), room, lines_left: room.lines };
    sheet.members(arguments, previous, room.indent);
    if sheet.lines_left == 0 {
        let bytes = Value::Object(arguments.clone()).to_string().len();
        let margin = room.margin();
        sheet.text += &format!("\n{margin}… cut: the arguments have {bytes} bytes in all");
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
    room: Room,
    lines_left: usize,
}

/// An item of a list or a member of an object, and what was in its place before.
struct Item<'a> {
    key: Option<&'a String>,
    value: &'a Value,
    before: Before<'a>,
}

#[derive(Clone, Copy)]
enum Before<'a> {
    /// There is nothing to compare with.
    Unknown,
    /// It was not there.
    Absent,
    Was(&'a Value),
}

impl<'a> Before<'a> {
    fn value(self) -> Option<&'a Value> {
        match self {
            Self::Was(value) => Some(value),
            Self::Unknown | Self::Absent => None,
        }
    }
}

impl Item<'_> {
    fn mark(&self) -> char {
        match self.before {
            Before::Unknown => ' ',
            Before::Absent => '+',
            Before::Was(before) if before == self.value => ' ',
            Before::Was(_) => '~',
        }
    }
}

impl Sheet {
    /// What is shorter than this stays on its line.
    const SHORT_BYTES: usize = 70;
    /// A beginning that is as before is left out if it is longer than this.
    const SAME_CHARS: usize = 100;

    fn value(&mut self, value: &Value, before: Option<&Value>, depth: usize) {
        let short = value.to_string();
        match value {
            Value::String(text) => self.string(text, before.and_then(Value::as_str)),
            _ if short.len() <= Self::SHORT_BYTES && depth > self.room.indent => {
                self.text += &visible(&short);
            }
            Value::Array(items) => self.items(items, before.and_then(Value::as_array), depth),
            Value::Object(members) => {
                self.members(members, before.and_then(Value::as_object), depth);
            }
            _ => self.text += &short,
        }
    }

    fn items(&mut self, items: &[Value], before: Option<&Vec<Value>>, depth: usize) {
        let was = |index| match before.map(|before| before.get(index)) {
            None => Before::Unknown,
            Some(None) => Before::Absent,
            Some(Some(value)) => Before::Was(value),
        };
        let list: Vec<_> = items
            .iter()
            .enumerate()
            .map(|(index, value)| Item { key: None, value, before: was(index) })
            .collect();
        let fewer = before.map_or(0, |before| before.len().saturating_sub(items.len()));
        let gone = (fewer > 0).then(|| format!("… {fewer} fewer"));
        self.many(["[", "]"], &list, gone.as_slice(), depth);
    }

    fn members(
        &mut self,
        members: &Map<String, Value>,
        before: Option<&Map<String, Value>>,
        depth: usize,
    ) {
        let was = |key: &String| match before.map(|before| before.get(key)) {
            None => Before::Unknown,
            Some(None) => Before::Absent,
            Some(Some(value)) => Before::Was(value),
        };
        let list: Vec<_> = members
            .iter()
            .map(|(key, value)| Item { key: Some(key), value, before: was(key) })
            .collect();
        let keys = before.into_iter().flat_map(Map::keys);
        let gone: Vec<_> = keys
            .filter(|key| !members.contains_key(*key))
            .map(|key| format!("{} (not there any more)", quoted(key, self.room.string_chars)))
            .collect();
        self.many(["{", "}"], &list, &gone, depth);
    }

    fn many(&mut self, brackets: [&str; 2], items: &[Item<'_>], gone: &[String], depth: usize) {
        let [open, close] = brackets;
        self.text += open;
        let shown = items.len().min(self.room.items);
        let last = items.len().saturating_sub(1);
        for (index, item) in items.iter().take(shown).enumerate() {
            // What is spread over lines has its marks there.
            let before = item.before.value();
            let is_spread = item.value.to_string().len() > Self::SHORT_BYTES
                && (item.value.is_array() && before.is_some_and(Value::is_array)
                    || item.value.is_object() && before.is_some_and(Value::is_object));
            let mark = if is_spread { ' ' } else { item.mark() };
            if !self.new_line(depth + 1, mark) {
                return;
            }
            if let Some(key) = item.key {
                self.text += &quoted(key, self.room.string_chars);
                self.text += ": ";
            }
            self.value(item.value, before, depth + 1);
            if index < last {
                self.text += ",";
            }
        }
        let rest = items.get(shown..).unwrap_or_default();
        if !rest.is_empty() {
            let is_changed = rest.iter().any(|item| item.mark() != ' ');
            if !self.new_line(depth + 1, if is_changed { '~' } else { ' ' }) {
                return;
            }
            self.text += &format!("… {} more", rest.len());
        }
        for gone in gone.iter().take(self.room.items) {
            if !self.new_line(depth + 1, '-') {
                return;
            }
            self.text += gone;
        }
        let is_empty = items.is_empty() && gone.is_empty();
        if !is_empty && !self.new_line(depth, ' ') {
            return;
        }
        self.text += close;
    }

    /// Whether there was room for one.
    fn new_line(&mut self, depth: usize, mark: char) -> bool {
        let Some(left) = self.lines_left.checked_sub(1) else { return false };
        self.lines_left = left;
        self.text.push('\n');
        self.text.push(mark);
        self.text += "  ".repeat(depth).get(1..).unwrap_or_default();
        true
    }

    /// A text; of one that begins as before, what begins to differ.
    fn string(&mut self, text: &str, before: Option<&str>) {
        let before = before.filter(|before| *before != text).unwrap_or_default();
        let same = text.chars().zip(before.chars()).take_while(|(a, b)| a == b).count();
        let mut rest = text;
        if same > Self::SAME_CHARS {
            let skipped: usize = text.chars().take(same).map(char::len_utf8).sum();
            rest = text.get(skipped..).unwrap_or_default();
            self.text += &format!("(the first {skipped} bytes are as before) ");
        }
        self.text += &quoted(rest, self.room.string_chars);
        if rest.chars().nth(self.room.string_chars).is_some() {
            self.text += &format!(" … cut: {} bytes in all", text.len());
        }
    }
}

/// The beginning of a text as JSON.
fn quoted(text: &str, chars: usize) -> String {
    let short: String = text.chars().take(chars).collect();
    visible(&Value::from(short.as_str()).to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(arguments: Value) -> String {
        shortened(arguments.as_object().unwrap(), None, Room::ALONE)
    }

    fn compared(arguments: Value, previous: Value) -> String {
        let (arguments, previous) = (arguments.as_object(), previous.as_object());
        shortened(arguments.unwrap(), previous, Room::ALONE)
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

    #[test]
    fn what_is_not_as_before_is_marked() {
        let before = json!({ "path": "/a", "mode": "w", "force": true,
            "tags": ["one long enough tag that it", "is not on one line with all the others"] });
        let now = json!({ "path": "/b", "mode": "w", "new": 1,
            "tags": ["one long enough tag that it", "is on a line with nothing but itself, changed"] });
        let expected = r#"  {
~   "path": "/b",
    "mode": "w",
+   "new": 1,
    "tags": [
      "one long enough tag that it",
~     "is on a line with nothing but itself, changed"
    ]
-   "force" (not there any more)
  }"#;
        assert_eq!(compared(now.clone(), before), expected);
        assert_eq!(compared(now.clone(), now.clone()), shown(now), "nothing is different");
    }

    #[test]
    fn a_change_is_seen_however_far_back_it_is() {
        let long = "x".repeat(1000);
        let text = compared(json!({ "t": format!("{long}!") }), json!({ "t": format!("{long}?") }));
        let line = r#"~   "t": (the first 1000 bytes are as before) "!""#;
        assert_eq!(text.lines().nth(1), Some(line));
        let mut items = vec![json!(1); 50];
        let before = json!({ "list": items.clone(), "more": long });
        items[49] = json!(2);
        let text = compared(json!({ "list": items, "more": long }), before.clone());
        assert!(text.lines().any(|line| line == "~     … 30 more"), "{text}");
        let text = compared(json!({ "list": vec![1; 40], "more": long }), before);
        assert!(text.lines().any(|line| line == "-     … 10 fewer"), "{text}");
    }
}
