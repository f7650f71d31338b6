//! `cofferdam call`: one call, through the broker that scripts' calls go through.

use super::{
    exit::{Exit, failed},
    interrupt::Interrupt,
    output,
    setup::{Opened, WithConfig, WithPolicy, ask_on_terminal, open},
};
use anyhow::Context;
use cofferdam::{
    Sandbox,
    broker::{Answer, Kind, ToolError},
};
use serde_json::Value;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The tool: the name of its function in scripts, or server/tool
    #[arg(value_name = "TOOL")]
    tool: String,
    /// The input as JSON; - for standard input
    #[arg(value_name = "JSON", default_value = "{}")]
    input: String,
    #[command(flatten)]
    config: WithConfig,
    #[command(flatten)]
    policy: WithPolicy,
}

pub(super) async fn call(arguments: Arguments, interrupt: &Interrupt) -> anyhow::Result<Exit> {
    let mut config = arguments.config.read()?;
    config.policy = arguments.policy.before(config.policy)?;
    let stdin_is_free = arguments.input != "-";
    let Some(input) = interrupt.or(read(arguments.input)).await else {
        return Ok(Exit::Interrupted);
    };
    let input: Value = serde_json::from_str(&input?).context("the input is not JSON")?;

    let (builder, show) = ask_on_terminal(config.builder().warm(0), stdin_is_free);
    let sandbox = match open(builder, &show, interrupt).await? {
        Opened::Ready(sandbox) => sandbox,
        Opened::Not(exit) => return Ok(exit),
    };
    let called = interrupt.or(sandbox.call(&arguments.tool, input)).await;
    let exit = {
        let _hush = show.hush();
        match called {
            None => {
                output::error("interrupted; if the call was sent, it may have taken effect");
                Exit::Interrupted
            }
            Some(Ok(answer)) => {
                print(&answer)?;
                Exit::Done
            }
            Some(Err(error)) => {
                output::error(&format!("{}: {}", error.kind, error.message));
                exit_of(&error, &sandbox)
            }
        }
    };
    sandbox.shutdown().await;
    Ok(exit)
}

async fn read(input: String) -> anyhow::Result<String> {
    if input != "-" {
        return Ok(input);
    }
    let reading = tokio::task::spawn_blocking(|| std::io::read_to_string(std::io::stdin()));
    reading.await?.context("the input cannot be read from standard input")
}

/// The structured content, or else the text of the content, or else the whole result.
fn print(answer: &Answer) -> anyhow::Result<()> {
    if let Some(structured) = answer.structured() {
        return output::json(structured);
    }
    let blocks = answer.result.get("content").and_then(Value::as_array);
    let text_of = |block: &Value| {
        let is_text = block.get("type").and_then(Value::as_str) == Some("text");
        block.get("text").and_then(Value::as_str).filter(|_| is_text).map(str::to_owned)
    };
    let texts = blocks.map(|blocks| blocks.iter().map(text_of).collect::<Option<Vec<_>>>());
    match texts.flatten() {
        Some(texts) if !texts.is_empty() => output::print(&format!("{}\n", texts.join("\n"))),
        _ => output::json(&answer.result),
    }
}

/// A tool that nobody has is wrong usage; one whose server is not there is not.
fn exit_of(error: &ToolError, sandbox: &Sandbox) -> Exit {
    if error.kind != Kind::Unavailable {
        return Exit::Failed;
    }
    let servers = sandbox.servers();
    if failed(&servers).any(|name| name == error.server)
        || sandbox.catalogue().find(&error.server, &error.tool).is_some()
    {
        return Exit::Unreachable;
    }
    Exit::Usage
}
