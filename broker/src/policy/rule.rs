//! One rule of the policy.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Action, ArgumentIs, Mismatch, Pattern, Subject, argument, pattern};
use crate::catalogue::Annotations;

/// One rule: conditions and what follows from them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Rule {
    /// What to do with a call that matches.
    pub action: Action,
    /// Tools it is about: one of these patterns must match. Empty: all tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "pattern::one_or_many")]
    pub tools: Vec<Pattern>,
    /// Servers it is about: one of these patterns must match the server's name. Empty: all servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "pattern::one_or_many")]
    pub servers: Vec<Pattern>,
    /// What the tool must say of itself, if its server is trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<AnnotationsAre>,
    /// What the arguments of the call must be: all of these must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "argument::wire")]
    pub arguments: Vec<ArgumentIs>,
    /// Labels of runs it is about: one of these patterns must match the run's. Empty: all runs,
    /// also those without a label.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "pattern::one_or_many")]
    pub labels: Vec<Pattern>,
    /// Why: for the script to read when the rule denies, and for whoever is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Conditions on a tool's annotations. A hint that the tool does not give counts as the
/// specification says: not read-only, destructive, not idempotent, open to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct AnnotationsAre {
    /// It changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// It may destroy something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Calling it twice is like calling it once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// It reaches things outside of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl Rule {
    /// A rule that matches every call.
    pub fn new(action: Action) -> Self {
        Self {
            action,
            tools: Vec::new(),
            servers: Vec::new(),
            annotations: None,
            arguments: Vec::new(),
            labels: Vec::new(),
            reason: None,
        }
    }

    /// Adds a pattern to [`tools`](Self::tools).
    #[must_use]
    pub fn tools(mut self, pattern: Pattern) -> Self {
        self.tools.push(pattern);
        self
    }

    /// Adds a pattern to [`servers`](Self::servers).
    #[must_use]
    pub fn servers(mut self, pattern: Pattern) -> Self {
        self.servers.push(pattern);
        self
    }

    /// Sets what a trusted server's tool must say of itself.
    #[must_use]
    pub fn annotations(mut self, annotations: AnnotationsAre) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// Adds a condition to [`arguments`](Self::arguments).
    #[must_use]
    pub fn argument(mut self, condition: ArgumentIs) -> Self {
        self.arguments.push(condition);
        self
    }

    /// Adds a pattern to [`labels`](Self::labels).
    #[must_use]
    pub fn labels(mut self, pattern: Pattern) -> Self {
        self.labels.push(pattern);
        self
    }

    /// Sets the reason that the script reads when the rule denies.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// The first condition that does not hold for the call; `None` if the rule matches.
    pub(super) fn mismatch(&self, call: Subject<'_>) -> Option<Mismatch> {
        let Subject { tool, trusted, arguments, label } = call;
        let any = |patterns: &[Pattern], matches: &dyn Fn(&Pattern) -> bool| {
            patterns.is_empty() || patterns.iter().any(matches)
        };
        if !any(&self.tools, &|pattern| pattern.matches_tool(&tool.server, &tool.name)) {
            return Some(Mismatch::Tool);
        }
        if !any(&self.servers, &|pattern| pattern.matches_name(&tool.server)) {
            return Some(Mismatch::Server);
        }
        if let Some(are) = self.annotations {
            if !trusted {
                return Some(Mismatch::Untrusted);
            }
            if !are.hold(&tool.annotations) {
                return Some(Mismatch::Annotations);
            }
        }
        if !any(&self.labels, &|pattern| label.is_some_and(|label| pattern.matches_name(label))) {
            return Some(Mismatch::Label);
        }
        let failed = self.arguments.iter().find(|condition| !condition.holds(arguments))?;
        Some(Mismatch::Argument { condition: failed.to_string() })
    }
}

/// The rule on one line, as approvals and ledgers show it.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.action.as_str())?;
        for (condition, patterns) in
            [("", &self.tools), (" servers", &self.servers), (" labels", &self.labels)]
        {
            if !patterns.is_empty() {
                let list: Vec<&str> = patterns.iter().map(Pattern::as_str).collect();
                write!(f, "{condition} {}", list.join(" | "))?;
            }
        }
        if let Some(are) = self.annotations {
            for (hint, value) in are.conditions() {
                write!(f, " {}{hint}", if value { "" } else { "not " })?;
            }
        }
        for (index, condition) in self.arguments.iter().enumerate() {
            write!(f, "{} {condition}", if index == 0 { " where" } else { "," })?;
        }
        Ok(())
    }
}

impl AnnotationsAre {
    /// A condition that the tool says it is read-only.
    pub fn read_only() -> Self {
        Self { read_only: Some(true), ..Self::default() }
    }

    fn conditions(self) -> impl Iterator<Item = (&'static str, bool)> {
        [
            ("read-only", self.read_only),
            ("destructive", self.destructive),
            ("idempotent", self.idempotent),
            ("open-world", self.open_world),
        ]
        .into_iter()
        .filter_map(|(hint, value)| Some((hint, value?)))
    }

    fn hold(self, tool: &Annotations) -> bool {
        [
            (self.read_only, tool.read_only.unwrap_or(false)),
            (self.destructive, tool.destructive.unwrap_or(true)),
            (self.idempotent, tool.idempotent.unwrap_or(false)),
            (self.open_world, tool.open_world.unwrap_or(true)),
        ]
        .into_iter()
        .all(|(wanted, is)| wanted.is_none_or(|wanted| wanted == is))
    }
}
