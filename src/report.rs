//! The report of a run: outcome, console, ledger and usage, for programs and for the model.

mod json;
mod words;

use crate::model::{self, ModelText, OutputBudget, Parts};
use broker::{Entry, Ledger, Redactor, State, Stop};
use runtime::{Console, Limit, Outcome, Run, Usage};
use serde_json::Value;
use std::fmt::Write;

pub(crate) use json::outcome_name;

/// What a run has done, however it ended.
#[derive(Clone, Debug)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// What it printed.
    pub console: Console,
    /// Every call it made, in order, and where each stands.
    pub ledger: Ledger,
    /// What it chose to show: content blocks as in a tool's result, in order. Without control
    /// sequences, and without the credentials of the servers.
    pub shown: Vec<Value>,
    /// What it used.
    pub usage: Usage,
    /// Why whoever was asked about a call ended the run, if that is how it ended. The outcome is
    /// [`Outcome::Cancelled`] then.
    pub stopped: Option<String>,
    /// What replaces the credentials of the servers.
    redactor: Redactor,
}

impl Report {
    /// `stop` is why the run ended from within, if it did.
    pub(crate) fn new(
        run: Run,
        ledger: Ledger,
        shown: Vec<Value>,
        stop: Option<Stop>,
        redactor: Redactor,
    ) -> Self {
        let Run { mut outcome, console, usage } = run;
        let mut stopped = None;
        if outcome == Outcome::Cancelled {
            match stop {
                Some(stop @ Stop::Denials { .. }) => {
                    let (limit, message) = (Limit::Denials, stop.to_string());
                    outcome = Outcome::LimitExceeded { limit, message, error: None };
                }
                Some(stop) => stopped = Some(stop.to_string()),
                None => {}
            }
        }
        let shown = shown.into_iter().map(|block| model::filter_json(block, &redactor)).collect();
        Self { outcome, console, ledger, shown, usage, stopped, redactor }
    }

    /// Whether the script came to its end.
    pub fn is_completed(&self) -> bool {
        matches!(self.outcome, Outcome::Completed { .. })
    }

    /// What the model reads: the console, then the returned value; or, if the run failed, why,
    /// where, and which calls had been made by then. Without control sequences, and without the
    /// credentials of the servers.
    ///
    /// At most `budget` bytes. What is too long is cut where it says so: see [`Report::for_model`].
    pub fn to_model_text(&self, budget: usize) -> String {
        self.for_model(&OutputBudget::bytes(budget)).text
    }

    /// The same with a budget that may have tokens in it, and with whether anything was cut. Of a
    /// value that is too long its shape stays, and the first and last items of its lists; of other
    /// text its head and its tail. A note at the end says that it was cut.
    pub fn for_model(&self, budget: &OutputBudget) -> ModelText {
        model::text(&self.parts(), &self.redactor, budget)
    }

    /// The text that a model would read if it had no budget: for keeping.
    pub fn whole_text(&self) -> String {
        model::whole(&self.parts(), &self.redactor)
    }

    /// The returned value as a model may read it, if it is at most so long as JSON text.
    pub(crate) fn value_for_model(&self, bytes: usize) -> Option<Value> {
        let Outcome::Completed { value: Some(value) } = &self.outcome else { return None };
        let value = serde_json::from_str(value).ok().filter(|_| value.len() <= bytes)?;
        Some(model::filter_json(value, &self.redactor))
    }

    /// The ledger as in [`Report::to_json`].
    pub(crate) fn ledger_json(&self) -> Value {
        model::redact_json(json::ledger_json(&self.ledger), &self.redactor)
    }

    fn parts(&self) -> Parts<'_> {
        let mut text = String::new();
        for line in &self.console.lines {
            match line.level {
                runtime::Level::Warn | runtime::Level::Error => {
                    let _ = write!(text, "[{}] ", line.level.as_str());
                }
                _ => {}
            }
            text.push_str(&line.text);
            text.push('\n');
        }
        if self.console.dropped_bytes > 0 {
            let dropped = self.console.dropped_bytes;
            let _ = writeln!(text, "[{dropped} more bytes were printed and not kept]");
        }
        let mut ending = String::new();
        let mut value = None;
        match &self.outcome {
            Outcome::Completed { value: returned } => value = returned.as_deref(),
            outcome => {
                let described = match &self.stopped {
                    Some(reason) => format!("The run was stopped by whoever was asked: {reason}"),
                    None => words::describe(outcome),
                };
                let _ = writeln!(ending, "{described}");
                self.write_ledger(&mut ending);
            }
        }
        self.write_shown(&mut ending);
        Parts { console: text, value, ending }
    }

    /// What is shown besides: not all that read the text see it.
    fn write_shown(&self, text: &mut String) {
        let kinds: Vec<&str> =
            self.shown.iter().filter_map(|block| block.get("type")?.as_str()).collect();
        if !kinds.is_empty() {
            let _ = writeln!(text, "[shown beside this text: {}]", kinds.join(", "));
        }
    }

    /// What had been done when the run failed: the model must know before it tries again.
    fn write_ledger(&self, text: &mut String) {
        let entries = self.ledger.entries();
        if entries.is_empty() {
            text.push_str("No tool was called.\n");
            return;
        }
        text.push_str("Calls made by this run:\n");
        for entry in entries {
            let _ = writeln!(text, "  {}", words::entry_line(entry));
        }
    }
}

/// Why a call was refused or failed.
fn failure<'a>(entry: &Entry, state: &'a State) -> Option<(broker::Kind, &'a str)> {
    match state {
        // The broker was asked for a tool of no server.
        State::Refused { kind, .. } if entry.server.is_empty() => {
            Some((*kind, "there is no such function"))
        }
        State::Refused { kind, message } | State::Failed { kind, message } => {
            Some((*kind, message))
        }
        _ => None,
    }
}
