//! The name of a run: unlike every other run's, also those of other programs and other days.

use std::fmt;
use std::str::FromStr;

/// Names a run in events, in the audit log and in recordings. As text 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunId(u64);

/// This is not the text of a run's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a run is named by 16 hexadecimal digits")]
pub struct NotARunId;

impl RunId {
    /// A new name, of random bytes.
    pub(crate) fn new() -> Self {
        use std::hash::{BuildHasher, Hasher, RandomState};
        let mut bytes = [0; 8];
        // Without random bytes from the system, what the standard library seeds its maps with.
        let random = getrandom::fill(&mut bytes).map(|()| u64::from_le_bytes(bytes));
        Self(random.unwrap_or_else(|_| RandomState::new().build_hasher().finish()))
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for RunId {
    type Err = NotARunId;

    fn from_str(text: &str) -> Result<Self, NotARunId> {
        if text.len() != 16 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NotARunId);
        }
        u64::from_str_radix(text, 16).map(Self).map_err(|_| NotARunId)
    }
}

impl serde::Serialize for RunId {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written_and_no_two_are_alike() {
        let (one, other) = (RunId::new(), RunId::new());
        assert_ne!(one, other);
        assert_eq!(one.to_string().parse(), Ok(one));
        for bad in ["", "12", "+123456789abcdef", "zzzzzzzzzzzzzzzz"] {
            assert_eq!(bad.parse::<RunId>(), Err(NotARunId), "{bad}");
        }
    }
}
