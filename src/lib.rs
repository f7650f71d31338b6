//! Cofferdam runs TypeScript that a language model wrote, against MCP tools.
//!
//! The model writes one script instead of calling tools one at a time. The script runs in a V8
//! isolate that has no network, files or environment; each of its calls goes to the host's broker,
//! which holds the credentials, applies policy and approval, and sends `tools/call`; and only the
//! console output and the final value go back to the model.
//!
//! A [`Sandbox`] is the whole of it: [`Sandbox::declarations`] is what the model reads before it
//! writes a script, [`Sandbox::run`] runs one, and the [`Report`] says how it ended and what it has
//! done, in every case.
//!
//! ```no_run
#![doc = include_str!("../examples/embed.rs")]
//! ```
//!
//! The parts can be used alone: [`stubgen`] makes declarations of tools, [`runtime`] runs scripts
//! for any host that answers their calls, [`broker`] makes calls under policy, [`discovery`] finds tools
//! among thousands.

mod attendant;
mod body;
mod bridge;
pub mod config;
mod declared;
mod detail;
#[cfg(feature = "embeddings")]
mod embeddings;
mod hurried;
mod lookup;
mod model;
mod nearest;
mod prompt;
pub mod recorded;
mod report;
mod sandbox;
mod search;
mod session;
mod skill;
pub mod serve;
mod shown;
pub mod visible;
pub mod worker;

pub use ::{broker, discovery, runtime, stubgen};

pub use ::broker::{
    ApprovalQueue, Approver, Audit, CallLimits, DataFlow, Decision, Elicitation, Elicitor, Event,
    Events, Grant, GrantId, Held, LocalTool, PendingCall, Policy, Principal, Reviewer, Scope,
    Secret, ServerConfig, ServerState, ServerStatus, SessionGrants,
};
pub use ::runtime::{
    Diagnostic, Frame, Isolation, Limits, Outcome, Position, ScriptError, WorkerProgram,
};
pub use detail::Detail;
#[cfg(feature = "embeddings")]
pub use embeddings::{Endpoint, EndpointError};
pub use model::{ModelText, OutputBudget, estimated_tokens};
pub use prompt::{Prompt, Window};
pub use report::Report;
pub use sandbox::{Builder, Error, Sandbox, Script};
pub use session::Session;
pub use skill::{Skill, SkillError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/approval.md")]
struct Approval;
