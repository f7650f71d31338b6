//! What became of a run in words: for the model that has to mend its script.

use super::failure;
use broker::{Entry, State};
use runtime::{Clock, Limit, Outcome, Position, ScriptError};
use std::fmt::Write;

/// A failed outcome in words: what, where, and what to do.
pub(super) fn describe(outcome: &Outcome) -> String {
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
pub(super) fn entry_line(entry: &Entry) -> String {
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
