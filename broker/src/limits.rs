//! Bounds of one call.
//!
//! A bound has one name: in the configuration, in the error that it causes, and in the docs.

use std::time::Duration;

const MIB: usize = 1024 * 1024;

/// Bounds of one call. Always finite; the defaults suit a script from a stranger.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallLimits {
    /// Arguments of one call as JSON text, in bytes. Default: 1 MiB.
    pub argument_bytes: usize,
    /// Result of one call as JSON text, in bytes, with what little of a message surrounds it on the
    /// wire. Default: 16 MiB.
    pub result_bytes: usize,
    /// Time from the decision that a call may be made until its result. Default: 60 s. It begins anew
    /// with each progress that the server reports. A script may ask for less, never for more.
    pub tool_timeout: Duration,
    /// The same, whatever progress is reported. Default: 10 minutes.
    pub tool_timeout_max: Duration,
    /// Calls that one server works on at the same time, unless its configuration says otherwise;
    /// more wait their turn. Default: 16.
    pub server_calls: usize,
    /// Time in which a call that is asked about must be answered; then it is denied. Default: 10
    /// minutes.
    pub approval_wait: Duration,
    /// Calls of one run that may be denied, by policy or by whoever was asked; with one more the run
    /// ends. Default: 20.
    pub denials: u32,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            argument_bytes: MIB,
            result_bytes: 16 * MIB,
            tool_timeout: Duration::from_secs(60),
            tool_timeout_max: Duration::from_secs(600),
            server_calls: 16,
            approval_wait: Duration::from_secs(600),
            denials: 20,
        }
    }
}

impl CallLimits {
    /// Sets [`argument_bytes`](Self::argument_bytes).
    #[must_use]
    pub fn argument_bytes(mut self, bytes: usize) -> Self {
        self.argument_bytes = bytes;
        self
    }

    /// Sets [`result_bytes`](Self::result_bytes).
    #[must_use]
    pub fn result_bytes(mut self, bytes: usize) -> Self {
        self.result_bytes = bytes;
        self
    }

    /// Sets [`tool_timeout`](Self::tool_timeout).
    #[must_use]
    pub fn tool_timeout(mut self, timeout: Duration) -> Self {
        self.tool_timeout = timeout;
        self
    }

    /// Sets [`tool_timeout_max`](Self::tool_timeout_max).
    #[must_use]
    pub fn tool_timeout_max(mut self, timeout: Duration) -> Self {
        self.tool_timeout_max = timeout;
        self
    }

    /// Sets [`server_calls`](Self::server_calls).
    #[must_use]
    pub fn server_calls(mut self, calls: usize) -> Self {
        self.server_calls = calls;
        self
    }

    /// Sets [`approval_wait`](Self::approval_wait).
    #[must_use]
    pub fn approval_wait(mut self, time: Duration) -> Self {
        self.approval_wait = time;
        self
    }

    /// Sets [`denials`](Self::denials).
    #[must_use]
    pub fn denials(mut self, denials: u32) -> Self {
        self.denials = denials;
        self
    }
}
