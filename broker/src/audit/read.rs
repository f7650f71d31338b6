//! Reading a log, and whether it is whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::chain::{Hash, Link, Odd, Tail};
use super::files::old;

/// A longer line is none of ours.
const LINE_BYTES: u64 = 256 << 20;

/// One line of a log.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// Its number in the chain, from 1.
    pub seq: u64,
    /// Its hash.
    pub hash: Hash,
    /// What it says: `time`, `event`, for most `run`, and what belongs to the event.
    pub members: Map<String, Value>,
    /// The line as it is, without its end.
    pub line: String,
}

/// A whole log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// How many files it is in.
    pub files: usize,
    /// How many lines it has.
    pub entries: u64,
    /// The hash of the last line. Whoever keeps it elsewhere can later ask whether it is still there.
    pub head: Hash,
    /// Bytes at the end that are no whole line: a program died while it wrote.
    pub torn_bytes: u64,
    /// Runs that were opened and not closed: they are under way, or their program died, or lines at
    /// the end are missing.
    pub open_runs: Vec<String>,
    /// Calls that were sent and have no line that says how they ended.
    pub unsettled_calls: usize,
}

/// What a log is expected to hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expect {
    /// The chain begins after the line with this hash; those up to it were taken away on purpose.
    pub after: Option<Hash>,
    /// A line with this hash is there.
    pub head: Option<Hash>,
}

/// A log that is not whole, or that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// A file cannot be read.
    #[error("{} cannot be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A line is not what was written there.
    #[error("{}, line {line}: {problem}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        problem: Problem,
    },
    /// The line that was expected is not there.
    #[error("no line has the hash {head}: lines at the end are missing, or all were replaced")]
    NoHead {
        /// The hash.
        head: Hash,
    },
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It is none of a log.
    #[error("this is not a line of an audit log")]
    NotALine,
    /// Its hash is not that of what it says.
    #[error("this line was changed: it does not have the hash that it says")]
    Changed,
    /// Lines before it are not there.
    #[error("this is entry {found}, and entry {expected} is not before it: lines are missing")]
    Missing {
        /// The number that comes next.
        expected: u64,
        /// The number that it has.
        found: u64,
    },
    /// It was there before, or belongs to an earlier place.
    #[error(
        "this is entry {found} where entry {expected} belongs: it was moved, or is there twice"
    )]
    Moved {
        /// The number that comes next.
        expected: u64,
        /// The number that it has.
        found: u64,
    },
    /// It follows another line than the one before it.
    #[error("this line does not follow the one before it, which was replaced")]
    Replaced,
}

/// Whether a log is whole: all files of the chain of which `path` is the last.
///
/// # Errors
/// [`Unreadable`] says where it is not.
pub fn verify(path: &Path, expect: Expect) -> Result<Verified, Unreadable> {
    read(path, expect, |_| ())
}

/// Gives all lines to `each`, the oldest first, as far as the log is whole.
///
/// # Errors
/// [`Unreadable`] says where it is not.
pub fn read(
    path: &Path,
    expect: Expect,
    mut each: impl FnMut(&Entry),
) -> Result<Verified, Unreadable> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| Unreadable::File { path, source }
    };
    let mut paths = old(path).map_err(failed(path))?;
    // Between a rename and the next line there is none.
    if path.exists() || paths.is_empty() {
        paths.push(path.to_owned());
    }
    let mut state = Reading::new(expect);
    let files = paths.len();
    for (index, path) in paths.iter().enumerate() {
        let file = File::open(path).map_err(failed(path))?;
        let mut lines = BufReader::new(file);
        for number in 1.. {
            let mut line = Vec::new();
            let part = Read::by_ref(&mut lines).take(LINE_BYTES).read_until(b'\n', &mut line);
            if part.map_err(failed(path))? == 0 {
                break;
            }
            let broken = |problem| Unreadable::Broken { path: path.clone(), line: number, problem };
            if line.pop_if(|byte| *byte == b'\n').is_none() {
                // Only the file that still grows can end within a line.
                if index + 1 < files || line.len() as u64 >= LINE_BYTES {
                    return Err(broken(Problem::NotALine));
                }
                state.torn_bytes = line.len() as u64;
                break;
            }
            let entry = state.follow(&line).map_err(broken)?;
            each(&entry);
        }
    }
    state.end(files)
}

struct Reading {
    tail: Option<Tail>,
    expect: Expect,
    entries: u64,
    has_head: bool,
    torn_bytes: u64,
    open_runs: BTreeMap<String, u64>,
    sent: BTreeSet<(String, u64)>,
}

impl Reading {
    fn new(expect: Expect) -> Self {
        // Which number follows a line that is not here is not known.
        let tail = expect.after.is_none().then(Tail::default);
        let has_head = expect.head.is_none() || expect.head == expect.after;
        let (open_runs, sent) = Default::default();
        Self { tail, expect, entries: 0, has_head, torn_bytes: 0, open_runs, sent }
    }

    fn follow(&mut self, line: &[u8]) -> Result<Entry, Problem> {
        let Link { tail, prev, members } = Link::read(line).map_err(|odd| match odd {
            Odd::Malformed => Problem::NotALine,
            Odd::Changed => Problem::Changed,
        })?;
        let (before, hash) = match (self.tail, self.expect.after) {
            (Some(before), _) => (before.seq, before.hash),
            (None, after) => (tail.seq.saturating_sub(1), after.unwrap_or_default()),
        };
        let (expected, found) = (before.saturating_add(1), tail.seq);
        match found.cmp(&expected) {
            std::cmp::Ordering::Greater => return Err(Problem::Missing { expected, found }),
            std::cmp::Ordering::Less => return Err(Problem::Moved { expected, found }),
            std::cmp::Ordering::Equal if prev != hash => return Err(Problem::Replaced),
            std::cmp::Ordering::Equal => {}
        }
        self.tail = Some(tail);
        self.entries += 1;
        self.has_head |= self.expect.head == Some(tail.hash);
        let text = String::from_utf8_lossy(line).trim_end().to_owned();
        let entry = Entry { seq: tail.seq, hash: tail.hash, members, line: text };
        self.count(&entry);
        Ok(entry)
    }

    fn count(&mut self, entry: &Entry) {
        let Some(run) = entry.text("run").map(str::to_owned) else { return };
        let call = entry.members.get("call").and_then(Value::as_u64).unwrap_or_default();
        match entry.text("event") {
            Some("run_opened") => drop(self.open_runs.insert(run, entry.seq)),
            Some("run_closed") => drop(self.open_runs.remove(&run)),
            Some("call_sent") => drop(self.sent.insert((run, call))),
            Some("call_settled" | "call_refused") => drop(self.sent.remove(&(run, call))),
            _ => {}
        }
    }

    fn end(self, files: usize) -> Result<Verified, Unreadable> {
        if let Some(head) = self.expect.head.filter(|_| !self.has_head) {
            return Err(Unreadable::NoHead { head });
        }
        let mut open_runs: Vec<_> = self.open_runs.into_iter().collect();
        open_runs.sort_by_key(|(_, seq)| *seq);
        Ok(Verified {
            files,
            entries: self.entries,
            head: self.tail.map(|tail| tail.hash).or(self.expect.after).unwrap_or_default(),
            torn_bytes: self.torn_bytes,
            open_runs: open_runs.into_iter().map(|(run, _)| run).collect(),
            unsettled_calls: self.sent.len(),
        })
    }
}

impl Entry {
    /// A member that is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.members.get(name).and_then(Value::as_str)
    }

    /// The call's number in its run, if the line is about a call.
    pub fn call(&self) -> Option<u64> {
        self.members.get("call").and_then(Value::as_u64)
    }
}
