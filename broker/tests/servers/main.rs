//! The broker against servers: odd ones of ours over both transports, and real ones.
//!
//! Ours need `python3` and nothing else.

#![allow(clippy::unwrap_used, reason = "a scene that cannot be set up fails its test")]

mod approval;
mod cases;
mod faults;
mod http;
mod interactive;
mod life;
mod oauth;
mod real;
mod scripted;
mod stdio;
mod wire;

use std::time::Duration;

use broker::{Action, Broker, CallLimits, ConnectError, Policy, Rule, ServerConfig, ServerState};

/// Time for a fixture to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A broker with one server called `s` that may do anything.
async fn broker(config: ServerConfig, limits: CallLimits) -> Broker {
    let policy = Policy::default().rule(Rule::new(Action::Allow));
    let builder = Broker::builder().server("s", config).policy(policy).limits(limits);
    builder.connect().await.unwrap()
}

/// Why the only server of a broker could not be reached.
fn failure(broker: &Broker) -> ConnectError {
    match &broker.servers()[0].state {
        ServerState::Failed { error } => error.clone(),
        ready => panic!("{ready:?}"),
    }
}

/// The names of all tools in their order.
fn names(broker: &Broker) -> Vec<String> {
    broker.catalogue().tools().map(|tool| tool.name.clone()).collect()
}
