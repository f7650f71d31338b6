//! A server that is a program of its own, on its standard input and output.
//!
//! Which of the two handshakes it understands is found out by trying. The modern question comes
//! first; whatever else than a modern answer comes back, the old handshake follows on the same
//! process. Some older servers end when they are asked anything before the handshake: these are
//! started once more and greeted the old way. Some modern ones are so slow to start that they hear
//! the question and the handshake together, and refuse the latter: these are started once more and
//! are given all the time that is left.

mod lines;
mod pipe;
mod process;
mod warden;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rmcp::model::ErrorCode;
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService,
};
use tokio::time::{Instant, timeout_at};

use super::client::{Client, legacy_revision, modern_revisions};
use super::session::{Carrier, Session};
use super::shelf::Shelf;
use super::{Connection, NoConnection, SendError};
use crate::secret::{Secret, redact};
use crate::server::{ConnectError, Era};
use pipe::{Pipe, Read};
use process::Process;

pub(crate) use process::Program;

/// How long a server may think about the modern question before it is greeted the old way; less if
/// there is less time in all.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an exit status may be on its way after the pipe broke.
const EXIT_DELAY: Duration = Duration::from_millis(500);
/// Room in a line for what surrounds a result.
const ENVELOPE_BYTES: usize = 64 * 1024;

/// Starts the program and shakes hands. What the server turned out to be the last time, if it is
/// known, saves the question and comes first.
pub(crate) async fn connect(
    program: Program,
    known: Option<Era>,
    timeout: Duration,
    result_bytes: usize,
    client: &Client,
) -> Result<Arc<dyn Connection>, NoConnection> {
    let deadline = Instant::now() + timeout;
    let start = |mode| Start { program: &program, client, result_bytes, timeout, deadline, mode };
    let auto = ClientLifecycleMode::Auto {
        preferred_versions: modern_revisions(),
        legacy_version: Some(legacy_revision()),
    };
    let first = match known {
        Some(Era::Legacy) => ClientLifecycleMode::Initialize,
        Some(Era::Modern) => modern(),
        _ => auto.clone(),
    };
    let started = match start(first).shake_hands().await {
        // It answered, and not as the last time: it is another program now.
        Err(Failed {
            error: ConnectError::NotMcp { .. } | ConnectError::Revision { .. }, ..
        }) if known.is_some() => start(auto).shake_hands().await,
        Err(Failed { next: Some(mode), .. }) => {
            // Not why: that may be the server's own words, with a credential among them.
            tracing::debug!(?mode, "starting the server again");
            start(mode).shake_hands().await
        }
        other => other,
    };
    let Started { running, process, shelf } =
        started.map_err(|Failed { error, stderr, .. }| NoConnection { error, stderr })?;
    let secrets = program.env.into_values().collect();
    let carrier = Arc::new(Child { process, secrets });
    Ok(Arc::new(Session::new(running, carrier, shelf, result_bytes)))
}

fn modern() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: modern_revisions() }
}

/// One attempt to start the program and shake hands.
struct Start<'a> {
    program: &'a Program,
    client: &'a Client,
    result_bytes: usize,
    timeout: Duration,
    deadline: Instant,
    mode: ClientLifecycleMode,
}

struct Failed {
    error: ConnectError,
    stderr: Option<String>,
    /// What the server may understand if it is the first thing it hears.
    next: Option<ClientLifecycleMode>,
}

/// A server that has shaken hands.
struct Started {
    running: RunningService<RoleClient, Client>,
    process: Arc<Process>,
    shelf: Arc<Shelf>,
}

impl Start<'_> {
    async fn shake_hands(self) -> Result<Started, Failed> {
        let (process, stdin, stdout) = Process::spawn(self.program).map_err(|error| Failed {
            error,
            stderr: None,
            next: None,
        })?;
        let process = Arc::new(process);
        let probe = match self.mode {
            // Known to be modern: its silence means that it is busy.
            ClientLifecycleMode::Discover { .. } => self.timeout,
            _ => PROBE_TIMEOUT.min(self.timeout / 2),
        };
        let line_bytes = self.result_bytes.saturating_add(ENVELOPE_BYTES);
        let shelf = Arc::new(Shelf::default());
        let onto = Arc::clone(&shelf);
        let client = self.client.clone();
        let read = Read { shelf: onto, notices: Arc::clone(&client.notices), line_bytes };
        let pipe = Pipe::new(stdin, stdout, Arc::clone(&process), read, probe);
        let shaking = client.serve_with_lifecycle(pipe, self.mode.clone());
        let error = match timeout_at(self.deadline, shaking).await {
            Ok(Ok(running)) => return Ok(Started { running, process, shelf }),
            Ok(Err(error)) => Some(error),
            Err(_) => None,
        };
        let next = error.as_ref().and_then(next_mode);
        let error = self.explain(&process, error).await;
        let stderr = redact(&process.stderr(), self.program.env.values());
        Err(Failed { error, stderr: Some(stderr), next })
    }

    /// The reason in our words. What the process did says more than what the protocol missed.
    async fn explain(
        &self,
        process: &Process,
        error: Option<ClientInitializeError>,
    ) -> ConnectError {
        let exit = match &error {
            Some(_) => {
                let exit = process.exited_within(EXIT_DELAY).await;
                exit.filter(|exit| !process.ended_by_us(exit))
            }
            None => None,
        };
        let stderr = redact(&process.stderr(), self.program.env.values());
        let junk = process.junk().map(|line| redact(&line, self.program.env.values()));
        match (error, exit, junk) {
            (_, Some(exit), Some(line)) if exit.success || stderr.trim().is_empty() => {
                ConnectError::Junk { line }
            }
            (_, Some(exit), _) => ConnectError::Exited { how: exit.how, stderr },
            (None, None, Some(line)) => ConnectError::Junk { line },
            (None, None, None) => ConnectError::Timeout { after: self.timeout, stderr },
            (Some(error), None, _) => super::handshake_failed(&error),
        }
    }
}

/// How to greet the server when it is started again, if that may help.
fn next_mode(error: &ClientInitializeError) -> Option<ClientLifecycleMode> {
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => next_mode(fallback),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => None,
        // Only a modern server knows this code: it had not understood the question yet when we
        // took its silence for a no.
        ClientInitializeError::JsonRpcError(refusal)
            if refusal.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION =>
        {
            Some(modern())
        }
        ClientInitializeError::JsonRpcError(_) => None,
        // The conversation broke off, as opposed to ending with an answer.
        _ => Some(ClientLifecycleMode::Initialize),
    }
}

/// The process behind a session.
struct Child {
    process: Arc<Process>,
    secrets: Vec<Secret>,
}

#[async_trait]
impl Carrier for Child {
    async fn epitaph(&self) -> String {
        match self.process.exited_within(EXIT_DELAY).await {
            Some(exit) => format!("it ended with {}", exit.how),
            None => "it closed the connection".to_owned(),
        }
    }

    fn failure(&self, error: &(dyn std::error::Error + 'static)) -> SendError {
        SendError::Gone { detail: error.to_string() }
    }

    fn stderr(&self) -> Option<String> {
        Some(redact(&self.process.stderr(), &self.secrets))
    }

    async fn end(&self) {
        self.process.end().await;
    }
}
