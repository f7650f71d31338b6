//! MCP tools to TypeScript declarations, for code that a language model writes.
//!
//! A list of tools goes in, [`Declarations`] come out: one function per tool, the named types
//! that they need, what had to be renamed, and which tools could not be declared and why. The
//! crate is pure: no input or output, nothing fetched, nothing kept between calls.
//!
//! # Promises
//! - **Never fails.** A bad tool is data: it is listed as [`Unavailable`], the others are declared.
//! - **Tells the truth.** Each value that a schema admits is in its type. What TypeScript cannot
//!   say makes the type wider, down to `unknown`; nothing becomes `any`.
//! - **Cannot be broken out of.** The text is printed from a syntax tree, never pasted together;
//!   comments hold no end of comment, and characters that hide or reorder text are made visible.
//! - **Is stable.** The same tools give the same bytes, and a tool keeps its name when unrelated
//!   tools come and go.
//!
//! # Examples
//! ```
//! use serde_json::json;
//! use stubgen::{Annotations, Options, Tool};
//!
//! let tool = Tool {
//!     server: "ticketing".to_owned(),
//!     name: "createIssue".to_owned(),
//!     title: None,
//!     description: Some("Open a ticket.".to_owned()),
//!     input_schema: json!({
//!         "type": "object",
//!         "properties": {
//!             "title": { "type": "string" },
//!             "priority": { "enum": ["low", "high"] },
//!         },
//!         "required": ["title"],
//!     }),
//!     output_schema: None,
//!     annotations: Annotations::default(),
//! };
//! let declarations = stubgen::declare(&[tool], &Options::default());
//! assert_eq!(
//!     declarations.text(),
//!     r#"/** Open a ticket. */
//! declare function ticketing_createIssue(input: { title: string; priority?: "low" | "high"; }): Promise<ToolResult>;
//! "#
//! );
//! assert_eq!(declarations.identifier("ticketing", "createIssue"), Some("ticketing_createIssue"));
//! ```

#![forbid(unsafe_code)]

mod tool;
mod reason;
mod schema;
mod ty;
mod lower;
mod merge;
mod name;
mod shared;
mod jsdoc;
mod emit;
mod print;
mod declarations;
mod declare;
mod budget;

pub use budget::{Budgeted, Detail, Shown};
pub use declarations::{Declarations, Function, Interface, Renaming, Returns, Unavailable};
pub use declare::declare;
pub use name::RenameReason;
pub use reason::Reason;
pub use tool::{Annotations, Options, Tool};

/// What every script has besides its tools: `ToolResult`, `ToolError`, `mcp`, and their parts.
pub const GLOBALS: &str = include_str!("../../js/globals.d.ts");
