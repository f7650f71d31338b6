//! What a script printed.

use serde::{Deserialize, Serialize};

/// The lines of a run's console, as far as they were kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Console {
    /// In the order in which they were printed.
    pub lines: Vec<Line>,
    /// Bytes that were printed after [`Limits::console_bytes`](crate::Limits::console_bytes) was
    /// used up. After a run that was killed, the least that it can have been.
    pub dropped_bytes: u64,
    #[serde(skip)]
    kept_bytes: usize,
}

/// What one call of a console method printed; may hold several lines of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The method's level.
    pub level: Level,
    /// The text, without the final line break.
    pub text: String,
}

/// The level of a console method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// `console.debug`
    Debug,
    /// `console.log`, and every method that has no level of its own
    Log,
    /// `console.info`
    Info,
    /// `console.warn`
    Warn,
    /// `console.error`, `console.trace`, `console.assert`
    Error,
}

impl Level {
    /// The level of the number that the isolate's code uses.
    pub(crate) fn from_number(number: u32) -> Self {
        match number {
            0 => Self::Debug,
            2 => Self::Info,
            3 => Self::Warn,
            4 => Self::Error,
            _ => Self::Log,
        }
    }

    /// The method's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Log => "log",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

impl Console {
    /// Keeps `line`, or as much of it as `limit_bytes` leaves room for.
    pub(crate) fn push(&mut self, mut line: Line, limit_bytes: usize) {
        if let Some(kept) = self.count(&line.text, limit_bytes) {
            line.text.truncate(kept);
            self.lines.push(line);
        }
    }

    /// Counts a line without keeping it, and tells how many bytes of its text would be kept;
    /// `None` if nothing of the line would.
    pub(crate) fn count(&mut self, text: &str, limit_bytes: usize) -> Option<usize> {
        if self.is_full(limit_bytes) {
            self.dropped_bytes += text.len() as u64;
            return None;
        }
        // A line break is counted for each line, so that empty lines are not free.
        let kept = text.floor_char_boundary(limit_bytes - self.kept_bytes - 1);
        self.kept_bytes += kept + 1;
        self.dropped_bytes += (text.len() - kept) as u64;
        (kept > 0 || text.is_empty()).then_some(kept)
    }

    /// Whether nothing more will be kept.
    pub(crate) fn is_full(&self, limit_bytes: usize) -> bool {
        self.kept_bytes >= limit_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line { level: Level::Log, text: text.into() }
    }

    #[test]
    fn what_passes_the_limit_is_cut_between_characters_and_counted() {
        let mut console = Console::default();
        console.push(line("12345"), 10);
        assert!(!console.is_full(10));
        console.push(line("äöü"), 10);
        console.push(line("x"), 10);
        let kept: Vec<_> = console.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(kept, ["12345", "ä"]);
        assert_eq!(console.dropped_bytes, 5);
    }

    #[test]
    fn empty_lines_use_up_the_limit_too() {
        let mut console = Console::default();
        for _ in 0..100 {
            console.push(line(""), 10);
        }
        assert_eq!(console.lines.len(), 10);
    }
}
