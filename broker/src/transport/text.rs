//! JSON text from servers, of which a part may be out of our reach.
//!
//! JavaScript strings can hold half of a character, left where a text was cut within an emoji, and
//! `JSON.stringify` writes it as an escape that no string here can hold. A schema may be nested
//! more deeply than the parser goes. Either would cost all tools of a list for the sake of one, so
//! what cannot be read is replaced: half a character by U+FFFD, the deep part of a tool by a text,
//! which is no schema and leads to that tool being refused.

use serde_json::{Map, Value};

/// Values in a list of tools are kept up to this deep. The parser goes to 127.
const DEPTH: usize = 100;

/// Stands for what is nested more deeply.
const DEEP: &[u8] = br#""(nested too deeply to be read)""#;

/// U+FFFD as an escape, as long as the one that it replaces.
const REPLACEMENT: &[u8] = br"\ufffd";

/// Reads a message.
///
/// # Errors
/// It is no JSON object, or too deep and no list of tools.
pub(super) fn parse(text: &[u8]) -> serde_json::Result<Map<String, Value>> {
    serde_json::from_slice(text).or_else(|problem| {
        let whole = whole_characters(text);
        let whole = whole.as_deref().unwrap_or(text);
        match serde_json::from_slice(whole) {
            Ok(message) => Ok(message),
            Err(_) => serde_json::from_slice(&shallow(whole)).ok().filter(is_list).ok_or(problem),
        }
    })
}

/// The text with escapes of half characters replaced; none if there are none.
fn whole_characters(text: &[u8]) -> Option<Vec<u8>> {
    let mut whole: Option<Vec<u8>> = None;
    let mut at = 0;
    let backslash = |at: usize| text.get(at..)?.iter().position(|byte| *byte == b'\\');
    while let Some(skipped) = backslash(at) {
        at += skipped;
        at += match (unit(text, at), unit(text, at + 6)) {
            // Not this one: a backslash, a quote, an `n`.
            (None, _) => 2,
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                let whole = whole.get_or_insert_with(|| text.to_vec());
                if let Some(escape) = whole.get_mut(at..at + 6) {
                    escape.copy_from_slice(REPLACEMENT);
                }
                6
            }
            (Some(_), _) => 6,
        };
    }
    whole
}

/// The UTF-16 unit that is written as an escape at `at`.
fn unit(text: &[u8], at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix(br"\u")?;
    // `from_str_radix` would take a sign.
    let digits = digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The text without values that are nested too deeply.
fn shallow(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in text {
        if in_string {
            in_string = escaped || *byte != b'"';
            escaped = !escaped && *byte == b'\\';
        } else {
            match byte {
                b'"' => in_string = true,
                b'{' | b'[' => {
                    depth += 1;
                    if depth == DEPTH + 1 {
                        kept.extend_from_slice(DEEP);
                    }
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    if depth == DEPTH {
                        continue;
                    }
                }
                _ => {}
            }
        }
        if depth <= DEPTH {
            kept.push(*byte);
        }
    }
    kept
}

/// Whether the message is a page of tools. Of anything else no part may be missing.
fn is_list(message: &Map<String, Value>) -> bool {
    let tools = message.get("result").and_then(|result| result.get("tools"));
    tools.is_some_and(Value::is_array)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(text: &str) -> Option<String> {
        whole_characters(text.as_bytes()).map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn only_half_characters_are_replaced() {
        for whole in
            ["", r#""\ud83d\ude00""#, r#""\\ud83d""#, r#""\u0041\n\"\\""#, r#""\uD8"#, r"\"]
        {
            assert_eq!(mended(whole), None, "{whole}");
        }
        assert_eq!(mended(r#""a\ud83d""#).as_deref(), Some(r#""a\ufffd""#));
        assert_eq!(mended(r#""\uDE00b""#).as_deref(), Some(r#""\ufffdb""#));
        assert_eq!(mended(r#""\ud83d\ud83d\ude00""#).as_deref(), Some(r#""\ufffd\ud83d\ude00""#));
        assert_eq!(mended(r#""\ude00\ud83d""#).as_deref(), Some(r#""\ufffd\ufffd""#));
        assert_eq!(mended(r#""\\\ud83d""#).as_deref(), Some(r#""\\\ufffd""#));
        assert_eq!(mended(r#""\ud83d\u+e00""#).as_deref(), Some(r#""\ufffd\u+e00""#));
    }

    #[test]
    fn a_message_with_half_a_character_is_read() {
        let message =
            parse(br#"{ "id": 1, "result": { "\ud83d": "cut \ud83d", "ok": "\ud83d\ude00" } }"#);
        let result = message.unwrap().remove("result").unwrap();
        assert_eq!(result, serde_json::json!({ "\u{fffd}": "cut \u{fffd}", "ok": "😀" }));
    }

    #[test]
    fn a_deep_tool_costs_the_list_nothing_but_itself() {
        let deep = |times| format!(r#"{{"a":{}"]}}"{}}}"#, "[".repeat(times), "]".repeat(times));
        let list = format!(r#"{{"result":{{"tools":[{},"}}\"{{",{}]}}}}"#, deep(500), deep(50));
        let message = parse(list.as_bytes()).unwrap();
        let tools = message["result"]["tools"].as_array().unwrap();
        assert!(tools[0].to_string().contains("nested too deeply"));
        assert_eq!(tools[1], "}\"{");
        assert_eq!(tools[2].to_string(), deep(50));
        let result = list.replace("tools", "content");
        assert!(parse(result.as_bytes()).unwrap_err().to_string().contains("recursion"));
    }

    #[test]
    fn what_is_not_json_stays_so() {
        for text in ["", "{", "[1]", "null", "\\ud83d", "{\"a\":\"\\ud83d", "]]]]{{{{"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
