//! How long a server that fails is left alone.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(60);
/// A connection that lasted this long was a good one: what went before it does not count any more.
const STEADY: Duration = Duration::from_secs(30);

/// The failures in a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Backoff(u32);

impl Backoff {
    /// The server could not be reached. Returns how long to leave it alone.
    pub(super) fn failed(&mut self) -> Duration {
        self.0 = self.0.saturating_add(1);
        pause(self.0)
    }

    /// The connection broke after a time. The first time it may be made again at once.
    pub(super) fn broke(&mut self, after: Duration) -> Duration {
        if after >= STEADY {
            self.0 = 0;
        }
        self.0 = self.0.saturating_add(1);
        pause(self.0 - 1)
    }
}

fn pause(failures: u32) -> Duration {
    match failures {
        0 => Duration::ZERO,
        more => FIRST.saturating_mul(1 << (more - 1).min(16)).min(LONGEST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_minute_and_start_anew_after_a_good_connection() {
        let mut backoff = Backoff::default();
        assert_eq!(backoff.broke(Duration::ZERO), Duration::ZERO);
        assert_eq!(backoff.broke(Duration::ZERO), FIRST);
        assert_eq!(backoff.failed(), FIRST * 4);
        for _ in 0..50 {
            backoff.failed();
        }
        assert_eq!(backoff.failed(), LONGEST);
        assert_eq!(backoff.broke(STEADY), Duration::ZERO);
        assert_eq!(Backoff::default().failed(), FIRST);
    }
}
