//! Globs for tools and servers, and the one rule by which they match a tool's name.

use std::str::FromStr;

use globset::{GlobBuilder, GlobMatcher};
use serde::{Deserialize, Serialize};

/// A glob: `*` any text, `?` any character, `[ab]` one of these, `{a,b}` one of those.
///
/// For a tool there is one rule. A pattern with a slash is matched against `server/tool`, the exact
/// names as server and configuration spell them. A pattern without one is matched against the name
/// of the function in the script, `<server>_<tool>`, in which every character that cannot stand in
/// an identifier is `_`. So `tickets_*` covers what the script sees as `tickets_…`, which could be
/// tools of a server `tickets` or of one called `tickets-eu`, and `tickets/*` exactly the first.
/// The case of letters matters.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern {
    text: String,
    glob: GlobMatcher,
}

/// A text that is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is not a pattern: {problem}")]
pub struct PatternError {
    /// The text.
    pub pattern: String,
    /// What is wrong with it.
    pub problem: String,
}

impl Pattern {
    /// The text it was made from.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it covers a tool.
    pub fn matches_tool(&self, server: &str, tool: &str) -> bool {
        if self.text.contains('/') {
            self.glob.is_match(format!("{server}/{tool}"))
        } else {
            self.glob.is_match(function_name(server, tool))
        }
    }

    /// Whether it could cover some tool of a server. `true` where that cannot be told.
    pub(crate) fn may_match_server(&self, server: &str) -> bool {
        match self.text.split_once('/') {
            // A glob may have a slash inside of brackets or braces.
            Some((name, _)) if !name.contains(['[', '{']) => {
                compile(name).is_ok_and(|glob| glob.is_match(server))
            }
            _ => true,
        }
    }

    /// Whether it covers a server's name.
    pub(crate) fn matches_name(&self, name: &str) -> bool {
        self.glob.is_match(name)
    }
}

/// Whether some patterns surely cover whatever others do: each of those is one of them as well.
pub(crate) fn cover(ours: &[Pattern], theirs: &[Pattern]) -> bool {
    let has = |text: &str| ours.iter().any(|pattern| pattern.as_str() == text);
    has("*") || !theirs.is_empty() && theirs.iter().all(|pattern| has(pattern.as_str()))
}

/// How a tool is called in the script, apart from suffixes that settle collisions:
/// `<server>_<tool>`, in which every character that cannot stand in an identifier is `_`.
pub fn function_name(server: &str, tool: &str) -> String {
    let identifier = |c: char| if c.is_alphanumeric() || c == '$' { c } else { '_' };
    server.chars().chain(['_']).chain(tool.chars()).map(identifier).collect()
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let wrong = |problem: String| PatternError { pattern: text.to_owned(), problem };
        if text.trim().is_empty() {
            return Err(wrong("it is empty".to_owned()));
        }
        Ok(Self { text: text.to_owned(), glob: compile(text).map_err(wrong)? })
    }
}

/// A glob in which `*` matches slashes, too; or what is wrong with it.
pub(super) fn compile(text: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(text).literal_separator(false).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

impl TryFrom<String> for Pattern {
    type Error = PatternError;

    fn try_from(text: String) -> Result<Self, PatternError> {
        text.parse()
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.text
    }
}

/// In a file a list of one pattern may be the pattern alone.
pub(super) mod one_or_many {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Pattern;

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }

    pub(in super::super) fn serialize<S: Serializer>(
        patterns: &[Pattern],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        patterns.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Pattern>, D::Error> {
        let texts = match OneOrMany::deserialize(deserializer)? {
            OneOrMany::One(text) => vec![text],
            OneOrMany::Many(texts) => texts,
        };
        texts.iter().map(|text| text.parse().map_err(serde::de::Error::custom)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_means_exact_names_and_no_slash_the_function() {
        let table = [
            ("tickets_*", "tickets", "list", true),
            ("tickets_*", "tickets-eu", "list", true),
            ("tickets/*", "tickets-eu", "list", false),
            ("tickets_*", "tickets", "get-all", true),
            ("tickets_get_all", "tickets", "get-all", true),
            ("tickets_get-all", "tickets", "get-all", false),
            ("tickets/get-all", "tickets", "get-all", true),
            ("tickets/*", "tickets_eu", "list", false),
            ("tickets_*", "tickets_eu", "list", true),
            ("*/list*", "a", "listAll", true),
            ("*", "any", "thing", true),
            ("{a,b}/x", "b", "x", true),
            ("A/*", "a", "x", false),
            ("größe_*", "größe", "messen", true),
        ];
        for (pattern, server, tool, expected) in table {
            let matches = pattern.parse::<Pattern>().unwrap().matches_tool(server, tool);
            assert_eq!(matches, expected, "{pattern} on {server} and {tool}");
        }
    }

    #[test]
    fn what_is_no_glob_is_refused() {
        for pattern in ["", " ", "a[", "{a"] {
            assert_eq!(pattern.parse::<Pattern>().unwrap_err().pattern, pattern);
        }
    }
}
