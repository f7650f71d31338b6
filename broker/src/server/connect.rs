//! From a configuration to a server with its tools.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

use super::{ConnectError, Link, Server};
use crate::catalogue::{Rejected, Usable, list};
use crate::config::{ServerConfig, Settings};
use crate::events::{Event, Events};
use crate::limits::CallLimits;
use crate::transport::local::{Local, LocalTool};
use crate::transport::{Connection, Discreet, http, stdio};

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

async fn reach(name: &str, source: Source, limits: &CallLimits) -> Result<Reached, ConnectError> {
    let config = match source {
        Source::Local(tools) => return listed(name, Arc::new(Local::new(tools))).await,
        Source::Remote(config) => config,
    };
    let (time, bytes) = (config.connect_timeout, limits.result_bytes);
    let (settings, secrets) = config.transport.fetch().await?;
    let reached = reach_remote(name, settings, &secrets, time, bytes).await;
    reached.map_err(|error| error.without(&secrets))
}

async fn reach_remote(
    name: &str,
    settings: Settings,
    secrets: &[Secret],
    time: Duration,
    bytes: usize,
) -> Result<Reached, ConnectError> {
    let deadline = Instant::now() + time;
    let connection = match settings {
        Settings::Stdio(program) => stdio::connect(program, time, bytes).await?,
        Settings::Http { url, headers } => http::connect(&url, &headers, time, bytes).await?,
    };
    let connection = Discreet::wrap(connection, secrets.to_vec());
    match timeout_at(deadline, listed(name, Arc::clone(&connection))).await {
        Ok(Ok(reached)) => Ok(reached),
        Ok(Err(error)) => {
            connection.close().await;
            Err(error)
        }
        Err(_) => {
            let stderr = connection.stderr().unwrap_or_default();
            connection.close().await;
            Err(ConnectError::Timeout { after: time, stderr })
        }
    }
}

async fn listed(name: &str, connection: Arc<dyn Connection>) -> Result<Reached, ConnectError> {
    let listing = list(name, connection.as_ref())
        .await
        .map_err(|error| ConnectError::Listing { problem: error.to_string() })?;
    Ok((connection, listing.tools, listing.rejected))
}
