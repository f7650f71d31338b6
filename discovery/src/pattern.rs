//! Search by a regular expression.
//!
//! The pattern is a stranger's. The regex engine takes time in proportion to the text, whatever the
//! pattern; bounded are the size of what it compiles to, the text of each tool, and the time for
//! all of them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Look;

use crate::index::Index;
use crate::query::{Hit, Query, ranked};
use crate::tool::Tool;

/// The longest pattern, in bytes.
const PATTERN_BYTES: usize = 1000;

/// How deep a pattern may nest.
const NESTING: u32 = 50;

/// What a pattern may compile to, in bytes.
const COMPILED_BYTES: usize = 128 * 1024;

/// Text of one part of a tool that is searched, in bytes.
const TEXT_BYTES: usize = 2000;

/// Matches in one part of a tool that are counted.
const MATCHES: usize = 20;

/// What all tools together may take.
const TIME: Duration = Duration::from_secs(1);

/// Why nothing was searched for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// It is longer than any that is meant well.
    #[error("the pattern has {used} bytes, {limit} are allowed")]
    TooLong {
        /// Its size.
        used: usize,
        /// What is allowed.
        limit: usize,
    },
    /// It is not a regular expression, or one that is too large.
    #[error("the pattern is not a regular expression that can be used: {problem}")]
    Invalid {
        /// What is wrong with it, and where.
        problem: String,
    },
    /// It takes too long.
    #[error("the pattern takes longer than {} ms for all tools; make it simpler", TIME.as_millis())]
    TooSlow,
}

impl Index {
    /// The tools in which a regular expression matches: in the function's name, in `server/tool`,
    /// the title, the description, or a parameter's name or value. Letters match in any case. First
    /// come those with matches in names, then those with more different ones.
    ///
    /// # Errors
    /// [`PatternError`] if the query is no pattern that can be used.
    pub fn pattern(&self, query: &Query) -> Result<Vec<Hit>, PatternError> {
        self.pattern_within(query, TIME)
    }

    fn pattern_within(&self, query: &Query, time: Duration) -> Result<Vec<Hit>, PatternError> {
        let used = query.text.len();
        if used > PATTERN_BYTES {
            return Err(PatternError::TooLong { used, limit: PATTERN_BYTES });
        }
        let pattern = Pattern::new(&query.text)?;
        let began = Instant::now();
        let mut hits = Vec::new();
        for (server, part) in &self.servers {
            if !query.admits_server(server) {
                continue;
            }
            let tools = part.tools.iter().zip(&part.texts);
            for (tool, text) in tools.filter(|(tool, _)| query.admits(tool)) {
                if began.elapsed() > time {
                    return Err(PatternError::TooSlow);
                }
                if pattern.may_match(text)
                    && let Some(score) = pattern.score(tool)
                {
                    hits.push(Hit { tool: tool.clone(), score });
                }
            }
        }
        Ok(ranked(query, hits))
    }
}

/// A pattern that can be used.
struct Pattern {
    regex: Regex,
    /// Whether what it matches in a text it also matches where that text is some lines of another.
    knows_lines: bool,
}

impl Pattern {
    fn new(text: &str) -> Result<Self, PatternError> {
        let invalid = |problem: String| PatternError::Invalid { problem };
        let regex = RegexBuilder::new(text)
            .case_insensitive(true)
            .multi_line(true)
            .size_limit(COMPILED_BYTES)
            .dfa_size_limit(4 * COMPILED_BYTES)
            .nest_limit(NESTING)
            .build()
            .map_err(|error| invalid(error.to_string()))?;
        let mut parser = ParserBuilder::new();
        let parser = parser.case_insensitive(true).multi_line(true).nest_limit(NESTING);
        let parsed = parser.build().parse(text).map_err(|error| invalid(error.to_string()))?;
        let looks = parsed.properties().look_set();
        let bounds = [Look::Start, Look::End, Look::StartCRLF, Look::EndCRLF];
        Ok(Self { regex, knows_lines: !bounds.iter().any(|look| looks.contains(*look)) })
    }

    /// False only if it matches in no part of the tool with this [`all_text`]. One look at it all
    /// costs a fraction of one at each part, and most tools do not match.
    fn may_match(&self, all_text: &str) -> bool {
        !self.knows_lines || self.regex.is_match(all_text)
    }

    /// What its matches in a tool are worth, if there are any.
    fn score(&self, tool: &Tool) -> Option<f32> {
        let path = path(tool);
        let mut matches = HashMap::new();
        for (text, weight) in texts(tool, &path) {
            for found in self.regex.find_iter(text).take(MATCHES) {
                let worth: &mut f32 = matches.entry(found.as_str().to_lowercase()).or_default();
                *worth = worth.max(weight);
            }
        }
        (!matches.is_empty()).then(|| matches.values().sum())
    }
}

/// What of a tool is searched, a line for each part.
pub(crate) fn all_text(tool: &Tool) -> Box<str> {
    let path = path(tool);
    let parts: Vec<&str> = texts(tool, &path).map(|(text, _)| text).collect();
    parts.join("\n").into()
}

fn path(tool: &Tool) -> String {
    format!("{}/{}", tool.server, tool.name)
}

/// What of a tool is searched, and what a match in it is worth.
fn texts<'a>(tool: &'a Tool, path: &'a str) -> impl Iterator<Item = (&'a str, f32)> {
    let named = [(tool.function.as_str(), 8.0), (path, 8.0)];
    let told = [(&tool.title, 4.0), (&tool.description, 2.0)];
    let told = told.into_iter().filter_map(|(text, worth)| Some((text.as_deref()?, worth)));
    let parameters = tool.parameters.names.iter().chain(&tool.parameters.values);
    let all = named.into_iter().chain(told).chain(parameters.map(|text| (text.as_str(), 1.0)));
    all.map(|(text, worth)| {
        (text.get(..text.floor_char_boundary(TEXT_BYTES)).unwrap_or_default(), worth)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(description: &str, tools: usize) -> Index {
        let tool = |at: usize| Tool {
            server: "s".into(),
            name: format!("tool{at}"),
            function: format!("s_tool{at}"),
            description: Some(description.into()),
            ..Tool::default()
        };
        let mut index = Index::default();
        index.update_server("s", (0..tools).map(tool));
        index
    }

    #[test]
    fn bad_and_huge_patterns_are_refused() {
        let index = index("", 1);
        let error = |text: &str| index.pattern(&Query::new(text)).unwrap_err();
        assert!(matches!(error("("), PatternError::Invalid { .. }));
        assert!(matches!(error(r"\w{1000}{1000}"), PatternError::Invalid { .. }));
        assert!(matches!(error(&"(".repeat(100)), PatternError::Invalid { .. }));
        assert!(matches!(error(&"a".repeat(1001)), PatternError::TooLong { .. }));
    }

    #[test]
    fn a_slow_pattern_is_given_up() {
        let index = index(".", 1);
        let query = Query::new("t");
        assert_eq!(index.pattern_within(&query, Duration::ZERO), Err(PatternError::TooSlow));
        assert!(index.pattern(&query).is_ok());
    }

    #[test]
    fn an_empty_pattern_finds_all() {
        let hits = index("", 3).pattern(&Query::new("")).unwrap();
        assert_eq!(hits.len(), 3);
    }

    proptest::proptest! {
        /// The short cut loses nothing.
        #[test]
        fn a_tool_that_matches_is_found(
            pattern in r"[ab\n^$.*|]{0,8}(\\A|\\z|\(\?R\)|\(\?-m\)|\(\?s\)|\\b|\\s|[^a])?[ab\n^$.*|]{0,8}",
            parts in proptest::collection::vec("[ab \r\n]{0,5}", 4),
        ) {
            let Ok(pattern) = Pattern::new(&pattern) else { return Ok(()) };
            let [name, title, description, value] = parts.try_into().unwrap();
            let tool = Tool {
                server: "s".into(),
                function: format!("s_{name}"),
                name,
                title: Some(title),
                description: Some(description),
                parameters: crate::Parameters { values: vec![value], ..Default::default() },
                read_only: false,
            };
            let found = pattern.score(&tool).is_some();
            proptest::prop_assert!(!found || pattern.may_match(&all_text(&tool)));
        }
    }
}
