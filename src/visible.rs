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
    fn a_summary_is_one_short_line() {
        assert_eq!(first_line("\n  Reads.\nMore.", 10), "Reads.");
        assert_eq!(first_line("abcdef", 3), "abc…");
    }
}
