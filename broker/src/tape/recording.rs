//! The file of a recording.
//!
//! JSON lines. The first says what was run and in which circumstances, which is for whoever ran it to
//! know; then each call as it was `made` and as it was `settled`, in the order in which that
//! happened; the last has how the run `ended`. A run that was killed leaves a file without that.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::call::{CallLimit, Kind};
use crate::ledger::{Allowance, State};

/// The version of the format.
pub(super) const VERSION: u64 = 1;

/// The most that a recording may have. One that would grow beyond it is cut, and says so.
pub const RECORDING_BYTES: u64 = 256 << 20;

/// A recording that was read.
#[derive(Debug)]
pub struct Recording {
    about: Map<String, Value>,
    pub(super) steps: Vec<Step>,
    pub(super) calls: Vec<Call>,
    ended: Option<Box<RawValue>>,
}

/// Why a recording cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// It cannot be read.
    #[error("the recording {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It is something else.
    #[error("{} is not a recording of a run", path.display())]
    NotARecording {
        /// The file.
        path: PathBuf,
    },
    /// Another version of this program wrote it.
    #[error("{} is a recording of version {found}; this program reads version {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
    /// It is larger than recordings are.
    #[error("{} has {bytes} bytes; a recording has at most {RECORDING_BYTES}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// The run had more to record than a recording may have.
    #[error("{} was cut when it had {RECORDING_BYTES} bytes, so it is not the whole run", path.display())]
    Cut {
        /// The file.
        path: PathBuf,
    },
    /// A line is not what it must be.
    #[error("{}, line {line}: {problem}", path.display())]
    Odd {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

/// What happened next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The call at this place of the list was made.
    Made(usize),
    /// It was settled.
    Settled(usize),
}

/// A call that was recorded.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) made: MadeLine,
    pub(super) arguments: Value,
    pub(super) settled: Option<Outcome>,
}

/// What became of a call.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) line: SettledLine,
    /// Absent if nobody waited for it any more.
    pub(super) answer: Option<Result<Value, FaultLine>>,
}

/// A line of the file, with exactly one member.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) made: Option<MadeLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) settled: Option<SettledLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ended: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(super) cut: bool,
}

/// A call as the script made it. What is nested goes as raw JSON, so that a value as deep as the
/// parser takes can be read again.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MadeLine {
    pub(super) call: u64,
    pub(super) method: String,
    pub(super) server: String,
    pub(super) tool: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    pub(super) arguments: Box<RawValue>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SettledLine {
    pub(super) call: u64,
    pub(super) time: u64,
    pub(super) duration_ms: u64,
    pub(super) state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<Allowance>,
    pub(super) argument_bytes: usize,
    pub(super) result_bytes: usize,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) checked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<FaultLine>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FaultLine {
    pub(super) kind: Kind,
    pub(super) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) limit: Option<CallLimit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) structured_content: Option<Box<RawValue>>,
}

/// The first line.
#[derive(Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) cofferdam_recording: u64,
    pub(super) about: Map<String, Value>,
}

impl Recording {
    /// Reads a recording.
    ///
    /// # Errors
    /// See [`RecordingError`].
    pub fn load(path: &Path) -> Result<Self, RecordingError> {
        let unreadable = |source| RecordingError::Unreadable { path: path.to_owned(), source };
        let file = File::open(path).map_err(unreadable)?;
        let bytes = file.metadata().map_err(unreadable)?.len();
        if bytes > RECORDING_BYTES {
            return Err(RecordingError::TooLarge { path: path.to_owned(), bytes });
        }
        // It may still grow.
        let mut lines = BufReader::new(file.take(RECORDING_BYTES));
        let mut first = Vec::new();
        lines.read_until(b'\n', &mut first).map_err(unreadable)?;
        let not_one = || RecordingError::NotARecording { path: path.to_owned() };
        let head: Value = serde_json::from_slice(&first).map_err(|_| not_one())?;
        match head.get("cofferdam_recording").and_then(Value::as_u64) {
            None => return Err(not_one()),
            Some(VERSION) => {}
            Some(found) => return Err(RecordingError::Version { path: path.to_owned(), found }),
        }
        let Head { about, .. } = serde_json::from_value(head).map_err(|_| not_one())?;
        let mut recording = Self { about, steps: Vec::new(), calls: Vec::new(), ended: None };
        for (index, line) in lines.split(b'\n').enumerate() {
            let line = line.map_err(unreadable)?;
            let odd = |problem: String| RecordingError::Odd {
                path: path.to_owned(),
                line: index + 2,
                problem,
            };
            if recording.ended.is_some() {
                return Err(odd("there is more after the end of the run".into()));
            }
            let line: Line = serde_json::from_slice(&line)
                .map_err(|error| odd(format!("this is not a line of a recording: {error}")))?;
            if line.cut {
                return Err(RecordingError::Cut { path: path.to_owned() });
            }
            recording.take(line).map_err(odd)?;
        }
        Ok(recording)
    }

    fn take(&mut self, line: Line) -> Result<(), String> {
        match line {
            Line { made: Some(made), settled: None, ended: None, .. } => {
                let index = self.calls.len();
                if made.call != index as u64 + 1 {
                    return Err(format!("call #{} where #{} belongs", made.call, index + 1));
                }
                let arguments = read(&made.arguments)?;
                self.calls.push(Call { made, arguments, settled: None });
                self.steps.push(Step::Made(index));
            }
            Line { made: None, settled: Some(mut line), ended: None, .. } => {
                let index = usize::try_from(line.call).ok().and_then(|call| call.checked_sub(1));
                let known = index.and_then(|index| Some((index, self.calls.get_mut(index)?)));
                let Some((index, call)) = known else {
                    return Err(format!("call #{} was settled and never made", line.call));
                };
                if call.settled.is_some() {
                    return Err(format!("call #{} was settled twice", line.call));
                }
                let answer = match (line.result.take(), line.error.take()) {
                    (None, None) => None,
                    (Some(result), None) => Some(Ok(read(&result)?)),
                    (None, Some(error)) => Some(Err(error)),
                    _ => return Err("a call has a result and an error".into()),
                };
                call.settled = Some(Outcome { line, answer });
                self.steps.push(Step::Settled(index));
            }
            Line { made: None, settled: None, ended: Some(ended), .. } => self.ended = Some(ended),
            _ => return Err("a line has one of `made`, `settled`, `ended`".into()),
        }
        Ok(())
    }

    /// What whoever made the recording says about the run.
    pub fn about(&self) -> &Map<String, Value> {
        &self.about
    }

    /// Unix time in milliseconds at which the run began, which is the member `began` of what its
    /// maker says.
    pub fn began(&self) -> Option<u64> {
        self.about.get("began").and_then(Value::as_u64)
    }

    /// How the run ended, as whoever made the recording has written it down: JSON text. Absent if it
    /// was killed.
    pub fn ended(&self) -> Option<&str> {
        self.ended.as_ref().map(|ended| ended.get())
    }

    /// How many calls it has.
    pub fn calls(&self) -> usize {
        self.calls.len()
    }
}

fn read(raw: &RawValue) -> Result<Value, String> {
    serde_json::from_str(raw.get()).map_err(|error| format!("a value cannot be read: {error}"))
}

/// Now.
pub(crate) fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
