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

use crate::catalogue::Digest;
use crate::oauth::OAuth;
use crate::secret::Secret;
use crate::server::ConnectError;

/// How long a server may take until its tools are listed, unless its configuration says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// One MCP server: where it is and how far it is trusted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Where the server is.
    pub transport: Transport,
    /// How to log in at a server that wants it (HTTP only).
    pub oauth: OAuth,
    /// Whether policy may believe what the server's tools say about themselves (`annotations`).
    /// Default: no.
    pub trusted: bool,
    /// Time from the start until the tools are listed. Default: 30 s.
    pub connect_timeout: Duration,
    /// Whether the server is left alone until somebody needs it: a call that names it, or
    /// [`Broker::reach`](crate::Broker::reach). Its tools are in the catalogue from then on.
    /// Default: no, it is reached when the broker is made.
    pub lazy: bool,
    /// Whether the server is there only while somebody wants it: it is not reached, and has no
    /// tools, until it is [enabled](crate::Broker::enable) or [held](crate::Broker::hold).
    /// Default: no.
    pub on_demand: bool,
    /// What the server is good for, on a line: for whoever chooses among those on demand.
    pub description: Option<String>,
    /// Time without a call after which the connection is ended; the next call makes another one.
    /// The tools stay in the catalogue. Default: none, it stays.
    pub idle: Option<Duration>,
    /// What all calls of the server may take together.
    pub allowance: Share,
    /// What the calls of one tool may take of that, by the tool's name at the server.
    pub tools: BTreeMap<String, Share>,
    /// Definitions that somebody has looked at and accepted, by the tool's name at the server. A
    /// tool whose definition is another one cannot be called until its pin is renewed; tools that
    /// are not here are not held to anything.
    pub pins: BTreeMap<String, Digest>,
}

/// How much of a server calls may take. What goes beyond waits its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Share {
    /// Calls that are in flight at the same time. Default: for a server
    /// [`CallLimits::server_calls`](crate::CallLimits::server_calls), for a tool whatever its
    /// server may have.
    pub calls: Option<usize>,
    /// How often a call may begin. Default: as often as others end.
    pub rate: Option<Rate>,
}

/// So many calls in so much time. After a pause all of them may begin at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How many. Zero counts as one.
    pub calls: u32,
    /// In how much time.
    pub per: Duration,
}

impl Share {
    /// Sets how many calls may be in flight.
    #[must_use]
    pub fn calls(mut self, calls: usize) -> Self {
        self.calls = Some(calls);
        self
    }

    /// Sets how often a call may begin.
    #[must_use]
    pub fn rate(mut self, calls: u32, per: Duration) -> Self {
        self.rate = Some(Rate { calls, per });
        self
    }
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
        Self {
            transport,
            oauth: OAuth::default(),
            trusted: false,
            connect_timeout: CONNECT_TIMEOUT,
            lazy: false,
            on_demand: false,
            description: None,
            idle: None,
            allowance: Share::default(),
            tools: BTreeMap::new(),
            pins: BTreeMap::new(),
        }
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

    /// Sets how to log in.
    #[must_use]
    pub fn oauth(mut self, oauth: OAuth) -> Self {
        self.oauth = oauth;
        self
    }

    /// Fetches what of the settings is kept elsewhere, and returns the URL. None for programs.
    ///
    /// # Errors
    /// [`ConnectError::Credential`].
    pub async fn url(&self) -> Result<Option<String>, ConnectError> {
        Ok(match self.transport.fetch().await?.0 {
            Settings::Http { url, .. } => Some(url),
            Settings::Stdio(_) => None,
        })
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

    /// Sets whether the server is left alone until somebody needs it.
    #[must_use]
    pub fn lazy(mut self, lazy: bool) -> Self {
        self.lazy = lazy;
        self
    }

    /// Sets whether the server is there only while somebody wants it.
    #[must_use]
    pub fn on_demand(mut self, on_demand: bool) -> Self {
        self.on_demand = on_demand;
        self
    }

    /// Sets what the server is good for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the time without a call after which the connection is ended.
    #[must_use]
    pub fn idle(mut self, idle: Duration) -> Self {
        self.idle = Some(idle);
        self
    }

    /// Sets what all calls of the server may take together.
    #[must_use]
    pub fn allowance(mut self, share: Share) -> Self {
        self.allowance = share;
        self
    }

    /// Sets what the calls of one tool may take.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, share: Share) -> Self {
        self.tools.insert(name.into(), share);
        self
    }

    /// Holds a tool to the definition with this digest.
    #[must_use]
    pub fn pin(mut self, tool: impl Into<String>, digest: Digest) -> Self {
        self.pins.insert(tool.into(), digest);
        self
    }
}
