//! Station: the call is made, and either answers or is given up.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::reach::ReadyCall;
use super::rounds::{self, Stop};
use super::{CallLimit, Deadline, Fault, Halt, Kind, resources};
use crate::catalogue::Usable;
use crate::elicitation::Caller;
use crate::events::Event;
use crate::ledger::Book;
use crate::server::{Hub, Reached, Server};
use crate::trail::Trail;
use crate::transport::notices::{OnProgress, Progress};
use crate::transport::{Connection, Method, Raw, SendError, ToolCall, UNSUPPORTED_REVISION};

/// The code of a server that wants other headers.
const HEADER_MISMATCH: i64 = -32020;
/// The host is told of progress at most this often per call.
const TELL_EVERY: Duration = Duration::from_millis(50);
/// How much of what a server says about progress is kept.
const MESSAGE_CHARS: usize = 200;

/// What sending a call needs beside the call.
pub(super) struct Sending<'a> {
    pub(super) book: &'a Book,
    pub(super) hub: &'a Hub,
    pub(super) caller: Caller,
    pub(super) trail: &'a Trail,
    pub(super) deadline: Deadline,
}

impl Sending<'_> {
    /// Sends the call. The audit log and the ledger are written first: no call is in flight that they
    /// do not know.
    pub(super) async fn send(self, ready: ReadyCall) -> Result<(Arc<Usable>, Raw), Halt> {
        let ReadyCall { call, reached, turn, in_use } = ready;
        let (target, arguments) = call.into_parts();
        let tool = &target.tool.tool;
        let headers = target.tool.headers.of(&arguments).map_err(|problem| {
            Fault::new(Kind::InvalidInput, format!("the arguments cannot be sent: {problem}"))
        })?;
        let (follow, mut signs) = self.follow();
        let call = ToolCall {
            method: target.method,
            tool: tool.name.clone(),
            caller: self.caller.clone(),
            round: None,
            arguments,
            headers,
            on_progress: follow,
        };
        self.trail.sending(self.caller.call, &tool.server, &tool.name).await?;
        if !self.book.mark_sent(self.caller.call) {
            return Err(Fault::new(Kind::Cancelled, "the run has ended").into());
        }
        let mut answer = std::pin::pin!(self.answer(reached.connection.as_ref(), call));
        let mut deadline = self.deadline;
        let mut questions = self.caller.standing.subscribe();
        // Since when somebody is being asked: the clock stands meanwhile.
        let mut asking: Option<Instant> = None;
        // Dropping the call at the deadline is what cancels it at the server.
        let answer = loop {
            tokio::select! {
                biased;
                answer = &mut answer => break Some(answer),
                Ok(()) = questions.changed() => {
                    match (*questions.borrow_and_update(), asking) {
                        (0, Some(since)) => {
                            deadline.shift(since.elapsed());
                            asking = None;
                        }
                        (1.., None) => asking = Some(Instant::now()),
                        _ => {}
                    }
                }
                () = sleep_until(deadline.at), if asking.is_none() => break None,
                Some(progress) = signs.next() => {
                    deadline.prolong(Instant::now());
                    self.tell(&tool.server, &tool.name, progress);
                }
            }
        };
        drop((turn, in_use));
        match answer {
            Some(Ok(raw)) => Ok((target.tool, raw)),
            Some(Err(Stop::Fault(fault))) => Err(fault.into()),
            Some(Err(Stop::Send(error))) => Err(halt(error, &target.server, &reached)),
            None => Err(Fault::new(
                Kind::Timeout,
                format!("no answer {}; the call may still take effect", deadline.what()),
            )
            .into()),
        }
    }

    /// The result, after as many rounds as it takes.
    async fn answer(&self, connection: &dyn Connection, call: ToolCall) -> Result<Raw, Stop> {
        if call.method == Method::ListResources {
            return resources::list(connection, call, &self.hub.limits).await.map_err(Stop::Send);
        }
        let elicitor = self.caller.elicitor(self.hub.elicitor.as_ref()).map(AsRef::as_ref);
        rounds::converse(connection, elicitor, &self.caller, call).await
    }

    /// Where progress goes in, and where it comes out.
    fn follow(&self) -> (OnProgress, Signs) {
        let (tell, signs) = watch::channel(None);
        let furthest = Mutex::new(f64::NEG_INFINITY);
        let follow = move |progress: Progress| {
            let mut furthest = furthest.lock().unwrap_or_else(PoisonError::into_inner);
            // It must grow: one that does not is no sign of life.
            if progress.progress > *furthest {
                *furthest = progress.progress;
                tell.send_replace(Some(progress));
            }
        };
        (Arc::new(follow), Signs { signs, told: None })
    }

    fn tell(&self, server: &str, tool: &str, progress: Progress) {
        let Progress { progress, total, message } = progress;
        let shorten = |text: String| -> String {
            text.chars().filter(|c| !c.is_control()).take(MESSAGE_CHARS).collect()
        };
        self.trail.tell(&Event::CallProgress {
            run: self.trail.run(),
            id: self.caller.call,
            server: server.to_owned(),
            tool: tool.to_owned(),
            progress,
            total,
            message: message.map(shorten),
        });
    }
}

/// The signs of life of a call. Those that come too fast are passed over for the last of them.
struct Signs {
    signs: watch::Receiver<Option<Progress>>,
    told: Option<Instant>,
}

impl Signs {
    async fn next(&mut self) -> Option<Progress> {
        if let Some(told) = self.told {
            sleep_until(told + TELL_EVERY).await;
        }
        self.signs.changed().await.ok()?;
        self.told = Some(Instant::now());
        self.signs.borrow_and_update().clone()
    }
}

fn halt(error: SendError, server: &Server, reached: &Reached) -> Halt {
    let fault = match error {
        SendError::Rpc { code, message } => {
            if code == UNSUPPORTED_REVISION {
                server.lose(reached.generation(), message.clone(), true);
            }
            let fault = Fault { code: Some(code), ..Fault::new(Kind::Protocol, message) };
            if code == HEADER_MISMATCH && reached.connection.peer().param_headers {
                return Halt::Misheaded(fault);
            }
            fault
        }
        SendError::Unreachable { detail } => {
            let message = format!("not sent: the server cannot be reached: {detail}");
            server.lose(reached.generation(), detail, true);
            Fault::new(Kind::Unavailable, message)
        }
        SendError::Gone { ref detail } => {
            server.lose(reached.generation(), detail.clone(), false);
            let message = format!("{error}; the call may have taken effect");
            Fault::new(Kind::Unavailable, message)
        }
        SendError::Refused { .. } => Fault::new(Kind::Unavailable, error.to_string()),
        SendError::TooLarge { .. } => {
            let message = format!("{error} (`result_bytes`); the call has taken effect");
            Fault::limit(CallLimit::ResultBytes, message)
        }
        SendError::Odd { .. } => Fault::new(Kind::Protocol, error.to_string()),
    };
    Halt::Fault(fault)
}
