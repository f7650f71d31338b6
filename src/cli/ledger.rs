//! The ledger of a run, for a person.

use super::visible::first_line;
use cofferdam::broker::{Entry, Ledger, State};
use std::fmt::Write;

const NAME_CHARS: usize = 60;
const MESSAGE_CHARS: usize = 200;

/// A line per call, with why it was allowed and how it ended.
pub(super) fn text(ledger: &Ledger) -> String {
    let entries = ledger.entries();
    if entries.is_empty() {
        return "Ledger: no tool was called".to_owned();
    }
    let mut text = format!("Ledger: {} call{}", entries.len(), plural(entries.len()));
    let names: Vec<String> = entries.iter().map(name).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (entry, name) in entries.iter().zip(&names) {
        let id = entry.id.to_string();
        let line = entry.line.map(|line| format!("line {line}")).unwrap_or_default();
        let state = entry.state.as_str();
        let _ = write!(text, "\n  {id:>4}  {name:width$}  {line:<8}  {state:<9}");
        let _ = write!(text, "  {}", details(entry));
    }
    text
}

/// `server/tool`, or what the script called if it is neither.
fn name(entry: &Entry) -> String {
    let name = match entry.server.as_str() {
        "" => entry.tool.clone(),
        server => format!("{server}/{}", entry.tool),
    };
    first_line(&name, NAME_CHARS)
}

fn details(entry: &Entry) -> String {
    let mut parts = Vec::new();
    match &entry.state {
        State::Refused { kind, message } | State::Failed { kind, message } => {
            // The broker was asked for a tool of no server.
            let is_nowhere = entry.server.is_empty();
            let message = if is_nowhere { "there is no such function" } else { message };
            parts.push(format!("{kind}: {}", first_line(message, MESSAGE_CHARS)));
        }
        State::Unknown => parts.push("may have taken effect".to_owned()),
        _ => {}
    }
    if !entry.duration.is_zero() {
        parts.push(format!("{} ms", entry.duration.as_millis()));
    }
    for review in &entry.reviews {
        let what = if review.refused { "refused" } else { "changed" };
        let reviewer = first_line(&review.reviewer, NAME_CHARS);
        parts.push(format!("{} {what} by `{reviewer}`", review.side.as_str()));
    }
    parts.extend(entry.flows.first().map(|flow| {
        let more = entry.flows.len() - 1;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", first_line(&flow.to_string(), MESSAGE_CHARS))
    }));
    parts.extend(entry.decision.as_ref().map(ToString::to_string));
    parts.join("; ")
}

/// The ending of a noun.
pub(super) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
