//! Why a policy decides as it does.

use std::fmt;

use serde_json::Map;

use super::{Policy, Subject, Verdict};
use crate::catalogue::Tool;

/// How a policy came to its verdict about one call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// What is to be done.
    pub verdict: Verdict,
    /// The rules that were looked at, in order. If one matched it is the last.
    pub steps: Vec<Step>,
}

/// One rule that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Its place in the policy, from 1.
    pub number: usize,
    /// The rule in words.
    pub rule: String,
    /// Why it does not match; `None` if it does.
    pub mismatch: Option<Mismatch>,
}

/// The first condition of a rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// It is about other tools.
    Tool,
    /// It is about other servers.
    Server,
    /// It asks for annotations, and the server is not trusted.
    Untrusted,
    /// It asks for other annotations.
    Annotations,
    /// It is about runs with another label.
    Label,
    /// An argument is not what it asks for.
    Argument {
        /// The condition in words.
        condition: String,
    },
}

impl Policy {
    /// What the policy says of every call of a tool; `None` if that depends on the arguments or on
    /// the label of the run.
    pub fn outlook(&self, tool: &Tool, trusted: bool) -> Option<Verdict> {
        let nothing = Map::new();
        let call = Subject { tool, trusted, arguments: &nothing, label: None };
        for rule in &self.rules {
            match rule.mismatch(call) {
                None if rule.arguments.is_empty() => break,
                None | Some(Mismatch::Argument { .. } | Mismatch::Label) => return None,
                Some(_) => {}
            }
        }
        Some(self.judge(call))
    }

    /// What is to be done with a call, and what each rule on the way made of it.
    pub fn explain(&self, call: Subject<'_>) -> Explanation {
        let mut steps = Vec::new();
        for (index, rule) in self.rules.iter().enumerate() {
            let mismatch = rule.mismatch(call);
            let matches = mismatch.is_none();
            steps.push(Step { number: index + 1, rule: rule.to_string(), mismatch });
            if matches {
                break;
            }
        }
        Explanation { verdict: self.judge(call), steps }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool => f.write_str("it is about other tools"),
            Self::Server => f.write_str("it is about other servers"),
            Self::Untrusted => {
                f.write_str("it asks for annotations, and the server is not in `trust`")
            }
            Self::Annotations => f.write_str("the tool does not say so of itself"),
            Self::Label => f.write_str("it is about runs with another label"),
            Self::Argument { condition } => write!(f, "not so: {condition}"),
        }
    }
}
