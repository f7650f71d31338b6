//! The configuration file: the servers, and what scripts may do with them.
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "files": { "command": "mcp-server-filesystem", "args": ["/srv"] },
//!     "tickets": { "type": "http", "url": "https://tickets.example/mcp",
//!                  "headers": { "Authorization": "Bearer ${env:TICKETS_TOKEN}" } }
//!   },
//!   "policy": [{ "tools": "files/read_*", "action": "allow" }],
//!   "limits": { "wall": "2m", "heap_bytes": "256MiB" },
//!   "sandbox": { "strict": true },
//!   "trust": ["files"]
//! }
//! ```
//!
//! `mcpServers` is the map that other MCP hosts read as well. Values that must not be in the file are
//! named in it: `${env:NAME}`, `${file:PATH}`, `${command:PROGRAM …}`, `${keychain:SERVICE/ACCOUNT}`;
//! all but the first are fetched when their server is reached, and not before. Comments and a comma after the last
//! member are fine. Whatever is not understood is an error that says where it is and what to write
//! instead: a misspelt rule of a policy must not be passed over. Errors never repeat a value of
//! the servers' part, since it may be a credential.

mod error;
mod json;
mod members;
mod variables;
mod quantity;
mod server;
mod share;
mod audit;
mod policy;
mod flow;
mod reviewers;
mod limits;
mod sandbox;

use crate::{Builder, Sandbox};
use broker::{Audit, DataFlow, Policy, ServerConfig, TokenStore};
use json::{Node, Value};
use members::Members;
use runtime::Limits;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use error::Fault;
pub use error::{Error, Problem};
use limits::OfBroker;
pub use quantity::{QuantityError, parse_duration, parse_size};
pub use reviewers::Reviewers;
pub use sandbox::SandboxConfig;
use variables::Surroundings;

/// The file that is looked for in the working directory.
const LOCAL_FILE: &str = ".mcp.json";
/// The file that is looked for in this program's folder of the user's configuration directory.
const USER_FILE: &str = "config.json";

/// What a configuration file says.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// The file.
    pub path: PathBuf,
    /// How to reach each server, by name.
    pub servers: BTreeMap<String, ServerConfig>,
    /// Which calls may be made.
    pub policy: Policy,
    /// What may flow from one server to another.
    pub data_flow: DataFlow,
    /// Who looks at arguments and results.
    pub reviewers: Reviewers,
    /// The bounds of each run.
    pub limits: Limits,
    /// What scripts run in.
    pub sandbox: SandboxConfig,
    /// The longest that a call may take whatever progress its server reports, if it is said.
    pub tool_timeout_max: Option<Duration>,
    /// How long a call waits for an answer, if it is said.
    pub approval_wait: Option<Duration>,
    /// How many calls of a run may be denied, if it is said.
    pub denials: Option<u32>,
    /// Where everything that runs do is written down, if anywhere.
    pub audit: Option<Audit>,
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn load(path: impl Into<PathBuf>) -> Result<Self, Error> {
        let path = path.into();
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(source) => return Err(Error::Unreadable { path, source }),
        };
        Self::parse(path, &bytes, &|name| std::env::var_os(name))
    }

    /// Reads the file that is named, or else `.mcp.json` in the working directory, or else
    /// `cofferdam/config.json` in the user's configuration directory.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn find(explicit: Option<&Path>) -> Result<Self, Error> {
        if let Some(path) = explicit {
            return Self::load(path);
        }
        let local = [PathBuf::from(LOCAL_FILE)];
        let places: Vec<PathBuf> = local.into_iter().chain(user_file()).collect();
        // A file that is there and cannot be read is an error, not a reason to take another one.
        let there = |path: &&PathBuf| path.try_exists().unwrap_or(true);
        match places.iter().find(there) {
            Some(path) => Self::load(path),
            None => Err(Error::NotFound { places }),
        }
    }

    /// The same with servers that are all reached at once, also the lazy ones and those on demand.
    #[must_use]
    pub fn eager(mut self) -> Self {
        for server in self.servers.values_mut() {
            (server.lazy, server.on_demand) = (false, false);
        }
        self
    }

    /// A sandbox of these servers, this policy and these limits.
    pub fn builder(self) -> Builder {
        let builder = Sandbox::builder().policy(self.policy).limits(self.limits);
        let builder = self.sandbox.over(builder);
        let builder = builder.data_flow(self.data_flow);
        let builder = self.reviewers.0.into_iter().fold(builder, Builder::reviewer);
        let builder = tokens().into_iter().fold(builder, Builder::tokens);
        let builder = self.audit.into_iter().fold(builder, Builder::audit);
        let builder = self.tool_timeout_max.into_iter().fold(builder, Builder::tool_timeout_max);
        let builder = self.approval_wait.into_iter().fold(builder, Builder::approval_wait);
        let builder = self.denials.into_iter().fold(builder, Builder::denials);
        self.servers
            .into_iter()
            .fold(builder, |builder, (name, config)| builder.server(name, config))
    }

    fn parse(
        path: PathBuf,
        bytes: &[u8],
        variable: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, Error> {
        let surroundings = Surroundings { file: &path, variable };
        let read = json::parse(bytes).and_then(|root| Self::read(&root, &surroundings));
        read.map_err(|Fault { at, problem }| {
            let problem = Box::new(problem);
            Error::Invalid { path: path.clone(), line: at.line, column: at.column, problem }
        })
    }

    fn read(root: &Node, surroundings: &Surroundings<'_>) -> Result<Self, Fault> {
        let keys = [
            "mcpServers",
            "policy",
            "dataFlow",
            "reviewers",
            "limits",
            "sandbox",
            "trust",
            "audit",
        ];
        let root = Members::of(root, "the configuration", &keys)?;
        let servers = servers(&root, surroundings)?;
        let marked = match root.get("mcpServers") {
            Some(node) => node.object("`mcpServers`")?,
            None => &[],
        };
        let limits_node = root.get("limits");
        let OfBroker { tool_timeout_max, approval_wait, denials } =
            limits_node.map(limits::of_broker).transpose()?.unwrap_or_default();
        Ok(Self {
            path: surroundings.file.to_owned(),
            servers,
            policy: root.get("policy").map(policy::read).transpose()?.unwrap_or_default(),
            data_flow: flow::read(root.get("dataFlow"), marked)?,
            reviewers: root.get("reviewers").map(reviewers::read).transpose()?.unwrap_or_default(),
            limits: limits_node.map(limits::read).transpose()?.unwrap_or_default(),
            sandbox: root.get("sandbox").map(sandbox::read).transpose()?.unwrap_or_default(),
            tool_timeout_max,
            approval_wait,
            denials,
            audit: root.get("audit").map(|node| audit::read(node, surroundings)).transpose()?,
        })
    }
}

/// The file of the user: `cofferdam/config.json` in the user's configuration directory, if this
/// system has one.
pub fn user_file() -> Option<PathBuf> {
    let directories = directories::ProjectDirs::from("", "", "cofferdam")?;
    Some(directories.config_dir().join(USER_FILE))
}

/// Where logins of the user are kept: `cofferdam/logins` in the user's data directory.
pub fn tokens() -> Option<TokenStore> {
    let directories = directories::ProjectDirs::from("", "", "cofferdam")?;
    Some(TokenStore::new(directories.data_dir().join("logins")))
}

/// The servers, each with whether it is trusted.
fn servers(
    root: &Members<'_>,
    surroundings: &Surroundings<'_>,
) -> Result<BTreeMap<String, ServerConfig>, Fault> {
    let mut servers = BTreeMap::new();
    if let Some(node) = root.get("mcpServers") {
        for member in node.object("`mcpServers`")? {
            let config = server::read(member, surroundings)?;
            if servers.insert(member.key.clone(), config).is_some() {
                let key = member.key.clone();
                let what = "`mcpServers`".to_owned();
                return Err(member.at.fault(Problem::DuplicateKey { key, what }));
            }
        }
    }
    if let Some(node) = root.get("trust") {
        for name in node.list("`trust`", "a list of server names")? {
            let name_text = name.string("a name in `trust`")?;
            let Some(server) = servers.get_mut(name_text) else {
                return Err(name.at.fault(Problem::UnknownServer {
                    name: name_text.to_owned(),
                    nearest: crate::nearest::nearest(name_text, servers.keys().map(String::as_str))
                        .map(str::to_owned),
                }));
            };
            server.trusted = true;
        }
    }
    Ok(servers)
}

#[cfg(test)]
mod tests;
