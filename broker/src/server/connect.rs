//! From a configuration to a connection and a list of tools.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::{ConnectError, Era, Server};
use crate::catalogue::{Listing, ListingError, Rules, list};
use crate::config::{ServerConfig, Settings};
use crate::secret::{Hidden, is_credential};
use crate::transport::local::{Local, LocalTool};
use crate::transport::{Client, Connection, Discreet, NoConnection, http, stdio};

/// Where the tools of a server come from.
pub(crate) enum Source {
    Remote(Box<ServerConfig>),
    Local(Vec<LocalTool>),
}

type Connected = (Arc<dyn Connection>, Listing);

impl Server {
    /// Reaches the server. `known` is what it turned out to be the last time.
    pub(super) async fn connect(&self, known: Option<Era>) -> Result<Connected, NoConnection> {
        let config = match &self.source {
            Source::Local(tools) => {
                let connection: Arc<dyn Connection> = Arc::new(Local::new(tools.clone()));
                return Ok(self.listed(connection).await?);
            }
            Source::Remote(config) => config,
        };
        let (settings, secrets) = config.transport.fetch().await?;
        // Of a program's environment only what looks like a credential: see `is_credential`.
        if let Settings::Stdio(program) = &settings {
            let env =
                program.env.iter().filter(|(name, value)| is_credential(name, value.expose()));
            let env = env.map(|(_, value)| value.clone()).chain(secrets.iter().cloned()).collect();
            self.hub.credentials.learn(&self.name, Hidden::new(env));
        }
        let secrets = Hidden::new(secrets);
        self.hub.credentials.learn(&self.name, secrets.clone());
        let connected = self.connect_remote(config, settings, &secrets, known).await;
        connected.map_err(|failure| failure.without(&secrets))
    }

    async fn connect_remote(
        &self,
        config: &ServerConfig,
        settings: Settings,
        secrets: &Hidden,
        known: Option<Era>,
    ) -> Result<Connected, NoConnection> {
        let (time, limits) = (config.connect_timeout, &self.hub.limits);
        let deadline = Instant::now() + time;
        let client = Client::new(self.hub.elicitor.clone());
        let connection = match settings {
            Settings::Stdio(program) => {
                stdio::connect(program, known, time, limits.result_bytes, &client).await?
            }
            Settings::Http { url, headers } => {
                let place = http::Place {
                    url: &url,
                    headers: &headers,
                    server: &self.name,
                    oauth: &config.oauth,
                    secrets,
                    tokens: self.hub.tokens.as_ref(),
                };
                http::connect(place, known, time, limits, &client).await?
            }
        };
        let connection = Discreet::wrap(connection, secrets.clone());
        let listed = timeout_at(deadline, self.listed(Arc::clone(&connection))).await;
        let error = match listed {
            Ok(Ok(connected)) => return Ok(connected),
            Ok(Err(error)) => error,
            Err(_) => {
                let stderr = connection.stderr().unwrap_or_default();
                ConnectError::Timeout { after: time, stderr }
            }
        };
        let stderr = connection.stderr();
        connection.close().await;
        Err(NoConnection { error, stderr })
    }

    async fn listed(&self, connection: Arc<dyn Connection>) -> Result<Connected, ConnectError> {
        let listing = self
            .list(connection.as_ref())
            .await
            .map_err(|error| ConnectError::Listing { problem: error.to_string() })?;
        Ok((connection, listing))
    }

    /// Asks for the tools.
    pub(super) async fn list(&self, connection: &dyn Connection) -> Result<Listing, ListingError> {
        let nothing = std::collections::BTreeMap::new();
        let known = self.hub.catalogue.current();
        let rules = Rules {
            server: &self.name,
            pins: match &self.source {
                Source::Remote(config) => &config.pins,
                Source::Local(_) => &nothing,
            },
            headers: connection.peer().param_headers,
            known: &known,
        };
        list(&rules, connection).await
    }

    /// Time in which a list must be there.
    pub(super) fn connect_timeout(&self) -> Duration {
        match &self.source {
            Source::Remote(config) => config.connect_timeout,
            Source::Local(_) => Duration::from_secs(30),
        }
    }
}
