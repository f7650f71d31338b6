//! Which calls may be made: ordered rules, the first that matches decides, otherwise ask.
//!
//! ```json
//! [
//!   { "action": "deny",  "tools": "*/delete_*", "reason": "nothing is deleted by scripts" },
//!   { "action": "allow", "tools": ["logging_*", "tickets/list*"] },
//!   { "action": "allow", "servers": "files", "annotations": { "readOnly": true } },
//!   { "action": "allow", "tools": "files/write", "arguments": { "/path": { "under": "/srv/out" } } },
//!   { "action": "ask", "labels": "nightly-*", "reason": "nobody watches these runs" }
//! ]
//! ```
//!
//! Every condition of a rule must hold, and a rule without conditions matches every call. What a
//! tool says of itself is only looked at for servers that the configuration marks as trusted: a rule
//! with `annotations` never matches a tool of any other server. How names match is described at
//! [`Pattern`], how arguments do at [`ArgumentIs`].

mod argument;
mod explain;
mod pattern;
mod rule;
mod unused;

use serde::{Deserialize, Serialize};

pub use argument::{ArgumentIs, ConditionError, TextGlob, TextRegex, ValueIs};
pub use explain::{Explanation, Mismatch, Step};
pub(crate) use pattern::cover;
pub use pattern::{Pattern, PatternError, function_name};
pub use rule::{AnnotationsAre, Rule};
pub use unused::{Unused, Why};

use serde_json::{Map, Value};

use crate::catalogue::Tool;

/// Ordered rules. The default has none, so every call is asked about.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Policy {
    rules: Vec<Rule>,
}

/// A call as the policy sees it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The tool.
    pub tool: &'a Tool,
    /// Whether its server's annotations are believed.
    pub trusted: bool,
    /// The arguments.
    pub arguments: &'a Map<String, Value>,
    /// The label of the run.
    pub label: Option<&'a str>,
}

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// The call is made.
    Allow,
    /// Somebody is asked.
    Ask,
    /// The call is refused.
    Deny,
}

impl Action {
    /// The word for it, as in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// What the policy says about one call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It may be made, by this rule.
    Allow {
        /// The rule in words.
        rule: String,
    },
    /// Somebody must be asked.
    Ask {
        /// The rule in words; `None` if no rule matches.
        rule: Option<String>,
        /// What the rule gives as the reason.
        reason: Option<String>,
    },
    /// It must not be made.
    Deny {
        /// The rule in words.
        rule: String,
        /// What the rule gives as the reason.
        reason: Option<String>,
    },
}

impl Verdict {
    /// What is to be done.
    pub fn action(&self) -> Action {
        match self {
            Self::Allow { .. } => Action::Allow,
            Self::Ask { .. } => Action::Ask,
            Self::Deny { .. } => Action::Deny,
        }
    }
}

impl Policy {
    /// What is to be done with a call, and by which rule.
    pub fn judge(&self, call: Subject<'_>) -> Verdict {
        let Some(rule) = self.rules.iter().find(|rule| rule.mismatch(call).is_none()) else {
            return Verdict::Ask { rule: None, reason: None };
        };
        let (text, reason) = (rule.to_string(), rule.reason.clone());
        match rule.action {
            Action::Allow => Verdict::Allow { rule: text },
            Action::Ask => Verdict::Ask { rule: Some(text), reason },
            Action::Deny => Verdict::Deny { rule: text, reason },
        }
    }

    /// The rules in their order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Adds a rule after the others.
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Adds a rule that allows the tools which match.
    ///
    /// # Errors
    /// [`PatternError`] if this is not a pattern.
    pub fn allow(self, tools: &str) -> Result<Self, PatternError> {
        Ok(self.rule(Rule::new(Action::Allow).tools(tools.parse()?)))
    }

    /// Adds a rule that denies the tools which match.
    ///
    /// # Errors
    /// [`PatternError`] if this is not a pattern.
    pub fn deny(self, tools: &str) -> Result<Self, PatternError> {
        Ok(self.rule(Rule::new(Action::Deny).tools(tools.parse()?)))
    }

    /// Adds the rules of another policy after the own ones.
    #[must_use]
    pub fn then(mut self, other: Policy) -> Self {
        self.rules.extend(other.rules);
        self
    }
}

impl FromIterator<Rule> for Policy {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> Self {
        Self { rules: rules.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests;
