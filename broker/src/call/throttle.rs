//! Station 5: a turn at the server.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

use super::approval::AllowedCall;
use super::validate::ValidCall;
use super::{Deadline, Fault, Kind};

/// A call whose turn it is; the turn ends when this is dropped. Only this file makes one.
pub(super) struct AdmittedCall {
    pub(super) call: ValidCall,
    pub(super) turn: OwnedSemaphorePermit,
}

/// Waits until the server has fewer calls in flight than it may have. First come, first served,
/// whichever run a call belongs to.
pub(super) async fn enter(call: AllowedCall, deadline: &Deadline) -> Result<AdmittedCall, Fault> {
    let call = call.into_call();
    let turns = Arc::clone(&call.target().server.turns);
    match timeout_at(deadline.at, turns.acquire_owned()).await {
        // A turn that comes with the deadline is too late: the call would be given up at once.
        Ok(Ok(turn)) if Instant::now() < deadline.at => Ok(AdmittedCall { call, turn }),
        // Nobody closes the semaphore while calls can be made.
        Ok(Err(_)) => Err(Fault::new(Kind::Unavailable, "the broker has shut down")),
        _ => Err(Fault::new(
            Kind::Timeout,
            format!(
                "not sent: no turn at the server came within {:?} (`tool_timeout`)",
                deadline.time
            ),
        )),
    }
}
