//! The connections of a server, one after the other.
//!
//! A server is reached when it is first needed, and again when it is needed after its connection
//! broke or it could not be reached, with growing pauses. However many calls want it at once, it is
//! reached once for all of them. A call is never sent a second time because of that: whatever was
//! under way when a connection broke has failed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tracing::Instrument;

use super::backoff::Backoff;
use super::{ConnectError, Era, Server, ServerState, ServerStatus};
use crate::catalogue::Listing;
use crate::events::Event;
use crate::transport::{Connection, NoConnection};

/// A pause that is nearly over is waited for, by a call that has the time.
const WORTH_WAITING: Duration = Duration::from_secs(1);

/// Where a server is in its life.
#[derive(Default)]
pub(crate) struct Life {
    state: Mutex<State>,
    /// Held while the tools are listed again: of two lists the later one must be the one that stays.
    pub(super) listing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    link: Link,
    backoff: Backoff,
    /// Counts connections, so that a late word about one does not harm the next.
    generation: u64,
    /// What the server turned out to be, so that it need not be asked again.
    era: Option<Era>,
    tools: usize,
    /// Until when the server promised that its list stays as it is.
    fresh_until: Option<Instant>,
}

#[derive(Default)]
enum Link {
    #[default]
    Idle,
    Connecting {
        attempt: Attempt,
        abort: AbortHandle,
    },
    Up {
        connection: Arc<dyn Connection>,
        since: Instant,
    },
    Down {
        error: ConnectError,
        stderr: Option<String>,
        until: Instant,
    },
    ShutDown,
}

/// An attempt to reach the server, for all who wait for it.
type Attempt = Shared<BoxFuture<'static, ()>>;

/// A connection, and which of the server's it is.
#[derive(Clone)]
pub(crate) struct Reached {
    pub(crate) connection: Arc<dyn Connection>,
    generation: u64,
}

impl State {
    /// The connection that is up, with its number.
    fn reached(&self, connection: &Arc<dyn Connection>) -> Reached {
        Reached { connection: Arc::clone(connection), generation: self.generation }
    }

    /// Takes the connection out, so that there is none until the next attempt.
    fn unlink(&mut self) -> Link {
        match self.link {
            Link::ShutDown => Link::Idle,
            _ => std::mem::take(&mut self.link),
        }
    }

    /// What the host is told of it.
    fn told(&self) -> ServerState {
        match &self.link {
            Link::Idle => ServerState::Idle,
            Link::Connecting { .. } => ServerState::Connecting,
            Link::Up { connection, .. } => {
                let peer = connection.peer().clone();
                ServerState::Ready {
                    tools: self.tools,
                    era: peer.era,
                    revision: peer.revision,
                    calls_itself: peer.calls_itself,
                }
            }
            Link::Down { error, .. } => ServerState::Failed { error: error.clone() },
            Link::ShutDown => ServerState::Failed { error: ConnectError::ShutDown },
        }
    }
}

impl Life {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this is still the connection, or was the last.
    pub(super) fn is_latest(&self, reached: &Reached) -> bool {
        self.lock().generation == reached.generation
    }

    /// Whether the list is older than the server promised. Says so once.
    pub(super) fn is_list_due(&self) -> bool {
        let mut state = self.lock();
        let is_over = state.fresh_until.is_some_and(|until| until <= Instant::now());
        if is_over {
            state.fresh_until = None;
        }
        is_over && matches!(state.link, Link::Up { .. })
    }

    /// Takes note of a list.
    pub(super) fn note_list(&self, tools: usize, fresh_for: Option<Duration>) {
        let mut state = self.lock();
        state.tools = tools;
        state.fresh_until = fresh_for.map(|time| Instant::now() + time);
    }
}

impl Server {
    /// The connection, made if need be.
    ///
    /// # Errors
    /// Why there is none. It is tried again with the next call, unless that comes too soon.
    pub(crate) async fn reach(self: &Arc<Self>) -> Result<Reached, ConnectError> {
        loop {
            let wait = match self.look() {
                Look::Up(reached) => return Ok(reached),
                Look::Wait(attempt) => attempt,
                Look::Down { error, pause } if pause > WORTH_WAITING => return Err(error),
                Look::Down { pause, .. } => {
                    tokio::time::sleep(pause).await;
                    continue;
                }
                Look::Off => return Err(ConnectError::Off),
                Look::ShutDown => return Err(ConnectError::ShutDown),
            };
            wait.await;
            match &self.life.lock().link {
                Link::Down { error, .. } => return Err(error.clone()),
                _ => continue,
            }
        }
    }

    /// What there is; starts an attempt where one is due.
    fn look(self: &Arc<Self>) -> Look {
        let mut state = self.life.lock();
        // Under the lock, and each time anew: whoever lets go of the server takes the lock after that,
        // and finds what was begun before.
        if !self.is_wanted() {
            return Look::Off;
        }
        match &state.link {
            Link::Up { connection, .. } => return Look::Up(state.reached(connection)),
            Link::Connecting { attempt, .. } => return Look::Wait(attempt.clone()),
            Link::ShutDown => return Look::ShutDown,
            Link::Down { error, until, .. } => {
                let pause = until.saturating_duration_since(Instant::now());
                if !pause.is_zero() {
                    return Look::Down { error: error.clone(), pause };
                }
            }
            Link::Idle => {}
        }
        // In a task of its own, so that it goes on when the call that wanted it is given up.
        let server = Arc::clone(self);
        let span = tracing::info_span!("connect", server = %self.name);
        let task = self.hub.runtime.spawn(async move { server.attempt().await }.instrument(span));
        let (server, abort) = (Arc::downgrade(self), task.abort_handle());
        let attempt = async move {
            if task.await.is_err()
                && let Some(server) = server.upgrade()
            {
                let problem = "the attempt to reach it was broken off".to_owned();
                server.fail(ConnectError::NotMcp { problem }.into());
            }
        };
        let attempt = attempt.boxed().shared();
        state.link = Link::Connecting { attempt: attempt.clone(), abort };
        Look::Wait(attempt)
    }

    async fn attempt(self: Arc<Self>) {
        let began = Instant::now();
        self.hub.events.on_event(&Event::ServerConnecting { server: self.name.clone() });
        let era = self.life.lock().era;
        match self.connect(era).await {
            Ok((connection, listing)) => self.arrive(connection, listing, began).await,
            Err(failure) => self.fail(failure),
        }
    }

    async fn arrive(
        self: &Arc<Self>,
        connection: Arc<dyn Connection>,
        listing: Listing,
        began: Instant,
    ) {
        let heard = connection.heard();
        let is_first = self.life.lock().generation == 0;
        // The tools come before the connection: who sees the latter finds the former.
        let tools = self.take_listing(listing, !is_first);
        let arrived = {
            let mut state = self.life.lock();
            match state.link {
                Link::Connecting { .. } => {
                    state.era = Some(connection.peer().era);
                    state.link = Link::Up { connection, since: Instant::now() };
                    state.generation += 1;
                    Ok(state.generation)
                }
                _ => Err(connection),
            }
        };
        match arrived {
            Ok(generation) => {
                let server = self.name.clone();
                let duration = began.elapsed();
                self.hub.events.on_event(&Event::ServerConnected { server, tools, duration });
                self.watch_idleness(generation);
                if let Some(heard) = heard {
                    let watch = super::watch::watch(Arc::downgrade(self), generation, heard);
                    self.hub.runtime.spawn(watch);
                }
            }
            // Nobody wants it any more.
            Err(connection) => {
                if !self.is_wanted() {
                    self.forget_tools();
                }
                connection.close().await;
            }
        }
    }

    fn fail(&self, failure: NoConnection) {
        let NoConnection { error, stderr } = failure;
        {
            let mut state = self.life.lock();
            if !matches!(state.link, Link::Connecting { .. }) {
                return;
            }
            let until = Instant::now() + state.backoff.failed();
            state.era = None;
            state.link = Link::Down { error: error.clone(), stderr, until };
        }
        let server = self.name.clone();
        self.hub.events.on_event(&Event::ServerFailed { server, error });
    }

    /// Takes note that a connection is of no more use. `is_another` if something else may be there
    /// by now than was before.
    pub(crate) fn lose(&self, generation: u64, how: String, is_another: bool) {
        let (error, old) = {
            let mut state = self.life.lock();
            let Link::Up { connection, since } = &state.link else { return };
            if state.generation != generation {
                return;
            }
            let (connection, lasted) = (Arc::clone(connection), since.elapsed());
            let until = Instant::now() + state.backoff.broke(lasted);
            if is_another {
                state.era = None;
            }
            let error = ConnectError::Lost { how };
            let stderr = connection.stderr();
            state.link = Link::Down { error: error.clone(), stderr, until };
            (error, connection)
        };
        // Not closed: another call may have an answer on its way. It ends with the last of them.
        drop(old);
        let server = self.name.clone();
        self.hub.events.on_event(&Event::ServerFailed { server, error });
    }

    /// Takes note that a connection has ended by itself.
    pub(super) async fn bury(&self, generation: u64) {
        if let Some(reached) = self.connection()
            && reached.generation == generation
        {
            self.lose(generation, reached.connection.epitaph().await, false);
        }
    }

    /// The connection, if there is one.
    pub(super) fn connection(&self) -> Option<Reached> {
        let state = self.life.lock();
        let Link::Up { connection, .. } = &state.link else { return None };
        Some(state.reached(connection))
    }

    pub(crate) fn status(&self) -> ServerStatus {
        let state = self.life.lock();
        let stderr = match &state.link {
            Link::Up { connection, .. } => connection.stderr(),
            Link::Down { stderr, .. } => stderr.clone(),
            Link::Idle | Link::Connecting { .. } | Link::ShutDown => None,
        };
        drop(state);
        let (name, description) = (self.name.clone(), self.description.clone());
        let (on_demand, enabled) = (self.demand.on_demand(), self.demand.is_enabled());
        ServerStatus { name, description, on_demand, enabled, state: self.state(), stderr }
    }

    /// The status without what the server wrote, which takes some work.
    pub(crate) fn state(&self) -> ServerState {
        if self.is_wanted() { self.life.lock().told() } else { ServerState::Off }
    }

    /// Ends the connection until the server is needed again.
    pub(super) async fn disconnect(&self) {
        let link = self.life.lock().unlink();
        self.end(link).await;
    }

    /// Ends the connection and forgets the tools, if nobody wants the server.
    pub(super) async fn leave(&self) {
        let link = {
            let mut state = self.life.lock();
            if self.is_wanted() {
                return;
            }
            state.unlink()
        };
        // Before the connection has ended: by then the server may have been reached again.
        self.forget_tools();
        self.end(link).await;
    }

    /// Ends the connection for good.
    pub(crate) async fn shut_down(&self) {
        let link = std::mem::replace(&mut self.life.lock().link, Link::ShutDown);
        self.end(link).await;
    }

    async fn end(&self, link: Link) {
        match link {
            Link::Up { connection, .. } => connection.close().await,
            // What was started for it ends with it.
            Link::Connecting { attempt, abort } => {
                abort.abort();
                attempt.await;
            }
            _ => {}
        }
    }
}

impl Reached {
    /// Which of the server's connections this is.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }
}

enum Look {
    Up(Reached),
    Wait(Attempt),
    Down { error: ConnectError, pause: Duration },
    Off,
    ShutDown,
}
