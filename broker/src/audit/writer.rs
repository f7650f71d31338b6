//! The thread that writes.
//!
//! What comes while it writes is written together, so that many calls at once wait for the disk
//! once. Lines are written in the order in which they were given.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use super::files::Files;
use super::{Audit, Note, What};
use crate::run::RunId;

/// The most lines that are written at once.
const TOGETHER: usize = 256;

/// A log that is being written.
pub(crate) struct Log {
    pub(crate) settings: Audit,
    lines: Option<mpsc::Sender<Line>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Lines that nobody waited for and that could not be written.
    lost: Arc<AtomicU64>,
}

struct Line {
    body: Option<String>,
    written: Option<oneshot::Sender<Result<(), String>>>,
}

/// The audit log cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the audit log {} cannot be written: {problem}", path.display())]
pub struct Unwritable {
    /// The log.
    pub path: PathBuf,
    /// Why.
    pub problem: String,
}

impl Log {
    /// Opens the log, and sees whether it can be written.
    pub(crate) fn open(settings: Audit) -> Result<Self, Unwritable> {
        let open = || -> io::Result<_> {
            let files = Files::open(&settings.path, settings.rotate_bytes, settings.sync)?;
            let (lines, queue) = mpsc::channel();
            let lost = Arc::new(AtomicU64::new(0));
            let counted = Arc::clone(&lost);
            let thread = std::thread::Builder::new().name("audit".into());
            let thread = thread.spawn(move || write_all(files, &queue, &counted))?;
            Ok((lines, thread, lost))
        };
        match open() {
            Ok((lines, thread, lost)) => {
                Ok(Self { settings, lines: Some(lines), thread: Mutex::new(Some(thread)), lost })
            }
            Err(error) => Err(Unwritable { path: settings.path, problem: error.to_string() }),
        }
    }

    /// Writes a line when its turn comes.
    pub(crate) fn note(&self, run: RunId, what: What) {
        self.give(Some(Note::now(Some(run), what).to_json()), None);
    }

    /// Writes a line, and those that were given before it.
    ///
    /// # Errors
    /// [`Unwritable`] if it is not in the file.
    pub(crate) async fn write(&self, run: RunId, what: What) -> Result<(), Unwritable> {
        self.wait(Some(Note::now(Some(run), what).to_json())).await
    }

    /// Returns when all lines that were given are written, or lost.
    pub(crate) async fn flush(&self) {
        // What was lost is counted, and told by the next line that can be written.
        let _ = self.wait(None).await;
    }

    async fn wait(&self, body: Option<String>) -> Result<(), Unwritable> {
        let (written, done) = oneshot::channel();
        self.give(body, Some(written));
        let done = done.await.unwrap_or_else(|_| Err("its writer has ended".into()));
        done.map_err(|problem| Unwritable { path: self.settings.path.clone(), problem })
    }

    fn give(&self, body: Option<String>, written: Option<oneshot::Sender<Result<(), String>>>) {
        let is_line = body.is_some() && written.is_none();
        let given = self.lines.as_ref().map(|lines| lines.send(Line { body, written }).is_ok());
        if is_line && given != Some(true) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.lines = None;
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log").field("path", &self.settings.path).finish_non_exhaustive()
    }
}

fn write_all(mut files: Files, queue: &mpsc::Receiver<Line>, lost: &AtomicU64) {
    while let Ok(first) = queue.recv() {
        let mut lines = vec![first];
        lines.extend(queue.try_iter().take(TOGETHER - 1));
        let (mut bodies, mut waiting, mut unwaited) = (Vec::new(), Vec::new(), 0);
        let before = lost.load(Ordering::Relaxed);
        if before > 0 {
            bodies.push(Note::now(None, What::Lost { lines: before }).to_json());
        }
        for Line { body, written } in lines {
            unwaited += u64::from(body.is_some() && written.is_none());
            bodies.extend(body);
            waiting.extend(written);
        }
        let done = if bodies.is_empty() { Ok(()) } else { files.append(&bodies) };
        match &done {
            Ok(()) => lost.fetch_sub(before, Ordering::Relaxed),
            Err(error) => {
                tracing::error!(%error, "the audit log cannot be written");
                lost.fetch_add(unwaited, Ordering::Relaxed)
            }
        };
        for written in waiting {
            // Whoever gave up waiting does not want to know.
            let _ = written.send(done.as_ref().copied().map_err(ToString::to_string));
        }
    }
}
