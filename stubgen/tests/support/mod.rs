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

use proptest::test_runner::{Config, FileFailurePersistence};

/// So many cases, or as many as `PROPTEST_CASES` says. The seed of one that fails is written into
/// the file `seeds`, with which every later run begins.
pub(crate) fn cases(number: u32, seeds: &'static str) -> Config {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    Config {
        cases: asked.unwrap_or(number),
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(seeds))),
        ..Config::default()
    }
}

/// Says what is not tested. Not by `eprintln!`, which is not shown when the test passes.
pub(crate) fn say(message: &str) {
    let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("\n{message}\n"));
}
