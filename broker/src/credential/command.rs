//! A credential that a program prints, such as `pass show token` or `gh auth token`.
//!
//! The program is the user's own and may need all of the environment to find its vault, so it gets
//! it. What it prints is read up to a limit; a program that prints more is ended.

use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use super::{BYTES, CredentialError};

/// How much of the standard error is looked at and how much of it is shown.
const STDERR_BYTES: u64 = 16 * 1024;
const STDERR_CHARS: usize = 400;
/// Shorter words are in every message, and no credentials.
const SHORTEST_HIDDEN: usize = 4;

/// Runs the program and returns what it printed.
pub(super) async fn run(program: &str, args: &[String]) -> Result<Vec<u8>, CredentialError> {
    let not_started =
        |problem: String| CredentialError::NotStarted { program: program.to_owned(), problem };
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0).kill_on_drop(true);
    let child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => not_started("it was not found".to_owned()),
        _ => not_started(error.to_string()),
    })?;
    let mut running = Running(child);
    let (stdout, stderr) = (running.0.stdout.take(), running.0.stderr.take());
    let (stdout, stderr) = tokio::join!(
        // Beyond this there is no credential, however long it goes on.
        read(stdout, BYTES as u64 + 1),
        read(stderr, STDERR_BYTES)
    );
    if stdout.len() > BYTES {
        return Ok(stdout);
    }
    let status = running.0.wait().await.map_err(|error| not_started(error.to_string()))?;
    if status.success() {
        return Ok(stdout);
    }
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("code {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or_default()),
    };
    let program = program.to_owned();
    Err(CredentialError::Failed { program, how, stderr: presentable(&stderr, &stdout) })
}

async fn read(from: Option<impl AsyncRead + Unpin>, limit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        // What was read until it broke is what there is.
        let _ = from.take(limit).read_to_end(&mut bytes).await;
    }
    bytes
}

/// The end of what was written to standard error, without words that were also printed: a program
/// that fails half-way may have said the credential on both.
fn presentable(stderr: &[u8], stdout: &[u8]) -> String {
    let stdout = String::from_utf8_lossy(stdout);
    let mut hidden: Vec<&str> = stdout.lines().map(str::trim).collect();
    hidden.extend(stdout.split_whitespace());
    hidden.retain(|word| word.len() >= SHORTEST_HIDDEN);
    hidden.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let stderr = String::from_utf8_lossy(stderr);
    let text = hidden.iter().fold(stderr.into_owned(), |text, word| text.replace(word, "***"));
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let line: Vec<char> = lines.join(" | ").chars().filter(|c| !c.is_control()).collect();
    line.iter().skip(line.len().saturating_sub(STDERR_CHARS)).collect()
}

/// A program that does not outlive the wish to know what it says, nor does what it started.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Without an id it has ended and been waited for.
        if let Some(id) = self.0.id().and_then(|id| i32::try_from(id).ok()) {
            let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
        }
    }
}
