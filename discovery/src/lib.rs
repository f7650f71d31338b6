//! Finds the tools that answer a question, among thousands.
//!
//! An [`Index`] holds the tools of all servers and is asked with a [`Query`]: by keywords, or by a
//! regular expression. A [`Finder`] adds what a host may have besides: an [`Embedder`], which knows
//! what words mean, and a [`ToolSelector`], which chooses among what was found. The crate is pure:
//! no input or output, nothing asynchronous but these two.
//!
//! ```
//! use discovery::{Index, Parameters, Query, Tool};
//! use serde_json::json;
//!
//! let tool = |server: &str, name: &str, about: &str| Tool {
//!     server: server.into(),
//!     name: name.into(),
//!     function: format!("{server}_{name}"),
//!     description: Some(about.into()),
//!     parameters: Parameters::of(&json!({ "properties": { "path": { "type": "string" } } })),
//!     read_only: name.starts_with("get"),
//!     ..Tool::default()
//! };
//! let mut index = Index::default();
//! index.update_server("files", [
//!     tool("files", "deleteFile", "Deletes a file for good."),
//!     tool("files", "getFileInfo", "Size and times of a file."),
//! ]);
//! index.update_server("tickets", [tool("tickets", "delete_ticket", "Deletes a ticket.")]);
//!
//! // Other words, and a typing error.
//! let hits = index.keywords(&Query::new("erase a flie"));
//! assert_eq!(hits[0].tool.function, "files_deleteFile");
//! // Only what changes nothing.
//! let hits = index.keywords(&Query::new("file").read_only());
//! assert_eq!(hits[0].tool.function, "files_getFileInfo");
//! // A regular expression.
//! let hits = index.pattern(&Query::new("^tickets/")).unwrap();
//! assert_eq!(hits[0].tool.name, "delete_ticket");
//! ```
//!
//! # How keywords are ranked
//! By BM25 over fields: the words of a name weigh more than those of a description, and these more
//! than those of parameters. A word of the query stands for itself, for what begins with it, for
//! the words that tools use in its place (`kin.rs`), and, if no tool has it, for what it was
//! probably meant to be. The same tools and the same query give the same list.

#![forbid(unsafe_code)]

mod words;
mod kin;
mod tool;
mod query;
mod document;
mod vocabulary;
mod index;
mod keywords;
mod pattern;
mod embed;
mod select;
mod finder;

pub use embed::{EmbedError, Embedder};
pub use finder::{Finder, Found, Ranking};
pub use index::Index;
pub use pattern::PatternError;
pub use query::{Group, Hit, Query, by_server};
pub use select::{SelectError, ToolSelector};
pub use tool::{Parameters, Tool};
