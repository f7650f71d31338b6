//! `cofferdam output`: what a model was not shown of a run.

use super::{exit::Exit, kept::Kept, output};
use anyhow::Context;
use std::str::FromStr;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The run: the id that was printed where its output was cut
    #[arg(value_name = "RUN")]
    run: String,
    /// The bytes to print, counted from 0, the last one included; default: all
    #[arg(long, value_name = "A-B")]
    range: Option<Range>,
}

/// Bytes from and to, both included. Without an end: to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    from: usize,
    to: Option<usize>,
}

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a range; write for example 0-9999 or 10000-");
        let (from, to) = text.split_once('-').ok_or_else(wrong)?;
        let from = from.trim().parse().map_err(|_| wrong())?;
        let to = match to.trim() {
            "" => None,
            to => Some(to.parse().map_err(|_| wrong())?),
        };
        if to.is_some_and(|to: usize| to < from) {
            return Err(wrong());
        }
        Ok(Self { from, to })
    }
}

impl Range {
    /// The piece of the text; never half a character.
    fn of(self, text: &str) -> &str {
        let from = text.floor_char_boundary(self.from.min(text.len()));
        let to = self.to.map_or(text.len(), |to| to.saturating_add(1).min(text.len()));
        let to = text.floor_char_boundary(to);
        text.get(from..to.max(from)).unwrap_or_default()
    }
}

pub(super) fn print(arguments: &Arguments) -> anyhow::Result<Exit> {
    let kept = Kept::of_user().context("this system has no place for kept outputs")?;
    let text = kept.read(&arguments.run)?;
    let piece = arguments.range.map_or(text.as_str(), |range| range.of(&text));
    output::print(piece)?;
    if piece.len() < text.len() {
        output::note(&format!("({} of {} bytes)", piece.len(), text.len()));
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_bytes_both_ends_included() {
        let text = "aäb";
        let table =
            [("0-0", "a"), ("0-2", "aä"), ("1-", "äb"), ("2-3", "äb"), ("9-", ""), ("0-99", "aäb")];
        for (range, piece) in table {
            assert_eq!(range.parse::<Range>().map(|range| range.of(text)), Ok(piece), "{range}");
        }
        for wrong in ["", "5", "-5", "a-b", "5-4"] {
            assert!(wrong.parse::<Range>().is_err(), "{wrong}");
        }
    }
}
