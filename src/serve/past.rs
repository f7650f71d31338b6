//! What a run has done so far, so that another instance can bring a new one of the same script to the
//! same place without doing any of it again.
//!
//! A script sees nothing of the world but the results of its calls, in the order in which they come,
//! and the clock. So its past is each call with a digest of its arguments, each result, and the order
//! of both. A repeat gives each result when all that came before it has come again. A script that does
//! not repeat itself (its calls depend on the time, or on chance) is found out at the first call that
//! is another one, and stopped before anything is sent.
//!
//! This is not a recording (`broker::Recorder`), which is for people and has what was decided about each
//! call: here is only what a script itself can see, as little as possible of it, and behind it the run
//! goes on for real.

use crate::attendant::{Begun, Outcome};
use runtime::{Failure, Reply};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The record of a run, and what it repeats.
#[derive(Default)]
pub(super) struct Past {
    calls: Vec<Call>,
    order: Vec<Step>,
    bytes: usize,
    /// More than this is not kept.
    limit: usize,
    is_too_long: bool,
    repeat: Option<Repeat>,
}

/// A record that goes from one instance to another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    calls: Vec<Call>,
    order: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Call {
    function: String,
    digest: String,
    /// Absent while it is under way.
    came: Option<Came>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Came {
    Reply(Reply),
    Failure(Failure),
    /// The script gave it up.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Step {
    Call(usize),
    End(usize),
}

/// What is repeated, and how far that has come.
struct Repeat {
    record: Record,
    at: usize,
    /// The call whose result is given next.
    due: Option<usize>,
}

/// How a call of the script goes on.
pub(super) enum Next {
    /// It is made.
    Make,
    /// It has to wait: not everything before it has been repeated.
    Wait,
    /// This came of it.
    Repeat(Outcome),
}

impl Past {
    /// An empty one for at most so many bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, is_too_long: limit == 0, ..Self::default() }
    }

    /// One that repeats a record first.
    pub(super) fn of(record: Record, limit: usize) -> Self {
        let repeat = Repeat { record, at: 0, due: None };
        Self { repeat: Some(repeat), ..Self::new(limit) }
    }

    /// Takes note of a call. Returns its number.
    ///
    /// # Errors
    /// In what the script did not repeat itself.
    pub(super) fn call(&mut self, call: &Begun<'_>) -> Result<usize, String> {
        let number = self.calls.len();
        let digest = digest(&[call.function, call.input]);
        if let Some(before) =
            self.repeat.as_ref().and_then(|repeat| repeat.record.calls.get(number))
            && (before.function != call.function || before.digest != digest)
        {
            let line = call.line.map(|line| format!(" in line {line}")).unwrap_or_default();
            let what = if before.function == call.function { "with other arguments" } else { "" };
            return Err(format!(
                "call {} was `{}` before, and is `{}`{line} {what}",
                number + 1,
                before.function,
                call.function
            ));
        }
        self.bytes += call.function.len() + digest.len();
        self.calls.push(Call { function: call.function.to_owned(), digest, came: None });
        self.order.push(Step::Call(number));
        self.advance();
        Ok(number)
    }

    /// What becomes of a call now.
    pub(super) fn next(&mut self, number: usize) -> Next {
        let Some(repeat) = &mut self.repeat else { return Next::Make };
        let came = repeat.record.calls.get(number).and_then(|call| call.came.clone());
        match came {
            Some(Came::Nothing) => Next::Wait,
            Some(Came::Reply(reply)) if repeat.due == Some(number) => Next::Repeat(Ok(reply)),
            Some(Came::Failure(failure)) if repeat.due == Some(number) => {
                Next::Repeat(Err(failure))
            }
            Some(_) => Next::Wait,
            None if repeat.is_over() => Next::Make,
            None => Next::Wait,
        }
    }

    /// Takes note of the end of a call.
    pub(super) fn end(&mut self, number: usize, outcome: Option<&Outcome>) {
        let came = match outcome {
            Some(Ok(reply)) => Came::Reply(reply.clone()),
            Some(Err(failure)) => Came::Failure(failure.clone()),
            None => Came::Nothing,
        };
        self.bytes += match &came {
            Came::Reply(Reply::Value(text) | Reply::Content(text)) => text.len(),
            Came::Failure(failure) => failure.message.len() + failure.properties.len(),
            Came::Nothing => 0,
        };
        if let Some(call) = self.calls.get_mut(number) {
            // What nobody will read is not kept.
            self.is_too_long |= self.bytes > self.limit;
            call.came = Some(if self.is_too_long { Came::Nothing } else { came });
            if outcome.is_some() {
                self.order.push(Step::End(number));
            }
        }
        if let Some(repeat) = &mut self.repeat
            && repeat.due == Some(number)
        {
            repeat.due = None;
        }
        self.advance();
    }

    /// Whether all of the past was repeated.
    pub(super) fn has_caught_up(&self) -> bool {
        self.repeat.as_ref().is_none_or(Repeat::is_over)
    }

    /// The record so far, unless it is too long.
    pub(super) fn record(&self) -> Option<Record> {
        let is_whole = !self.is_too_long && self.has_caught_up();
        is_whole.then(|| Record { calls: self.calls.clone(), order: self.order.clone() })
    }

    fn advance(&mut self) {
        let Some(repeat) = &mut self.repeat else { return };
        while repeat.due.is_none() {
            match repeat.record.order.get(repeat.at) {
                Some(Step::Call(number)) if *number < self.calls.len() => repeat.at += 1,
                Some(Step::End(number)) => {
                    repeat.due = Some(*number);
                    repeat.at += 1;
                }
                _ => return,
            }
        }
    }
}

impl Repeat {
    fn is_over(&self) -> bool {
        self.due.is_none() && self.at >= self.record.order.len()
    }
}

/// A digest of some texts, in hexadecimal.
pub(super) fn digest(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(past: &mut Past, function: &str) -> Result<usize, String> {
        past.call(&Begun { function, input: "{}", line: Some(1) })
    }

    fn ok(text: &str) -> Outcome {
        Ok(Reply::Value(text.into()))
    }

    /// Two calls at once, the second of which ends first and leads to a third, which waits.
    fn record() -> Record {
        let mut past = Past::new(1000);
        let (a, b) = (call(&mut past, "a").unwrap(), call(&mut past, "b").unwrap());
        past.end(b, Some(&ok("2")));
        call(&mut past, "c").unwrap();
        past.end(a, Some(&ok("1")));
        past.record().unwrap()
    }

    #[test]
    fn results_come_in_the_order_in_which_they_came() {
        let mut past = Past::of(record(), 1000);
        let (a, b) = (call(&mut past, "a").unwrap(), call(&mut past, "b").unwrap());
        assert!(matches!(past.next(a), Next::Wait));
        assert!(matches!(past.next(b), Next::Repeat(Ok(Reply::Value(text))) if text == "2"));
        past.end(b, Some(&ok("2")));
        assert!(matches!(past.next(a), Next::Wait), "`c` was called before `a` had ended");
        let c = call(&mut past, "c").unwrap();
        assert!(matches!(past.next(c), Next::Wait), "nothing is sent before all is repeated");
        assert!(matches!(past.next(a), Next::Repeat(Ok(_))));
        past.end(a, Some(&ok("1")));
        assert!(matches!(past.next(c), Next::Make) && past.has_caught_up());
        assert_eq!(past.record(), Some(record()));
    }

    #[test]
    fn another_call_is_found_out() {
        let mut past = Past::of(record(), 1000);
        assert!(call(&mut past, "b").unwrap_err().contains("was `a` before, and is `b`"));
        let other = Begun { function: "a", input: "{\"n\":1}", line: None };
        assert!(Past::of(record(), 1000).call(&other).unwrap_err().contains("other arguments"));
    }

    #[test]
    fn what_is_too_long_is_no_record() {
        let mut past = Past::new(100);
        let a = call(&mut past, "a").unwrap();
        past.end(a, Some(&ok(&"x".repeat(100))));
        assert_eq!(past.record(), None);
    }
}
