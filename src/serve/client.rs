//! The clients of a server: what each has granted, and how much it may ask for.
//!
//! A client is known by its token and, in the older era, by its session. Clients of the newer era have
//! no session, so those that share a token count as one; they cannot grant anything for longer than a
//! run.

use super::Options;
use broker::SessionGrants;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Who makes a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Who {
    /// Whose runs they may go on with: the token, not the session, which may be lost.
    pub(super) owner: String,
    /// The session of the older era.
    pub(super) session: Option<String>,
}

/// All clients.
pub(super) struct Clients {
    known: Mutex<HashMap<Who, Arc<Client>>>,
    at_once: usize,
    waiting: usize,
    per_minute: u32,
}

/// One of them.
pub(super) struct Client {
    pub(super) grants: SessionGrants,
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
    waiting_max: usize,
    pace: Mutex<Pace>,
}

/// When the next run may begin, by the rate alone.
struct Pace {
    each: Duration,
    next: Instant,
}

/// So many are remembered; those without a run are forgotten first.
const CLIENTS: usize = 10_000;
/// A client that was quiet may begin as many runs at once as it may in this time.
const BURST: Duration = Duration::from_secs(60);

/// One run more than may wait.
#[derive(Debug, thiserror::Error)]
#[error(
    "{waiting} runs of this client wait already (limit `runs_waiting`); nothing was run. Try again when some have ended"
)]
pub(super) struct Crowded {
    waiting: usize,
}

impl Clients {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            known: Mutex::default(),
            at_once: options.runs_at_once.max(1),
            waiting: options.runs_waiting,
            per_minute: options.runs_per_minute.max(1),
        }
    }

    /// The client of a request.
    pub(super) fn of(&self, who: &Who) -> Arc<Client> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = known.get(who) {
            return Arc::clone(client);
        }
        if known.len() >= CLIENTS {
            known.retain(|_, client| Arc::strong_count(client) > 1);
        }
        let each = BURST / self.per_minute;
        let client = Arc::new(Client {
            grants: SessionGrants::default(),
            turns: Arc::new(Semaphore::new(self.at_once)),
            waiting: AtomicUsize::new(0),
            waiting_max: self.waiting,
            pace: Mutex::new(Pace { each, next: Instant::now() }),
        });
        known.insert(who.clone(), Arc::clone(&client));
        client
    }

    pub(super) fn count(&self) -> usize {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl Client {
    /// A place in the line.
    ///
    /// # Errors
    /// [`Crowded`] if there is none.
    pub(super) fn stand_in_line(self: &Arc<Self>) -> Result<InLine, Crowded> {
        let (waiting, most) = (&self.waiting, self.waiting_max);
        let join = |waiting: usize| (waiting < most).then_some(waiting + 1);
        match waiting.fetch_update(Ordering::AcqRel, Ordering::Acquire, join) {
            Ok(_) => Ok(InLine(Arc::clone(self))),
            Err(waiting) => Err(Crowded { waiting }),
        }
    }
}

/// A run that waits for its turn.
pub(super) struct InLine(Arc<Client>);

impl InLine {
    /// Waits for it. `None` if the server ends.
    pub(super) async fn turn(self) -> Option<OwnedSemaphorePermit> {
        let turn = Arc::clone(&self.0.turns).acquire_owned().await.ok()?;
        let wait = {
            let now = Instant::now();
            let mut pace = self.0.pace.lock().unwrap_or_else(PoisonError::into_inner);
            pace.next = pace.next.max(now) + pace.each;
            pace.next.saturating_duration_since(now).saturating_sub(BURST)
        };
        tokio::time::sleep(wait).await;
        Some(turn)
    }
}

impl Drop for InLine {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(change: impl FnOnce(&mut Options)) -> Arc<Client> {
        let mut options = Options::default();
        change(&mut options);
        Clients::new(&options).of(&Who { owner: "a".into(), session: None })
    }

    #[tokio::test]
    async fn runs_wait_for_their_turn_and_one_too_many_is_refused() {
        let client = client(|options| (options.runs_at_once, options.runs_waiting) = (1, 2));
        let first = client.stand_in_line().unwrap().turn().await.unwrap();
        let (second, third) = (client.stand_in_line().unwrap(), client.stand_in_line().unwrap());
        assert!(client.stand_in_line().is_err());
        drop(third);
        assert!(client.stand_in_line().is_ok());
        drop(first);
        assert!(second.turn().await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn beyond_the_rate_runs_begin_later() {
        let client = client(|options| options.runs_per_minute = 2);
        let before = tokio::time::Instant::now();
        for _ in 0..3 {
            let _ = client.stand_in_line().unwrap().turn().await.unwrap();
        }
        assert!(before.elapsed() > Duration::from_secs(25), "{:?}", before.elapsed());
    }
}
