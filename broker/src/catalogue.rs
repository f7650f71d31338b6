//! All tools of all servers, in a stable order.
//!
//! Tools are decoded one by one from what the server sent. A bad one is kept aside with the reason
//! and costs nobody else; the schemas of a good one stay exactly as they came.

mod decode;
mod digest;
mod headers;
mod listing;
mod schema;
mod store;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

pub(crate) use decode::decode;
pub(crate) use digest::canonical;
pub use digest::{Digest, NotADigest};
pub(crate) use headers::ParamHeaders;
pub(crate) use listing::{Listing, ListingError, list};
pub(crate) use schema::Validator;
pub(crate) use store::{Changes, Store};

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
    /// `x-mcp-header` is used as the specification forbids. Only behind a URL.
    #[error("its arguments cannot be headers: {problem}")]
    Header {
        /// Which annotation and why.
        problem: String,
    },
    /// The tool is pinned, and its definition is not the one that was accepted.
    #[error(
        "its definition is not the one that was pinned ({pinned}); look at it, and pin {found} to \
         accept it"
    )]
    Changed {
        /// The digest of the configuration.
        pinned: Digest,
        /// The digest of the definition as it is now.
        found: Digest,
    },
}

/// A tool with its schemas compiled.
#[derive(Debug)]
pub(crate) struct Usable {
    pub(crate) tool: Tool,
    pub(crate) input: Validator,
    pub(crate) output: Option<Validator>,
    pub(crate) headers: ParamHeaders,
    pub(crate) digest: Digest,
}

/// What an entry of a list is read by.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub(crate) server: &'a str,
    pub(crate) pins: &'a BTreeMap<String, Digest>,
    /// Whether arguments may have to travel as headers.
    pub(crate) headers: bool,
    /// What was known before: what has not changed is not compiled again.
    pub(crate) known: &'a Catalogue,
}

impl Tool {
    /// The digest of the definition, for [`ServerConfig::pins`](crate::ServerConfig::pins).
    pub fn digest(&self) -> Digest {
        Digest::of(self)
    }
}

impl Catalogue {
    /// The catalogue with another list of one server.
    fn with(&self, server: &str, listing: Listing) -> Self {
        let Listing { mut tools, mut rejected, .. } = listing;
        let others = self.tools.iter().filter(|usable| usable.tool.server != server);
        tools.extend(others.cloned());
        tools.sort_by(|a, b| key(&a.tool).cmp(&key(&b.tool)));
        rejected.extend(self.rejected.iter().filter(|bad| bad.server != server).cloned());
        rejected.sort_by(|a, b| (&a.server, &a.name).cmp(&(&b.server, &b.name)));
        Self { tools, rejected }
    }

    /// The usable tools of one server.
    fn of(&self, server: &str) -> impl Iterator<Item = &Arc<Usable>> {
        self.tools.iter().filter(move |usable| usable.tool.server == server)
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
