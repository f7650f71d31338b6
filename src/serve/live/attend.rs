//! What a run hears of itself: its lines, and its calls, which it holds back or answers from what an
//! earlier part of it has done.

use super::{Live, Said};
use crate::{
    attendant::{Attendant, Begun, Outcome, Pass},
    serve::past::Next,
};
use futures::future::BoxFuture;
use runtime::Line;

impl Attendant for Live {
    fn printed(&self, line: &Line) {
        self.change(|state| state.say(Said::Printed(line.text.clone())));
    }

    fn enter(&self, call: &Begun<'_>) -> usize {
        self.change(|state| match state.past.call(call) {
            Ok(number) => number,
            Err(how) => {
                state.diverged.get_or_insert(how);
                self.cancel.cancel();
                usize::MAX
            }
        })
    }

    fn pass(&self, number: usize) -> BoxFuture<'_, Pass> {
        Box::pin(async move {
            let mut changes = self.changes();
            loop {
                {
                    let mut state = self.lock();
                    let is_stopped = state.held.is_some() || state.diverged.is_some();
                    match state.past.next(number) {
                        Next::Repeat(outcome) => return Pass::Repeat(outcome),
                        Next::Make if !is_stopped => {
                            state.open.insert(number);
                            break;
                        }
                        _ => {}
                    }
                }
                if changes.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
            Pass::Make
        })
    }

    fn made(&self, function: &str) {
        self.change(|state| state.say(Said::Called(function.to_owned())));
    }

    fn asks(&self, number: usize, asks: bool) {
        self.change(
            |state| {
                if asks { state.asking.insert(number) } else { state.asking.remove(&number) }
            },
        );
    }

    fn ended(&self, number: usize, outcome: Option<&Outcome>) {
        self.change(|state| {
            state.past.end(number, outcome);
            state.open.remove(&number);
            state.asking.remove(&number);
        });
    }
}
