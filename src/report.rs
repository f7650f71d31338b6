//! The report of a run: outcome, console, ledger and usage, for programs and for the model.

use crate::model::{self, ModelText, OutputBudget, Parts};
use broker::{Entry, Flow, Ledger, Redactor, State, Stop};
use runtime::{Clock, Console, Limit, Outcome, Position, Run, ScriptError, Usage};
use serde_json::{Value, json};
use std::fmt::Write;

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
        model::redact_json(ledger_json(&self.ledger), &self.redactor)
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
                    None => describe(outcome),
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
            let _ = writeln!(text, "  {}", entry_line(entry));
        }
    }

    /// The whole report as JSON: `outcome`, `console`, `ledger`, `shown`, `usage`. Durations are
    /// milliseconds, sizes bytes. Without the credentials of the servers.
    pub fn to_json(&self) -> Value {
        model::redact_json(self.json(), &self.redactor)
    }

    fn json(&self) -> Value {
        json!({
            "outcome": self.outcome_json(),
            "console": {
                "lines": self.console.lines,
                "dropped_bytes": self.console.dropped_bytes,
            },
            "ledger": ledger_json(&self.ledger),
            "shown": self.shown,
            "usage": {
                "wall_ms": millis(self.usage.wall),
                "waiting_ms": millis(self.usage.waiting),
                "cpu_ms": millis(self.usage.cpu),
                "in_tools_ms": millis(self.usage.in_tools),
                "heap_bytes": self.usage.heap_bytes,
                "calls": self.usage.calls,
            },
        })
    }

    fn outcome_json(&self) -> Value {
        let mut outcome = outcome_json(&self.outcome);
        if let Some(reason) = &self.stopped {
            outcome["message"] = reason.as_str().into();
        }
        outcome
    }
}

fn millis(duration: std::time::Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// A failed outcome in words: what, where, and what to do.
fn describe(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed { .. } => "The script completed.".into(),
        Outcome::Threw { error } => format!("Uncaught {}", error_text(error)),
        Outcome::SyntaxError { diagnostics } => {
            let mut text = "The script was not run: it is not valid TypeScript.".to_owned();
            for diagnostic in diagnostics {
                let place = diagnostic.position.as_ref().map(position_text).unwrap_or_default();
                let _ = write!(text, "\n{}{place}", diagnostic.message);
            }
            text
        }
        Outcome::TimedOut { clock, limit } => {
            let (what, advice) = match clock {
                Clock::Cpu => {
                    ("of CPU time", "Work on less at once, or look for a loop without end.")
                }
                Clock::Wall => {
                    ("of time", "Make calls side by side with Promise.all, or do less in one run.")
                }
            };
            format!(
                "The run was stopped: its limit `{clock}`, {limit:?} {what}, was used up. {advice}"
            )
        }
        Outcome::MemoryExceeded { limit, limit_bytes } => {
            let what = match limit {
                Limit::HeapBytes => "the script's heap was full",
                _ => "the script's process had too much memory in use",
            };
            format!(
                "The run was stopped: {what} (limit `{limit}`, {limit_bytes} bytes). Keep less at once: go through results in parts, and let go of those that are done."
            )
        }
        Outcome::LimitExceeded { limit, message, error } => {
            let place = error.as_ref().and_then(|error| error.position.as_ref());
            let place = place.map(position_text).unwrap_or_default();
            format!("The run was stopped by its limit `{limit}`: {message}.{place}")
        }
        Outcome::Cancelled => "The run was cancelled.".into(),
        Outcome::Crashed { message } => format!("The run crashed: {message}."),
    }
}

fn error_text(error: &ScriptError) -> String {
    let mut text = match (error.name.as_str(), &error.kind) {
        ("", _) => error.message.clone(),
        (name, Some(kind)) => format!("{name} [{kind}]: {}", error.message),
        (name, None) if error.message.is_empty() => name.to_owned(),
        (name, None) => format!("{name}: {}", error.message),
    };
    if let Some(position) = &error.position {
        text += &position_text(position);
    }
    for frame in error.frames.iter().skip(1).take(8) {
        let function = frame.function.as_deref().unwrap_or("<top level>");
        let _ = write!(text, "\n    called from {function} (line {}:{})", frame.line, frame.column);
    }
    if let Some(hint) = &error.hint {
        let _ = write!(text, "\nhint: {hint}");
    }
    if let Some(cause) = &error.cause {
        let _ = write!(text, "\nCaused by {}", error_text(cause));
    }
    for (number, error) in error.errors.iter().enumerate() {
        let inner = error_text(error).replace('\n', "\n    ");
        let _ = write!(text, "\n  [{}] {inner}", number + 1);
    }
    if error.more_errors > 0 {
        let _ = write!(text, "\n  and {} more errors", error.more_errors);
    }
    text
}

/// The line, and a mark under the column.
fn position_text(position: &Position) -> String {
    let Position { line, column, source_line } = position;
    let before = (*column as usize).saturating_sub(1);
    // Tabs stay, so that the mark is right however wide they are shown.
    let indent: String = source_line
        .chars()
        .flat_map(|char| std::iter::repeat_n(char, char.len_utf16()))
        .take(before)
        .map(|char| if char == '\t' { '\t' } else { ' ' })
        .collect();
    let number = line.to_string();
    let gutter = " ".repeat(number.len());
    if indent.chars().count() < before {
        return format!("\n  at line {line}, column {column}");
    }
    format!(
        "\n  at line {line}, column {column}\n  {number} | {source_line}\n  {gutter} | {indent}^"
    )
}

/// One call on a line.
fn entry_line(entry: &Entry) -> String {
    /// The error itself had the whole message.
    const MESSAGE_CHARS: usize = 200;
    let mut text = format!("{} {}: {}", entry.id, entry_name(entry), entry.state.as_str());
    match &entry.state {
        State::Unknown => text.push_str(" (it was under way; it may have taken effect)"),
        state => {
            if let Some((kind, message)) = failure(entry, state) {
                let line = message.lines().next().unwrap_or_default();
                let short: String = line.chars().take(MESSAGE_CHARS).collect();
                let more = if short.len() < message.len() { " …" } else { "" };
                let _ = write!(text, " ({kind}: {short}{more})");
            }
        }
    }
    text
}

/// `server/tool`, or what the script called if it is neither.
fn entry_name(entry: &Entry) -> String {
    match entry.server.as_str() {
        "" => entry.tool.clone(),
        server => format!("{server}/{}", entry.tool),
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

fn ledger_json(ledger: &Ledger) -> Value {
    ledger.entries().iter().map(entry_json).collect()
}

/// The name of an outcome, as the report as JSON has it.
pub(crate) fn outcome_name(outcome: &Outcome) -> String {
    let name = serde_json::to_value(outcome).ok();
    let name = name.as_ref().and_then(|it| it.get("kind")?.as_str());
    name.unwrap_or_default().to_owned()
}

fn entry_json(entry: &Entry) -> Value {
    let (kind, message) = failure(entry, &entry.state).unzip();
    json!({
        "id": entry.id.number(),
        "server": entry.server,
        "tool": entry.tool,
        "line": entry.line,
        "state": entry.state.as_str(),
        "kind": kind.map(broker::Kind::as_str),
        "message": message,
        "decision": entry.decision.as_ref().map(ToString::to_string),
        "duration_ms": millis(entry.duration),
        "argument_bytes": entry.argument_bytes,
        "result_bytes": entry.result_bytes,
        "flows": entry.flows.iter().map(flow_json).collect::<Vec<_>>(),
        "reviews": entry.reviews.iter().map(|review| json!({
            "reviewer": review.reviewer,
            "side": review.side.as_str(),
            "action": if review.refused { "refused" } else { "changed" },
        })).collect::<Vec<_>>(),
    })
}

fn flow_json(flow: &Flow) -> Value {
    let (server, tool) = flow.origin();
    let mut json = json!({ "kind": flow.as_str(), "server": server, "tool": tool });
    match flow {
        Flow::Carries { argument, characters, form, from } => {
            json["call"] = from.call.number().into();
            json["argument"] = argument.as_str().into();
            json["characters"] = (*characters).into();
            json["form"] = form.as_str().into();
        }
        Flow::Sensitive { from } => json["call"] = from.call.number().into(),
        _ => {}
    }
    json
}

/// The outcome, with the value as JSON and not as its text.
fn outcome_json(outcome: &Outcome) -> Value {
    let mut object = serde_json::to_value(outcome).unwrap_or_default();
    match outcome {
        Outcome::Completed { value: Some(value) } => {
            // A value nested deeper than the parser goes stays text.
            if let Ok(value) = serde_json::from_str::<Value>(value) {
                object["value"] = value;
            }
        }
        Outcome::TimedOut { limit, .. } => {
            if let Some(object) = object.as_object_mut() {
                object.remove("limit");
                object.insert("limit_ms".into(), millis(*limit).into());
            }
        }
        _ => {}
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_under_the_column() {
        let position = Position { line: 12, column: 7, source_line: "\tawait f()".into() };
        let text = position_text(&position);
        assert_eq!(text, "\n  at line 12, column 7\n  12 | \tawait f()\n     | \t     ^");
    }
}
