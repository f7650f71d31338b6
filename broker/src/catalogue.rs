//! All tools of all servers, in a stable order.
//!
//! Tools are decoded one by one from what the server sent. A bad one is kept aside with the reason
//! and costs nobody else; the schemas of a good one stay exactly as they came.

mod decode;
mod listing;
mod schema;

use std::sync::Arc;

use serde_json::Value;

pub(crate) use decode::decode;
pub(crate) use listing::list;
pub(crate) use schema::Validator;

/// The tools that can be called and those that cannot. A snapshot: it never changes.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// Sorted by server, then name.
    tools: Vec<Arc<Usable>>,
    rejected: Vec<Rejected>,
}

/// A tool as its server describes it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tool {
    /// The server, by the name of the configuration.
    pub server: String,
    /// Its name at the server.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it does, in the server's words.
    pub description: Option<String>,
    /// JSON Schema of the arguments, unchanged.
    pub input_schema: Value,
    /// JSON Schema of the structured result, unchanged.
    pub output_schema: Option<Value>,
    /// What the tool says of itself.
    pub annotations: Annotations,
}

/// Hints that a tool gives about itself; nobody checks them. Absent is not the same as false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Calling it twice is like calling it once.
    pub idempotent: Option<bool>,
    /// It reaches things outside of the server.
    pub open_world: Option<bool>,
}

/// A tool that was listed and cannot be called.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejected {
    /// The server.
    pub server: String,
    /// The tool's name, if it has one.
    pub name: Option<String>,
    /// What is wrong with it.
    pub reason: RejectReason,
}

/// Why a listed tool cannot be called.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RejectReason {
    /// Not an object, or a member has the wrong type.
    #[error("its definition is malformed: {problem}")]
    Malformed {
        /// Which member and why.
        problem: String,
    },
    /// The server listed an earlier tool of the same name.
    #[error("the server has another tool of this name")]
    Duplicate,
    /// The definition is too large to be worth anything to a model.
    #[error("its definition has {used} bytes, {limit} are allowed")]
    TooLarge {
        /// Size of the definition as JSON text.
        used: usize,
        /// What is allowed.
        limit: usize,
    },
    /// `$schema` names a dialect that is not known.
    #[error("its {part} uses the unknown JSON Schema dialect `{dialect}`")]
    Dialect {
        /// `inputSchema` or `outputSchema`.
        part: &'static str,
        /// The dialect.
        dialect: String,
    },
    /// A schema that cannot be used, for example because it refers to something outside of itself.
    #[error("its {part} is not usable: {problem}")]
    Schema {
        /// `inputSchema` or `outputSchema`.
        part: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

/// A tool with its schemas compiled.
#[derive(Debug)]
pub(crate) struct Usable {
    pub(crate) tool: Tool,
    pub(crate) input: Validator,
    pub(crate) output: Option<Validator>,
}

impl Catalogue {
    /// Brings the tools of all servers into their order.
    pub(crate) fn new(mut tools: Vec<Usable>, mut rejected: Vec<Rejected>) -> Self {
        tools.sort_by(|a, b| key(&a.tool).cmp(&key(&b.tool)));
        rejected.sort_by(|a, b| (&a.server, &a.name).cmp(&(&b.server, &b.name)));
        Self { tools: tools.into_iter().map(Arc::new).collect(), rejected }
    }

    /// The tools that can be called, by server name, then tool name.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &Tool> {
        self.tools.iter().map(|usable| &usable.tool)
    }

    /// The tool of a server.
    pub fn find(&self, server: &str, tool: &str) -> Option<&Tool> {
        self.usable(server, tool).map(|usable| &usable.tool)
    }

    /// Tools that were listed and cannot be called, with the reason.
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    pub(crate) fn usable(&self, server: &str, tool: &str) -> Option<&Arc<Usable>> {
        let index = self.tools.binary_search_by(|usable| key(&usable.tool).cmp(&(server, tool)));
        self.tools.get(index.ok()?)
    }
}

fn key(tool: &Tool) -> (&str, &str) {
    (&tool.server, &tool.name)
}

impl Tool {
    /// A tool about which nothing but its name is known: to try a policy on.
    pub fn new(server: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            name: name.into(),
            title: None,
            description: None,
            input_schema: serde_json::json!({ "type": "object" }),
            output_schema: None,
            annotations: Annotations::default(),
        }
    }
}
