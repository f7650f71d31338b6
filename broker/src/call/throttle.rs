//! Station: a turn at the server.

use tokio::time::{Instant, timeout_at};

use super::approval::AllowedCall;
use super::validate::ValidCall;
use super::{Deadline, Fault, Kind};
use crate::turns::{RunKey, Turn};

/// A call whose turn it is; the turn ends when this is dropped. Only this file makes one.
pub(super) struct AdmittedCall {
    pub(super) call: ValidCall,
    pub(super) turn: (Option<Turn>, Turn),
}

/// Waits until the server may have one more call. Runs take turns; within a run the first come is
/// the first served.
pub(super) async fn enter(
    call: AllowedCall,
    run: RunKey,
    deadline: &Deadline,
) -> Result<AdmittedCall, Fault> {
    let call = call.into_call();
    let target = call.target();
    let turn = target.server.turn(&target.tool.tool.name, run);
    match timeout_at(deadline.at, turn).await {
        // A turn that comes with the deadline is too late: the call would be given up at once.
        Ok(Some(turn)) if Instant::now() < deadline.at => Ok(AdmittedCall { call, turn }),
        Ok(None) => Err(Fault::new(Kind::Unavailable, "the broker has shut down")),
        _ => Err(Fault::new(
            Kind::Timeout,
            format!("not sent: no turn at the server came {}", deadline.what()),
        )),
    }
}
