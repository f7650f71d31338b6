//! Writes a recording while a run goes on.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::recording::{
    FaultLine, Head, Line, MadeLine, RECORDING_BYTES, SettledLine, VERSION, unix_ms,
};
use crate::call::{Answer, Fault, Request};
use crate::ledger::{CallId, Entry};

/// Writes down the calls of one run. Cheap to clone.
#[derive(Clone)]
pub struct Recorder(Arc<Shared>);

struct Shared {
    path: PathBuf,
    out: Mutex<Out>,
    /// When the call was settled whose answer is being given to the script.
    time: AtomicU64,
}

struct Out {
    file: BufWriter<File>,
    bytes: u64,
    most: u64,
    failed: Option<RecorderError>,
}

/// Why there is no whole recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecorderError {
    /// It cannot be written.
    #[error("the recording {} cannot be written: {problem}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// The run had more to record than a recording may have.
    #[error("the recording {} would have more than {most} bytes and was cut", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What is allowed.
        most: u64,
    },
}

/// How a call ended.
pub(crate) struct Settled<'a> {
    pub(crate) entry: &'a Entry,
    /// Absent if nobody waits for it any more.
    pub(crate) outcome: Option<&'a Result<Answer, Fault>>,
}

impl Recorder {
    /// Begins a recording in a new file, or in the place of one that is there. `about` is for
    /// whoever replays it.
    ///
    /// # Errors
    /// [`RecorderError::Unwritable`].
    pub fn create(path: &Path, about: Map<String, Value>) -> Result<Self, RecorderError> {
        Self::create_within(path, about, RECORDING_BYTES)
    }

    pub(super) fn create_within(
        path: &Path,
        about: Map<String, Value>,
        most: u64,
    ) -> Result<Self, RecorderError> {
        let unwritable = |error: io::Error| unwritable(path, &error);
        let mut options = OpenOptions::new();
        // Everything that the run saw is in it.
        options.write(true).create(true).truncate(true).mode(0o600);
        let file = BufWriter::new(options.open(path).map_err(unwritable)?);
        let shared = Shared {
            path: path.to_owned(),
            out: Mutex::new(Out { file, bytes: 0, most, failed: None }),
            time: AtomicU64::new(unix_ms()),
        };
        let recorder = Self(Arc::new(shared));
        recorder.write(&Head { cofferdam_recording: VERSION, about });
        recorder.problem().map_or(Ok(recorder), Err)
    }

    /// When the call was settled whose answer comes last.
    pub(crate) fn time(&self) -> u64 {
        self.0.time.load(Ordering::Relaxed)
    }

    pub(crate) fn made(&self, id: CallId, request: &Request) {
        let made = MadeLine {
            call: id.number(),
            method: request.method.name().to_owned(),
            server: request.server.clone(),
            tool: request.tool.clone(),
            line: request.line,
            arguments: raw(&request.input),
        };
        self.write(&Line { made: Some(made), ..Line::default() });
    }

    pub(crate) fn settled(&self, settled: &Settled<'_>) {
        let Settled { entry, outcome } = settled;
        let time = unix_ms();
        self.0.time.store(time, Ordering::Relaxed);
        let (result, checked, error) = match outcome {
            None => (None, false, None),
            Some(Ok(answer)) => (Some(raw(&answer.result)), answer.is_checked(), None),
            Some(Err(fault)) => (None, false, Some(fault_line(fault))),
        };
        let settled = SettledLine {
            call: entry.id.number(),
            time,
            duration_ms: u64::try_from(entry.duration.as_millis()).unwrap_or(u64::MAX),
            state: entry.state.clone(),
            decision: entry.decision.clone(),
            argument_bytes: entry.argument_bytes,
            result_bytes: entry.result_bytes,
            checked,
            result,
            error,
        };
        self.write(&Line { settled: Some(settled), ..Line::default() });
    }

    /// Ends the recording, with what is to be known of the end.
    pub fn finish(&self, ended: &Value) {
        self.write(&Line { ended: Some(raw(ended)), ..Line::default() });
    }

    /// Why the recording is not the whole run so far.
    pub fn problem(&self) -> Option<RecorderError> {
        self.0.lock().failed.clone()
    }

    fn write(&self, line: &impl Serialize) {
        let mut out = self.0.lock();
        if out.failed.is_some() {
            return;
        }
        // Nothing in it can fail to be JSON.
        let mut text = serde_json::to_vec(line).unwrap_or_default();
        text.push(b'\n');
        let is_too_large = out.bytes + text.len() as u64 > out.most;
        if is_too_large {
            text = b"{\"cut\":true}\n".to_vec();
        }
        out.bytes += text.len() as u64;
        // A run that is killed leaves what it had done by then.
        let written = out.file.write_all(&text).and_then(|()| out.file.flush());
        if let Err(error) = written {
            out.failed = Some(unwritable(&self.0.path, &error));
        } else if is_too_large {
            let path = self.0.path.clone();
            out.failed = Some(RecorderError::TooLarge { path, most: out.most });
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Out> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Recorder").field(&self.0.path).finish()
    }
}

fn unwritable(path: &Path, error: &io::Error) -> RecorderError {
    RecorderError::Unwritable { path: path.to_owned(), problem: error.to_string() }
}

fn fault_line(fault: &Fault) -> FaultLine {
    FaultLine {
        kind: fault.kind,
        message: fault.message.clone(),
        limit: fault.limit,
        code: fault.code,
        content: fault.content.as_ref().map(raw),
        structured_content: fault.structured_content.as_ref().map(raw),
    }
}

fn raw(value: &Value) -> Box<RawValue> {
    // A value is always JSON.
    to_raw_value(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::{Recording, RecordingError};

    #[test]
    fn a_recording_that_grows_too_large_says_so_where_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.rec");
        let recorder = Recorder::create_within(&path, Map::new(), 200).unwrap();
        assert_eq!(recorder.problem(), None);
        recorder.finish(&Value::from("x".repeat(200)));
        let too_large = RecorderError::TooLarge { path: path.clone(), most: 200 };
        assert_eq!(recorder.problem(), Some(too_large.clone()));
        let before = std::fs::read(&path).unwrap();
        recorder.finish(&Value::Null);
        assert_eq!(recorder.problem(), Some(too_large));
        assert_eq!(std::fs::read(&path).unwrap(), before, "something comes after the cut");
        let error = Recording::load(&path).unwrap_err();
        assert!(matches!(error, RecordingError::Cut { .. }), "{error}");
    }

    #[test]
    fn a_disk_that_is_full_is_told_of() {
        if !Path::new("/dev/full").exists() {
            return;
        }
        let error = Recorder::create(Path::new("/dev/full"), Map::new()).unwrap_err();
        assert!(matches!(error, RecorderError::Unwritable { .. }), "{error}");
    }
}
