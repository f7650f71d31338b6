//! MCP connections, policy, approvals and records, for scripts that are not trusted.
//!
//! A [`Broker`] holds the connections to MCP servers and everything a script must not have: their
//! credentials, the policy, and the record of what was done. A script run is a [`Run`]; each of its
//! calls goes through the same stations, in the same order, and ends as an [`Answer`] or a
//! [`ToolError`] and as one entry of the run's [`Ledger`].
//!
//! ```
//! use broker::{Broker, LocalTool, Policy, Request};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let clock = LocalTool::new("year", |_| async { Ok(json!(2026)) });
//! let broker = Broker::builder()
//!     .local("clock", vec![clock])
//!     .policy(Policy::default().allow("clock_*")?)
//!     .connect()
//!     .await?;
//!
//! let run = broker.open_run();
//! let answer = run.call(Request::new("clock", "year", json!({}))).await?;
//! assert_eq!(answer.result["content"][0]["text"], "2026");
//! assert_eq!(run.close().entries()[0].state.as_str(), "succeeded");
//! # Ok(())
//! # }
//! ```
//!
//! The crate knows nothing of the engine that runs scripts, nor of TypeScript.

#![forbid(unsafe_code)]
#![allow(clippy::result_large_err, reason = "a call that fails costs more than moving its error")]

mod broker;
mod builder;
mod config;
mod secret;
mod credential;
mod server;
mod transport;
mod catalogue;
mod oauth;
mod run;
mod call;
mod turns;
mod policy;
mod approval;
mod review;
mod flow;
mod principal;
mod elicitation;
mod ledger;
mod limits;
mod size;
mod here;
mod paging;
mod events;
pub mod audit;
mod tape;
mod trail;

pub use approval::{
    ApprovalQueue, Approver, Decision, Grant, GrantId, PendingCall, Previous, Question, QuestionId,
    Scope,
};
pub use audit::Audit;
pub use broker::Broker;
pub use builder::{Builder, Error};
pub use call::{Answer, CallLimit, Kind, Request, ToolError};
pub use catalogue::{Annotations, Catalogue, Digest, NotADigest, RejectReason, Rejected, Tool};
pub use config::{Deferred, Rate, ServerConfig, Share, Transport};
pub use credential::{CredentialError, CredentialSource, Part, Template};
pub use elicitation::{Ask, Elicitation, Elicitor, Field, FieldKind, Form, Reply};
pub use events::{Event, Events};
pub use flow::{Carried, DataFlow, Encoding, Flow, FlowRule, Origin, Source};
pub use here::is_this_machine;
pub use ledger::{Allowance, CallId, Entry, Ledger, State};
pub use limits::CallLimits;
pub use oauth::{Login, LoginError, OAuth, StoreError, TokenStore};
pub use policy::{
    Action, AnnotationsAre, ArgumentIs, ConditionError, Explanation, Mismatch, Pattern,
    PatternError, Policy, Rule, Step, Subject, TextGlob, TextRegex, Unused, ValueIs, Verdict, Why,
    function_name,
};
pub use principal::{Principal, SessionGrants};
pub use review::{
    Only, Review, Reviewed, ReviewedCall, Reviewer, SecretFormat, Secrets, Side, Size, Treatment,
    Urls,
};
pub use run::{NotARunId, Run, RunId, RunOptions, Stop};
pub use secret::{Redactor, Secret};
pub use server::{ConnectError, Era, Held, ServerState, ServerStatus};
pub use tape::{
    Divergence, Made, Order, RECORDING_BYTES, Recorder, RecorderError, Recording, RecordingError,
    Rehearsal, Replay, Withheld, differences,
};
pub use transport::local::LocalTool;
