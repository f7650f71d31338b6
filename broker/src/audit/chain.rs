//! The lines of the log and how they hang together.
//!
//! ```text
//! {"seq":7,"prev":"<hash of line 6>", ... ,"hash":"<SHA-256 of this line up to here>"}
//! ```
//!
//! A hash is of bytes as they stand in the file, so that nobody has to agree on how JSON is written.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// The hash of a line. As text 64 hexadecimal digits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Hash([u8; 32]);

/// The end of a chain: its last line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// Its number; 0 of a chain that has not begun.
    pub(super) seq: u64,
    pub(super) hash: Hash,
}

const BEFORE_HASH: &str = ",\"hash\":\"";
const AFTER_HASH: &str = "\"}";
const HEX: usize = 64;

impl Tail {
    /// The next line of the chain, without its line break. `body` is a JSON object with at least one
    /// member.
    pub(super) fn next(self, body: &str) -> (Self, String) {
        let members = body.strip_prefix('{').and_then(|body| body.strip_suffix('}'));
        let seq = self.seq.saturating_add(1);
        let mut line =
            format!("{{\"seq\":{seq},\"prev\":\"{}\",{}", self.hash, members.unwrap_or_default());
        let hash = Hash(Sha256::digest(&line).into());
        line.push_str(BEFORE_HASH);
        line.push_str(&hash.to_string());
        line.push_str(AFTER_HASH);
        (Self { seq, hash }, line)
    }
}

/// A line that was read, with what it says of its place in the chain.
pub(super) struct Link {
    pub(super) tail: Tail,
    pub(super) prev: Hash,
    pub(super) members: Map<String, Value>,
}

/// Why a line is none of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Odd {
    /// It is not written as lines are.
    Malformed,
    /// Its hash is not that of its bytes.
    Changed,
}

impl Link {
    pub(super) fn read(line: &[u8]) -> Result<Self, Odd> {
        let line = std::str::from_utf8(line).map_err(|_| Odd::Malformed)?;
        let inner = line.strip_suffix(AFTER_HASH).ok_or(Odd::Malformed)?;
        let at = inner.len().checked_sub(HEX).ok_or(Odd::Malformed)?;
        let (sealed, hash) = inner.split_at_checked(at).ok_or(Odd::Malformed)?;
        let sealed = sealed.strip_suffix(BEFORE_HASH).ok_or(Odd::Malformed)?;
        let hash: Hash = hash.parse().map_err(|_| Odd::Malformed)?;
        if Hash(Sha256::digest(sealed).into()) != hash {
            return Err(Odd::Changed);
        }
        let mut members: Map<String, Value> =
            serde_json::from_str(line).map_err(|_| Odd::Malformed)?;
        members.remove("hash");
        let seq = members.remove("seq").and_then(|seq| seq.as_u64()).ok_or(Odd::Malformed)?;
        let prev = members.remove("prev").ok_or(Odd::Malformed)?;
        let prev = prev.as_str().and_then(|prev| prev.parse().ok()).ok_or(Odd::Malformed)?;
        Ok(Self { tail: Tail { seq, hash }, prev, members })
    }
}

impl Hash {
    pub(super) fn of(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// This is not the text of a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hash is 64 hexadecimal digits")]
pub struct NotAHash;

impl FromStr for Hash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return Err(NotAHash) };
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() {
            return Err(NotAHash);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            // Small letters only: a line has one way to be written.
            let digit = |digit: u8| match digit {
                b'0'..=b'9' => Ok(digit - b'0'),
                b'a'..=b'f' => Ok(digit - b'a' + 10),
                _ => Err(NotAHash),
            };
            *byte = digit(*high)? * 16 + digit(*low)?;
        }
        Ok(Self(bytes))
    }
}
