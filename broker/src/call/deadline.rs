//! How long a call may take.

use std::time::Duration;

use tokio::time::Instant;

use crate::limits::CallLimits;

/// When a call must be done.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    /// Without any word from the server.
    pub(super) at: Instant,
    time: Duration,
    /// Whatever the server says.
    latest: Instant,
    most: Duration,
}

impl Deadline {
    pub(super) fn new(limits: &CallLimits, asked: Option<Duration>) -> Self {
        // Who asks for less wants an answer by then, not a sign of life.
        let asked = asked.filter(|asked| *asked < limits.tool_timeout);
        let time = asked.unwrap_or(limits.tool_timeout);
        let most = asked.unwrap_or(limits.tool_timeout_max).max(time);
        let now = Instant::now();
        Self { at: now + time, time, latest: now + most, most }
    }

    /// The server gave a sign of life.
    pub(super) fn prolong(&mut self, sign: Instant) {
        self.at = (sign + self.time).min(self.latest);
    }

    /// Somebody was asked for so long; that time does not count.
    pub(super) fn shift(&mut self, by: Duration) {
        self.at += by;
        self.latest += by;
    }

    /// What ran out.
    pub(super) fn what(&self) -> String {
        if self.at < self.latest || self.time == self.most {
            format!("within {:?} (`tool_timeout`)", self.time)
        } else {
            format!("within {:?} (`tool_timeout_max`)", self.most)
        }
    }
}
