//! The clocks of a run, as the host sees them.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::Notify;

/// A wall clock that can be stopped while a human is asked.
#[derive(Debug)]
pub struct WallClock {
    state: Mutex<State>,
    /// Told when the clock starts or stops.
    changed: Notify,
}

#[derive(Debug)]
struct State {
    started: Instant,
    paused: Duration,
    /// Since when it has been stopped, and by how many guards.
    pause: Option<(Instant, usize)>,
}

/// Keeps a run's wall clock stopped for as long as it lives.
#[derive(Debug)]
pub struct Pause(Arc<WallClock>);

impl WallClock {
    pub(crate) fn start() -> Arc<Self> {
        let state = State { started: Instant::now(), paused: Duration::ZERO, pause: None };
        Arc::new(Self { state: Mutex::new(state), changed: Notify::new() })
    }

    /// Stops the clock until the guard is dropped. Several guards may overlap.
    #[must_use]
    pub fn pause(self: &Arc<Self>) -> Pause {
        let mut state = self.lock();
        let (since, guards) = state.pause.unwrap_or((Instant::now(), 0));
        state.pause = Some((since, guards + 1));
        drop(state);
        self.changed.notify_one();
        Pause(self.clone())
    }

    /// From start to now, and the part of it in which the clock stood.
    pub(crate) fn read(&self) -> (Duration, Duration) {
        let state = self.lock();
        let standing = state.pause.map_or(Duration::ZERO, |(since, _)| since.elapsed());
        (state.started.elapsed(), state.paused + standing)
    }

    /// Returns when the clock has run for `limit`.
    pub(crate) async fn run_out(&self, limit: Duration) {
        loop {
            let (total, standing) = self.read();
            let left = limit.saturating_sub(total.saturating_sub(standing));
            if self.lock().pause.is_some() {
                self.changed.notified().await;
            } else if left.is_zero() {
                return;
            } else {
                tokio::select! {
                    () = tokio::time::sleep(left) => {}
                    () = self.changed.notified() => {}
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        match state.pause.take() {
            Some((since, 1)) => state.paused += since.elapsed(),
            Some((since, guards)) => state.pause = Some((since, guards - 1)),
            None => {}
        }
        drop(state);
        self.0.changed.notify_one();
    }
}

/// The CPU time of another process or thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuClock(#[cfg(target_os = "linux")] libc::clockid_t);

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "CPU clocks are system calls")]
impl CpuClock {
    /// All threads of the process `pid`, dead ones included.
    pub(crate) fn of_process(pid: u32) -> Option<Self> {
        let mut id = 0;
        // SAFETY: the call writes one clockid_t through the pointer, which is valid for that.
        let failed = unsafe { libc::clock_getcpuclockid(pid.cast_signed(), &raw mut id) };
        (failed == 0).then_some(Self(id))
    }

    /// The thread that calls this.
    pub(crate) fn of_this_thread() -> Option<Self> {
        let mut id = 0;
        // SAFETY: pthread_self is always a living thread; the pointer is valid for a clockid_t.
        let failed = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut id) };
        (failed == 0).then_some(Self(id))
    }

    /// The time used so far; `None` if the process or thread is gone.
    pub(crate) fn read(self) -> Option<Duration> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the call writes one timespec through the pointer, which is valid for that.
        if unsafe { libc::clock_gettime(self.0, &raw mut time) } != 0 {
            return None;
        }
        let (seconds, nanos) =
            (u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?);
        Some(Duration::new(seconds, nanos))
    }
}

#[cfg(not(target_os = "linux"))]
impl CpuClock {
    pub(crate) fn of_process(_pid: u32) -> Option<Self> {
        None
    }

    pub(crate) fn of_this_thread() -> Option<Self> {
        None
    }

    pub(crate) fn read(self) -> Option<Duration> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_standing_clock_does_not_run_out() {
        let clock = WallClock::start();
        let first = clock.pause();
        let second = clock.pause();
        drop(first);
        let waiting = tokio::time::timeout(Duration::from_secs(60), clock.run_out(Duration::ZERO));
        assert!(waiting.await.is_err());
        drop(second);
        clock.run_out(Duration::ZERO).await;
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn cpu_clock_counts_this_thread() {
        let clock = CpuClock::of_this_thread().unwrap();
        let before = clock.read().unwrap();
        std::hint::black_box((0..1_000_000_u64).map(std::hint::black_box).sum::<u64>());
        assert!(clock.read().unwrap() > before);
    }
}
