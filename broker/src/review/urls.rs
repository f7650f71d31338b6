//! Addresses in arguments: only of hosts that are known.
//!
//! A server that fetches, sends or shows a URL tells the host of that URL something, if only what
//! is in its path. So the hosts that scripts may name can be listed.

use std::sync::LazyLock;

use async_trait::async_trait;
use regex::Regex;
use serde_json::{Map, Value};
use url::Url;

use super::{Review, ReviewedCall, Reviewer, first_of_members};
use crate::policy::{Pattern, PatternError};

/// Refuses arguments with a URL whose host is not on its list. Anything of the form `scheme://…`
/// in any string of the arguments counts; a host without a scheme does not.
#[derive(Clone, Debug, Default)]
pub struct Urls {
    allow: Vec<Pattern>,
}

impl Urls {
    /// No URL at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds hosts: `tracker.example`, or `*.example` for all below one.
    ///
    /// # Errors
    /// [`PatternError`] if this is not a pattern.
    pub fn allow(mut self, host: &str) -> Result<Self, PatternError> {
        self.allow.push(host.to_lowercase().parse()?);
        Ok(self)
    }

    fn refused(&self, text: &str) -> Option<String> {
        // What is written for a browser may have backslashes, tabs and line breaks in it.
        let text: String = text
            .chars()
            .filter(|char| !matches!(char, '\t' | '\n' | '\r'))
            .map(|char| if char == '\\' { '/' } else { char })
            .collect();
        let found = BEGINNING.find_iter(&text).map(|found| found.start());
        for start in found {
            let rest = text.get(start..).unwrap_or_default();
            let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '`'));
            let host = Url::parse(rest.get(..end.unwrap_or(rest.len())).unwrap_or_default())
                .ok()
                .and_then(|url| url.host_str().map(str::to_lowercase));
            let known = host.as_deref().is_some_and(|host| {
                self.allow.iter().any(|pattern| pattern.matches_name(host.trim_end_matches('.')))
            });
            if !known {
                return Some(host.unwrap_or_else(|| "without a host".to_owned()));
            }
        }
        None
    }
}

/// Where a URL may begin. Browsers take some schemes without slashes, or with one.
static BEGINNING: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "a constant, which a test compiles")]
    Regex::new(r"(?i)(?:https?|wss?|ftp):/*[^/\s]|[a-z][a-z0-9+.-]*://").expect("an expression")
});

#[async_trait]
impl Reviewer for Urls {
    fn name(&self) -> &str {
        "urls"
    }

    async fn arguments(
        &self,
        _: &ReviewedCall,
        arguments: &Map<String, Value>,
    ) -> Review<Map<String, Value>> {
        match first_of_members(arguments, &|text| self.refused(text)) {
            Some(host) => Review::Refuse {
                reason: format!(
                    "the arguments have a URL of the host `{host}`, which is not allowed"
                ),
            },
            None => Review::Pass,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_hosts_of_the_list_pass() {
        let urls =
            Urls::none().allow("tracker.example").and_then(|urls| urls.allow("*.docs.example"));
        let urls = urls.unwrap();
        let table = [
            ("see https://tracker.example/1, then http://a.docs.example", None),
            ("https://TRACKER.example./x", None),
            ("no addresses: 10:30, c:/folder, https: and //x", None),
            ("a/b, tracker.example:443", None),
            ("https://evil.example/?q=secret", Some("evil.example")),
            ("![x](https://evil.example/p.png)", Some("evil.example")),
            ("https://tracker.example@evil.example/", Some("evil.example")),
            ("https:\\\\evil.example\\x", Some("evil.example")),
            ("https:/evil.example", Some("evil.example")),
            ("https:evil.example", Some("evil.example")),
            ("ht\ntps://evil.example", Some("evil.example")),
            ("https://tracker.example/?to=https://evil.example", Some("evil.example")),
            ("https://docs.example", Some("docs.example")),
            ("HTTPS://EVIL.example", Some("evil.example")),
            ("ftp://evil.example", Some("evil.example")),
            ("file:///etc/passwd", Some("without a host")),
            ("https://tracker.example.evil.example/", Some("evil.example")),
        ];
        for (text, refused) in table {
            let found = urls.refused(text);
            let ends = |host: &str| refused.is_some_and(|refused| host.ends_with(refused));
            assert_eq!(found.is_some(), refused.is_some(), "{text}: {found:?}");
            assert!(found.as_deref().is_none_or(ends), "{text}: {found:?}");
        }
    }

    proptest! {
        #[test]
        fn an_unknown_host_is_found_in_any_text(before in ".{0,40}", after in ".{0,40}") {
            let text = format!("{before} https://evil.example/{after}");
            prop_assert!(Urls::none().refused(&text).is_some());
        }
    }
}
