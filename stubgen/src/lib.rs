//! MCP tools to TypeScript declarations, for code that a language model writes.
//!
//! A [`Catalogue`] of tools goes in, [`Declarations`] come out: one function per tool, the named
//! types that they need, what had to be renamed, and which tools could not be declared and why.
//! The crate is pure: no input or output, nothing fetched, nothing kept but in the catalogue.
//!
//! # Promises
//! - **Never fails.** A bad tool is data: it is listed as [`Unavailable`], the others are declared.
//! - **Tells the truth.** Each value that a schema admits is in its type. What TypeScript cannot
//!   say makes the type wider, down to `unknown`; nothing becomes `any`.
//! - **Cannot be broken out of.** The text is printed from a syntax tree, never pasted together;
//!   comments hold no end of comment, and characters that hide or reorder text are made visible.
//! - **Is stable.** The same tools give the same bytes, and the declaration of a tool stays as it
//!   is when unrelated tools come and go; [Names](#names) says what is related.
//!
//! # A list of tools, from beginning to end
//! Tools come as `tools/list` gave them, each with the name of its server. A tool that cannot be
//! declared, one that had to be renamed, and two that share a type:
//! ```
//! use serde_json::{Value, json};
//! use stubgen::{Annotations, Catalogue, Detail, Reason, RenameReason, Tool};
//!
//! let tool = |server: &str, name: &str, description: &str, input_schema: Value| Tool {
//!     server: server.to_owned(),
//!     name: name.to_owned(),
//!     title: None,
//!     description: Some(description.to_owned()),
//!     input_schema,
//!     output_schema: None,
//!     annotations: Annotations::default(),
//! };
//! let person = json!({
//!     "type": "object",
//!     "properties": { "mail": { "type": "string", "format": "email" } },
//!     "required": ["mail"],
//! });
//! let mut create = tool("ticketing", "createIssue", "Open a ticket.", json!({
//!     "type": "object",
//!     "properties": {
//!         "title": { "type": "string", "maxLength": 80 },
//!         "priority": { "enum": ["low", "high"] },
//!         "watchers": { "type": "array", "items": { "$ref": "#/$defs/Person" } },
//!     },
//!     "required": ["title"],
//!     "$defs": { "Person": person },
//! }));
//! create.output_schema = Some(json!({
//!     "type": "object",
//!     "properties": { "issueId": { "type": "string" } },
//!     "required": ["issueId"],
//! }));
//! let assign = tool("ticketing", "assign-to", "Give it to somebody.", json!({
//!     "type": "object",
//!     "properties": { "issueId": { "type": "string" }, "to": { "$ref": "#/$defs/Person" } },
//!     "required": ["issueId", "to"],
//!     "$defs": { "Person": person },
//! }));
//! let broken = tool("ticketing", "close", "Close it.", json!({ "$ref": "https://example.org/close" }));
//!
//! let mut catalogue: Catalogue = [create, assign, broken].into_iter().collect();
//! let declarations = catalogue.declare();
//! assert_eq!(
//!     declarations.text(),
//!     r#"interface Person {
//!   /** @format email */
//!   mail: string;
//! }
//! /** Open a ticket. */
//! declare function ticketing_createIssue(input: {
//!   /** @length ..80 */
//!   title: string;
//!   priority?: "low" | "high";
//!   watchers?: Person[];
//! }): Promise<{ issueId: string; }>;
//! /** Give it to somebody. @tool ticketing/assign-to */
//! declare function ticketing_assign_to(input: { issueId: string; to: Person; }): Promise<ToolResult>;
//! "#
//! );
//!
//! // Names lead both ways.
//! assert_eq!(declarations.identifier("ticketing", "assign-to"), Some("ticketing_assign_to"));
//! let function = declarations.function("ticketing_assign_to").unwrap();
//! assert_eq!((function.server.as_str(), function.tool.as_str()), ("ticketing", "assign-to"));
//! assert_eq!(declarations.renamed[0].reason, RenameReason::Characters);
//!
//! // What went wrong is data, and says which tool.
//! assert_eq!(declarations.unavailable[0].tool, "close");
//! assert!(matches!(declarations.unavailable[0].reason, Reason::ExternalReference { .. }));
//!
//! // In few tokens: the tool that was asked for in full, the other by its name.
//! let brief = declarations.within(80, &["ticketing_createIssue"]);
//! assert!(brief.text.ends_with("// ticketing: 1 more tool: ticketing_assign_to\n"));
//! assert_eq!(brief.shown[0].detail, Detail::Full);
//!
//! // The same with bodies, for a runtime that has no functions of its own for the tools.
//! assert!(declarations.stubs().contains(r#"return mcp.callTool<ToolResult>("ticketing_assign_to", input);"#));
//! ```
//!
//! # When a list changes
//! A catalogue reads a tool once and remembers what was printed of it. After a change it gives the
//! same declarations as a new one would, sooner:
//! ```
//! # use stubgen::{Annotations, Catalogue, Tool};
//! # let tool = |server: &str, name: &str| Tool {
//! #     server: server.to_owned(),
//! #     name: name.to_owned(),
//! #     title: None,
//! #     description: None,
//! #     input_schema: serde_json::json!({ "type": "object" }),
//! #     output_schema: None,
//! #     annotations: Annotations::default(),
//! # };
//! let tools = [tool("logging", "getLogs"), tool("ticketing", "createIssue")];
//! let mut catalogue: Catalogue = tools.into_iter().collect();
//! assert_eq!(catalogue.declare().functions.len(), 2);
//!
//! let listed = [tool("ticketing", "createIssue"), tool("ticketing", "close")];
//! catalogue.update_server("ticketing", listed);
//! assert_eq!(catalogue.declare().identifier("ticketing", "close"), Some("ticketing_close"));
//! catalogue.update_server("logging", []);
//! assert_eq!(catalogue.declare().functions.len(), 2);
//! ```
//!
//! # From schemas to types
//! The dialects 2020-12 (if none is named), 2019-09, draft-07, -06 and -04 are read. What has a
//! meaning in types is in the type:
//!
//! | schema | type |
//! |---|---|
//! | `type`, also a list of them; `enum`, `const` of any value; `nullable` | primitives, literals, unions |
//! | `properties`, `required`, `additionalProperties`, `patternProperties`, `propertyNames` | object types, index signatures |
//! | `items`, `prefixItems`, `additionalItems`, `unevaluatedItems`, small `minItems` and `maxItems` | arrays and tuples |
//! | `anyOf`, `oneOf`, with whatever stands beside them | unions |
//! | `allOf`, `$ref` with siblings | one merged object, else `&` |
//! | `$ref` to any place in the document, `$anchor`, `$id`, `$dynamicRef` where it is local | `interface` or `type`, by the name of the definition |
//! | `true`, `{}` / `false` | `unknown` / `never` |
//! | `not`, `if`, `contains`, `dependentSchemas`, … | left out, which the comment says by `@untyped` |
//!
//! Types of one name that are equal all the way down are one. A reference that leads out of the
//! document is never fetched: see [`Reason`].
//!
//! Schemas come as [`serde_json::Value`], which holds every string but one with half a surrogate
//! pair. Who reads them from text decides what stands for that; the parser alone would refuse all
//! of the text.
//!
//! # What comments say
//! The description, cut at [`Options::description_chars`], then what the type cannot say: on one
//! line if that is enough.
//!
//! | tag | meaning |
//! |---|---|
//! | `@default`, `@example` | a value as JSON, if it is short |
//! | `@format`, `@pattern` | of a string |
//! | `@integer`, `@range 1..10`, `@range >0..<1`, `@multipleOf` | of a number; `>` and `<` leave out the bound itself |
//! | `@length`, `@items`, `@properties`, `@unique` | sizes, from..to |
//! | `- each: …`, `- [0]: …`, `- string: …`, `- with text: …` | what the items of an array or the members of a union say of themselves |
//! | `@returns` | what the output schema says of itself |
//! | `@readonly`, `@destructive`, `@deprecated` | what the server says of the tool, or of a part |
//! | `@tool s/a.b`, `@tool "a b" of server "s"` | server and tool by their own names, where the function has another |
//! | `@untyped not` | keywords that narrow the schema and not the type |
//!
//! # Names
//! A function is called `<server>_<tool>`. Characters that cannot stand in an identifier become
//! `_`; what is reserved, too long, or the same as another gets a suffix made from its own name.
//! Each such case is in [`Declarations::renamed`] with a [`RenameReason`].
//!
//! A named type is called as its schema calls it: by the key of its definition, or by its title
//! (`Issue`). Where different types want one name, none has it, and each gets a suffix made from
//! what it says (`Issue_3f2a`).
//!
//! So one tool is related to another, and can change what is declared for it, only like this:
//! - its function would have the same name;
//! - it brings a type of the same name that is not the same type, and is the first to do so;
//! - the four digits of a suffix are also another's, or make a name that is there: then they
//!   become eight.
//!
//! The order of the tools changes the order of what is declared and nothing else.

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
mod function;
mod declarations;
mod catalogue;
mod budget;

pub use budget::{Budgeted, Detail, Shown};
pub use catalogue::Catalogue;
pub use declarations::{Declarations, Function, Interface, Renaming, Returns, Unavailable};
pub use name::RenameReason;
pub use reason::Reason;
pub use tool::{Annotations, Options, Tool};

/// What every script has besides its tools: `ToolResult`, `ToolError`, `mcp`, and their parts.
pub const GLOBALS: &str = include_str!("../../js/globals.d.ts");
