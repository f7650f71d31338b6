//! The texts in a JSON value: its strings, its numbers, and the names of its members.

use serde_json::Value;

/// A text in a value.
pub(super) enum Leaf<'a> {
    /// A string or a number, which is its digits.
    Text(std::borrow::Cow<'a, str>),
    /// The name of a member.
    Name(&'a str),
}

/// All texts of a value in their order. What is nested is bounded by the parser that made it.
pub(super) fn each<'a>(value: &'a Value, take: &mut dyn FnMut(Leaf<'a>)) {
    match value {
        Value::String(text) => take(Leaf::Text(text.as_str().into())),
        Value::Number(number) => {
            let text = number.to_string();
            // JavaScript has no `5.0`.
            let text = text.strip_suffix(".0").map(str::to_owned).unwrap_or(text);
            take(Leaf::Text(text.into()));
        }
        Value::Array(items) => items.iter().for_each(|item| each(item, take)),
        Value::Object(members) => {
            for (name, value) in members {
                take(Leaf::Name(name));
                each(value, take);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// The value that a text is the JSON of, if that is an object or a list.
pub(super) fn parsed(text: &str) -> Option<Value> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// Whether a short text is one that is not met by chance: an address, a number with many digits, a
/// name of several words. `whole` says that it is a value of its own, not a word of a longer one.
pub(super) fn is_telling(text: &str, whole: bool) -> bool {
    /// Fewer digits than this are counts, years, prices, dates.
    const DIGITS: usize = 9;
    /// An identifier: at least so long, and so many digits in it.
    const ID: (usize, usize) = (8, 3);
    /// Several words: the least that is not `in progress`.
    const WORDS: usize = 11;
    let text = text.trim();
    let letters = text.chars().filter(|char| char.is_alphanumeric()).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    if letters == digits {
        return digits >= DIGITS;
    }
    if is_midnight(text) {
        return false;
    }
    (letters >= ID.0 && (digits >= ID.1 || text.contains('@')))
        || (whole && letters >= WORDS && text.contains(char::is_whitespace))
}

/// The beginning of a day, as scripts and servers write it without knowing of each other.
fn is_midnight(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't', ' ']) else { return false };
    let is_date = date.len() == 10 && date.chars().all(|char| char.is_ascii_digit() || char == '-');
    is_date && time.chars().all(|char| matches!(char, '0' | ':' | '.' | 'Z' | 'z' | '+' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_met_by_chance_is_not_telling() {
        let table = [
            ("anna@example.com", true),
            ("PROJ-12345", true),
            ("123-45-6789", true),
            ("4711000123", true),
            ("Anna Schmidt", true),
            ("20261130", false),
            ("2026-11-30", false),
            ("2026-11-30T00:00:00Z", false),
            ("2026-11-30T10:21:33Z", true),
            ("1764547", false),
            ("in progress", false),
            ("notification", false),
            ("administrator", false),
            ("high", false),
            ("", false),
        ];
        for (text, telling) in table {
            assert_eq!(is_telling(text, true), telling, "{text}");
        }
        assert!(!is_telling("Anna Schmidt", false), "words of a text are looked at one by one");
    }
}
