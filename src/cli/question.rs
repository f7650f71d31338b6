//! What somebody sees who is asked about calls. All of it but our own words is a stranger's.

use super::{
    ledger::plural,
    sheet::{self, Room},
    visible::{first_line, one_line},
};
use cofferdam::{Decision, PendingCall, broker::Question};

/// What can be typed about one call.
pub(super) const CHOICES: &str = "  \
    [y] yes, once   [r] for the whole run   [s] for the session   [v] show the arguments in full\n  \
    [r NAME] where this argument is as here   [r {\"/NAME\": …}] where a rule's condition holds\n  \
    [n] no   [x] stop the run (what follows n or x is the reason)";

/// What can be typed besides if the call is one of a list.
pub(super) const BACK: &str = "   [b] back to all";

/// Said when a call comes while another question is open.
pub(super) const MORE: &str = "\n  (more calls wait; they come after this answer)\n> ";

/// How many calls are listed at once.
pub(super) const LISTED: usize = 9;

const NAME_CHARS: usize = 100;
const REASON_CHARS: usize = 200;
/// Data flows that are shown of a call in a list, the largest. Alone all are shown: a longer answer covers them.
const FLOWS: usize = 3;
const CONDITION_CHARS: usize = 300;

/// A call that is looked at alone.
pub(super) fn text(call: &PendingCall) -> String {
    let mut text = format!("\nMay the script call {}?", name(call));
    if let Some(title) = call.title.as_deref().or(call.description.as_deref()) {
        text += &format!("\n  {}", first_line(title, 100));
    }
    text += &format!("\n  {}", place(call));
    if call.trusted && call.annotations.read_only == Some(true) {
        text += ", changes nothing, says the server";
    }
    if let Some(label) = &call.label {
        text += &format!("\n  the run is labelled {}", one_line(label, NAME_CHARS));
    }
    if let Some(reason) = &call.reason {
        text += &format!("\n  asked because: {}", one_line(reason, REASON_CHARS));
    }
    text + &flows(call, usize::MAX) + &arguments(call, Room::ALONE)
}

/// What the arguments carry of results of other servers.
fn flows(call: &PendingCall, most: usize) -> String {
    let mut text = String::new();
    for flow in call.flows.iter().take(most) {
        text += &format!("\n  data flow: {}", first_line(&flow.to_string(), REASON_CHARS));
    }
    let more = call.flows.len().saturating_sub(most);
    if more > 0 {
        text += &format!("\n  data flow: … {more} more");
    }
    text
}

/// The arguments with nothing cut.
pub(super) fn in_full(call: &PendingCall) -> String {
    sheet::in_full(&call.arguments)
}

/// Calls that wait together; there may be more than are shown.
pub(super) fn list(shown: &[Question], waiting: usize) -> String {
    let mut text = format!("\n{waiting} calls wait for an answer:");
    for (index, question) in shown.iter().enumerate() {
        let call = &question.call;
        text += &format!("\n {}. {}: {}", index + 1, name(call), place(call));
        if let Some(reason) = &call.reason {
            text += &format!("\n    asked because: {}", one_line(reason, REASON_CHARS));
        }
        text += &flows(call, FLOWS);
        text += &arguments(call, Room::IN_LIST);
    }
    let more = waiting.saturating_sub(shown.len());
    if more > 0 {
        text += &format!("\n … {more} more call{} after these", plural(more));
    }
    text
}

/// What can be typed about all of a list.
pub(super) fn choices_for_all(calls: usize) -> String {
    format!(
        "  [y] yes to these {calls}, once   [n] no to these {calls}   [x] stop the run\n  \
         [1] to [{calls}] look at one and answer it\n> "
    )
}

/// What an answer with conditions would cover.
pub(super) fn covers(call: &PendingCall, decision: &Decision) -> String {
    let Decision::AllowWhere { scope, arguments } = decision else { return String::new() };
    let mut text = format!("  This covers, {scope}, calls of {} where", name(call));
    for condition in arguments {
        text += &format!("\n    {}", one_line(&condition.to_string(), CONDITION_CHARS));
    }
    text + "\n  [y] yes   [n] back\n> "
}

fn arguments(call: &PendingCall, room: Room) -> String {
    let previous = call.previous.as_ref();
    let before = previous.map(|previous| &previous.arguments);
    let text = format!("\n{}", sheet::shortened(&call.arguments, before, room));
    match previous {
        None => text,
        Some(previous) => {
            let margin = room.margin();
            let says = match previous.arguments == call.arguments {
                true => "the same arguments as in call",
                false => "marked where they are not as in call",
            };
            format!("{text}\n{margin}({says} {})", previous.id)
        }
    }
}

/// On one line, whatever is in the names.
fn name(call: &PendingCall) -> String {
    one_line(&format!("{}/{}", call.server, call.tool), NAME_CHARS)
}

fn place(call: &PendingCall) -> String {
    let line = call.line.map(|line| format!("line {line} of the script, ")).unwrap_or_default();
    format!("{line}call {}", call.id)
}
