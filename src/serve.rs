//! Cofferdam as an MCP server: any MCP host gets code mode over the servers of a [`Sandbox`].
//!
//! A [`Server`] has a few tools that never change: find tools, read their types, run a script, call
//! one tool, go on with a long run; and, if there are servers on demand, find and enable those. It
//! speaks both eras of MCP, over [`stdio`](Server::stdio) for one client and over
//! [HTTP](Server::listen) for many.
//!
//! | file | what it is |
//! |---|---|
//! | `handler`, `arguments`, `job` | the tools of the protocol, and what each of them does |
//! | `tools`, `instructions.md` | what a model reads of us |
//! | `search` | the catalogue, looked through |
//! | `demand`, `session` | servers that are off until a client wants them, and no longer than it is there |
//! | `live`, `questions`, `past` | a run that goes on, whoever listens: what it asks, what it has done |
//! | `follow`, `rounds` | one request that listens to a run, and puts its questions to the client; one that brings answers |
//! | `answer` | what a request is answered |
//! | `runs`, `client` | all runs, and whose they are |
//! | `seal` | what a client keeps for us while it answers |
//! | `http`, `metrics` | many clients at once |
//! | `doors`, `access`, `issuer` | which of them get in: by tokens of ours, or of an authorization server |

mod access;
mod answer;
mod arguments;
mod client;
mod demand;
mod doors;
mod follow;
mod handler;
mod http;
mod issuer;
mod job;
mod live;
mod metrics;
mod options;
mod past;
mod questions;
mod rounds;
mod runs;
mod seal;
mod search;
mod session;
mod tools;

use crate::Sandbox;
use broker::{Elicitation, Elicitor, Reply};
use rmcp::{ServiceExt, model::Tool};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

pub use access::{Resource, ResourceError};
pub use http::{Http, HttpError, Listening, Token};
pub use options::Options;

/// An MCP server over a sandbox. Cheap to clone; all clones are the same server.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

/// Why serving has ended other than in good order.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The client on standard input does not speak MCP.
    #[error("the client cannot be served: {0}")]
    Client(String),
}

/// What all requests share.
struct Shared {
    sandbox: Sandbox,
    options: Options,
    runs: runs::Runs,
    clients: client::Clients,
    /// The servers on demand, if there are any.
    demand: Option<demand::Demand>,
    /// What every client gets listed.
    tools: Vec<Tool>,
    seal: seal::Seal,
    metrics: metrics::Metrics,
    /// Cancelled when no new runs are begun any more.
    draining: CancellationToken,
}

/// How long the answers to runs that have ended may take on their way out.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// Between having an answer and having written it.
const SLACK: Duration = Duration::from_millis(100);

impl Server {
    /// A server for this sandbox. The sandbox should have been built with [`asking`] as its elicitor,
    /// or servers are told that nobody can be asked. Must be called on a tokio runtime.
    pub fn new(sandbox: Sandbox, options: Options) -> Self {
        let demand = demand::Demand::of(&sandbox);
        let shared = Arc::new(Shared {
            runs: runs::Runs::new(&options),
            clients: client::Clients::new(&options),
            tools: tools::all(demand.is_some()),
            demand,
            seal: seal::Seal::new(options.state_key.as_deref()),
            metrics: metrics::Metrics::default(),
            draining: CancellationToken::new(),
            sandbox,
            options,
        });
        runs::sweep(Arc::downgrade(&shared));
        Self { shared }
    }

    /// Serves one client over standard input and output, until it closes them.
    ///
    /// # Errors
    /// [`Error::Client`] if what comes in is not MCP.
    pub async fn stdio(&self) -> Result<(), Error> {
        let handler = handler::Handler::new(Arc::clone(&self.shared), handler::Carrier::Stdio);
        let served = handler.serve(rmcp::transport::stdio()).await;
        let served = match served {
            Ok(service) => service.waiting().await.map(|_| ()).map_err(|error| error.to_string()),
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        };
        // Nobody is left to read what comes of them.
        self.shared.runs.cancel_all();
        self.shared.runs.all_ended().await;
        served.map_err(Error::Client)
    }

    /// Listens for many clients over streamable HTTP; [`Listening::serve`] serves them.
    ///
    /// # Errors
    /// See [`HttpError`].
    pub async fn listen(&self, http: Http) -> Result<Listening, HttpError> {
        http::listen(Arc::clone(&self.shared), http).await
    }

    /// Ends in good order: no new runs are begun, those under way come to their end, or are cancelled
    /// when [`Options::drain`] is over.
    pub async fn drain(&self) {
        self.shared.draining.cancel();
        let runs = &self.shared.runs;
        if tokio::time::timeout(self.shared.options.drain, runs.all_ended()).await.is_err() {
            runs.cancel_all();
            runs.all_ended().await;
        }
        let _ = tokio::time::timeout(LAST_ANSWERS, runs.all_answered()).await;
        tokio::time::sleep(SLACK).await;
        self.shared.runs.close();
    }
}

/// The elicitor for a sandbox that is served: servers learn that somebody can be asked, and each
/// question goes to the client whose run it is about.
pub fn asking() -> Arc<dyn Elicitor> {
    Arc::new(Nobody)
}

/// Answers questions that belong to no client: not at all.
struct Nobody;

#[async_trait::async_trait]
impl Elicitor for Nobody {
    async fn elicit(&self, _: &Elicitation) -> Reply {
        Reply::Cancel
    }
}
