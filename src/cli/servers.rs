//! `cofferdam servers`: connects to all and says what became of each.

use super::{
    exit::{Exit, failed},
    interrupt::Interrupt,
    ledger::plural,
    output,
    progress::Progress,
    setup::{WithConfig, connect},
    visible::first_line,
};
use cofferdam::{ServerState, ServerStatus, broker::Era};
use serde_json::{Value, json};
use std::fmt::Write;

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: WithConfig,
    /// Also print what each server wrote last to its standard error
    #[arg(long, short)]
    verbose: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn servers(arguments: Arguments, interrupt: &Interrupt) -> anyhow::Result<Exit> {
    let config = arguments.config.read()?.eager();
    let builder = config.builder().warm(0);
    let Some(sandbox) = connect(builder, &Progress::start(), interrupt).await? else {
        return Ok(Exit::Interrupted);
    };
    let servers = sandbox.servers();
    if arguments.json {
        output::json(&servers.iter().map(json).collect())?;
    } else if servers.is_empty() {
        output::note("there are no servers in the configuration");
    } else {
        output::print(&text(&servers, arguments.verbose))?;
    }
    sandbox.shutdown().await;
    Ok(if failed(&servers).next().is_some() { Exit::Unreachable } else { Exit::Done })
}

pub(super) fn text(servers: &[ServerStatus], verbose: bool) -> String {
    let width = servers.iter().map(|server| server.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for server in servers {
        let _ = write!(text, "{:width$}  ", server.name);
        let _ = match &server.state {
            ServerState::Ready { tools, era, revision, calls_itself, .. } => {
                let (era, plural) = (name(*era), plural(*tools));
                let own_name = calls_itself.as_deref().map(|name| first_line(name, 60));
                let own_name = own_name.map(|name| format!("; {name}")).unwrap_or_default();
                writeln!(text, "ready: {tools} tool{plural}; {era}, {revision}{own_name}")
            }
            ServerState::Failed { error } => writeln!(text, "failed: {error}"),
            ServerState::Connecting => writeln!(text, "connecting"),
            ServerState::Off => writeln!(text, "off"),
            _ => writeln!(text, "not reached"),
        };
        if verbose {
            for line in server.stderr.as_deref().unwrap_or_default().lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    text
}

pub(super) fn json(server: &ServerStatus) -> Value {
    let mut object = match &server.state {
        ServerState::Ready { tools, era, revision, calls_itself, .. } => json!({
            "state": "ready",
            "tools": tools,
            "era": name(*era),
            "revision": revision,
            "calls_itself": calls_itself,
        }),
        ServerState::Failed { error } => json!({ "state": "failed", "error": error.to_string() }),
        _ => json!({ "state": "unknown" }),
    };
    object["name"] = server.name.as_str().into();
    object["stderr"] = server.stderr.as_deref().into();
    object
}

fn name(era: Era) -> &'static str {
    match era {
        Era::Modern => "modern",
        Era::Legacy => "legacy",
        Era::Local => "local",
        _ => "unknown",
    }
}
