//! Values that print as `***`.
//!
//! A token that is a `String` ends up in a log sooner or later. A [`Secret`] has no way into one:
//! `Debug` and `Display` hide it, it cannot be serialised, and whoever needs the value says so
//! with [`Secret::expose`].

mod redactor;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

pub use redactor::Redactor;
pub(crate) use redactor::{Credentials, is_credential};

/// What stands where a secret was.
const MASK: &str = "***";

/// Shorter values are not searched for in texts: replacing every `1` would destroy the text and
/// hide nothing.
const SHORTEST_REDACTED: usize = 6;

/// A credential: an environment value or a header of a server. Prints as `***`.
#[derive(Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value itself, for the one place that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(value: &str) -> Self {
        Self::new(value)
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

/// The secrets of one connection. More may come while it lasts: tokens that are renewed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hidden(Arc<Mutex<Vec<Secret>>>);

/// How many are remembered; a token that was renewed so often is long since worthless.
const REMEMBERED: usize = 64;

impl Hidden {
    pub(crate) fn new(secrets: Vec<Secret>) -> Self {
        Self(Arc::new(Mutex::new(secrets)))
    }

    pub(crate) fn add(&self, secret: Secret) {
        let mut secrets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !secrets.contains(&secret) {
            if secrets.len() >= REMEMBERED {
                secrets.remove(0);
            }
            secrets.push(secret);
        }
    }

    /// All of them.
    fn list(&self) -> Vec<Secret> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The text without any of them.
    pub(crate) fn hide(&self, text: &str) -> String {
        redact(text, self.0.lock().unwrap_or_else(PoisonError::into_inner).iter())
    }
}

/// Replaces every secret that occurs in `text`, which a server wrote and a person will read.
pub(crate) fn redact<'a>(text: &str, secrets: impl IntoIterator<Item = &'a Secret>) -> String {
    let mut hidden: Vec<&str> = Vec::new();
    for secret in secrets {
        let value = secret.expose();
        hidden.push(value);
        // `Bearer abc`: a server that echoes its token does so without the scheme.
        hidden.extend(value.split_once(' ').map(|(_, rest)| rest));
    }
    hidden.retain(|value| value.len() >= SHORTEST_REDACTED);
    // Longest first, so that a secret which contains another one leaves nothing over.
    hidden.sort_by_key(|value| std::cmp::Reverse(value.len()));
    hidden.iter().fold(text.to_owned(), |text, value| text.replace(value, MASK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_never_prints() {
        let secret = Secret::new("hunter2-hunter2");
        assert_eq!(format!("{secret} {secret:?} {:?}", Some(&secret)), "*** *** Some(***)");
        assert_eq!(secret.expose(), "hunter2-hunter2");
    }

    #[test]
    fn secrets_are_replaced_in_what_a_server_wrote() {
        let secrets = [Secret::from("Bearer abcdefgh"), Secret::from("1")];
        assert_eq!(redact("token abcdefgh, 1 try", &secrets), "token ***, 1 try");
        assert_eq!(redact("sent Bearer abcdefgh", &secrets), "sent ***");
    }
}
