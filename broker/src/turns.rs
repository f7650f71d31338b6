//! Who may use a server next.
//!
//! A server, or one tool of it, works on so many calls at once and takes so many in a while. What
//! goes beyond waits. Runs take turns: one that makes a thousand calls does not keep another from
//! making its first. Within a run the first come is the first served.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::config::{Rate, Share};

/// Which run a call belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunKey(pub(crate) u64);

/// The turns at one server or tool.
pub(crate) struct Turns(Arc<Shared>);

/// A turn; it ends when this is dropped.
pub(crate) struct Turn(Weak<Shared>);

struct Shared {
    state: Mutex<State>,
    runtime: Handle,
    me: Weak<Shared>,
}

struct State {
    free: usize,
    /// The runs that wait, the next one first.
    runs: VecDeque<(RunKey, VecDeque<oneshot::Sender<Turn>>)>,
    pace: Option<Pace>,
    /// Whether somebody will look again when the pace allows for the next call.
    is_timed: bool,
}

impl Turns {
    /// The turns of a share; `calls` if it does not say how many calls may be in flight.
    pub(crate) fn new(share: Share, calls: usize, runtime: Handle) -> Self {
        let state = State {
            // With none at all nothing would ever be sent.
            free: share.calls.unwrap_or(calls).max(1),
            runs: VecDeque::new(),
            pace: share.rate.map(Pace::new),
            is_timed: false,
        };
        Self(Arc::new_cyclic(|me| Shared { state: Mutex::new(state), runtime, me: me.clone() }))
    }

    /// Waits for a turn. Dropping the future gives the place in the queue up.
    pub(crate) async fn take(&self, run: RunKey) -> Option<Turn> {
        let (grant, granted) = oneshot::channel();
        self.0.lock().enqueue(run, grant);
        self.0.serve();
        granted.await.ok()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives out all turns that there are.
    fn serve(&self) {
        loop {
            let next = self.lock().next(Instant::now());
            match next {
                // If nobody takes it, dropping it makes it free again.
                Next::Grant(grant) => drop(grant.send(Turn(self.me.clone()))),
                Next::At(time) => {
                    let me = self.me.clone();
                    self.runtime.spawn(async move {
                        tokio::time::sleep_until(time).await;
                        if let Some(shared) = me.upgrade() {
                            shared.lock().is_timed = false;
                            shared.serve();
                        }
                    });
                    return;
                }
                Next::Nothing => return,
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(shared) = self.0.upgrade() {
            shared.lock().free += 1;
            shared.serve();
        }
    }
}

enum Next {
    Grant(oneshot::Sender<Turn>),
    /// Not before.
    At(Instant),
    Nothing,
}

impl State {
    fn enqueue(&mut self, run: RunKey, grant: oneshot::Sender<Turn>) {
        match self.runs.iter_mut().find(|(key, _)| *key == run) {
            Some((_, waiting)) => waiting.push_back(grant),
            None => self.runs.push_back((run, VecDeque::from([grant]))),
        }
    }

    fn next(&mut self, now: Instant) -> Next {
        self.forget_the_gone();
        if self.free == 0 || self.runs.is_empty() {
            return Next::Nothing;
        }
        if let Some(pace) = &mut self.pace
            && let Err(time) = pace.step(now)
        {
            let is_new = !std::mem::replace(&mut self.is_timed, true);
            return if is_new { Next::At(time) } else { Next::Nothing };
        }
        let Some((run, mut waiting)) = self.runs.pop_front() else { return Next::Nothing };
        let Some(grant) = waiting.pop_front() else { return Next::Nothing };
        if !waiting.is_empty() {
            self.runs.push_back((run, waiting));
        }
        self.free -= 1;
        Next::Grant(grant)
    }

    /// Drops those at the front who wait no more, so that no turn and no pace is spent on them.
    fn forget_the_gone(&mut self) {
        while let Some((_, waiting)) = self.runs.front_mut() {
            while waiting.front().is_some_and(oneshot::Sender::is_closed) {
                waiting.pop_front();
            }
            if !waiting.is_empty() {
                return;
            }
            self.runs.pop_front();
        }
    }
}

/// A bucket that fills at the rate and holds one period's worth.
struct Pace {
    rate: Rate,
    calls: f64,
    filled: Instant,
}

impl Pace {
    fn new(rate: Rate) -> Self {
        let rate = Rate { calls: rate.calls.max(1), ..rate };
        Self { rate, calls: f64::from(rate.calls), filled: Instant::now() }
    }

    /// Takes a call out; if there is none, says when there will be.
    fn step(&mut self, now: Instant) -> Result<(), Instant> {
        let full = f64::from(self.rate.calls);
        let each = self.rate.per.div_f64(full);
        if each.is_zero() {
            return Ok(());
        }
        let gained = now.saturating_duration_since(self.filled).div_duration_f64(each);
        self.calls = (self.calls + gained).min(full);
        self.filled = now;
        // A hair less than one is one: time has a grain, and so has this number.
        if self.calls > 1.0 - 1e-6 {
            self.calls -= 1.0;
            return Ok(());
        }
        Err(now + each.mul_f64(1.0 - self.calls))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt;

    use super::*;

    fn turns(share: Share) -> Turns {
        Turns::new(share, 16, Handle::current())
    }

    #[tokio::test]
    async fn runs_take_turns_however_many_calls_one_has() {
        let turns = turns(Share::default().calls(1));
        let first = turns.take(RunKey(1)).await;
        let order = Mutex::new(Vec::new());
        let wait = |run: u64, name: &'static str| {
            let (turns, order) = (&turns, &order);
            async move {
                let turn = turns.take(RunKey(run)).await;
                order.lock().unwrap().push(name);
                drop(turn);
            }
        };
        let all =
            futures::future::join4(wait(1, "1a"), wait(1, "1b"), wait(1, "1c"), wait(2, "2a"));
        futures::future::join(all, async { drop(first) }).await;
        assert_eq!(order.into_inner().unwrap(), ["1a", "2a", "1b", "1c"]);
    }

    #[tokio::test]
    async fn who_waits_no_more_is_passed_over() {
        let turns = turns(Share::default().calls(1));
        let first = turns.take(RunKey(1)).await;
        let mut gone = Box::pin(turns.take(RunKey(1)));
        assert!(gone.as_mut().now_or_never().is_none());
        let mut patient = Box::pin(turns.take(RunKey(2)));
        assert!(patient.as_mut().now_or_never().is_none());
        drop(gone);
        drop(first);
        assert!(patient.now_or_never().flatten().is_some());
        assert!(turns.take(RunKey(3)).now_or_never().flatten().is_some(), "and nothing is lost");
    }

    #[tokio::test]
    async fn a_turn_that_was_granted_too_late_is_given_on() {
        let turns = turns(Share::default().calls(1));
        let first = turns.take(RunKey(1)).await;
        let mut late = Box::pin(turns.take(RunKey(1)));
        assert!(late.as_mut().now_or_never().is_none());
        drop(first);
        drop(late);
        assert!(turns.take(RunKey(2)).now_or_never().flatten().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_lets_a_burst_pass_and_then_one_at_a_time() {
        let turns = turns(Share::default().rate(10, Duration::from_secs(1)));
        let began = Instant::now();
        let mut passed = Vec::new();
        for _ in 0..30 {
            drop(turns.take(RunKey(1)).await);
            passed.push(began.elapsed());
        }
        assert_eq!(passed[9], Duration::ZERO);
        let last = passed[29].as_secs_f64();
        assert!((1.95..2.2).contains(&last), "{passed:?}");
    }
}
