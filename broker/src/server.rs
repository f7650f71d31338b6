//! One server: what it is to the broker from its first connection to its last.

mod backoff;
mod connect;
mod demand;
mod error;
mod follow;
mod life;
mod watch;

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::runtime::Handle;

pub(crate) use connect::Source;
pub use demand::Held;
pub(crate) use demand::{Demand, InUse};
pub use error::ConnectError;
pub(crate) use life::{Life, Reached};

use crate::call::StandIns;
use crate::catalogue::Store;
use crate::config::ServerConfig;
use crate::elicitation::Elicitor;
use crate::events::Events;
use crate::limits::CallLimits;
use crate::oauth::TokenStore;
use crate::secret::Credentials;
use crate::turns::{RunKey, Turn, Turns};

/// What has become of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerStatus {
    /// Its name in the configuration.
    pub name: String,
    /// What the configuration says it is good for.
    pub description: Option<String>,
    /// Whether it is [on demand](crate::ServerConfig::on_demand): off until somebody enables it.
    pub on_demand: bool,
    /// Whether it was enabled, by the host or by a call, and not disabled since. One that is on demand
    /// and not enabled may be there all the same, as long as something holds it.
    pub enabled: bool,
    /// Whether it can be used.
    pub state: ServerState,
    /// The last it wrote to its standard error; nothing for servers without one. Credentials of
    /// its configuration are replaced in it.
    pub stderr: Option<String>,
}

/// Whether a server can be used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerState {
    /// It is [on demand](crate::ServerConfig::on_demand), and nobody has enabled it.
    Off,
    /// It is [lazy](crate::ServerConfig::lazy), and nobody has needed it; or nobody has called it for
    /// its [idle time](crate::ServerConfig::idle). It is reached when it is needed.
    Idle,
    /// It is being reached.
    Connecting,
    /// It can.
    #[non_exhaustive]
    Ready {
        /// How many usable tools it has.
        tools: usize,
        /// Which handshake it understands.
        era: Era,
        /// The revision of the protocol in use, for example `2026-07-28`.
        revision: String,
        /// How it calls itself: to show, never to trust.
        calls_itself: Option<String>,
    },
    /// It cannot at the moment. It is tried again when one of its tools is next used. If it has been
    /// ready before, its tools are still in the catalogue.
    Failed {
        /// Why.
        error: ConnectError,
    },
}

/// The two kinds of MCP servers, and ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Era {
    /// Since 2026-07-28: no handshake, every request stands alone.
    Modern,
    /// Before: a session that begins with `initialize`.
    Legacy,
    /// Tools of the host, in memory.
    Local,
}

/// What all servers of a broker share.
pub(crate) struct Hub {
    pub(crate) catalogue: Store,
    pub(crate) limits: CallLimits,
    pub(crate) events: Arc<dyn Events>,
    pub(crate) runtime: Handle,
    /// Who is asked when a server wants to know something.
    pub(crate) elicitor: Option<Arc<dyn Elicitor>>,
    /// Where logins are kept.
    pub(crate) tokens: Option<TokenStore>,
    /// What nobody must get shown, of all servers.
    pub(crate) credentials: Credentials,
    /// Where everything is written down.
    pub(crate) audit: Option<Arc<crate::audit::Log>>,
}

/// A server of the configuration.
pub(crate) struct Server {
    pub(crate) name: String,
    pub(crate) trusted: bool,
    pub(crate) description: Option<String>,
    pub(crate) is_lazy: bool,
    pub(crate) life: Life,
    demand: Demand,
    pub(crate) stand_ins: StandIns,
    turns: Turns,
    tool_turns: BTreeMap<String, Turns>,
    pub(crate) hub: Arc<Hub>,
    source: Source,
}

impl Server {
    pub(crate) fn new(name: String, source: Source, hub: Arc<Hub>) -> Arc<Self> {
        let turns = |share, calls| Turns::new(share, calls, hub.runtime.clone());
        let (mut is_lazy, mut description) = (false, None);
        let mut demand = Demand::new(false, None);
        let (trusted, all, tools) = match &source {
            Source::Remote(config) => {
                let ServerConfig { trusted, allowance, tools, .. } = config.as_ref();
                is_lazy = config.lazy || config.on_demand;
                description.clone_from(&config.description);
                demand = Demand::new(config.on_demand, config.idle);
                let calls = hub.limits.server_calls;
                let tool = |(name, share): (&String, &_)| (name.clone(), turns(*share, calls));
                (*trusted, turns(*allowance, calls), tools.iter().map(tool).collect())
            }
            // Tools of the host are as trustworthy as the host.
            Source::Local(_) => {
                let all = turns(crate::Share::default(), hub.limits.server_calls);
                (true, all, BTreeMap::new())
            }
        };
        let (turns, tool_turns) = (all, tools);
        let (life, stand_ins) = (Life::default(), StandIns::default());
        Arc::new(Self {
            name,
            trusted,
            description,
            is_lazy,
            life,
            demand,
            stand_ins,
            turns,
            tool_turns,
            hub,
            source,
        })
    }

    /// Waits until the server, and the tool if it has a share of its own, may be called.
    pub(crate) async fn turn(&self, tool: &str, run: RunKey) -> Option<(Option<Turn>, Turn)> {
        // The tool's first: whoever waits for a scarce tool must not keep others from the server.
        let of_tool = match self.tool_turns.get(tool) {
            Some(turns) => Some(turns.take(run).await?),
            None => None,
        };
        Some((of_tool, self.turns.take(run).await?))
    }
}
