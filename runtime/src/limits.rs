//! Limits of one run.
//!
//! A bound has one name, used in the configuration, in the error that it causes and in the
//! documentation. What V8 can see is held inside the isolate; clocks and everything that a broken
//! isolate could lie about are held again by the host's side, in `run.rs`.

use crate::console::Room;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Bounds of one run. Always finite; the defaults suit a script from a stranger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// CPU time of the script. Default: 10 s. Held by the host.
    ///
    /// Process isolation counts the whole worker, so V8's own helper threads as well; thread
    /// isolation counts the isolate's thread. Not held where the system has no such clock
    /// (anything but Linux): there only `wall` is.
    pub cpu: Duration,
    /// Time from start to end, without the time in which a call waits for a human's approval.
    /// Default: 120 s. Held by the host.
    pub wall: Duration,
    /// Time of one tool call. Default: 60 s. Handed to the [`ToolHost`](crate::ToolHost), which
    /// holds it: only the host knows which part of a call's time was spent on asking a human.
    pub tool_timeout: Duration,
    /// V8's heap in bytes. Default: 128 MiB.
    pub heap_bytes: usize,
    /// All living `ArrayBuffer`s together, in bytes. Default: 64 MiB. One more allocation throws a
    /// `RangeError` in the script; if it is not caught, the run ends by this limit.
    pub array_buffer_bytes: usize,
    /// Memory of the whole worker process in bytes, as far as it is in use (its resident set, with
    /// the program itself). Default: 512 MiB. It bounds what the other two do not count. Held by
    /// the host, which looks every 10 ms, and by the kernel for sudden growth. Linux only, and not
    /// in thread isolation, where an isolate's memory cannot be told from the host's.
    pub resident_bytes: usize,
    /// The script's source in bytes. Default: 512 KiB.
    pub source_bytes: usize,
    /// Arguments of one call as JSON text, in bytes. Default: 1 MiB. Larger ones throw a
    /// `ToolError` of kind `limit`; nothing is sent.
    pub argument_bytes: usize,
    /// The result of one call as JSON text, in bytes. Default: 16 MiB. A larger one becomes a
    /// `ToolError` of kind `limit`: the call has taken effect.
    pub result_bytes: usize,
    /// Calls of one run. Default: 1,000. One more throws a `ToolError` of kind `limit`.
    pub calls: u32,
    /// Calls under way at once. Default: 32. Further ones wait for their turn.
    pub calls_in_flight: u32,
    /// Living timers. Default: 1,000. One more throws a `RangeError` in the script; if it is not
    /// caught, the run ends by this limit.
    pub timers: u32,
    /// Console text that is kept, in bytes. Default: 1 MiB. What is printed after that is counted
    /// and dropped; the run goes on.
    pub console_bytes: usize,
    /// Calls of console methods that are kept. Default: 10,000. What is printed after that is
    /// counted and dropped; the run goes on.
    pub console_lines: u32,
    /// The returned value as JSON text, in bytes. Default: 1 MiB.
    pub value_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: usize = 1024 * 1024;
        Self {
            cpu: Duration::from_secs(10),
            wall: Duration::from_secs(120),
            tool_timeout: Duration::from_secs(60),
            heap_bytes: 128 * MIB,
            array_buffer_bytes: 64 * MIB,
            resident_bytes: 512 * MIB,
            source_bytes: MIB / 2,
            argument_bytes: MIB,
            result_bytes: 16 * MIB,
            calls: 1_000,
            calls_in_flight: 32,
            timers: 1_000,
            console_bytes: MIB,
            console_lines: 10_000,
            value_bytes: MIB,
        }
    }
}

impl Limits {
    /// The part that an isolate is built with, and that cannot change afterwards.
    pub(crate) fn memory(&self) -> Memory {
        Memory {
            heap_bytes: self.heap_bytes,
            array_buffer_bytes: self.array_buffer_bytes,
            resident_bytes: self.resident_bytes,
        }
    }

    /// How much of the console is kept.
    pub(crate) fn console(&self) -> Room {
        Room { bytes: self.console_bytes, lines: self.console_lines }
    }

    /// The longest frame that an honest worker sends: a call's arguments, a value or a console
    /// text, and a little for the frame's other fields. The factor is for text that an escape
    /// makes longer than what was counted.
    pub(crate) fn frame_bytes(&self) -> usize {
        let text = self.argument_bytes.max(self.value_bytes).max(self.console_bytes);
        text.saturating_mul(2).saturating_add(1024 * 1024)
    }
}

/// The memory of an isolate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) heap_bytes: usize,
    pub(crate) array_buffer_bytes: usize,
    pub(crate) resident_bytes: usize,
}

/// A bound that ended a run or refused a call, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// [`Limits::heap_bytes`]
    HeapBytes,
    /// [`Limits::resident_bytes`]
    ResidentBytes,
    /// [`Limits::source_bytes`]
    SourceBytes,
    /// [`Limits::argument_bytes`]
    ArgumentBytes,
    /// [`Limits::result_bytes`]
    ResultBytes,
    /// [`Limits::calls`]
    Calls,
    /// [`Limits::timers`]
    Timers,
    /// [`Limits::value_bytes`]
    ValueBytes,
    /// [`Limits::array_buffer_bytes`]
    ArrayBufferBytes,
    /// Calls that were denied. The host counts them and ends the run.
    Denials,
    /// The runs that may wait for their turn: [`Builder::waiting`](crate::Builder::waiting).
    Waiting,
}

impl Limit {
    /// The name, as in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HeapBytes => "heap_bytes",
            Self::ResidentBytes => "resident_bytes",
            Self::SourceBytes => "source_bytes",
            Self::ArgumentBytes => "argument_bytes",
            Self::ResultBytes => "result_bytes",
            Self::Calls => "calls",
            Self::Timers => "timers",
            Self::ValueBytes => "value_bytes",
            Self::ArrayBufferBytes => "array_buffer_bytes",
            Self::Denials => "denials",
            Self::Waiting => "waiting",
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
