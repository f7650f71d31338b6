//! Station: a connection to the server, and a tool that is still what it was.
//!
//! A call can wait for a person or a turn for long, and a server that was reached again may be
//! another one. What was judged is what is sent: a tool whose definition changed meanwhile is judged
//! anew.

use std::sync::Arc;

use tokio::time::timeout_at;

use super::resolve::not_there;
use super::throttle::AdmittedCall;
use super::validate::ValidCall;
use super::{Deadline, Fault, Halt, Kind};
use crate::server::{InUse, Reached};
use crate::transport::Method;
use crate::turns::Turn;

/// A call that can be sent. Only this file makes one.
pub(super) struct ReadyCall {
    pub(super) call: ValidCall,
    pub(super) reached: Reached,
    pub(super) turn: (Option<Turn>, Turn),
    pub(super) in_use: InUse,
}

/// Reaches the server if need be.
pub(super) async fn reach(call: AdmittedCall, deadline: &Deadline) -> Result<ReadyCall, Halt> {
    let AdmittedCall { call, turn } = call;
    let target = call.target();
    // Before the connection, which would otherwise be free to end in between.
    let in_use = target.server.in_use();
    let reached = match timeout_at(deadline.at, target.server.reach()).await {
        Ok(Ok(reached)) => reached,
        Ok(Err(error)) => return Err(not_there(&target.server.name, &error).into()),
        Err(_) => {
            let message = format!("not sent: the server was not reached {}", deadline.what());
            return Err(Fault::new(Kind::Timeout, message).into());
        }
    };
    if target.method != Method::CallTool {
        // What stands for them is ours, and does not change.
        return Ok(ReadyCall { call, reached, turn, in_use });
    }
    let tool = &target.tool.tool;
    let catalogue = target.server.hub.catalogue.current();
    match catalogue.usable(&tool.server, &tool.name) {
        Some(usable) if Arc::ptr_eq(usable, &target.tool) => {
            Ok(ReadyCall { call, reached, turn, in_use })
        }
        _ => Err(Halt::Changed),
    }
}
