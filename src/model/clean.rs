//! Text without what a terminal would obey, and without what only a model would see.

use std::borrow::Cow;

/// The text without escape sequences and control characters; line breaks and tabs stay. Of the
/// invisible characters those go that change the order of a text, or that are letters in disguise.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(is_removed) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let after = rest.get(char.len_utf8()..).unwrap_or_default();
        rest = match char {
            '\x1b' => escape(after),
            // The same in one character.
            '\u{9b}' => control_sequence(after),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => string(after),
            '\r' => {
                clean.push('\n');
                after.strip_prefix('\n').unwrap_or(after)
            }
            char => {
                if !is_removed(char) {
                    clean.push(char);
                }
                after
            }
        };
    }
    Cow::Owned(clean)
}

pub(super) fn is_removed(char: char) -> bool {
    match char {
        '\n' | '\t' => false,
        // Directions, and tags, which spell out text that nobody sees.
        '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        '\u{e0000}'..='\u{e007f}' => true,
        char => char.is_control(),
    }
}

/// What comes after an escape character and what belongs to it.
fn escape(rest: &str) -> &str {
    match rest.chars().next() {
        Some('[') => control_sequence(rest.get(1..).unwrap_or_default()),
        Some(']' | 'P' | 'X' | '^' | '_') => string(rest.get(1..).unwrap_or_default()),
        // Intermediate bytes, then one more.
        Some(' '..='/') => {
            let rest = rest.trim_start_matches(|c| matches!(c, ' '..='/'));
            rest.strip_prefix(|c: char| matches!(c, '0'..='~')).unwrap_or(rest)
        }
        Some('0'..='~') => rest.get(1..).unwrap_or_default(),
        _ => rest,
    }
}

/// Parameters, intermediate bytes, and one that ends it.
fn control_sequence(rest: &str) -> &str {
    let rest = rest.trim_start_matches(|c| matches!(c, '0'..='?'));
    let rest = rest.trim_start_matches(|c| matches!(c, ' '..='/'));
    rest.strip_prefix(|c: char| matches!(c, '@'..='~')).unwrap_or(rest)
}

/// Up to what ends it; if nothing does, the text is left: it must not swallow all that follows.
fn string(rest: &str) -> &str {
    let end = rest.find(['\x07', '\u{9c}', '\x1b', '\n']);
    match end.and_then(|end| rest.get(end..)) {
        Some(at) if at.starts_with("\x1b\\") => at.get(2..).unwrap_or_default(),
        Some(at) if at.starts_with(['\x07', '\u{9c}']) => {
            at.get(at.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default()
        }
        _ => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_go_and_text_stays() {
        let table = [
            ("plain\n\ttext 🙂 größe", "plain\n\ttext 🙂 größe"),
            ("\x1b[1;31mred\x1b[0m", "red"),
            ("a\x1b]0;title\x07b", "ab"),
            ("a\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
            ("a\x1b]never ended", "anever ended"),
            ("a\u{9b}2Jb\u{9d}x\u{9c}c", "abc"),
            ("\x1bP1$r0m\x1b\\x\x1b(Bx\x1b7x\x1bc", "xxx"),
            ("a\r\nb\rc", "a\nb\nc"),
            ("a\x00\x08\x7fb", "ab"),
            ("a\u{202e}b\u{e0041}\u{2066}c", "abc"),
            ("\x1b\x1b[31mx", "x"),
            ("\x1b[\x1b[31mx", "x"),
            ("end\x1b", "end"),
            ("👩\u{200d}👩\u{200d}👧", "👩\u{200d}👩\u{200d}👧"),
        ];
        for (text, expected) in table {
            assert_eq!(clean(text), expected, "{text:?}");
        }
    }
}
