//! Credentials in texts that go to a model.
//!
//! A server may put its own token into a result, and a script prints what it got. So whatever the
//! host passes on of a run is searched for all credentials that the broker knows, as they are and in
//! the forms that they usually have in texts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::{Hidden, MASK, SHORTEST_REDACTED, Secret};

/// Connections of a server whose credentials are remembered; one that was reached again has others.
const CONNECTIONS: usize = 8;

/// The credentials of all servers of a broker.
#[derive(Default)]
pub(crate) struct Credentials(Mutex<Known>);

#[derive(Default)]
struct Known {
    by_server: BTreeMap<String, Vec<Hidden>>,
    /// The last redactor, and of what it was made: it is wanted for every line that a run prints.
    made: (Vec<Secret>, Redactor),
}

impl Credentials {
    /// Takes note of the credentials of a new connection; more may be added to them later.
    pub(crate) fn learn(&self, server: &str, secrets: Hidden) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_server = known.by_server.entry(server.to_owned()).or_default();
        if of_server.len() >= CONNECTIONS {
            of_server.remove(0);
        }
        of_server.push(secrets);
    }

    /// What replaces those that are known now.
    pub(crate) fn redactor(&self) -> Redactor {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let secrets: Vec<Secret> =
            known.by_server.values().flatten().flat_map(Hidden::list).collect();
        if secrets != known.made.0 {
            known.made = (secrets.clone(), Redactor::new(secrets));
        }
        known.made.1.clone()
    }
}

/// Replaces credentials by `***`, wherever they are in a text: as they are, escaped as in JSON or in
/// a URL, as base64, also of a longer text that they are part of, and as hexadecimal digits. Those
/// of fewer than 6 bytes stay.
#[derive(Clone, Default)]
pub struct Redactor {
    /// All forms of all of them, the longest first.
    forms: Arc<[String]>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} forms)", self.forms.len())
    }
}

impl Redactor {
    /// One for these.
    pub fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let mut forms = Vec::new();
        for secret in secrets {
            let value = secret.expose();
            // `Bearer abc`: the scheme is no secret.
            let bare = value.split_once(' ').map(|(_, rest)| rest);
            for value in [Some(value), bare].into_iter().flatten() {
                if value.len() >= SHORTEST_REDACTED {
                    forms.push(value.to_owned());
                    forms.extend(encoded(value));
                }
            }
        }
        forms.retain(|form| form.len() >= SHORTEST_REDACTED && !form.chars().all(|c| c == '*'));
        // Longest first, so that a secret which contains another one leaves nothing over.
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        Self { forms: forms.into() }
    }

    /// The text without any of them.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.forms.iter().fold(Cow::Borrowed(text), |text, form| {
            if text.contains(form.as_str()) {
                text.replace(form.as_str(), MASK).into()
            } else {
                text
            }
        })
    }
}

/// The value in other forms.
fn encoded(value: &str) -> Vec<String> {
    let json = serde_json::Value::from(value).to_string();
    let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    let percent: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let mut forms = vec![
        json.trim_matches('"').to_owned(),
        percent.replace('+', "%20"),
        percent,
        hex.to_uppercase(),
        hex,
    ];
    for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
        // Where it stands in a longer text decides which of three forms it has.
        for before in 0..3usize {
            let mut bytes = vec![0; before];
            bytes.extend_from_slice(value.as_bytes());
            let text = engine.encode(&bytes);
            // Characters that hold bits of what is around.
            let from = (before * 8).div_ceil(6);
            let until = text.len() - usize::from(!bytes.len().is_multiple_of(3));
            forms.extend(text.get(from..until).filter(|core| core.len() >= 8).map(str::to_owned));
        }
    }
    forms
}

/// Whether an environment variable holds a credential, as far as can be told by its name and its
/// value: most hold settings, and a path that is replaced in all texts helps nobody.
pub(crate) fn is_credential(name: &str, value: &str) -> bool {
    const WORDS: [&str; 12] = [
        "TOKEN",
        "KEY",
        "SECRET",
        "PASS",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "PWD",
        "CREDENTIAL",
        "AUTH",
        "PAT",
        "COOKIE",
    ];
    let name = name.to_uppercase();
    let is_named = name.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| {
        let part = if part == "PASS" { part } else { part.strip_suffix('S').unwrap_or(part) };
        WORDS.iter().any(|word| part == *word || (*word != "PAT" && part.ends_with(word)))
    });
    // Long, letters and digits mixed, and neither a path nor words.
    let is_random = value.len() >= 20
        && value.chars().any(|c| c.is_ascii_digit())
        && value.chars().any(char::is_alphabetic)
        && !value.contains(['/', ' ', '\\']);
    let is_url_with_password = value.contains("://") && value.contains('@');
    is_named || is_random || is_url_with_password
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_credential_is_replaced_in_every_usual_form() {
        let secret = "to\"ken/ä-1234567";
        let redactor = Redactor::new([Secret::from(format!("Bearer {secret}"))]);
        let sent = format!("Authorization: Bearer {secret}!");
        let base64 = STANDARD_NO_PAD.encode(&sent);
        let hex: String = sent.bytes().map(|byte| format!("{byte:02x}")).collect();
        let url: String = url::form_urlencoded::byte_serialize(sent.as_bytes()).collect();
        for text in [sent.clone(), base64, hex, url, format!("{:?}", sent)] {
            let redacted = redactor.redact(&text);
            assert!(redacted.contains(MASK), "{text} became {redacted}");
        }
        assert!(!format!("{redactor:?}").contains("1234567"));
    }

    #[test]
    fn settings_are_no_credentials() {
        let table = [
            ("GITHUB_TOKEN", "x", true),
            ("API_KEY", "abc", true),
            ("APIKEY", "abc", true),
            ("DB_PASSWORD", "correct horse", true),
            ("DATABASE_URL", "postgres://me:pw@db/x", true),
            ("SOMETHING", "a8f5f167f44f4964e6c998dee827110c", true),
            ("DATA_DIR", "/srv/notes/2026", false),
            ("NODE_ENV", "production", false),
            ("AWS_REGION", "eu-central-1", false),
            ("PATH", "/usr/bin", false),
            ("KEYBOARD", "qwerty", false),
            ("PATTERN", "*.md", false),
        ];
        for (name, value, credential) in table {
            assert_eq!(is_credential(name, value), credential, "{name}={value}");
        }
    }

    #[test]
    fn a_credential_that_comes_later_is_replaced_as_well() {
        let (credentials, hidden) =
            (Credentials::default(), Hidden::new(vec!["first-token".into()]));
        credentials.learn("s", hidden.clone());
        assert_eq!(credentials.redactor().redact("first-token second-token"), "*** second-token");
        hidden.add("second-token".into());
        assert_eq!(credentials.redactor().redact("first-token second-token"), "*** ***");
        credentials.learn("t", Hidden::new(vec!["third-token".into()]));
        assert_eq!(credentials.redactor().redact("third-token"), "***");
    }

    proptest! {
        #[test]
        fn no_known_credential_is_left_in_any_text(
            secret in "[!-)+-~]{6,40}", before in ".{0,40}", after in ".{0,40}", times in 1usize..4,
        ) {
            let redactor = Redactor::new([Secret::from(secret.as_str())]);
            let text = format!("{before}{}{after}", secret.repeat(times));
            let redacted = redactor.redact(&text);
            prop_assert!(!redacted.contains(&secret), "{redacted}");
            prop_assert!(redacted.len() <= text.len());
        }
    }
}
