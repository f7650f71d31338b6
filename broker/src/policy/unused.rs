//! Rules that can never decide anything: most likely mistakes.

use std::fmt;

use super::pattern::{Pattern, cover};
use super::{Policy, Rule};

/// A rule that no call can match.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unused {
    /// Its place in the policy, from 1.
    pub number: usize,
    /// The rule in words.
    pub rule: String,
    /// Why.
    pub why: Why,
}

/// Why a rule can never decide.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// An earlier rule has matched every call that this one would.
    Behind {
        /// The place of that rule, from 1.
        number: usize,
    },
    /// No value passes all tests of one of its conditions.
    Contradiction {
        /// The condition in words.
        condition: String,
    },
    /// None of the servers is one that it is about.
    NoSuchServer,
    /// It asks for annotations, and none of the servers that it is about is trusted.
    NoneTrusted,
}

impl Policy {
    /// The rules that no call can match, given the names of all servers and whether each is
    /// trusted. Not all such rules can be found; these surely are.
    pub fn unused<'a>(&self, servers: impl IntoIterator<Item = (&'a str, bool)>) -> Vec<Unused> {
        let servers: Vec<_> = servers.into_iter().collect();
        let rules = self.rules.iter().enumerate();
        rules
            .filter_map(|(index, rule)| {
                let why = self.behind(index).or_else(|| rule.unmatched(&servers))?;
                Some(Unused { number: index + 1, rule: rule.to_string(), why })
            })
            .collect()
    }

    fn behind(&self, index: usize) -> Option<Why> {
        let rule = self.rules.get(index)?;
        let earlier = self.rules.iter().take(index).position(|earlier| earlier.covers(rule))?;
        Some(Why::Behind { number: earlier + 1 })
    }
}

impl Rule {
    /// Whether this rule surely matches whatever the other does: each of its conditions is one of
    /// the other's as well.
    fn covers(&self, other: &Self) -> bool {
        let subset = |ours: &[Pattern], theirs: &[Pattern]| ours.is_empty() || cover(ours, theirs);
        let conditions = |rule: &Self| -> Vec<String> {
            rule.arguments.iter().map(ToString::to_string).collect()
        };
        let (ours, theirs) = (conditions(self), conditions(other));
        subset(&self.tools, &other.tools)
            && subset(&self.servers, &other.servers)
            // A run may have no label, which `*` does not match.
            && (self.labels.is_empty() || !other.labels.is_empty() && subset(&self.labels, &other.labels))
            && (self.annotations.is_none() || self.annotations == other.annotations)
            && ours.iter().all(|condition| theirs.contains(condition))
    }

    fn unmatched(&self, servers: &[(&str, bool)]) -> Option<Why> {
        if let Some(condition) = self.arguments.iter().find(|one| one.contradicts_itself()) {
            return Some(Why::Contradiction { condition: condition.to_string() });
        }
        let about = |name: &str| {
            let server =
                self.servers.is_empty() || self.servers.iter().any(|p| p.matches_name(name));
            let tool = self.tools.is_empty() || self.tools.iter().any(|p| p.may_match_server(name));
            server && tool
        };
        let mut ours = servers.iter().filter(|(name, _)| about(name)).peekable();
        if ours.peek().is_none() {
            return Some(Why::NoSuchServer);
        }
        (self.annotations.is_some() && !ours.any(|(_, trusted)| *trusted))
            .then_some(Why::NoneTrusted)
    }
}

impl fmt::Display for Unused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {} of the policy (`{}`) never matches: ", self.number, self.rule)?;
        match &self.why {
            Why::Behind { number } => write!(f, "rule {number} matches everything that it would"),
            Why::Contradiction { condition } => write!(f, "nothing can be \"{condition}\""),
            Why::NoSuchServer => f.write_str("there is no server that it is about"),
            Why::NoneTrusted => {
                f.write_str("it asks for annotations, and no server that it is about is in `trust`")
            }
        }
    }
}
