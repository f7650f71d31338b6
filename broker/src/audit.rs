//! The audit log: what all runs did, in a file that shows when it was changed.
//!
//! A line per step of a call. The line that says a call is sent is in the file before the request
//! leaves for the server, so no crash can hide a call that was made; if the line cannot be written,
//! the call is not made. Each line carries the hash of the one before and its own, so that a changed,
//! missing, inserted or moved line is found ([`verify`]). Whoever may write the file can also write a
//! whole new chain: only somebody who kept its [`head`](Verified::head) elsewhere can tell, which is
//! also the only way to tell that lines at the end are missing.
//!
//! Several programs may write one log; they take turns by a lock. `chain` has the lines, `files`
//! the lock and the rotation, `writer` the thread that writes.

mod chain;
mod digest;
mod files;
mod note;
mod read;
mod writer;

use std::path::PathBuf;

use serde_json::Value;

pub use chain::Hash;
pub(crate) use digest::digest_of;
pub(crate) use note::{Arguments, What};
pub use read::{Entry, Expect, Problem, Unreadable, Verified, read, verify};
pub(crate) use writer::Log;
pub use writer::Unwritable;

use crate::size::size;
use note::Note;

/// Which log, and what goes into it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// The file. Those before it in the chain are beside it, with a number behind the name.
    pub path: PathBuf,
    /// Whether arguments and what servers say are written in full. Otherwise arguments are there as
    /// their digest and size only. Default: false.
    pub full: bool,
    /// What of the arguments is left out, by JSON pointer; also from the digest, from which short
    /// values could be guessed.
    pub redact: Vec<String>,
    /// Whether a call waits until the disk has its line. Default: false, and then the system has it,
    /// so that it outlives this program and not a loss of power.
    pub sync: bool,
    /// A file that would grow beyond this becomes an old one. Default: 64 MiB.
    pub rotate_bytes: u64,
}

impl Audit {
    /// A log in this file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { path, full: false, redact: Vec::new(), sync: false, rotate_bytes: 64 << 20 }
    }

    /// Arguments as they go into the log.
    pub(crate) fn arguments(&self, arguments: &serde_json::Map<String, Value>) -> Arguments {
        let mut redacted = Value::Object(arguments.clone());
        let bytes = size(&redacted);
        for pointer in &self.redact {
            if let Some(value) = redacted.pointer_mut(pointer) {
                *value = "[redacted]".into();
            }
        }
        let digest = digest_of(&redacted);
        Arguments { bytes, digest, full: self.full.then_some(redacted) }
    }
}

/// Whether this is a JSON pointer (RFC 6901).
pub fn is_pointer(text: &str) -> bool {
    let escapes = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    text.is_empty() || text.starts_with('/') && escapes
}

#[cfg(test)]
mod tests;
