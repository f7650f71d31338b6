//! From what a script threw to what is reported of it.
//!
//! The realm's own code looks at the script's objects (`31_ending.js`) and writes down what it
//! finds; here that text is read.

use super::{hints, ops::SCRIPT};
use crate::{
    limits::Limit,
    outcome::{Diagnostic, Frame, Position, ScriptError},
};
use deno_core::error::JsError;
use serde::Deserialize;

/// An error as the realm describes it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Told {
    name: String,
    message: String,
    kind: Option<String>,
    stack: String,
    cause: Option<Box<Told>>,
    errors: Vec<Told>,
    more: usize,
    hint: Option<String>,
    limit: Option<Limit>,
    #[serde(rename = "limitMessage")]
    limit_message: String,
}

/// An error that ended a run, and the limit that it is about, with what the script was told.
pub(super) struct Thrown {
    pub(super) error: ScriptError,
    pub(super) limit: Option<(Limit, String)>,
}

/// Reads what the realm says of an error.
pub(super) fn read(json: &str, source: &str) -> Thrown {
    let unreadable = || Told { message: "the error cannot be read".into(), ..Told::default() };
    let mut told: Told = serde_json::from_str(json).unwrap_or_else(|_| unreadable());
    let message = std::mem::take(&mut told.limit_message);
    let limit = told.limit.map(|limit| (limit, message));
    let mut error = told.report(source);
    error.hint = error.hint.take().or_else(|| hints::about(&error));
    Thrown { error, limit }
}

impl Told {
    fn report(self, source: &str) -> ScriptError {
        // A stack is text, which a script can change.
        let is_there = |frame: &Frame| Position::has_line(source, frame.line);
        let frames: Vec<_> = self.stack.lines().filter_map(frame).filter(is_there).collect();
        let position = frames.first().map(|at| Position::within(source, at.line, at.column));
        ScriptError {
            name: self.name,
            message: self.message,
            kind: self.kind,
            position,
            frames,
            cause: self.cause.map(|cause| Box::new(cause.report(source))),
            errors: self.errors.into_iter().map(|error| error.report(source)).collect(),
            more_errors: self.more,
            hint: self.hint,
        }
    }
}

/// A frame of the script: `    at f (file:///script.ts:3:16)`; `None` for all other lines.
fn frame(line: &str) -> Option<Frame> {
    let line = line.trim_start().strip_prefix("at ")?;
    let (function, place) = match line.strip_suffix(')').and_then(|line| line.rsplit_once(" (")) {
        Some((function, place)) => (Some(function), place),
        None => (None, line),
    };
    let place = place.strip_prefix("async ").unwrap_or(place);
    let (line, column) = place.strip_prefix(SCRIPT)?.strip_prefix(':')?.split_once(':')?;
    let function = function.map(|function| function.strip_prefix("async ").unwrap_or(function));
    Some(Frame {
        function: function.map(str::to_owned),
        line: line.parse().ok()?,
        column: column.parse().ok()?,
    })
}

/// What V8 finds wrong with the text of a script.
pub(super) fn diagnostic(error: &JsError, source: &str) -> Diagnostic {
    let position = error.frames.first().and_then(|frame| {
        let line = u32::try_from(frame.line_number?).ok()?;
        let column = u32::try_from(frame.column_number?).ok()?;
        Some(Position::within(source, line, column))
    });
    Diagnostic { message: error.message.clone().unwrap_or_default(), position }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_with_and_without_a_function() {
        let seen = |line: &str| frame(line).map(|f| (f.function, f.line, f.column));
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(seen("    at f (file:///script.ts:3:16)"), Some((some("f"), 3, 16)));
        assert_eq!(seen("    at file:///script.ts:1:2"), Some((None, 1, 2)));
        assert_eq!(seen("    at async file:///script.ts:1:2"), Some((None, 1, 2)));
        assert_eq!(
            seen("    at async A.b [as c] (file:///script.ts:1:2)").unwrap().0,
            some("A.b [as c]")
        );
        assert_eq!(seen("    at new P (file:///script.ts:1:2)").unwrap().0, some("new P"));
        for other in [
            "",
            "at",
            "    at Array.map (<anonymous>)",
            "    at f (file:///script.ts:x:1)",
            "  at (()",
        ] {
            assert_eq!(seen(other), None, "{other}");
        }
    }

    #[test]
    fn whatever_the_text_is_there_is_an_error_to_report() {
        for text in ["", "{}", "[]", "{\"name\":1}", "{\"limit\":\"no such\"}", "{\"cause\":null}"]
        {
            let _ = read(text, "");
        }
        assert_eq!(read("nonsense", "").error.message, "the error cannot be read");
    }
}
