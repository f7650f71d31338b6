//! The only place that prints.
//!
//! Standard output is what was asked for, standard error everything else. Whoever reads the output
//! may stop reading at any time; that is no error.

use super::visible::visible;
use anyhow::Context;
use std::io::{self, IsTerminal, Write};

/// Prints what was asked for. On a terminal, what would move the cursor or hide text is made
/// visible; through a pipe every byte arrives as it is.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let stdout = io::stdout();
    let shown = if stdout.is_terminal() { visible(text) } else { text.into() };
    match write_all(stdout.lock(), &shown) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output cannot be written")
        }
        _ => Ok(()),
    }
}

/// Prints JSON.
pub(super) fn json(value: &serde_json::Value) -> anyhow::Result<()> {
    print(&format!("{value:#}\n"))
}

/// Says something besides.
pub(super) fn note(text: &str) {
    prompt(&format!("{text}\n"));
}

/// Says something besides, without ending the line.
pub(super) fn prompt(text: &str) {
    // There is nowhere left to report a failure to.
    let _ = write_all(io::stderr().lock(), &visible(text));
}

/// Warns of something that does not end the program.
pub(super) fn warning(text: &str) {
    note(&format!("warning: {text}"));
}

/// Says why the program ends.
pub(super) fn error(text: &str) {
    note(&format!("error: {text}"));
}

fn write_all(mut to: impl Write, text: &str) -> io::Result<()> {
    to.write_all(text.as_bytes())?;
    to.flush()
}
