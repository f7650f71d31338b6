//! What a dry run would have done.

use super::{ledger::plural, sheet, visible::first_line};
use cofferdam::{Report, broker::Withheld};
use serde_json::{Value, json};
use std::fmt::Write;

/// What was printed until then, and the calls, with their arguments.
pub(super) fn text(report: &Report, withheld: &[Withheld]) -> String {
    let mut text = String::new();
    for line in &report.console.lines {
        let _ = writeln!(text, "{}", line.text);
    }
    let count = withheld.len();
    let _ = writeln!(text, "Dry run: it would make {count} call{} now:", plural(count));
    for call in withheld {
        let name = first_line(&format!("{}/{}", call.server, call.tool), 60);
        let line = call.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let asked = if call.action == "ask" { "; somebody would be asked" } else { "" };
        let _ = writeln!(text, "{} {name}{line}{asked}", call.id);
        let _ = writeln!(
            text,
            "{}",
            sheet::shortened(&call.arguments, None, sheet::Room::ALONE).trim_end()
        );
    }
    text
}

/// The same for programs.
pub(super) fn json(withheld: &[Withheld]) -> Value {
    let call = |call: &Withheld| {
        json!({
            "id": call.id.number(),
            "server": call.server,
            "tool": call.tool,
            "line": call.line,
            "arguments": call.arguments,
            "action": call.action,
        })
    };
    withheld.iter().map(call).collect()
}
