//! What the tests of this crate share.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "what is not as expected fails the test"
)]

pub(crate) mod case;
pub(crate) mod lists;
pub(crate) mod parse;
pub(crate) mod property;
pub(crate) mod schemas;
pub(crate) mod typescript;

pub(crate) use case::declared;

/// Says what is not tested. Not by `eprintln!`, which is not shown when the test passes.
pub(crate) fn say(message: &str) {
    let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("\n{message}\n"));
}
