//! `cofferdam types`: the declarations that a model reads.

use super::{
    exit::Exit,
    interrupt::Interrupt,
    output,
    progress::Progress,
    setup::{Opened, WithConfig, open},
};
use anyhow::bail;
use cofferdam::{
    broker::Pattern,
    stubgen::{Declarations, Function, GLOBALS},
};
use std::collections::HashSet;

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: WithConfig,
    /// Only the tools of this server
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Only the tools that match, e.g. 'files_read*' or 'files/*'
    #[arg(long, value_name = "GLOB")]
    tool: Option<Pattern>,
    /// Also what every script has besides its tools: ToolResult, ToolError, mcp
    #[arg(long)]
    globals: bool,
}

pub(super) async fn types(arguments: Arguments, interrupt: &Interrupt) -> anyhow::Result<Exit> {
    let config = arguments.config.read()?;
    if let Some(wanted) = &arguments.server
        && !config.servers.contains_key(wanted)
    {
        let known: Vec<&str> = config.servers.keys().map(String::as_str).collect();
        let path = config.path.display();
        bail!("there is no server `{wanted}` in {path}, only `{}`", known.join("`, `"));
    }
    // All servers, whichever are shown: which names are taken depends on all of them.
    let sandbox = match open(config.builder().warm(0), &Progress::start(), interrupt).await? {
        Opened::Ready(sandbox) => sandbox,
        Opened::Not(exit) => return Ok(exit),
    };
    let is_wanted = |server: &str, tool: &str| {
        arguments.server.as_ref().is_none_or(|wanted| wanted == server)
            && arguments.tool.as_ref().is_none_or(|glob| glob.matches_tool(server, tool))
    };
    let declarations = sandbox.declarations();
    if arguments.globals {
        output::print(GLOBALS)?;
    }
    output::print(&select(declarations, |function| is_wanted(&function.server, &function.tool)))?;
    for bad in &declarations.unavailable {
        if is_wanted(&bad.server, &bad.tool) {
            let (server, tool, reason) = (&bad.server, &bad.tool, &bad.reason);
            output::warning(&format!("{server}/{tool} has no function: {reason}"));
        }
    }
    for bad in sandbox.catalogue().rejected() {
        let tool = bad.name.as_deref().unwrap_or("(a tool without a name)");
        if is_wanted(&bad.server, tool) {
            output::warning(&format!("{}/{tool} cannot be called: {}", bad.server, bad.reason));
        }
    }
    sandbox.shutdown().await;
    Ok(Exit::Done)
}

/// The declarations of some functions, with the types that these need.
fn select(declarations: &Declarations, is_wanted: impl Fn(&Function) -> bool) -> String {
    let functions: Vec<&Function> =
        declarations.functions.iter().filter(|function| is_wanted(function)).collect();
    if functions.len() == declarations.functions.len() {
        return declarations.text().to_owned();
    }
    let needed: HashSet<&str> =
        functions.iter().flat_map(|function| &function.interfaces).map(String::as_str).collect();
    let interfaces = declarations
        .interfaces
        .iter()
        .filter(|interface| needed.contains(interface.name.as_str()))
        .map(|interface| interface.declaration.as_str());
    interfaces.chain(functions.iter().map(|function| function.declaration.as_str())).collect()
}
