//! Where two values differ, for a person.

use std::fmt::Write;

use serde_json::Value;

/// The most differences that are told, and the most characters of a value.
const TOLD: usize = 5;
const CHARS: usize = 80;

/// A line for each place where two JSON values differ, as far as there are few; empty if they do not.
pub fn differences(expected: &Value, made: &Value) -> String {
    let mut found = Vec::new();
    compare("", Some(expected), Some(made), &mut found);
    let mut text = String::new();
    for line in found.iter().take(TOLD) {
        let _ = write!(text, "\n  {line}");
    }
    if found.len() > TOLD {
        let _ = write!(text, "\n  and in {} more places", found.len() - TOLD);
    }
    text
}

fn compare(place: &str, expected: Option<&Value>, made: Option<&Value>, found: &mut Vec<String>) {
    // More will not be told, and hostile values have many.
    if found.len() > 1000 || expected == made {
        return;
    }
    match (expected, made) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let more = other.keys().filter(|key| !one.contains_key(*key));
            for key in one.keys().chain(more) {
                let place = format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
                compare(&place, one.get(key), other.get(key), found);
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            for index in 0..one.len().max(other.len()) {
                compare(&format!("{place}/{index}"), one.get(index), other.get(index), found);
            }
        }
        _ => {
            let place = if place.is_empty() { "the whole" } else { place };
            found.push(format!("{place}: recorded {}, now {}", shown(expected), shown(made)));
        }
    }
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "nothing".into() };
    let text = value.to_string();
    let mut short: String = text.chars().take(CHARS).collect();
    if short.len() < text.len() {
        let _ = write!(short, "… ({} bytes)", text.len());
    }
    short
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_place_is_named_and_long_values_are_cut() {
        let told = differences(
            &json!({ "a/b": 1, "same": [1], "list": [1, 2], "gone": "x" }),
            &json!({ "a/b": "1", "same": [1], "list": [1], "new": "y".repeat(200) }),
        );
        let long = format!("\"{}… (202 bytes)", "y".repeat(79));
        assert_eq!(
            told,
            format!(
                "\n  /a~1b: recorded 1, now \"1\"\n  /list/1: recorded 2, now nothing\
                 \n  /gone: recorded \"x\", now nothing\n  /new: recorded nothing, now {long}"
            )
        );
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let told = differences(&json!(vec![0; 9]), &json!(vec![1; 9]));
        assert!(told.ends_with("\n  and in 4 more places"), "{told}");
        assert_eq!(differences(&json!([]), &json!({})), "\n  the whole: recorded [], now {}");
    }
}
