//! From a configuration to a server with its tools.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Semaphore;
use tracing::Instrument;

use super::{ConnectError, Link, Server};
use crate::catalogue::{ListingError, Rejected, Usable, list};
use crate::config::ServerConfig;
use crate::events::{Event, Events};
use crate::limits::CallLimits;
use crate::secret::redact;
use crate::transport::local::{Local, LocalTool};
use crate::transport::{Connection, SendError};

/// Where the tools of a server come from.
pub(crate) enum Source {
    Remote(ServerConfig),
    Local(Vec<LocalTool>),
}

/// A server, reached or not, and what it offers.
pub(crate) struct Connected {
    pub(crate) server: Server,
    pub(crate) tools: Vec<Usable>,
    pub(crate) rejected: Vec<Rejected>,
}

/// Reaches one server. That this fails is data: other servers are not affected.
pub(crate) async fn connect(
    name: String,
    source: Source,
    limits: &CallLimits,
    events: &dyn Events,
) -> Connected {
    let began = Instant::now();
    events.on_event(&Event::ServerConnecting { server: name.clone() });
    let trusted = match &source {
        Source::Remote(config) => config.trusted,
        // Tools of the host are as trustworthy as the host.
        Source::Local(_) => true,
    };
    let span = tracing::info_span!("connect", server = %name);
    let reached = reach(&name, source, limits).instrument(span).await;
    let (link, tools, rejected) = match reached {
        Ok((connection, tools, rejected)) => {
            events.on_event(&Event::ServerConnected {
                server: name.clone(),
                tools: tools.len(),
                duration: began.elapsed(),
            });
            (Link::Up(connection), tools, rejected)
        }
        Err(error) => {
            events.on_event(&Event::ServerFailed { server: name.clone(), error: error.clone() });
            (Link::Down(error), Vec::new(), Vec::new())
        }
    };
    let turns = Arc::new(Semaphore::new(limits.server_calls.min(Semaphore::MAX_PERMITS)));
    let server = Server { name, trusted, link, turns, tools: tools.len() };
    Connected { server, tools, rejected }
}

type Reached = (Arc<dyn Connection>, Vec<Usable>, Vec<Rejected>);

async fn reach(name: &str, source: Source, _limits: &CallLimits) -> Result<Reached, ConnectError> {
    let connection: Arc<dyn Connection> = match source {
        Source::Local(tools) => Arc::new(Local::new(tools)),
        Source::Remote(config) => {
            let problem = "not written yet".to_owned();
            let problem = redact(&problem, config.secrets());
            return Err(ConnectError::NotMcp { problem });
        }
    };
    let listing = list(name, connection.as_ref()).await.map_err(listing_failed)?;
    Ok((connection, listing.tools, listing.rejected))
}

fn listing_failed(error: ListingError) -> ConnectError {
    match error {
        // A server without tools may say that it does not know the method.
        ListingError::Send(SendError::Rpc { code, message }) => {
            ConnectError::Listing { problem: format!("{message} (error {code})") }
        }
        other => ConnectError::Listing { problem: other.to_string() },
    }
}
