//! What an agent host needs of a sandbox, turn by turn: what the model reads, how it finds tools, and
//! the runs of its scripts.

use crate::{
    Report,
    detail::{self, Detail},
    prompt::{Page, Prompt, Window},
    sandbox::{Builder, Error, Sandbox, Script},
};
use broker::{Event, Events};
use discovery::Query;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast;

/// Events that wait for a slow listener; beyond these it misses the oldest.
const EVENTS: usize = 1024;

/// A conversation of an agent host with a model that writes scripts.
///
/// [`Session::prompt`] goes into the system prompt; what the model asks for next is answered by
/// [`Session::search`], [`Session::describe`] and [`Session::run`]. Searches can as well be made by
/// the scripts themselves. Many sessions can share a [`Sandbox`].
pub struct Session {
    sandbox: Sandbox,
    page: Mutex<Page>,
    events: Option<broadcast::Sender<Event>>,
}

/// Passes events on to whoever listens.
struct Passing(broadcast::Sender<Event>);

impl Events for Passing {
    fn on_event(&self, event: &Event) {
        // Nobody may be listening.
        let _ = self.0.send(event.clone());
    }
}

impl Session {
    /// Builds a sandbox for one session, whose [`Session::events`] take the place of
    /// [`Builder::events`].
    ///
    /// # Errors
    /// See [`Builder::build`].
    pub async fn start(builder: Builder) -> Result<Self, Error> {
        let (events, _) = broadcast::channel(EVENTS);
        let sandbox = builder.events(Arc::new(Passing(events.clone()))).build().await?;
        Ok(Self { events: Some(events), ..Self::of(sandbox) })
    }

    /// A session over a sandbox that others use as well. It has no events of its own: those of a
    /// sandbox go where its builder sent them.
    pub fn of(sandbox: Sandbox) -> Self {
        Self { sandbox, page: Mutex::default(), events: None }
    }

    /// What the model reads before it writes a script: all declarations if they take no more of its
    /// context than the window admits, otherwise how to find tools, and a line for each server.
    ///
    /// As long as the tools stay the same, so does every byte. What is new is appended, so that the
    /// model's host can go on using what it has cached.
    pub fn prompt(&self, window: Window) -> Prompt {
        let declarations = self.sandbox.declarations();
        let servers: Vec<String> =
            self.sandbox.servers().into_iter().map(|server| server.name).collect();
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        page.prompt(window, &declarations, &servers)
    }

    /// The tools that fit a query best, as text for the model: by server, the best first.
    pub async fn search(&self, query: &Query, detail: Detail) -> String {
        let found = self.sandbox.search(query).await;
        detail::page(&found.hits, detail, &self.sandbox.declarations())
    }

    /// The declarations of functions, with the types that they need, as text for the model. A name
    /// that there is not is left out.
    pub fn describe(&self, functions: &[&str]) -> String {
        detail::declarations_of(&self.sandbox.declarations(), functions.iter().copied())
    }

    /// Runs a script. See [`Sandbox::run`].
    pub async fn run(&self, script: impl Into<Script>) -> Report {
        self.sandbox.run(script).await
    }

    /// What happens from now on, to servers and calls. `None` for a session
    /// [over a sandbox](Session::of) that was there before.
    pub fn events(&self) -> Option<broadcast::Receiver<Event>> {
        self.events.as_ref().map(broadcast::Sender::subscribe)
    }

    /// The sandbox.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }
}
