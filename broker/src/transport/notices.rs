//! What a server says without being asked: that its list changed, how far a call is, that it ended.

use std::collections::{HashMap, VecDeque};
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

/// Progress that came before anybody waited for it is kept of so many calls.
const EARLY: usize = 64;
/// And so much of what the server says with it.
const EARLY_CHARS: usize = 200;

/// Where the notices of one connection arrive.
#[derive(Default)]
pub(super) struct Notices {
    heard: watch::Sender<Heard>,
    calls: Mutex<Calls>,
}

#[derive(Default)]
struct Calls {
    followed: HashMap<ProgressToken, OnProgress>,
    /// rmcp makes up a call's token as it sends it, so that a quick server may speak of it first.
    early: VecDeque<(ProgressToken, Progress)>,
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

    /// Sends the progress of a call to whoever waits for it, until the guard is dropped; first what
    /// came already.
    pub(super) fn follow(&self, token: ProgressToken, to: OnProgress) -> Following<'_> {
        let early: Vec<Progress> = {
            let mut calls = self.lock();
            calls.followed.insert(token.clone(), Arc::clone(&to));
            let (ours, others) = calls.early.drain(..).partition(|(of, _)| *of == token);
            calls.early = others;
            let ours: VecDeque<(ProgressToken, Progress)> = ours;
            ours.into_iter().map(|(_, progress)| progress).collect()
        };
        early.into_iter().for_each(|progress| to(progress));
        Following { notices: self, token }
    }

    /// Progress that came. That of a call which is over goes nowhere.
    pub(super) fn progress(&self, token: &ProgressToken, progress: Progress) {
        let mut calls = self.lock();
        if let Some(to) = calls.followed.get(token).map(Arc::clone) {
            drop(calls);
            return to(progress);
        }
        if calls.early.len() >= EARLY {
            calls.early.pop_front();
        }
        let message = progress.message.map(|text| text.chars().take(EARLY_CHARS).collect());
        calls.early.push_back((token.clone(), Progress { message, ..progress }));
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
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
        self.notices.lock().followed.remove(&self.token);
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::*;

    fn token(number: i64) -> ProgressToken {
        ProgressToken(NumberOrString::Number(number))
    }

    fn step(progress: f64, message: &str) -> Progress {
        Progress { progress, total: None, message: Some(message.to_owned()) }
    }

    /// Follows a call; what is told of it is in the list.
    fn listen(notices: &Notices, number: i64) -> (Following<'_>, Arc<Mutex<Vec<f64>>>) {
        let told = Arc::new(Mutex::new(Vec::new()));
        let to = Arc::clone(&told);
        let on_progress = move |progress: Progress| to.lock().unwrap().push(progress.progress);
        (notices.follow(token(number), Arc::new(on_progress)), told)
    }

    #[test]
    fn progress_that_comes_before_its_call_is_followed_is_told_first() {
        let notices = Notices::default();
        notices.progress(&token(1), step(1.0, ""));
        notices.progress(&token(2), step(7.0, ""));
        notices.progress(&token(1), step(2.0, ""));
        let (following, told) = listen(&notices, 1);
        notices.progress(&token(1), step(3.0, ""));
        assert_eq!(*told.lock().unwrap(), [1.0, 2.0, 3.0]);
        drop(following);
        notices.progress(&token(1), step(4.0, ""));
        assert_eq!(*told.lock().unwrap(), [1.0, 2.0, 3.0]);
        assert_eq!(*listen(&notices, 2).1.lock().unwrap(), [7.0]);
    }

    #[test]
    fn a_server_that_floods_with_progress_of_nothing_fills_nothing() {
        let notices = Notices::default();
        for number in 0..1000 {
            notices.progress(&token(number), step(1.0, &"x".repeat(10_000)));
        }
        let calls = notices.lock();
        assert_eq!((calls.followed.len(), calls.early.len()), (0, EARLY));
        let sizes = calls.early.iter().filter_map(|(_, early)| Some(early.message.as_ref()?.len()));
        assert!(sizes.max() <= Some(EARLY_CHARS));
    }
}
