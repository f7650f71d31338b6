//! The end-to-end tests: one binary, since everything that is linked with V8 links slowly. Most are
//! driven by files in the folders beside this one; adding a case is adding a file.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that panics has said why")]

mod agent;
#[cfg(target_os = "linux")]
mod alone;
mod approval;
mod audits;
mod cli;
mod credentials;
mod faults;
mod hosts;
mod init;
mod kept;
mod logins;
mod outcomes;
mod place;
mod readme;
mod records;
mod rehearsals;
mod scripts;
mod servers;
mod serving;
#[cfg(target_os = "linux")]
mod soak;
mod terminal;
mod tokens;
#[cfg(feature = "otel")]
mod traces;
