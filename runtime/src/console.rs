//! What a script printed.

use serde::{Deserialize, Serialize};

/// The lines of a run's console, as far as they were kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Console {
    /// In the order in which they were printed.
    pub lines: Vec<Line>,
    /// Bytes that were printed after [`Limits::console_bytes`](crate::Limits::console_bytes) or
    /// [`Limits::console_lines`](crate::Limits::console_lines) was used up, each line with its
    /// line break. After a run that was killed, the least that it can have been.
    pub dropped_bytes: u64,
    #[serde(skip)]
    kept: Room,
}

/// A number of bytes and of lines: those that are kept at most, or that have been kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Room {
    pub(crate) bytes: usize,
    pub(crate) lines: u32,
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
    /// Keeps `line`, or as much of it as there is room for.
    pub(crate) fn push(&mut self, mut line: Line, room: Room) {
        if let Some(kept) = self.count(&line.text, room) {
            line.text.truncate(kept);
            self.lines.push(line);
        }
    }

    /// Counts a line without keeping it, and tells how many bytes of its text would be kept;
    /// `None` if nothing of the line would.
    pub(crate) fn count(&mut self, text: &str, room: Room) -> Option<usize> {
        // A line break is counted for each line, so that empty lines are not free.
        if self.is_full(room) {
            self.dropped_bytes += text.len() as u64 + 1;
            return None;
        }
        let kept = text.floor_char_boundary(room.bytes - self.kept.bytes - 1);
        self.kept.bytes += kept + 1;
        self.kept.lines += 1;
        self.dropped_bytes += (text.len() - kept) as u64;
        (kept > 0 || text.is_empty()).then_some(kept)
    }

    /// Whether nothing more will be kept.
    pub(crate) fn is_full(&self, room: Room) -> bool {
        self.kept.bytes >= room.bytes || self.kept.lines >= room.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { bytes: 10, lines: 9 };

    fn line(text: &str) -> Line {
        Line { level: Level::Log, text: text.into() }
    }

    #[test]
    fn what_passes_the_limit_is_cut_between_characters_and_counted() {
        let mut console = Console::default();
        console.push(line("12345"), ROOM);
        assert!(!console.is_full(ROOM));
        console.push(line("äöü"), ROOM);
        console.push(line("x"), ROOM);
        let kept: Vec<_> = console.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(kept, ["12345", "ä"]);
        assert_eq!(console.dropped_bytes, 5);
    }

    #[test]
    fn empty_lines_use_up_the_room_too() {
        let mut console = Console::default();
        for _ in 0..100 {
            console.push(line(""), ROOM);
        }
        assert_eq!((console.lines.len(), console.dropped_bytes), (9, 91));
    }
}
