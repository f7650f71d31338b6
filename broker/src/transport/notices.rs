//! What a server says without being asked: that its list changed, how far a call is, that it ended.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::ProgressToken;
use tokio::sync::watch;

/// What a connection has been told so far. A later state replaces an earlier one, so a server that
/// floods is heard once per look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    /// How often the server said that its list of tools changed.
    pub(crate) list_changes: u64,
    /// The connection has ended.
    pub(crate) ended: bool,
}

/// How far a call is, in the server's words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    pub(crate) progress: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: Option<String>,
}

/// Who is told how far a call is.
pub(crate) type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// Where the notices of one connection arrive.
#[derive(Default)]
pub(super) struct Notices {
    heard: watch::Sender<Heard>,
    calls: Mutex<HashMap<ProgressToken, OnProgress>>,
}

impl Notices {
    /// Listens to what is said from now on.
    pub(super) fn subscribe(&self) -> watch::Receiver<Heard> {
        self.heard.subscribe()
    }

    pub(super) fn list_changed(&self) {
        self.heard.send_modify(|heard| heard.list_changes += 1);
    }

    pub(super) fn ended(&self) {
        self.heard.send_modify(|heard| heard.ended = true);
    }

    /// Sends the progress of a call to whoever waits for it, until the guard is dropped.
    pub(super) fn follow(&self, token: ProgressToken, to: OnProgress) -> Following<'_> {
        self.lock().insert(token.clone(), to);
        Following { notices: self, token }
    }

    /// Progress that came. That of a call which is over goes nowhere.
    pub(super) fn progress(&self, token: &ProgressToken, progress: Progress) {
        let to = self.lock().get(token).map(Arc::clone);
        if let Some(to) = to {
            to(progress);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProgressToken, OnProgress>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call whose progress is followed.
pub(super) struct Following<'a> {
    notices: &'a Notices,
    token: ProgressToken,
}

impl Drop for Following<'_> {
    fn drop(&mut self) {
        self.notices.lock().remove(&self.token);
    }
}
