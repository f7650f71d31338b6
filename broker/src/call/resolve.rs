//! Station: which tool of which server is meant.

use std::sync::Arc;

use super::{Fault, Kind, Request, enable};
use crate::broker::Inner;
use crate::catalogue::{Catalogue, Usable};
use crate::server::{ConnectError, Server};
use crate::transport::Method;

/// Names less alike than this (Jaro-Winkler) are no help as a suggestion.
const ALIKE: f64 = 0.8;

/// A tool that exists.
pub(super) struct Target {
    pub(super) tool: Arc<Usable>,
    pub(super) server: Arc<Server>,
    pub(super) method: Method,
}

/// Finds the tool by its exact names. A server of which it is not known what it has is reached
/// first.
pub(super) async fn resolve(broker: &Inner, request: &Request) -> Result<Target, Fault> {
    let (method, server, tool) = (request.method, request.server.as_str(), request.tool.as_str());
    let Some(found) = broker.servers.get(server) else {
        let hint = nearest(server, broker.servers.keys().map(String::as_str));
        return Err(unavailable(format!("there is no server `{server}`{hint}")));
    };
    if request.enables {
        return enable::target(found);
    }
    if !found.is_wanted() {
        return Err(not_there(server, &ConnectError::Off));
    }
    if method != Method::CallTool {
        let tool = found.stand_ins.of(server, method)?;
        return Ok(Target { tool, server: Arc::clone(found), method });
    }
    let known = |catalogue: &Catalogue| {
        let tool = Arc::clone(catalogue.usable(server, tool)?);
        Some(Target { tool, server: Arc::clone(found), method })
    };
    if let Some(target) = known(&broker.hub.catalogue.current()) {
        return Ok(target);
    }
    let most = broker.hub.limits.tool_timeout;
    match tokio::time::timeout(most, found.reach()).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => return Err(not_there(server, &error)),
        Err(_) => return Err(not_there(server, &"it is still being reached")),
    }
    let catalogue = broker.hub.catalogue.current();
    if let Some(target) = known(&catalogue) {
        return Ok(target);
    }
    let named = |name: &Option<String>| name.as_deref() == Some(tool);
    let mut rejected = catalogue.rejected().iter();
    if let Some(bad) = rejected.find(|bad| bad.server == server && named(&bad.name)) {
        return Err(unavailable(format!("the tool `{tool}` cannot be called: {}", bad.reason)));
    }
    let tools = catalogue.tools().filter(|other| other.server == server);
    let hint = nearest(tool, tools.map(|other| other.name.as_str()));
    Err(unavailable(format!("the server `{server}` has no tool `{tool}`{hint}")))
}

/// The server cannot be used now.
pub(super) fn not_there(server: &str, why: &dyn std::fmt::Display) -> Fault {
    unavailable(format!("the server `{server}` is not available: {why}"))
}

fn unavailable(message: String) -> Fault {
    Fault::new(Kind::Unavailable, message)
}

fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    names
        .map(|name| (strsim::jaro_winkler(wanted, name), name))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}
