//! Where questions of older servers arrive: as requests of their own, beside the calls.
//!
//! Such a server does not say for which call it asks. If there is one call, it is that; if there are
//! several, any of them may be waiting for the answer, so the clocks of all of them stand; if they are
//! calls of different principals nobody is asked, since one must not answer for another. Without a
//! call nobody is asked either: a server has no reason to ask then.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::{About, Caller, Elicitor, Unanswered, put};

/// The calls of one connection, and who can be asked.
#[derive(Default)]
pub(crate) struct Desk {
    elicitor: Option<Arc<dyn Elicitor>>,
    seats: Mutex<Seats>,
    /// One question after the other: a server must not bury the user.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Seats {
    last: u64,
    callers: BTreeMap<u64, Caller>,
}

impl Desk {
    pub(crate) fn new(elicitor: Option<Arc<dyn Elicitor>>) -> Self {
        Self { elicitor, ..Self::default() }
    }

    /// Whether anybody can be asked.
    pub(crate) fn is_staffed(&self) -> bool {
        self.elicitor.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of a call until the seat is dropped.
    pub(crate) fn seat(&self, caller: Caller) -> Seat<'_> {
        let mut seats = self.lock();
        seats.last += 1;
        let number = seats.last;
        seats.callers.insert(number, caller);
        Seat { desk: self, number }
    }

    /// Puts a question of the server.
    pub(crate) async fn ask(&self, params: &Value) -> Result<Value, Unanswered> {
        let _turn = self.turn.lock().await;
        let callers: Vec<Caller> = self.lock().callers.values().cloned().collect();
        let elicitor = self.elicitor_of(&callers)?.cloned();
        let about = match &callers[..] {
            [] => return Err(Unanswered::Nobody),
            [caller] => caller.about(),
            [caller, ..] => {
                let server = caller.server.clone();
                About { server, tool: None, call: None, line: None }
            }
        };
        let _stood: Vec<_> = callers.iter().map(|caller| caller.standing.stand()).collect();
        put(elicitor.as_deref(), about, params).await
    }

    /// The one who answers for all of the calls.
    fn elicitor_of<'a>(
        &'a self,
        callers: &'a [Caller],
    ) -> Result<Option<&'a Arc<dyn Elicitor>>, Unanswered> {
        let mut each = callers.iter().map(|caller| caller.elicitor(self.elicitor.as_ref()));
        let first = each.next().flatten();
        let is_first = |other: Option<&Arc<dyn Elicitor>>| match (first, other) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        };
        if each.all(is_first) { Ok(first) } else { Err(Unanswered::Several) }
    }

    /// Returns when no call is left that could want the answer.
    pub(crate) async fn deserted(&self) {
        // Rare, and only while somebody is asked: looking now and then is enough.
        while !self.lock().callers.is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }
}

/// A call that is with the server.
pub(crate) struct Seat<'a> {
    desk: &'a Desk,
    number: u64,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.desk.lock().callers.remove(&self.number);
    }
}
