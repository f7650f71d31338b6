//! The files of a log, which several programs write in turns.
//!
//! `NAME` is the one that grows. When it is full it becomes `NAME.000001`, the next time
//! `NAME.000002`; the chain goes on in a new `NAME`. Whoever writes holds `NAME.lock`.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::chain::{Link, Tail};
use super::note::{Note, What};

/// How long another program may keep the lock.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the lock is tried.
const PAUSE: Duration = Duration::from_millis(2);
/// The log is read from its end in parts of this size.
const PART: u64 = 64 * 1024;

/// The files of one log, open for writing.
pub(super) struct Files {
    path: PathBuf,
    rotate_bytes: u64,
    sync: bool,
    lock: File,
    live: Option<Live>,
}

/// The file that grows, as this program left it.
struct Live {
    file: File,
    /// Device and inode.
    id: (u64, u64),
    bytes: u64,
    tail: Tail,
}

impl Files {
    pub(super) fn open(path: &Path, rotate_bytes: u64, sync: bool) -> io::Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let lock = private().create(true).truncate(false).write(true).open(beside(path, "lock"))?;
        let path = path.to_owned();
        let mut files = Self { path, rotate_bytes, sync, lock, live: None };
        // Whether it can be written is to be known before the first call.
        files.append(&[])?;
        Ok(files)
    }

    /// Writes lines at the end of the chain: all of them, or none.
    pub(super) fn append(&mut self, bodies: &[String]) -> io::Result<()> {
        self.lock()?;
        let done = self.append_locked(bodies);
        if done.is_err() {
            self.live = None;
        }
        // If this fails the lock goes with the file.
        let _ = self.lock.unlock();
        done
    }

    fn lock(&self) -> io::Result<()> {
        let began = Instant::now();
        loop {
            match self.lock.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => {
                    let message = "another program has kept its lock for ten seconds";
                    return Err(io::Error::new(io::ErrorKind::WouldBlock, message));
                }
            }
        }
    }

    fn append_locked(&mut self, bodies: &[String]) -> io::Result<()> {
        let mut live = self.current()?;
        let mut lines = String::new();
        let mut tail = live.tail;
        for body in bodies {
            let (next, line) = tail.next(body);
            lines.push_str(&line);
            lines.push('\n');
            tail = next;
        }
        let size = lines.len() as u64;
        if live.bytes > 0 && !bodies.is_empty() && live.bytes + size > self.rotate_bytes {
            fs::rename(&self.path, self.next_old()?)?;
            live = Live { tail: live.tail, ..self.create()? };
        }
        if let Err(error) = live.file.write_all(lines.as_bytes()) {
            // Half a line must not stay; if it does, whoever comes next cuts it off.
            let _ = live.file.set_len(live.bytes);
            return Err(error);
        }
        if self.sync && !bodies.is_empty() {
            live.file.sync_data()?;
        }
        self.live = Some(Live { bytes: live.bytes + size, tail, ..live });
        Ok(())
    }

    /// The file that grows, and where it ends now: another program may have written meanwhile.
    fn current(&mut self) -> io::Result<Live> {
        let found = match fs::metadata(&self.path) {
            Ok(found) => Some(((found.dev(), found.ino()), found.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if let (Some(found), Some(live)) = (found, self.live.take())
            && found == (live.id, live.bytes)
        {
            return Ok(live);
        }
        let mut live = self.create()?;
        let End { tail, torn_bytes } = end(&mut live.file)?;
        if torn_bytes > 0 {
            live.bytes = live.bytes.saturating_sub(torn_bytes);
            live.file.set_len(live.bytes)?;
        }
        live.tail = match (tail, old(&self.path)?.last()) {
            (Some(tail), _) => tail,
            (None, Some(before)) => end(&mut File::open(before)?)?.tail.unwrap_or_default(),
            (None, None) => Tail::default(),
        };
        if torn_bytes > 0 {
            let note = Note::now(None, What::Repaired { cut_bytes: torn_bytes });
            let (tail, line) = live.tail.next(&note.to_json());
            let line = format!("{line}\n");
            live.file.write_all(line.as_bytes())?;
            live = Live { bytes: live.bytes + line.len() as u64, tail, ..live };
        }
        Ok(live)
    }

    fn create(&self) -> io::Result<Live> {
        let file = private().create(true).append(true).read(true).open(&self.path)?;
        if self.sync
            && let Some(folder) = self.path.parent().filter(|f| !f.as_os_str().is_empty())
        {
            File::open(folder)?.sync_all()?;
        }
        let found = file.metadata()?;
        let id = (found.dev(), found.ino());
        Ok(Live { file, id, bytes: found.len(), tail: Tail::default() })
    }

    fn next_old(&self) -> io::Result<PathBuf> {
        let number = old(&self.path)?.last().and_then(|path| number(&self.path, path));
        Ok(beside(&self.path, &format!("{:06}", number.unwrap_or(0) + 1)))
    }
}

/// For the owner's eyes only: arguments may be in it.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// The files before the one that grows, the oldest first.
pub(super) fn old(path: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder.unwrap_or(Path::new(".")))? {
        let name = entry?.file_name();
        let other = path.with_file_name(name);
        if let Some(number) = number(path, &other) {
            found.push((number, other));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

fn number(path: &Path, other: &Path) -> Option<u64> {
    let name = other.file_name()?.to_str()?;
    let digits = name.strip_prefix(path.file_name()?.to_str()?)?.strip_prefix('.')?;
    let is_number = digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

/// How a file ends.
struct End {
    /// Its last whole line.
    tail: Option<Tail>,
    /// What follows that.
    torn_bytes: u64,
}

fn end(file: &mut File) -> io::Result<End> {
    let bytes = file.seek(SeekFrom::End(0))?;
    let (mut from, mut text) = (bytes, Vec::new());
    // Until the text has a whole line: a line break, and another one or the beginning before it.
    loop {
        let breaks = text.iter().filter(|byte| **byte == b'\n').count();
        if breaks >= 2 || from == 0 {
            break;
        }
        let part = from.min(PART.max(text.len() as u64));
        from -= part;
        file.seek(SeekFrom::Start(from))?;
        let mut longer = Vec::new();
        Read::by_ref(file).take(part).read_to_end(&mut longer)?;
        longer.append(&mut text);
        text = longer;
    }
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let torn_bytes = (text.len() - whole) as u64;
    let Some(lines) = text.get(..whole.saturating_sub(1)).filter(|_| whole > 0) else {
        return Ok(End { tail: None, torn_bytes });
    };
    let begin = lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = lines.get(begin..).unwrap_or_default();
    match Link::read(line) {
        Ok(link) => Ok(End { tail: Some(link.tail), torn_bytes }),
        // To go on after it would hide it.
        Err(_) => {
            let message = "its last line is not what was written: see `cofferdam audit verify`";
            Err(io::Error::new(io::ErrorKind::InvalidData, message))
        }
    }
}
