//! Station 6: the call is made, and either answers or is given up.

use std::sync::Arc;

use tokio::time::timeout_at;

use super::throttle::AdmittedCall;
use super::{Deadline, Fault, Kind};
use crate::catalogue::Usable;
use crate::ledger::{Book, CallId};
use crate::transport::{Raw, SendError};

/// Sends the call. The ledger is written first: no call is in flight that it does not know.
pub(super) async fn send(
    admitted: AdmittedCall,
    book: &Book,
    id: CallId,
    deadline: &Deadline,
) -> Result<(Arc<Usable>, Raw), Fault> {
    let AdmittedCall { call, turn } = admitted;
    let (target, arguments) = call.into_parts();
    if !book.mark_sent(id) {
        return Err(Fault::new(Kind::Cancelled, "the run has ended"));
    }
    let call = target.connection.call(&target.tool.tool.name, arguments);
    // Dropping the call at the deadline is what cancels it at the server.
    let answer = timeout_at(deadline.at, call).await;
    drop(turn);
    match answer {
        Ok(Ok(raw)) => Ok((target.tool, raw)),
        Ok(Err(error)) => Err(fault(error)),
        Err(_) => Err(Fault::new(
            Kind::Timeout,
            format!(
                "no answer within {:?} (`tool_timeout`); the call may still take effect",
                deadline.time
            ),
        )),
    }
}

fn fault(error: SendError) -> Fault {
    match error {
        SendError::Rpc { code, message } => {
            Fault { code: Some(code), ..Fault::new(Kind::Protocol, message) }
        }
        SendError::Gone { .. } => {
            let message = format!("{error}; the call may have taken effect");
            Fault::new(Kind::Unavailable, message)
        }
        SendError::Refused { .. } => Fault::new(Kind::Unavailable, error.to_string()),
        SendError::TooLarge { .. } => {
            let message = format!("{error} (`result_bytes`); the call has taken effect");
            Fault::new(Kind::Limit, message)
        }
        SendError::Odd { .. } => Fault::new(Kind::Protocol, error.to_string()),
    }
}
