//! Runs that change nothing.
//!
//! What a trusted server says only reads is sent as ever. Everything else is answered by a recording,
//! if there is one that has the very call; otherwise the run ends there, with a list of what it
//! would have done.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::watch;

use super::replay::{Order, Replay};
use crate::call::{Answer, Fault, Request};
use crate::ledger::{Book, CallId};

/// Calls that a script makes side by side with the first one that is withheld are listed as well.
const SETTLING: Duration = Duration::from_millis(100);

/// A dry run: what has been withheld of it. Cheap to clone.
#[derive(Clone)]
pub struct Rehearsal(Arc<Shared>);

struct Shared {
    recording: Option<Replay>,
    withheld: Mutex<Vec<Withheld>>,
    count: watch::Sender<usize>,
}

/// A call that would have been made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Withheld {
    /// Its number in the run.
    pub id: CallId,
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// Line of the script.
    pub line: Option<u32>,
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// What the policy makes of it: `allow` or `ask`.
    pub action: &'static str,
}

/// A call that would be made now.
pub(crate) struct Proposal<'a> {
    pub(crate) id: CallId,
    pub(crate) request: &'a Request,
    pub(crate) arguments: &'a Map<String, Value>,
    pub(crate) action: &'static str,
}

impl Rehearsal {
    /// A dry run, whose calls are answered from a recording where it has them.
    pub fn new(recording: Option<super::Recording>) -> Self {
        let recording = recording.map(|recording| Replay::new(recording, Order::Lenient));
        let (withheld, count) = (Mutex::default(), watch::Sender::new(0));
        Self(Arc::new(Shared { recording, withheld, count }))
    }

    /// What would have been done, in the order of the calls.
    pub fn withheld(&self) -> Vec<Withheld> {
        let mut withheld = self.0.withheld.lock().unwrap_or_else(PoisonError::into_inner).clone();
        withheld.sort_by_key(|call| call.id);
        withheld
    }

    /// Returns a little after the first call was withheld.
    pub(crate) async fn withheld_any(&self) {
        let mut count = self.0.count.subscribe();
        if count.wait_for(|count| *count > 0).await.is_err() {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(SETTLING).await;
    }

    /// The answer of the recording; or none ever, since the run ends here.
    pub(crate) async fn stand_in(
        &self,
        proposal: Proposal<'_>,
        book: &Book,
    ) -> Result<Answer, Fault> {
        let Proposal { id, request, arguments, action } = proposal;
        if let Some(recording) = &self.0.recording
            && recording.has(request)
        {
            return recording.answer(id, request, book).await;
        }
        let withheld = Withheld {
            id,
            server: request.server.clone(),
            tool: request.tool.clone(),
            line: request.line,
            arguments: arguments.clone(),
            action,
        };
        self.0.withhold(withheld);
        std::future::pending().await
    }
}

impl Shared {
    fn withhold(&self, call: Withheld) {
        let mut list = self.withheld.lock().unwrap_or_else(PoisonError::into_inner);
        list.push(call);
        self.count.send_replace(list.len());
    }
}

impl std::fmt::Debug for Rehearsal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rehearsal").finish_non_exhaustive()
    }
}
