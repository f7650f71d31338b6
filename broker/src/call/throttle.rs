//! Station 5: a turn at the server.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout_at;

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
        Ok(Ok(turn)) => Ok(AdmittedCall { call, turn }),
        // Nobody closes the semaphore while calls can be made.
        Ok(Err(_)) => Err(Fault::new(Kind::Unavailable, "the broker has shut down")),
        Err(_) => Err(Fault::new(
            Kind::Timeout,
            format!(
                "not sent: the server was busy with other calls for {:?} (`tool_timeout`)",
                deadline.time
            ),
        )),
    }
}
