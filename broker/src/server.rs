//! One server: reached or not, and how busy it is.

mod connect;
mod error;

use std::sync::Arc;

use tokio::sync::Semaphore;

pub(crate) use connect::{Connected, Source, connect};
pub use error::ConnectError;

use crate::transport::Connection;

/// What has become of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerStatus {
    /// Its name in the configuration.
    pub name: String,
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
    /// It can.
    #[non_exhaustive]
    Ready {
        /// How many usable tools it had when it was reached.
        tools: usize,
        /// Which handshake it understands.
        era: Era,
        /// The revision of the protocol in use, for example `2026-07-28`.
        revision: String,
        /// How it calls itself: to show, never to trust.
        calls_itself: Option<String>,
    },
    /// It cannot; its tools do not exist.
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

/// A server of the configuration.
pub(crate) struct Server {
    pub(crate) name: String,
    pub(crate) trusted: bool,
    pub(crate) link: Link,
    /// One permit per call that may be in flight.
    pub(crate) turns: Arc<Semaphore>,
    tools: usize,
}

/// The connection of a server, or why there is none.
pub(crate) enum Link {
    Up(Arc<dyn Connection>),
    Down(ConnectError),
}

impl Server {
    pub(crate) fn status(&self) -> ServerStatus {
        let (state, stderr) = match &self.link {
            Link::Up(connection) => {
                let peer = connection.peer().clone();
                let state = ServerState::Ready {
                    tools: self.tools,
                    era: peer.era,
                    revision: peer.revision,
                    calls_itself: peer.calls_itself,
                };
                (state, connection.stderr())
            }
            Link::Down(error) => (ServerState::Failed { error: error.clone() }, None),
        };
        ServerStatus { name: self.name.clone(), state, stderr }
    }
}
