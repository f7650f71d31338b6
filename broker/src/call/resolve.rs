//! Station 1: which tool of which server is meant.

use std::sync::Arc;

use super::{Fault, Kind};
use crate::broker::Inner;
use crate::catalogue::Usable;
use crate::server::{Link, Server};
use crate::transport::Connection;

/// Names less alike than this (Jaro-Winkler) are no help as a suggestion.
const ALIKE: f64 = 0.8;

/// A tool that exists, and the connection to its server.
pub(super) struct Target {
    pub(super) tool: Arc<Usable>,
    pub(super) server: Arc<Server>,
    pub(super) connection: Arc<dyn Connection>,
}

/// Finds the tool by its exact names.
pub(super) fn resolve(broker: &Inner, server: &str, tool: &str) -> Result<Target, Fault> {
    let unavailable = |message: String| Err(Fault::new(Kind::Unavailable, message));
    let Some(found) = broker.servers.get(server) else {
        let hint = nearest(server, broker.servers.keys().map(String::as_str));
        return unavailable(format!("there is no server `{server}`{hint}"));
    };
    let connection = match &found.link {
        Link::Up(connection) => Arc::clone(connection),
        Link::Down(error) => {
            return unavailable(format!("the server `{server}` is not available: {error}"));
        }
    };
    if let Some(usable) = broker.catalogue.usable(server, tool) {
        return Ok(Target { tool: Arc::clone(usable), server: Arc::clone(found), connection });
    }
    let named = |name: &Option<String>| name.as_deref() == Some(tool);
    let mut rejected = broker.catalogue.rejected().iter();
    if let Some(bad) = rejected.find(|bad| bad.server == server && named(&bad.name)) {
        return unavailable(format!("the tool `{tool}` cannot be called: {}", bad.reason));
    }
    let tools = broker.catalogue.tools().filter(|other| other.server == server);
    let hint = nearest(tool, tools.map(|other| other.name.as_str()));
    unavailable(format!("the server `{server}` has no tool `{tool}`{hint}"))
}

fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    names
        .map(|name| (strsim::jaro_winkler(wanted, name), name))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}
