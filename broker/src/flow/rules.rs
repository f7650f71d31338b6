//! What may flow from where to where.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

use super::Flow;
use crate::policy::{Action, Pattern, Verdict};

/// What is watched of the data in a run, and what follows from it. The default watches nothing.
///
/// Results are fingerprinted as soon as there is a rule, be it one that allows everything: then
/// nothing is held up, and approvals and the ledger say what flowed.
#[derive(Clone, Debug)]
pub struct DataFlow {
    pub(super) rules: Vec<FlowRule>,
    sensitive_servers: BTreeSet<String>,
    sensitive_tools: BTreeSet<(String, String)>,
    public: BTreeSet<String>,
    pub(super) sensitive_to_public: Action,
}

/// One rule: of the data of some tools, what may go to others. The first that matches decides; if
/// none does, nothing follows.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FlowRule {
    /// Tools whose results it is about: one of these must match.
    pub from: Vec<Pattern>,
    /// Tools that are called: one of these must match.
    pub to: Vec<Pattern>,
    /// What follows.
    pub action: Action,
    /// Why: for the script to read when the rule denies, and for whoever is asked.
    pub reason: Option<String>,
}

impl Default for DataFlow {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            sensitive_servers: BTreeSet::new(),
            sensitive_tools: BTreeSet::new(),
            public: BTreeSet::new(),
            sensitive_to_public: Action::Ask,
        }
    }
}

impl DataFlow {
    /// Adds a rule after the others.
    #[must_use]
    pub fn rule(mut self, rule: FlowRule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Marks all that a server returns as sensitive.
    #[must_use]
    pub fn sensitive_server(mut self, server: impl Into<String>) -> Self {
        self.sensitive_servers.insert(server.into());
        self
    }

    /// Marks what a tool returns as sensitive.
    #[must_use]
    pub fn sensitive_tool(mut self, server: impl Into<String>, tool: impl Into<String>) -> Self {
        self.sensitive_tools.insert((server.into(), tool.into()));
        self
    }

    /// Marks a server as one from which others can learn what they are not meant to.
    #[must_use]
    pub fn public_server(mut self, server: impl Into<String>) -> Self {
        self.public.insert(server.into());
        self
    }

    /// Sets what follows when a run that has read something sensitive calls a public server.
    /// Default: [`Action::Ask`].
    #[must_use]
    pub fn sensitive_to_public(mut self, action: Action) -> Self {
        self.sensitive_to_public = action;
        self
    }

    /// The rules in their order.
    pub fn rules(&self) -> &[FlowRule] {
        &self.rules
    }

    /// Whether results have to be fingerprinted.
    pub(crate) fn watches(&self) -> bool {
        !self.rules.is_empty()
    }

    pub(crate) fn is_sensitive(&self, server: &str, tool: &str) -> bool {
        self.sensitive_servers.contains(server)
            || self.sensitive_tools.contains(&(server.to_owned(), tool.to_owned()))
    }

    pub(super) fn marks_sensitive(&self) -> bool {
        !self.sensitive_servers.is_empty() || !self.sensitive_tools.is_empty()
    }

    pub(crate) fn is_public(&self, server: &str) -> bool {
        self.public.contains(server)
    }

    /// What a flow means for a call: the action, which rule says so, and its reason.
    pub(super) fn judge(&self, flow: &Flow, server: &str, tool: &str) -> Option<Judged> {
        if let Flow::Sensitive { .. } = flow {
            return Some(self.judge_sensitive());
        }
        let judged = self.judge_carried(flow.origin(), (server, tool))?;
        // Nobody knows whether it flows, so it is not denied without asking.
        let action = match (flow, judged.action) {
            (Flow::Forgotten { .. }, Action::Deny) => Action::Ask,
            (_, action) => action,
        };
        Some(Judged { action, ..judged })
    }

    /// The same of data that surely goes from one tool to another.
    pub(super) fn judge_carried(&self, from: (&str, &str), to: (&str, &str)) -> Option<Judged> {
        let matches = |patterns: &[Pattern], (server, tool): (&str, &str)| {
            patterns.iter().any(|pattern| pattern.matches_tool(server, tool))
        };
        let rule =
            self.rules.iter().find(|rule| matches(&rule.from, from) && matches(&rule.to, to))?;
        let (action, reason) = (rule.action, rule.reason.clone());
        Some(Judged { action, rule: rule.to_string(), reason })
    }

    /// The same of a call of a public server by a run that has read something sensitive.
    pub(super) fn judge_sensitive(&self) -> Judged {
        let action = self.sensitive_to_public;
        Judged { action, rule: "sensitive to public".to_owned(), reason: None }
    }
}

impl FlowRule {
    /// A rule for the data of the tools that one of `from` matches, when a tool that one of `to`
    /// matches is called.
    pub fn new(from: Vec<Pattern>, to: Vec<Pattern>, action: Action) -> Self {
        Self { from, to, action, reason: None }
    }

    /// Sets the reason.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

/// The rule on one line, as approvals and ledgers show it: `ask mail_* → web_*`.
impl fmt::Display for FlowRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |patterns: &[Pattern]| {
            patterns.iter().map(Pattern::as_str).collect::<Vec<_>>().join(" | ")
        };
        write!(f, "{} {} → {}", self.action.as_str(), list(&self.from), list(&self.to))
    }
}

/// What is to be done about a flow.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) action: Action,
    pub(super) rule: String,
    pub(super) reason: Option<String>,
}

impl Judged {
    pub(super) fn strictness(&self) -> u8 {
        strictness(self.action)
    }

    /// Why, in words.
    fn why(&self) -> String {
        self.reason.clone().unwrap_or_else(|| format!("data flow: {}", self.rule))
    }

    /// The stricter of two; of two that ask, with both reasons.
    pub(super) fn and(self, other: Self) -> Self {
        match self.strictness().cmp(&other.strictness()) {
            Ordering::Less => other,
            Ordering::Equal if self.action == Action::Ask && self.rule != other.rule => {
                let (why, also) = (self.why(), other.why());
                let reason = if why.contains(&also) { why } else { format!("{why}; {also}") };
                Self { reason: Some(reason), ..self }
            }
            _ => self,
        }
    }

    /// The stricter of this and what the policy says.
    pub(super) fn with(self, verdict: Verdict) -> Verdict {
        let (own, policy) = (self.strictness(), strictness(verdict.action()));
        let rule = format!("data flow: {}", self.rule);
        match (self.action, verdict) {
            (Action::Allow, verdict) => verdict,
            (_, verdict) if policy > own => verdict,
            (Action::Deny, verdict) if policy == own => verdict,
            (Action::Deny, _) => Verdict::Deny { rule, reason: self.reason },
            // Both ask: both say why.
            (Action::Ask, Verdict::Ask { reason, .. }) => {
                let reason = [self.why()].into_iter().chain(reason).collect::<Vec<_>>().join("; ");
                Verdict::Ask { rule: Some(rule), reason: Some(reason) }
            }
            (Action::Ask, _) => Verdict::Ask { rule: Some(rule), reason: Some(self.why()) },
        }
    }
}

fn strictness(action: Action) -> u8 {
    match action {
        Action::Allow => 0,
        Action::Ask => 1,
        Action::Deny => 2,
    }
}
