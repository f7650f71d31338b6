//! How to make this program a server of each host.

use serde_json::json;
use std::{fmt::Write, path::Path};

/// What to do in each host.
pub(super) fn text(config: &Path) -> anyhow::Result<String> {
    let program = std::env::current_exe()?;
    let (program, config) = (program.display().to_string(), config.display().to_string());
    let args = ["serve", "--config", &config];
    let entry = json!({ "command": program, "args": args });
    let words: Vec<&str> = [program.as_str()].into_iter().chain(args).collect();
    // A path with a NUL cannot be, so this cannot fail.
    let line = shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" "));
    let file =
        |key: &str| format!("{:#}", json!({ key: { "cofferdam": entry } })).replace('\n', "\n    ");
    let vs_code = json!({ "name": "cofferdam", "command": program, "args": args });
    let vs_code = vs_code.to_string();
    let vs_code = shlex::try_quote(&vs_code).unwrap_or_default();
    let mut text = "\nTo give a host code mode over these servers, register this program there, and remove the \
                    servers themselves:\n"
        .to_owned();
    let _ = writeln!(text, "\n  Claude Code:\n    claude mcp add cofferdam -- {line}");
    let _ = writeln!(text, "\n  Codex:\n    codex mcp add cofferdam -- {line}");
    let _ = writeln!(text, "\n  VS Code:\n    code --add-mcp {vs_code}");
    let _ = writeln!(
        text,
        "\n  Claude Desktop (claude_desktop_config.json), Cursor (~/.cursor/mcp.json), and .mcp.json files:\n    {}",
        file("mcpServers")
    );
    Ok(text)
}
