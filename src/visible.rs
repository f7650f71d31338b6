//! Text of strangers, for a person to look at.

use std::borrow::Cow;
use std::fmt::Write;

/// `text` with each character that a terminal obeys, hides or reorders by shown as its number.
/// Line breaks and tabs stay.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if is_hidden(char) {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(char));
        } else {
            shown.push(char);
        }
    }
    Cow::Owned(shown)
}

/// The same for a line of JSON, which stays one: such characters are only within its strings.
#[must_use]
pub fn in_json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        if is_hidden(char) {
            let mut units = [0; 2];
            for unit in char.encode_utf16(&mut units) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(char);
        }
    }
    shown
}

/// The first line of `text` that says something, at most `chars` long.
#[must_use]
pub fn first_line(text: &str, chars: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut short: String = line.chars().take(chars).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    visible(&short).into_owned()
}

/// All of `text` on one line, at most `chars` long: breaks and tabs are shown as their numbers, too.
#[must_use]
pub fn one_line(text: &str, chars: usize) -> String {
    let short: String = text.chars().take(chars).collect();
    let mut line = String::with_capacity(short.len());
    for char in short.chars() {
        match char {
            '\n' | '\t' => line.extend(char.escape_unicode()),
            char => line.push(char),
        }
    }
    if short.len() < text.len() {
        let _ = write!(line, " … cut: {} bytes in all", text.len());
    }
    visible(&line).into_owned()
}

fn is_hidden(char: char) -> bool {
    match char {
        '\n' | '\t' => false,
        // Soft hyphen, Arabic letter mark, fillers, Mongolian separator.
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}' | '\u{ffa0}' => {
            true
        }
        // Zero width, directions, line and paragraph separators, invisible operators.
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        // Byte order mark, interlinear marks, tags, and the variation selectors that no emoji uses.
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        // What joins marks, vowels without a shape, an empty pattern, marks of musical notation.
        '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{1d173}'..='\u{1d17a}' => true,
        _ => char.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_or_hide_is_shown() {
        assert_eq!(visible("a\x1b[2Jb\r\u{202e}c\u{9b}"), "a\\u{1b}[2Jb\\u{d}\\u{202e}c\\u{9b}");
        assert_eq!(visible("größe\n\t🙂"), "größe\n\t🙂");
    }

    #[test]
    fn a_name_is_one_line_and_all_of_it_is_seen() {
        assert_eq!(one_line("a\n\tb\r", 10), "a\\u{a}\\u{9}b\\u{d}");
        assert_eq!(one_line("größe", 3), "grö … cut: 7 bytes in all");
    }

    #[test]
    fn json_stays_json() {
        let text = serde_json::to_string("a\u{202e}\u{9b}\u{e0041}ö").unwrap();
        let shown = in_json(&text);
        assert_eq!(shown, r#""a\u202e\u009b\udb40\udc41ö""#);
        let back: String = serde_json::from_str(&shown).unwrap();
        assert_eq!(back, "a\u{202e}\u{9b}\u{e0041}ö");
    }

    #[test]
    fn a_summary_is_one_short_line() {
        assert_eq!(first_line("\n  Reads.\nMore.", 10), "Reads.");
        assert_eq!(first_line("abcdef", 3), "abc…");
    }
}
