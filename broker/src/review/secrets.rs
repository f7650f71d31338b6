//! Keys, tokens and private keys, by the forms that their issuers gave them to be found by.
//!
//! A table of forms that are documented and cannot be mistaken: a fixed beginning, an alphabet, a
//! length. Passwords and keys without such a form are not found. (The rule sets of secret scanners
//! that are published as crates do not have a licence that fits, or look at files only.)

use std::borrow::Cow;
use std::sync::LazyLock;

use async_trait::async_trait;
use regex::{Regex, RegexSet};
use serde_json::{Map, Value};

use super::{Review, ReviewedCall, Reviewer, first, first_of_members, rewrite, rewrite_members};

/// A form of secret that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecretFormat {
    /// Its name, as messages have it.
    pub name: &'static str,
    /// How it looks.
    pattern: &'static str,
}

/// What happens to a text in which a secret is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// Nothing.
    Pass,
    /// The secret is replaced by its name.
    Mask,
    /// The call fails.
    Refuse,
}

/// Looks for secrets of well-known forms. Default: refuses arguments and masks results with some.
#[derive(Clone, Copy, Debug)]
pub struct Secrets {
    arguments: Treatment,
    results: Treatment,
}

impl Default for Secrets {
    fn default() -> Self {
        Self { arguments: Treatment::Refuse, results: Treatment::Mask }
    }
}

impl Secrets {
    /// Sets what happens to arguments.
    #[must_use]
    pub fn arguments(mut self, treatment: Treatment) -> Self {
        self.arguments = treatment;
        self
    }

    /// Sets what happens to results.
    #[must_use]
    pub fn results(mut self, treatment: Treatment) -> Self {
        self.results = treatment;
        self
    }

    /// The forms that are known.
    pub fn formats() -> &'static [SecretFormat] {
        FORMATS
    }
}

const fn format(name: &'static str, pattern: &'static str) -> SecretFormat {
    SecretFormat { name, pattern }
}

/// Each as its issuer describes it: GitHub's and GitLab's lists of token prefixes, AWS's "Understanding
/// unique ID prefixes", Slack's "Token types", RFC 7468 for private keys, RFC 7519 for JSON web
/// tokens, RFC 3986 (3.2.1) for passwords in URLs, and the pages on API keys of the others.
const FORMATS: &[SecretFormat] = &[
    format(
        "private-key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    format("age-secret-key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    format("aws-access-key-id", r"(?-u:\b)(?:AKIA|ASIA)[A-Z2-7]{16}(?-u:\b)"),
    format(
        "aws-secret-access-key",
        r#"(?i)aws_?secret_?access_?key["']?\s*[=:]\s*["']?[A-Za-z0-9/+]{40}"#,
    ),
    format("github-token", r"(?-u:\b)gh[pousr]_[A-Za-z0-9]{36,}"),
    format("github-fine-grained-token", r"(?-u:\b)github_pat_[A-Za-z0-9_]{36,}"),
    format("gitlab-token", r"(?-u:\b)gl(?:pat|dt|rt|ptt|soat|cbt|agent|oas)-[A-Za-z0-9_.-]{20,}"),
    format("slack-token", r"(?-u:\b)xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}"),
    format("slack-app-token", r"(?-u:\b)xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-z0-9]{20,}"),
    format(
        "slack-webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/+_-]{20,}",
    ),
    format("discord-webhook", r"discord(?:app)?\.com/api/webhooks/[0-9]{15,}/[A-Za-z0-9_-]{60,}"),
    format("stripe-key", r"(?-u:\b)(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    format("stripe-webhook-secret", r"(?-u:\b)whsec_[A-Za-z0-9+/=]{32,}"),
    format("google-api-key", r"(?-u:\b)AIza[0-9A-Za-z_-]{35}"),
    format("google-client-secret", r"(?-u:\b)GOCSPX-[A-Za-z0-9_-]{28}"),
    format("google-access-token", r"(?-u:\b)ya29\.[0-9A-Za-z_-]{20,}"),
    format("anthropic-key", r"(?-u:\b)sk-ant-[a-z0-9]+-[A-Za-z0-9_-]{20,}"),
    format("openai-key", r"(?-u:\b)sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}"),
    format("openai-legacy-key", r"(?-u:\b)sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
    format("hugging-face-token", r"(?-u:\b)hf_[A-Za-z0-9]{34,}"),
    format("npm-token", r"(?-u:\b)npm_[A-Za-z0-9]{36}"),
    format("pypi-token", r"(?-u:\b)pypi-AgE[A-Za-z0-9_-]{50,}"),
    format("crates-io-token", r"(?-u:\b)cio[A-Za-z0-9]{32}(?-u:\b)"),
    format("docker-token", r"(?-u:\b)dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}"),
    format("sendgrid-key", r"(?-u:\b)SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    format("digitalocean-token", r"(?-u:\b)do[por]_v1_[0-9a-f]{64}"),
    format("telegram-bot-token", r"(?-u:\b)[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
    format("azure-storage-key", r"(?i:AccountKey=)[A-Za-z0-9+/]{86}=="),
    format("azure-client-secret", r"(?-u:\b)[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    format("vault-token", r"(?-u:\b)hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    format("shopify-token", r"(?-u:\b)shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    format("linear-key", r"(?-u:\b)lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    format("notion-token", r"(?-u:\b)ntn_[A-Za-z0-9]{40,}"),
    format("atlassian-token", r"(?-u:\b)ATATT3[A-Za-z0-9_=-]{50,}"),
    format("databricks-token", r"(?-u:\b)dapi[0-9a-f]{32}(?:-[0-9])?"),
    format("new-relic-key", r"(?-u:\b)NRAK-[A-Z0-9]{27}"),
    format(
        "json-web-token",
        r"(?-u:\b)eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    ),
    format(
        "authorization-header",
        r"(?i:authorization)\s*:\s*(?i:bearer|basic|token)\s+[A-Za-z0-9._~+/=-]{8,}",
    ),
    format("password-in-url", r"[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/:@]*:[^\s/@]{3,}@"),
];

/// All of them at once, to see whether any is there, and each, to see where.
static TABLE: LazyLock<(RegexSet, Vec<Regex>)> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "constants, which a test compiles")]
    let set = RegexSet::new(FORMATS.iter().map(|format| format.pattern)).expect("expressions");
    // What is in the set compiles alone as well.
    (set, FORMATS.iter().filter_map(|format| Regex::new(format.pattern).ok()).collect())
});

/// The name of the first form that the text has.
fn found(text: &str) -> Option<&'static str> {
    let index = TABLE.0.matches(text).iter().next()?;
    FORMATS.get(index).map(|format| format.name)
}

fn masked(text: &str) -> Option<String> {
    let mut masked = Cow::Borrowed(text);
    for index in &TABLE.0.matches(text) {
        if let (Some(regex), Some(format)) = (TABLE.1.get(index), FORMATS.get(index)) {
            let mask = format!("[{} removed]", format.name);
            let replaced = regex.replace_all(&masked, regex::NoExpand(&mask)).into_owned();
            masked = Cow::Owned(replaced);
        }
    }
    match masked {
        Cow::Owned(masked) => Some(masked),
        Cow::Borrowed(_) => None,
    }
}

#[async_trait]
impl Reviewer for Secrets {
    fn name(&self) -> &str {
        "secrets"
    }

    async fn arguments(
        &self,
        _: &ReviewedCall,
        arguments: &Map<String, Value>,
    ) -> Review<Map<String, Value>> {
        match self.arguments {
            Treatment::Pass => Review::Pass,
            Treatment::Mask => changed(rewrite_members(arguments, &masked)),
            Treatment::Refuse => refused("arguments", first_of_members(arguments, &found)),
        }
    }

    async fn result(&self, _: &ReviewedCall, result: &Value) -> Review<Value> {
        match self.results {
            Treatment::Pass => Review::Pass,
            Treatment::Mask => changed(rewrite(result, &masked)),
            Treatment::Refuse => refused("result", first(result, &found)),
        }
    }
}

fn changed<T>(new: Option<T>) -> Review<T> {
    new.map_or(Review::Pass, Review::Change)
}

fn refused<T>(what: &str, name: Option<&'static str>) -> Review<T> {
    match name {
        Some(name) => {
            Review::Refuse { reason: format!("there is a secret in the {what} ({name})") }
        }
        None => Review::Pass,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Examples are put together here, so that no scanner finds them in this file.
    fn examples() -> Vec<(&'static str, String)> {
        let long = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5kL7nP9rS1uV3xY5".repeat(3);
        let part = |length: usize| &long[..length];
        let hex = "0123456789abcdef".repeat(5);
        let key = "-----BEGIN RSA PRIVATE ";
        vec![
            ("private-key", format!("{key}KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----")),
            ("private-key", format!("{key}KEY-----\\nMIIE, and no end")),
            ("age-secret-key", format!("AGE-SECRET-KEY-1{}", "Q".repeat(58))),
            ("aws-access-key-id", format!("AKIA{}", "ABCDEFGH234567AB")),
            ("aws-secret-access-key", format!("aws_secret_access_key = {}", part(40))),
            ("github-token", format!("ghp_{}", part(36))),
            ("github-fine-grained-token", format!("github_pat_{}", part(82))),
            ("gitlab-token", format!("glpat-{}", part(20))),
            ("slack-token", format!("xoxb-{}", "123456789012-abcdef")),
            ("slack-app-token", format!("xapp-1-A012-345-{}", &hex[..64])),
            ("slack-webhook", format!("https://hooks.slack.com/services/T0/B0/{}", part(24))),
            (
                "discord-webhook",
                format!("discord.com/api/webhooks/123456789012345678/{}", part(68)),
            ),
            ("stripe-key", format!("sk_live_{}", part(24))),
            ("stripe-webhook-secret", format!("whsec_{}", part(32))),
            ("google-api-key", format!("AIza{}", part(35))),
            ("google-client-secret", format!("GOCSPX-{}", part(28))),
            ("google-access-token", format!("ya29.{}", part(60))),
            ("anthropic-key", format!("sk-ant-api03-{}", part(93))),
            ("openai-key", format!("sk-proj-{}", part(48))),
            ("openai-legacy-key", format!("sk-{}T3BlbkFJ{}", part(20), part(20))),
            ("hugging-face-token", format!("hf_{}", part(34))),
            ("npm-token", format!("npm_{}", part(36))),
            ("pypi-token", format!("pypi-AgE{}", part(60))),
            ("crates-io-token", format!("cio{}", part(32))),
            ("docker-token", format!("dckr_pat_{}", part(27))),
            ("sendgrid-key", format!("SG.{}.{}", part(22), part(43))),
            ("digitalocean-token", format!("dop_v1_{}", &hex[..64])),
            ("telegram-bot-token", format!("123456789:AA{}", part(33))),
            ("azure-storage-key", format!("AccountKey={}==", part(86))),
            ("azure-client-secret", format!("abc8Q~{}", part(34))),
            ("vault-token", format!("hvs.{}", part(24))),
            ("shopify-token", format!("shpat_{}", &hex[..32])),
            ("linear-key", format!("lin_api_{}", part(40))),
            ("notion-token", format!("ntn_{}", part(46))),
            ("atlassian-token", format!("ATATT3{}", part(100))),
            ("databricks-token", format!("dapi{}", &hex[..32])),
            ("new-relic-key", format!("NRAK-{}", "A".repeat(27))),
            ("json-web-token", format!("eyJ{}.eyJ{}.{}", part(20), part(30), part(43))),
            ("authorization-header", format!("Authorization: Bearer {}", part(20))),
            ("password-in-url", "postgres://admin:hunter2@db.internal/x".to_owned()),
        ]
    }

    #[test]
    fn every_form_is_found_and_masked_in_a_text() {
        let mut named: Vec<_> = examples().iter().map(|(name, _)| *name).collect();
        named.dedup();
        let all: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
        assert_eq!(named, all, "each form has its example");
        assert_eq!(TABLE.1.len(), FORMATS.len());
        for (name, secret) in examples() {
            let text = format!("it is ({secret}");
            assert!(
                TABLE.0.matches(&text).iter().any(|i| FORMATS[i].name == name),
                "{name}: {text}"
            );
            let masked = masked(&text).unwrap_or_default();
            assert!(found(&masked).is_none() && masked.contains(" removed]"), "{name}: {masked}");
            assert!(
                !masked.contains(&secret[secret.len() - 6..]) || name.ends_with("url"),
                "{masked}"
            );
        }
    }

    #[test]
    fn what_only_looks_a_little_like_one_stays() {
        for text in [
            "sk-short",
            "ghp_no",
            "the AKIA prefix",
            "https://example.com:8080/a@b",
            "task-ant-hill",
            "00000000-0000-0000-0000-000000000000",
            "BEGIN PUBLIC KEY",
            "eyJhbGciOi",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_token_is_masked_wherever_it_stands(
            before in "[^A-Za-z0-9_]{0,20}", after in r"[^A-Za-z0-9_]{0,20}",
            token in "ghp_[A-Za-z0-9]{36}",
        ) {
            let masked = masked(&format!("{before}{token}{after}")).unwrap_or_default();
            prop_assert!(!masked.contains(&token), "{masked}");
        }
    }
}
