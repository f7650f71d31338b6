//! What can be set about a server.

use std::time::Duration;

/// What can be set about a [`Server`](super::Server).
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// How long a request waits for its run before it is answered with a handle. Default: 45 s, which
    /// is less than most hosts wait.
    pub soft_limit: Duration,
    /// How long a question may wait for its answer before it counts as declined. Default: 10 min.
    pub answer_time: Duration,
    /// How long the result of a run is kept for whoever asks again. Default: 10 min.
    pub keep: Duration,
    /// How many results are kept at most; the oldest go first. Default: 1,000.
    pub kept_runs: usize,
    /// How many runs of one client are under way at once; further ones wait in order. Default: 8.
    pub runs_at_once: usize,
    /// How many runs of one client may wait for their turn; one more is refused. Default: 256.
    pub runs_waiting: usize,
    /// How many runs one client may begin in a minute; further ones wait. Default: 600.
    pub runs_per_minute: u32,
    /// How long runs may take to end when the server is drained. Default: 30 s.
    pub drain: Duration,
    /// The most that is given to the model of one run, in bytes. Default: 64 KiB.
    pub budget: usize,
    /// The most that a client is given to keep while it answers a question, in bytes. What is larger
    /// can be continued at the same instance only. Default: 256 KiB.
    pub state_bytes: usize,
    /// The key of what a client is given to keep. Instances that have the same one can continue each
    /// other's runs. Default: a random one.
    pub state_key: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            soft_limit: Duration::from_secs(45),
            answer_time: Duration::from_secs(600),
            keep: Duration::from_secs(600),
            kept_runs: 1000,
            runs_at_once: 8,
            runs_waiting: 256,
            runs_per_minute: 600,
            drain: Duration::from_secs(30),
            budget: 64 << 10,
            state_bytes: 256 << 10,
            state_key: None,
        }
    }
}

/// The key is nobody's business.
impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { soft_limit, answer_time, runs_at_once, drain, .. } = self;
        let mut options = f.debug_struct("Options");
        options.field("soft_limit", soft_limit).field("answer_time", answer_time);
        options.field("runs_at_once", runs_at_once).field("drain", drain).finish_non_exhaustive()
    }
}
