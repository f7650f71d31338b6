//! How to reach a server.
//!
//! These are the settings of one entry of `mcpServers` after the program has read them: plain data,
//! with every credential already a [`Secret`], or fetched when the server is reached ([`Deferred`]).

mod deferred;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

pub use deferred::Deferred;
pub(crate) use deferred::Settings;

use crate::secret::Secret;

/// How long a server may take until its tools are listed, unless its configuration says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// One MCP server: where it is and how far it is trusted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Where the server is.
    pub transport: Transport,
    /// Whether policy may believe what the server's tools say about themselves (`annotations`).
    /// Default: no.
    pub trusted: bool,
    /// Time from the start until the tools are listed. Default: 30 s.
    pub connect_timeout: Duration,
}

/// The two ways in which a server is reached.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Transport {
    /// A program that speaks MCP on its standard input and output.
    Stdio {
        /// The program, looked up in `PATH` if it has no slash.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Environment variables in addition to the few harmless ones that every server gets
        /// (`PATH`, `HOME`, `LANG` and the like); nothing else of our environment is passed on.
        env: BTreeMap<String, Secret>,
        /// Its working directory; ours if absent.
        cwd: Option<PathBuf>,
    },
    /// A streamable HTTP endpoint.
    Http {
        /// The endpoint.
        url: String,
        /// Headers of every request, for example `Authorization`.
        headers: BTreeMap<String, Secret>,
    },
    /// Either of them, with credentials that are fetched when the server is reached, each time.
    Deferred(Deferred),
}

impl ServerConfig {
    /// A server that is a program.
    pub fn stdio<S: Into<String>>(
        command: impl Into<String>,
        args: impl IntoIterator<Item = S>,
    ) -> Self {
        let args = args.into_iter().map(Into::into).collect();
        let env = BTreeMap::new();
        Self::new(Transport::Stdio { command: command.into(), args, env, cwd: None })
    }

    /// A server behind a URL.
    pub fn http(url: impl Into<String>) -> Self {
        Self::new(Transport::Http { url: url.into(), headers: BTreeMap::new() })
    }

    /// A server that is not trusted and has the default timeout.
    pub fn new(transport: Transport) -> Self {
        Self { transport, trusted: false, connect_timeout: CONNECT_TIMEOUT }
    }

    /// Adds an environment variable (stdio) or a header (HTTP).
    #[must_use]
    pub fn secret(mut self, name: impl Into<String>, value: impl Into<Secret>) -> Self {
        let secrets = match &mut self.transport {
            Transport::Stdio { env, .. } => env,
            Transport::Http { headers, .. } => headers,
            Transport::Deferred(deferred) => {
                deferred.insert(name.into(), &value.into());
                return self;
            }
        };
        secrets.insert(name.into(), value.into());
        self
    }

    /// Sets whether policy may believe the annotations of the server's tools.
    #[must_use]
    pub fn trusted(mut self, trusted: bool) -> Self {
        self.trusted = trusted;
        self
    }

    /// Sets the time from the start until the tools are listed.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }
}
