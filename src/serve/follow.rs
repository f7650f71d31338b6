//! One request that listens to a run: tells its client what the run does, and puts the run's questions
//! to it.

use super::live::{Ended, Held, Live, Said};
use crate::visible::visible;
use futures::{StreamExt, future::BoxFuture, stream::FuturesUnordered};
use rmcp::{
    Peer, RoleServer,
    model::{
        ClientResult, ElicitRequest, ProgressNotificationParam, ProgressToken, ProtocolVersion,
        ServerRequest,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use std::{collections::HashSet, sync::Arc, time::Duration};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How the client can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By a result that wants input (2026-07-28).
    InputRequired,
    /// By requests of ours, while its own is open (the older era).
    Requests,
    /// Not at all.
    None,
}

/// What listening has come to.
pub(super) enum Heard {
    Ended(Arc<Ended>),
    /// It goes on, and the request has waited long enough.
    GoesOn,
    /// It is held until these are answered.
    Asks(Held),
    /// The client does not want to know any more.
    GivenUp,
}

/// The client's side of a request.
pub(super) struct Listener {
    pub(super) peer: Peer<RoleServer>,
    pub(super) ct: CancellationToken,
    token: Option<ProgressToken>,
    pub(super) way: Way,
    told: usize,
    progress: f64,
}

/// Several questions that come at once are put together.
const SETTLE: Duration = Duration::from_millis(40);
/// Several lines that come at once are told together.
const GATHER: Duration = Duration::from_millis(20);
/// The most that one notification says.
const MESSAGE_BYTES: usize = 4_000;

/// How the client of a request can be asked.
pub(super) fn way(context: &RequestContext<RoleServer>) -> Way {
    let capabilities = context.client_capabilities();
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
    // Neither of both is how older clients say that they show forms.
    match elicitation.filter(|it| it.form.is_some() || it.url.is_none()) {
        None => Way::None,
        Some(_) if is_modern(context) => Way::InputRequired,
        Some(_) => Way::Requests,
    }
}

/// Whether a request belongs to the era that has no sessions and no requests of servers.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let first = ProtocolVersion::V_2026_07_28;
    context.protocol_version().is_some_and(|version| version.as_str() >= first.as_str())
}

impl Listener {
    pub(super) fn new(context: &RequestContext<RoleServer>) -> Self {
        Self {
            peer: context.peer.clone(),
            ct: context.ct.clone(),
            token: context.meta.get_progress_token(),
            way: way(context),
            told: 0,
            progress: 0.0,
        }
    }

    /// Listens until there is something to answer.
    pub(super) async fn follow(&mut self, live: &Arc<Live>, patience: Duration) -> Heard {
        let _seat = Seat::take(live);
        if self.way != Way::None {
            live.lock().can_ask = true;
        }
        let until = Instant::now() + patience;
        let mut changes = live.changes();
        let mut asked = HashSet::new();
        let mut asking: FuturesUnordered<BoxFuture<'_, (String, Value)>> = FuturesUnordered::new();
        loop {
            changes.borrow_and_update();
            self.tell(live).await;
            if let Some(ended) = live.ended() {
                return Heard::Ended(ended);
            }
            let can_hold = self.way == Way::InputRequired && live.only_asks();
            if self.way == Way::Requests {
                for (key, params) in open_questions(live) {
                    if asked.insert(key.clone()) {
                        asking.push(Box::pin(ask(
                            self.peer.clone(),
                            key,
                            params,
                            live.answer_time,
                        )));
                    }
                }
            }
            tokio::select! {
                biased;
                () = self.ct.cancelled() => return Heard::GivenUp,
                Some((key, answer)) = asking.next(), if !asking.is_empty() => {
                    live.change(|state| state.answer(&key, answer));
                }
                changed = changes.changed() => {
                    if changed.is_err() {
                        return Heard::GivenUp;
                    }
                    if self.token.is_some() {
                        tokio::time::sleep(GATHER).await;
                    }
                }
                () = tokio::time::sleep(SETTLE), if can_hold => {
                    if let Some(held) = live.hold() {
                        return Heard::Asks(held);
                    }
                }
                () = tokio::time::sleep_until(until), if asking.is_empty() => return Heard::GoesOn,
            }
        }
    }

    /// Tells the client what has happened, if it wants to know.
    async fn tell(&mut self, live: &Live) {
        let Some(token) = &self.token else { return };
        let news: Vec<Said> = live.lock().said.get(self.told..).unwrap_or_default().to_vec();
        if news.is_empty() {
            return;
        }
        self.told += news.len();
        let mut message = String::new();
        for said in &news {
            let line = match said {
                Said::Printed(text) => visible(text).into_owned(),
                Said::Called(function) => format!("calls {}", visible(function)),
            };
            if !message.is_empty() {
                message.push('\n');
            }
            message.push_str(&line);
            if message.len() > MESSAGE_BYTES {
                message.truncate(message.floor_char_boundary(MESSAGE_BYTES));
                message.push('…');
                break;
            }
        }
        #[allow(clippy::cast_precision_loss, reason = "nobody counts that far")]
        let news = news.len() as f64;
        self.progress += news;
        let note = ProgressNotificationParam::new(token.clone(), self.progress);
        // A client that does not hear is still answered.
        let _ = self.peer.notify_progress(note.with_message(message)).await;
    }
}

fn open_questions(live: &Live) -> Vec<(String, Value)> {
    let state = live.lock();
    state.questions.iter().map(|(key, it)| (key.clone(), it.params.clone())).collect()
}

/// Asks by a request of ours. Whatever goes wrong, it is an answer: no.
async fn ask(
    peer: Peer<RoleServer>,
    key: String,
    params: Value,
    time: Duration,
) -> (String, Value) {
    let asked = async {
        let params = serde_json::from_value(params).ok()?;
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
        match peer.send_request(request).await.ok()? {
            ClientResult::ElicitResult(result) => serde_json::to_value(result).ok(),
            _ => None,
        }
    };
    let answer = tokio::time::timeout(time, asked).await.ok().flatten();
    (key, answer.unwrap_or_else(|| json!({ "action": "cancel" })))
}

/// Counts as somebody who listens, until it is dropped.
struct Seat(Arc<Live>);

impl Seat {
    fn take(live: &Arc<Live>) -> Self {
        live.lock().listeners += 1;
        Self(Arc::clone(live))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.lock().listeners -= 1;
    }
}
