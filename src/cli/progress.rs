//! One line on the terminal that says what is under way. Without a terminal there is none.

use super::visible::first_line;
use cofferdam::{Event, Events};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often the spinner turns.
const TICK: Duration = Duration::from_millis(120);
/// How many names are shown of those that are under way.
const NAMES: usize = 3;

/// Listens to the broker and keeps the line up to date.
#[derive(Default)]
pub(super) struct Progress(Mutex<State>);

#[derive(Default)]
struct State {
    is_shown: bool,
    /// How many things need the terminal for themselves.
    hushed: usize,
    bar: Option<ProgressBar>,
    connecting: Vec<String>,
    calling: Vec<String>,
    calls_made: usize,
}

/// Keeps the line away until it is dropped.
pub(super) struct Hush(Arc<Progress>);

impl Progress {
    pub(super) fn start() -> Arc<Self> {
        // Log lines and the line would write over each other.
        let is_shown = std::io::stderr().is_terminal() && !super::logging::is_on();
        Arc::new(Self(Mutex::new(State { is_shown, ..State::default() })))
    }

    /// Takes the line away for as long as something else is on the terminal.
    pub(super) fn hush(self: &Arc<Self>) -> Hush {
        let mut state = self.lock();
        state.hushed += 1;
        state.refresh();
        Hush(Arc::clone(self))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Hush {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.hushed = state.hushed.saturating_sub(1);
        state.refresh();
    }
}

impl Events for Progress {
    fn on_event(&self, event: &Event) {
        let mut state = self.lock();
        match event {
            Event::ServerConnecting { server } => state.connecting.push(server.clone()),
            Event::ServerConnected { server, .. } | Event::ServerFailed { server, .. } => {
                remove(&mut state.connecting, server);
            }
            Event::CallProposed { server, tool, .. } => {
                state.calls_made += 1;
                state.calling.push(format!("{server}/{tool}"));
            }
            Event::CallFinished { server, tool, .. } => {
                remove(&mut state.calling, &format!("{server}/{tool}"));
            }
            _ => {}
        }
        state.refresh();
    }
}

impl State {
    fn refresh(&mut self) {
        let message = self.message();
        if !self.is_shown || self.hushed > 0 || message.is_none() {
            if let Some(bar) = self.bar.take() {
                bar.finish_and_clear();
            }
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        bar.set_message(message.unwrap_or_default());
    }

    fn message(&self) -> Option<String> {
        if !self.connecting.is_empty() {
            return Some(format!("connecting {}", names(&self.connecting)));
        }
        if self.calling.is_empty() {
            return None;
        }
        Some(format!("call {}: {}", self.calls_made, names(&self.calling)))
    }
}

fn names(all: &[String]) -> String {
    let shown: Vec<String> = all.iter().take(NAMES).map(|name| first_line(name, 60)).collect();
    let more = all.len().saturating_sub(NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn remove(names: &mut Vec<String>, name: &str) {
    if let Some(index) = names.iter().position(|other| other == name) {
        names.remove(index);
    }
}
