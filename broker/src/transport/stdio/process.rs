//! The process of a server: its environment, its last words, and its certain end.
//!
//! It gets a process group of its own, and the whole group is ended, so that what a launcher like
//! `npx` started goes along.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio::time::timeout;

use super::warden;
use crate::secret::Secret;
use crate::server::ConnectError;

/// What a server gets of our environment; everything else it gets by its configuration only.
const INHERITED: [&str; 10] =
    ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER", "LANGUAGE"];
/// And what begins with this.
const INHERITED_PREFIX: &str = "LC_";
/// How much of its standard error is kept.
const STDERR_BYTES: usize = 8 * 1024;
/// How much of a line that is not MCP is kept.
const JUNK_CHARS: usize = 120;
/// How long a process may take to end after each reminder.
const PATIENCE: Duration = Duration::from_secs(2);

/// How to start a server.
pub(crate) struct Program {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, Secret>,
    pub(crate) cwd: Option<PathBuf>,
}

/// A process that was started. Dropping it kills the process and all it started.
pub(super) struct Process {
    group: Pid,
    exit: watch::Receiver<Option<Exit>>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    junk: OnceLock<String>,
    killed: AtomicBool,
}

/// How a process ended.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    pub(super) success: bool,
    /// `code 1` or `signal 9`.
    pub(super) how: String,
    signal: Option<i32>,
}

impl Process {
    /// Starts a process.
    pub(super) fn spawn(
        program: &Program,
    ) -> Result<(Self, ChildStdin, ChildStdout), ConnectError> {
        let mut command = Command::new(&program.command);
        command.args(&program.args).env_clear().envs(inherited());
        command.envs(program.env.iter().map(|(name, value)| (name, value.expose())));
        if let Some(cwd) = &program.cwd {
            command.current_dir(cwd);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| not_started(program, &error))?;
        let odd = |what: &str| ConnectError::NotStarted {
            command: program.command.clone(),
            problem: format!("it has no {what}"),
        };
        let id = child.id().and_then(|id| i32::try_from(id).ok()).ok_or_else(|| odd("id"))?;
        let stdin = child.stdin.take().ok_or_else(|| odd("standard input"))?;
        let stdout = child.stdout.take().ok_or_else(|| odd("standard output"))?;
        let stderr = child.stderr.take().ok_or_else(|| odd("standard error"))?;

        let group = Pid::from_raw(id);
        warden::add(group);
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        tokio::spawn(keep_last(stderr, Arc::clone(&kept)));
        let (tell, exit) = watch::channel(None);
        tokio::spawn(async move {
            if let Ok(status) = child.wait().await {
                // What it started and left behind has nobody to talk to any more.
                signal(group, Signal::SIGKILL);
                warden::remove(group);
                let _ = tell.send(Some(Exit::from(status)));
            }
        });
        Ok((
            Self {
                group,
                exit,
                stderr: kept,
                junk: OnceLock::new(),
                killed: AtomicBool::new(false),
            },
            stdin,
            stdout,
        ))
    }

    /// How it ended, if it does so within the time.
    pub(super) async fn exited_within(&self, time: Duration) -> Option<Exit> {
        let mut exit = self.exit.clone();
        match timeout(time, exit.wait_for(Option::is_some)).await {
            Ok(Ok(exit)) => exit.clone(),
            _ => None,
        }
    }

    /// Whether we made it end, as opposed to it doing so by itself.
    pub(super) fn ended_by_us(&self, exit: &Exit) -> bool {
        let by_kill = exit.signal == Some(Signal::SIGKILL as i32);
        by_kill && self.killed.load(Ordering::Relaxed)
    }

    /// The last it wrote to its standard error.
    pub(super) fn stderr(&self) -> String {
        let kept = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let (front, back) = kept.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }

    /// The first line it wrote to its standard output that is not MCP.
    pub(super) fn junk(&self) -> Option<String> {
        self.junk.get().cloned()
    }

    /// Remembers a line that is not MCP.
    pub(super) fn note_junk(&self, line: &[u8]) {
        self.junk.get_or_init(|| {
            let text = String::from_utf8_lossy(line);
            text.trim().chars().filter(|c| !c.is_control()).take(JUNK_CHARS).collect()
        });
    }

    /// Ends it: its input is closed already, so it gets time to end by itself, then a request to,
    /// then no choice.
    pub(super) async fn end(&self) {
        if self.exited_within(PATIENCE).await.is_some() {
            return;
        }
        signal(self.group, Signal::SIGTERM);
        if self.exited_within(PATIENCE).await.is_some() {
            return;
        }
        self.kill();
        let _ = self.exited_within(PATIENCE).await;
    }

    /// Kills it and all it started, at once.
    pub(super) fn kill(&self) {
        if self.exit.borrow().is_none() {
            self.killed.store(true, Ordering::Relaxed);
            signal(self.group, Signal::SIGKILL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        let how = match (status.code(), status.signal()) {
            (Some(code), _) => format!("code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "an unknown status".to_owned(),
        };
        Self { success: status.success(), how, signal: status.signal() }
    }
}

fn signal(group: Pid, signal: Signal) {
    // It fails if the group is gone, which is what is wanted.
    let _ = killpg(group, signal);
}

fn inherited() -> impl Iterator<Item = (std::ffi::OsString, std::ffi::OsString)> {
    std::env::vars_os().filter(|(name, _)| {
        name.to_str()
            .is_some_and(|name| INHERITED.contains(&name) || name.starts_with(INHERITED_PREFIX))
    })
}

fn not_started(program: &Program, error: &std::io::Error) -> ConnectError {
    let command = program.command.clone();
    match (&program.cwd, error.kind()) {
        // The system says "not found" in both cases.
        (Some(cwd), ErrorKind::NotFound) if !cwd.is_dir() => {
            ConnectError::NoDirectory { cwd: cwd.clone() }
        }
        (_, ErrorKind::NotFound) => ConnectError::CommandNotFound { command },
        _ => ConnectError::NotStarted { command, problem: error.to_string() },
    }
}

/// Reads all of it, so that the server never waits for a reader, and keeps the end.
async fn keep_last(mut stderr: ChildStderr, kept: Arc<Mutex<VecDeque<u8>>>) {
    let mut chunk = [0; 4096];
    while let Ok(length @ 1..) = stderr.read(&mut chunk).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(chunk.iter().take(length));
        let excess = kept.len().saturating_sub(STDERR_BYTES);
        kept.drain(..excess);
    }
}
