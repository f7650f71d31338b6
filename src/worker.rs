//! Worker processes: this program, started again.

/// Becomes a worker if this process was started as one, and does not return then.
///
/// With process isolation a sandbox starts the host's own program again for each run. That program
/// must call this first thing in `main`, before it starts threads, opens files or reads its
/// arguments. A host that cannot do so names another program with
/// [`Builder::worker_program`](crate::Builder::worker_program); the `cofferdam` program is one.
///
/// ```no_run
/// fn main() {
///     cofferdam::worker::run_if_requested();
///     // what the program is for
/// }
/// ```
#[allow(clippy::needless_doctest_main, reason = "that it comes first in main is the point")]
pub fn run_if_requested() {
    runtime::run_if_requested();
}
