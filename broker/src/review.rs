//! Looking at what goes in and out of every call, before anybody else does.
//!
//! A [`Reviewer`] sees the arguments of a call before policy and approval do, so that what is judged
//! and shown is what is sent; and its result before the script does. It may let pass, change, or
//! refuse. Several look in their order, each at what the one before it left. What was changed or
//! refused, and by whom, is in the ledger; what it was is not.

mod secrets;
mod size;
mod urls;

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

pub use secrets::{SecretFormat, Secrets, Treatment};
pub use size::Size;
pub use urls::Urls;

use crate::ledger::CallId;
use crate::policy::Pattern;

/// Looks at arguments and results. The host's, or one of ours: [`Size`], [`Secrets`], [`Urls`].
///
/// Whatever it does it does for every call, and calls wait for it.
#[async_trait]
pub trait Reviewer: Send + Sync {
    /// Its name, for the ledger and for messages.
    fn name(&self) -> &str;

    /// Looks at the arguments of a call. What it puts in their place must fit the tool's schema.
    async fn arguments(
        &self,
        call: &ReviewedCall,
        arguments: &Map<String, Value>,
    ) -> Review<Map<String, Value>> {
        let _ = (call, arguments);
        Review::Pass
    }

    /// Looks at what came back: the whole `CallToolResult`, also of a tool that failed; or, of a
    /// server that answered with an error, the error's message as a string.
    async fn result(&self, call: &ReviewedCall, result: &Value) -> Review<Value> {
        let _ = (call, result);
        Review::Pass
    }
}

/// Whose arguments or result these are.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReviewedCall {
    /// Its number in the run.
    pub id: CallId,
    /// The server, by the name of the configuration.
    pub server: String,
    /// The tool.
    pub tool: String,
}

/// What a reviewer makes of what it sees.
#[derive(Clone, Debug, PartialEq)]
pub enum Review<T> {
    /// It stays as it is.
    Pass,
    /// This takes its place.
    Change(T),
    /// It goes no further: the call fails as `denied`.
    Refuse {
        /// Why, for the script to read.
        reason: String,
    },
}

/// What a reviewer did, as the ledger has it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reviewed {
    /// Its name.
    pub reviewer: String,
    /// Of what.
    pub side: Side,
    /// Whether it refused it; otherwise it changed it.
    pub refused: bool,
}

/// What a reviewer looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The arguments, before they are sent.
    Arguments,
    /// The result, before the script gets it.
    Result,
}

impl Side {
    /// The name used in reports: `arguments`, `result`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Arguments => "arguments",
            Self::Result => "result",
        }
    }
}

/// Lets a reviewer look at some tools only.
pub struct Only {
    tools: Vec<Pattern>,
    reviewer: Arc<dyn Reviewer>,
}

impl Only {
    /// A reviewer of the tools that one of the patterns matches.
    pub fn tools(tools: Vec<Pattern>, reviewer: Arc<dyn Reviewer>) -> Self {
        Self { tools, reviewer }
    }

    fn is_about(&self, call: &ReviewedCall) -> bool {
        self.tools.iter().any(|pattern| pattern.matches_tool(&call.server, &call.tool))
    }
}

#[async_trait]
impl Reviewer for Only {
    fn name(&self) -> &str {
        self.reviewer.name()
    }

    async fn arguments(
        &self,
        call: &ReviewedCall,
        arguments: &Map<String, Value>,
    ) -> Review<Map<String, Value>> {
        if self.is_about(call) {
            self.reviewer.arguments(call, arguments).await
        } else {
            Review::Pass
        }
    }

    async fn result(&self, call: &ReviewedCall, result: &Value) -> Review<Value> {
        if self.is_about(call) { self.reviewer.result(call, result).await } else { Review::Pass }
    }
}

/// The value with each of its strings, and the names of members, put through `change`; `None` if
/// that changes nothing.
fn rewrite(value: &Value, change: &dyn Fn(&str) -> Option<String>) -> Option<Value> {
    match value {
        Value::String(text) => change(text).map(Value::String),
        Value::Array(items) => {
            let changed: Vec<_> = items.iter().map(|item| rewrite(item, change)).collect();
            if changed.iter().all(Option::is_none) {
                return None;
            }
            let items = changed.into_iter().zip(items);
            Some(items.map(|(changed, item)| changed.unwrap_or_else(|| item.clone())).collect())
        }
        Value::Object(members) => rewrite_members(members, change).map(Value::Object),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn rewrite_members(
    members: &Map<String, Value>,
    change: &dyn Fn(&str) -> Option<String>,
) -> Option<Map<String, Value>> {
    let mut has_changed = false;
    let mut rewritten = Map::new();
    for (name, value) in members {
        let (new_name, new_value) = (change(name), rewrite(value, change));
        has_changed |= new_name.is_some() || new_value.is_some();
        let name = new_name.map_or(Cow::Borrowed(name.as_str()), Cow::Owned);
        rewritten.insert(name.into_owned(), new_value.unwrap_or_else(|| value.clone()));
    }
    has_changed.then_some(rewritten)
}

/// The first of the strings and names in a value of which `look` says something.
fn first<T>(value: &Value, look: &dyn Fn(&str) -> Option<T>) -> Option<T> {
    match value {
        Value::String(text) => look(text),
        Value::Array(items) => items.iter().find_map(|item| first(item, look)),
        Value::Object(members) => first_of_members(members, look),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn first_of_members<T>(
    members: &Map<String, Value>,
    look: &dyn Fn(&str) -> Option<T>,
) -> Option<T> {
    members.iter().find_map(|(name, value)| look(name).or_else(|| first(value, look)))
}
