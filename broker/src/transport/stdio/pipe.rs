//! rmcp's transport over the pipes of a process.
//!
//! Reading and writing are tasks of their own, so that nothing is lost when rmcp stops waiting in
//! the middle of a message. What comes back is looked at before rmcp sees it: see [`Inbox`].

mod inbox;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::lines::{self, Line};
use super::process::Process;
use crate::transport::notices::Notices;
use crate::transport::shelf::Shelf;
use inbox::Inbox;

/// Messages that may wait on either side.
const QUEUED: usize = 64;

/// The pipes of one process.
pub(super) struct Pipe {
    outgoing: Option<mpsc::Sender<Vec<u8>>>,
    incoming: mpsc::Receiver<ServerJsonRpcMessage>,
    inbox: Arc<Mutex<Inbox>>,
    process: Arc<Process>,
    probe_timeout: Duration,
    /// When the modern question counts as not understood.
    probe_ends: Option<Instant>,
}

/// What becomes of what is read.
pub(super) struct Read {
    pub(super) shelf: Arc<Shelf>,
    pub(super) notices: Arc<Notices>,
    /// A longer line is skipped.
    pub(super) line_bytes: usize,
}

impl Pipe {
    pub(super) fn new(
        stdin: ChildStdin,
        stdout: ChildStdout,
        process: Arc<Process>,
        read: Read,
        probe_timeout: Duration,
    ) -> Self {
        let (outgoing, to_write) = mpsc::channel(QUEUED);
        let (arrived, incoming) = mpsc::channel(QUEUED);
        let inbox = Arc::new(Mutex::new(Inbox::new(read.shelf)));
        tokio::spawn(write(stdin, to_write));
        let (onto, by) = (Arc::clone(&inbox), Arc::clone(&process));
        tokio::spawn(async move {
            read_all(stdout, read.line_bytes, onto, by, arrived).await;
            read.notices.ended();
        });
        Self { outgoing: Some(outgoing), incoming, inbox, process, probe_timeout, probe_ends: None }
    }
}

impl Transport<RoleClient> for Pipe {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        if let ClientJsonRpcMessage::Request(request) = &message {
            lock(&self.inbox).expect(request);
            let probing = matches!(request.request, ClientRequest::DiscoverRequest(_));
            self.probe_ends = probing.then(|| Instant::now() + self.probe_timeout);
        }
        let outgoing = self.outgoing.clone();
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let closed = || io::Error::new(io::ErrorKind::BrokenPipe, "the server is gone");
            outgoing.ok_or_else(closed)?.send(line).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let Some(probe_ends) = self.probe_ends else {
            return self.incoming.recv().await;
        };
        tokio::select! {
            biased;
            message = self.incoming.recv() => {
                let answer = |message: &ServerJsonRpcMessage| matches!(
                    message,
                    ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)
                );
                if message.as_ref().is_none_or(answer) {
                    self.probe_ends = None;
                }
                message
            }
            () = sleep_until(probe_ends) => {
                // Silence means the same as "I do not know this method".
                self.probe_ends = None;
                let silence = lock(&self.inbox).give_up_probe();
                match silence {
                    Some(error) => Some(error),
                    None => self.incoming.recv().await,
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        // The writer ends with the last sender, and the server's input with the writer.
        self.outgoing = None;
        self.process.end().await;
        Ok(())
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.process.kill();
    }
}

fn lock(inbox: &Mutex<Inbox>) -> std::sync::MutexGuard<'_, Inbox> {
    inbox.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn write(mut stdin: ChildStdin, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if stdin.write_all(&line).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn read_all(
    stdout: ChildStdout,
    line_bytes: usize,
    inbox: Arc<Mutex<Inbox>>,
    process: Arc<Process>,
    arrived: mpsc::Sender<ServerJsonRpcMessage>,
) {
    let mut reader = BufReader::with_capacity(64 * 1024, stdout);
    while let Ok(Some(line)) = lines::next(&mut reader, line_bytes).await {
        let message = match line {
            Line::Whole(line) => {
                let line = line.trim_ascii();
                let parsed = inbox::parse(line);
                let message = lock(&inbox).sort(line, parsed);
                if message.is_err() {
                    process.note_junk(line);
                }
                message.ok().flatten()
            }
            Line::TooLong { head, tail } => lock(&inbox).too_long(&head, &tail),
        };
        if let Some(message) = message
            && arrived.send(message).await.is_err()
        {
            return;
        }
    }
}
