//! What somebody was asked in one run: how many questions are open, and the last of each tool.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use super::Previous;
use crate::ledger::CallId;

/// Arguments longer than this, in bytes, are not kept for comparison: a run may ask about many tools.
const MOST_BYTES: usize = 64 * 1024;

/// The questions of one run.
#[derive(Debug, Default)]
pub(crate) struct Asked(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    open: usize,
    /// By server and tool.
    last: HashMap<(String, String), Previous>,
}

/// A question that is open until this is dropped.
pub(crate) struct Open<'a> {
    asked: &'a Asked,
    /// Questions that were open already.
    pub(crate) others: usize,
    /// The question before about the same tool.
    pub(crate) previous: Option<Previous>,
}

impl Asked {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of a question about a call.
    pub(crate) fn open(
        &self,
        id: CallId,
        (server, tool): (&str, &str),
        (arguments, bytes): (&Map<String, Value>, usize),
    ) -> Open<'_> {
        let mut state = self.lock();
        let others = state.open;
        state.open += 1;
        let key = (server.to_owned(), tool.to_owned());
        let previous = if bytes <= MOST_BYTES {
            state.last.insert(key, Previous { id, arguments: arguments.clone() })
        } else {
            state.last.remove(&key)
        };
        // A call that starts again is no earlier one.
        let previous = previous.filter(|previous| previous.id != id);
        Open { asked: self, others, previous }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut state = self.asked.lock();
        state.open = state.open.saturating_sub(1);
    }
}
