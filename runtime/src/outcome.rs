//! The ways in which a run ends, and what is known about it afterwards.

use crate::{console::Console, limits::Limit};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A run that has ended, in whatever way.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// What it had printed by then.
    pub console: Console,
    /// What it had used.
    pub usage: Usage,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// The script came to its end.
    Completed {
        /// What it returned, as JSON text; `None` if that was `undefined`.
        value: Option<String>,
    },
    /// An error left the script uncaught.
    Threw {
        /// That error.
        error: ScriptError,
    },
    /// The script is not valid TypeScript. Nothing of it has run.
    SyntaxError {
        /// What is wrong, in the order of the text; never empty.
        diagnostics: Vec<Diagnostic>,
    },
    /// A clock ran out.
    TimedOut {
        /// Which one.
        clock: Clock,
        /// How long it was set.
        limit: Duration,
    },
    /// The memory was full.
    MemoryExceeded {
        /// Which: [`Limits::heap_bytes`](crate::Limits::heap_bytes) or
        /// [`Limits::resident_bytes`](crate::Limits::resident_bytes).
        limit: Limit,
        /// Its value.
        limit_bytes: usize,
    },
    /// Another bound was passed, and the script did not catch it.
    LimitExceeded {
        /// Which one.
        limit: Limit,
        /// What was asked, what is allowed, and what to do.
        message: String,
        /// Where in the script, if it was there.
        error: Option<ScriptError>,
    },
    /// The host cancelled it.
    Cancelled,
    /// The worker ended by itself: a fault of V8 or of ours, or somebody killed it.
    Crashed {
        /// What is known.
        message: String,
    },
}

/// A clock of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// [`Limits::cpu`](crate::Limits::cpu)
    Cpu,
    /// [`Limits::wall`](crate::Limits::wall)
    Wall,
}

/// An error that left the script.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScriptError {
    /// Its class, such as `TypeError`; empty if what was thrown is not an `Error`.
    pub name: String,
    /// Its message.
    pub message: String,
    /// The `kind` of a `ToolError`; only of one that a call has thrown, whatever a script makes.
    pub kind: Option<String>,
    /// Where it was thrown, if that is in the script.
    pub position: Option<Position>,
    /// The calls that led there, innermost first; only those of the script.
    pub frames: Vec<Frame>,
    /// The error's `cause`; at most 8 below each other.
    pub cause: Option<Box<ScriptError>>,
    /// The `errors` of an `AggregateError`; at most the first 10.
    pub errors: Vec<ScriptError>,
    /// How many more of them there were.
    pub more_errors: usize,
    /// What to do instead, for a usual mistake.
    pub hint: Option<String>,
}

/// A function of the script that was running.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Its name; `None` at the top level and in functions without one.
    pub function: Option<String>,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in UTF-16 units, counted from 1.
    pub column: u32,
}

/// A place in the script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Line, counted from 1.
    pub line: u32,
    /// Column in UTF-16 units, counted from 1.
    pub column: u32,
    /// The text of that line, cut after 200 characters.
    pub source_line: String,
}

/// What is wrong with the text of a script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// Where, if that is known.
    pub position: Option<Position>,
}

/// What a run used.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Usage {
    /// From start to end, with the time that approvals took.
    pub wall: Duration,
    /// The part of `wall` in which a call waited for a human.
    pub waiting: Duration,
    /// CPU time; zero where the system has no such clock.
    pub cpu: Duration,
    /// V8's heap in use when the script had ended, or its size when it was full, in bytes; `None`
    /// if the run was killed before it could tell.
    pub heap_bytes: Option<usize>,
    /// Calls that reached the host.
    pub calls: u32,
    /// Time in which at least one call was under way.
    pub in_tools: Duration,
}

impl Position {
    /// The place in `source`, with that line's text.
    pub(crate) fn within(source: &str, line: u32, column: u32) -> Self {
        let text = (line as usize).checked_sub(1).and_then(|index| lines(source).nth(index));
        let source_line = text.unwrap_or_default().chars().take(200).collect();
        Self { line, column, source_line }
    }

    /// The place that many bytes into `source`.
    pub(crate) fn at(source: &str, offset: usize) -> Self {
        let before = source.get(..offset).unwrap_or(source);
        let (line, text) = lines(before).enumerate().last().unwrap_or_default();
        let column = text.encode_utf16().count() + 1;
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self::within(source, number(line + 1), number(column))
    }

    /// Whether `source` has such a line.
    pub(crate) fn has_line(source: &str, line: u32) -> bool {
        lines(source).nth((line as usize).saturating_sub(1)).is_some()
    }
}

/// The lines of a script as JavaScript counts them: two characters end one that do not elsewhere.
fn lines(source: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(source);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(['\n', '\r', '\u{2028}', '\u{2029}']) else {
            rest = None;
            return Some(text);
        };
        let (line, after) = text.split_at(end);
        let break_len = match after.starts_with("\r\n") {
            true => 2,
            false => after.chars().next().map_or(0, char::len_utf8),
        };
        rest = after.get(break_len..);
        Some(line)
    })
}

impl std::fmt::Display for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cpu => "cpu",
            Self::Wall => "wall",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_javascript_ends_them() {
        let all: Vec<_> = lines("a\nb\r\nc\rd\u{2028}e\u{2029}\n").collect();
        assert_eq!(all, ["a", "b", "c", "d", "e", "", ""]);
    }

    #[test]
    fn a_place_is_counted_in_units_of_utf_16() {
        let at = Position::at("a\n\u{1f600}ä = b", "a\n\u{1f600}ä = ".len());
        assert_eq!((at.line, at.column), (2, 7));
        assert_eq!(Position::at("", 0).line, 1);
        assert_eq!(Position::at("abc\n", 4), Position::within("abc\n", 2, 1));
        assert_eq!(Position::at("ä", 1).column, 2, "inside of a character: its end");
    }
}
