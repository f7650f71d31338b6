//! Whoever follows a run while it lasts.
//!
//! An [`Attendant`] hears what is printed and which calls are made, holds calls back for a while, and
//! gives those an answer that an earlier part of the same run has made already.

use futures::future::BoxFuture;
use runtime::{Failure, Line, Reply};
use std::sync::Arc;

/// What a call of a script comes to.
pub(crate) type Outcome = Result<Reply, Failure>;

/// Follows one run. All calls come from within the future of that run.
pub(crate) trait Attendant: Send + Sync {
    /// The script has printed something.
    fn printed(&self, line: &Line);

    /// The script makes a call. Heard in the order in which it makes them. Returns the call's number.
    fn enter(&self, call: &Begun<'_>) -> usize;

    /// The call goes on when this says how.
    fn pass(&self, number: usize) -> BoxFuture<'_, Pass>;

    /// A call of this function is made now: it was not made before.
    fn made(&self, function: &str);

    /// The call is being asked about from now on, or no longer.
    fn asks(&self, number: usize, asks: bool);

    /// The call has ended; `None` if the script gave it up.
    fn ended(&self, number: usize, outcome: Option<&Outcome>);
}

/// A call that the script makes.
pub(crate) struct Begun<'a> {
    /// Its function.
    pub(crate) function: &'a str,
    /// The input as JSON text.
    pub(crate) input: &'a str,
    /// The line of the script.
    pub(crate) line: Option<u32>,
}

/// How a call goes on.
pub(crate) enum Pass {
    /// It is made.
    Make,
    /// It was made before, and this came of it.
    Repeat(Outcome),
}

/// Tells the attendant of the end of a call, also if that is that nobody wants it any more.
pub(crate) struct Attended {
    pub(crate) attendant: Arc<dyn Attendant>,
    pub(crate) number: usize,
    is_over: bool,
}

impl Attended {
    /// Takes note of a call.
    pub(crate) fn enter(attendant: &Arc<dyn Attendant>, call: &Begun<'_>) -> Self {
        let number = attendant.enter(call);
        Self { attendant: Arc::clone(attendant), number, is_over: false }
    }

    /// Tells the attendant whether the call is being asked about.
    pub(crate) fn asking(&self) -> impl Fn(bool) + Send + Sync + use<> {
        let (attendant, number) = (Arc::clone(&self.attendant), self.number);
        move |asks| attendant.asks(number, asks)
    }

    pub(crate) fn end(mut self, outcome: &Outcome) {
        self.is_over = true;
        self.attendant.ended(self.number, Some(outcome));
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        if !self.is_over {
            self.attendant.ended(self.number, None);
        }
    }
}
