//! `docs/tokens.md` has the tables that its program makes.

#[path = "../../examples/tokens.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is a program as well")]
mod example;

use crate::hosts::block_on;
use cofferdam::WorkerProgram;
use std::io::Write;

#[test]
fn the_tables_are_those_that_are_made() {
    if std::env::var_os("COFFERDAM_TOOL_LISTS").is_none() {
        // Past the test's captured output: what is missing is named aloud.
        let _ = writeln!(
            std::io::stderr(),
            "NOT TESTED against docs/tokens.md: COFFERDAM_TOOL_LISTS names no folder"
        );
        return;
    }
    let workers = WorkerProgram::At(env!("CARGO_BIN_EXE_cofferdam").into());
    let tables = block_on(example::tables(&workers)).unwrap();
    let page = include_str!("../../docs/tokens.md");
    assert_eq!(example::renewed(page, &tables), page, "`make tokens` makes them anew");
}
