//! What the tests of this crate share.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot read its files has failed")]
#![allow(clippy::print_stderr, reason = "what is not tested is said aloud")]

pub(crate) mod case;
pub(crate) mod lists;
pub(crate) mod parse;
pub(crate) mod schemas;
pub(crate) mod typescript;
