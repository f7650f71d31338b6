//! The texts that an argument may be read as: itself, and what it is an encoding of.
//!
//! Encodings within encodings are undone twice. All of it together is bounded: a script that wants
//! to hide what it sends can do so whatever is tried here.

use std::borrow::Cow;
use std::fmt;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// How an argument holds what flowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Encoding {
    /// As it is, but for case, white space and punctuation.
    Plain,
    /// With JSON's escapes, or as a part of JSON text.
    Json,
    /// With `%20` and the like.
    Url,
    /// As base64, of either alphabet.
    Base64,
    /// As hexadecimal digits.
    Hex,
}

impl Encoding {
    /// The name used in reports: `plain`, `json`, `url`, `base64`, `hex`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Json => "json",
            Self::Url => "url",
            Self::Base64 => "base64",
            Self::Hex => "hex",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Encodings within encodings.
const DEPTH: usize = 2;
/// All that is decoded of one text, in bytes, or this many times its length if that is more.
const LEAST_BUDGET: usize = 1 << 20;
const TIMES: usize = 8;
/// Shorter runs of base64 or hexadecimal digits are words and numbers.
const BASE64_RUN: usize = 24;
const HEX_RUN: usize = 24;

/// Forgiving: strangers leave out the padding and the last bits.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// What a text may be read as, itself first, each with the outermost encoding.
pub(super) fn views(text: &str) -> Vec<(Encoding, Cow<'_, str>)> {
    let mut budget = LEAST_BUDGET.max(text.len().saturating_mul(TIMES));
    let mut views = vec![(Encoding::Plain, Cow::Borrowed(text))];
    let mut from = 0;
    for depth in 0..DEPTH {
        let until = views.len();
        for index in from..until {
            let Some((outer, view)) = views.get(index) else { break };
            let outer = *outer;
            for (form, decoded) in decoded(view, depth == 0) {
                let Some(left) = budget.checked_sub(decoded.len()) else { return views };
                budget = left;
                let form = if outer == Encoding::Plain { form } else { outer };
                views.push((form, decoded.into()));
            }
        }
        from = until;
    }
    views
}

/// What the base64 in a text says, where that is text. For results, of which all is remembered.
pub(super) fn plain_base64(text: &str) -> Vec<String> {
    let runs = base64_runs(text).into_iter();
    let texts = runs.filter_map(|run| String::from_utf8(BASE64.decode(&run).ok()?).ok());
    texts.filter(|text| !text.contains(|c: char| c.is_control() && !c.is_whitespace())).collect()
}

fn decoded(text: &str, thorough: bool) -> Vec<(Encoding, String)> {
    let mut all = Vec::new();
    if text.contains('%') {
        all.extend(unpercent(text).map(|text| (Encoding::Url, text)));
    }
    if text.contains('\\') {
        all.push((Encoding::Json, unescape(text)));
    }
    for run in base64_runs(text) {
        // The run may begin with characters that were not part of it.
        for skip in 0..if thorough { 4 } else { 1 } {
            let Some(rest) = run.get(skip..) else { break };
            // A last character alone carries nothing.
            let even = if rest.len() % 4 == 1 { rest.len() - 1 } else { rest.len() };
            let bytes = rest.get(..even).and_then(|rest| BASE64.decode(rest).ok());
            all.extend(bytes.map(|bytes| (Encoding::Base64, lossy(&bytes))));
        }
    }
    for run in runs(text, HEX_RUN, |byte| byte.is_ascii_hexdigit()) {
        for skip in 0..if thorough { 2 } else { 1 } {
            let digits = run.get(skip..).unwrap_or_default().as_bytes();
            let bytes: Vec<u8> = digits.chunks_exact(2).filter_map(byte).collect();
            all.push((Encoding::Hex, lossy(&bytes)));
        }
    }
    all
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs of base64 digits in the standard alphabet, lines joined.
fn base64_runs(text: &str) -> Vec<String> {
    let digit =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let mut runs = runs(text, BASE64_RUN, digit);
    for run in &mut runs {
        if run.contains(['-', '_']) {
            *run = run.replace('-', "+").replace('_', "/");
        }
    }
    runs
}

/// Maximal runs of bytes that belong, at least so long; a line break does not end one.
fn runs(text: &str, least: usize, belongs: impl Fn(u8) -> bool) -> Vec<String> {
    let mut runs = Vec::new();
    let mut run = String::new();
    for byte in text.bytes().chain([0]) {
        if belongs(byte) {
            run.push(char::from(byte));
        } else if !matches!(byte, b'\r' | b'\n') {
            if run.len() >= least {
                runs.push(std::mem::take(&mut run));
            }
            run.clear();
        }
    }
    runs
}

fn unpercent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let mut found = false;
    while let Some((first, after)) = rest.split_first() {
        match after.get(..2).filter(|_| *first == b'%').and_then(byte) {
            Some(byte) => {
                found = true;
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    found.then(|| lossy(&bytes))
}

/// The byte that two hexadecimal digits are.
fn byte(pair: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(pair).ok().filter(|pair| !pair.starts_with('+'))?;
    u8::from_str_radix(digits, 16).ok()
}

/// Undoes JSON's escapes wherever they stand, however broken the rest is.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut units: Vec<u16> = Vec::new();
    let mut rest = text.chars();
    let flush = |units: &mut Vec<u16>, out: &mut String| {
        out.push_str(&String::from_utf16_lossy(units));
        units.clear();
    };
    while let Some(char) = rest.next() {
        let mut ahead = rest.clone();
        if char == '\\' && ahead.next() == Some('u') {
            let digits: String = ahead.clone().take(4).collect();
            if digits.len() == 4
                && let Ok(unit) = u16::from_str_radix(&digits, 16)
            {
                units.push(unit);
                rest.nth(4);
                continue;
            }
        }
        flush(&mut units, &mut out);
        match char {
            '\\' => match rest.next() {
                Some('n' | 'r' | 't' | 'b' | 'f') => out.push(' '),
                Some(other) => out.push(other),
                None => {}
            },
            other => out.push(other),
        }
    }
    flush(&mut units, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECRET: &str = "The merger with Größe & Söhne is off";

    fn forms(text: &str) -> Vec<Encoding> {
        let holds = |view: &str| view.contains("merger with Größe");
        views(text).into_iter().filter(|(_, view)| holds(view)).map(|(form, _)| form).collect()
    }

    fn hex(text: &str) -> String {
        text.bytes().map(|byte| format!("{byte:02X}")).collect()
    }

    #[test]
    fn encodings_are_undone_wherever_they_stand() {
        let standard = BASE64.encode(SECRET);
        let split = format!("{}\r\n{}", &standard[..20], &standard[20..]);
        let escaped = "note: \\u0022The merger with Gr\\u00f6\\u00DFe\\u0022".to_owned();
        let url = "https://x.test/?q=The%20merger%20with%20Gr%C3%B6%C3%9Fe".to_owned();
        let table = [
            (SECRET.to_owned(), Encoding::Plain),
            (standard.clone(), Encoding::Base64),
            (standard.trim_end_matches('=').replace('/', "_"), Encoding::Base64),
            (format!("data:text/plain;base64,{standard}"), Encoding::Base64),
            (format!("x{standard}"), Encoding::Base64),
            (split, Encoding::Base64),
            (hex(SECRET), Encoding::Hex),
            (format!("0{}", hex(SECRET)), Encoding::Hex),
            (escaped, Encoding::Json),
            (url, Encoding::Url),
            (BASE64.encode(hex(SECRET)), Encoding::Base64),
        ];
        for (text, form) in table {
            assert_eq!(forms(&text).first(), Some(&form), "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic_or_grow_without_end(text in r#"[\PC%\\u0-9a-fA-F\n]{0,400}"#) {
            let views = views(&text);
            let all: usize = views.iter().map(|(_, view)| view.len()).sum();
            prop_assert!(all <= text.len() + LEAST_BUDGET.max(text.len() * TIMES));
            plain_base64(&text);
        }
    }
}
