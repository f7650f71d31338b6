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
    Sandbox,
    broker::Pattern,
    stubgen::{Budgeted, Declarations, Detail, Function, GLOBALS, Returns},
};
use serde_json::{Value, json};
use std::{collections::HashMap, fmt::Write};

/// Bytes of text that count as one token. An estimate: the real number depends on the model.
const BYTES_PER_TOKEN: usize = 4;

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: WithConfig,
    /// Only the tools of this server
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Only the tools that match, e.g. 'files_read*' or 'files/*'; may be given several times
    #[arg(long, value_name = "GLOB")]
    tool: Vec<Pattern>,
    /// What to print
    #[arg(long, value_enum, default_value = "d.ts")]
    format: Format,
    /// At most so many tokens, at 4 bytes each: the chosen tools in full, the others and what does
    /// not fit by their signatures, then by their names
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Also say on standard error what each tool costs, in bytes and tokens at 4 bytes each
    #[arg(long)]
    stats: bool,
    /// Also what every script has besides its tools: ToolResult, ToolError, mcp
    #[arg(long)]
    globals: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Declarations, as a model reads them
    #[value(name = "d.ts")]
    Declarations,
    /// A module of functions with bodies, for another runtime
    Stubs,
    /// Functions, their types, renamed and unavailable tools, for programs
    Json,
}

pub(super) async fn types(arguments: Arguments, interrupt: &Interrupt) -> anyhow::Result<Exit> {
    let config = arguments.config.read()?.eager();
    if let Some(wanted) = &arguments.server
        && !config.servers.contains_key(wanted)
    {
        let known: Vec<&str> = config.servers.keys().map(String::as_str).collect();
        let path = config.path.display();
        bail!("there is no server `{wanted}` in {path}, only `{}`", known.join("`, `"));
    }
    if arguments.budget.is_some() && arguments.format != Format::Declarations {
        bail!("--budget is for declarations, that is, for `--format d.ts`");
    }
    // All servers, whichever are shown: which names are taken depends on all of them.
    let sandbox = match open(config.builder().warm(0), &Progress::start(), interrupt).await? {
        Opened::Ready(sandbox) => sandbox,
        Opened::Not(exit) => return Ok(exit),
    };
    arguments.print(&sandbox)?;
    sandbox.shutdown().await;
    Ok(Exit::Done)
}

impl Arguments {
    fn print(&self, sandbox: &Sandbox) -> anyhow::Result<()> {
        let all = sandbox.declarations();
        let chosen = all.only(|server, tool| self.is_wanted(server, tool));
        let unavailable = self.unavailable(sandbox, &chosen);
        if self.format == Format::Json {
            output::json(&self.json(&chosen, &unavailable))?;
        } else {
            if self.globals {
                output::print(GLOBALS)?;
            }
            for bad in &unavailable {
                output::warning(&format!("{}/{} {}", bad.server, bad.tool, bad.why));
            }
        }
        match (self.format, self.budget) {
            (Format::Json, _) => {}
            (Format::Stubs, _) => output::print(&chosen.stubs())?,
            (Format::Declarations, None) => output::print(chosen.text())?,
            (Format::Declarations, Some(tokens)) => {
                let functions = chosen.functions.iter();
                let wanted: Vec<&str> = functions.map(|f| f.identifier.as_str()).collect();
                let budgeted = all.within(tokens, &wanted);
                output::print(&budgeted.text)?;
                if self.stats {
                    output::note(stats_within(&all, &budgeted, tokens).trim_end());
                }
                return Ok(());
            }
        }
        if self.stats {
            output::note(stats(&chosen).trim_end());
        }
        Ok(())
    }

    fn is_wanted(&self, server: &str, tool: &str) -> bool {
        self.server.as_ref().is_none_or(|wanted| wanted == server)
            && (self.tool.is_empty() || self.tool.iter().any(|p| p.matches_tool(server, tool)))
    }

    /// The chosen tools that have no function, and those that cannot be called.
    fn unavailable(&self, sandbox: &Sandbox, chosen: &Declarations) -> Vec<Unavailable> {
        let undeclared = chosen.unavailable.iter().map(|bad| Unavailable {
            server: bad.server.clone(),
            tool: bad.tool.clone(),
            why: format!("has no function: {}", bad.reason),
        });
        let catalogue = sandbox.catalogue();
        let rejected = catalogue.rejected().iter().map(|bad| Unavailable {
            server: bad.server.clone(),
            tool: bad.name.clone().unwrap_or_else(|| "(a tool without a name)".to_owned()),
            why: format!("cannot be called: {}", bad.reason),
        });
        undeclared.chain(rejected.filter(|bad| self.is_wanted(&bad.server, &bad.tool))).collect()
    }

    fn json(&self, chosen: &Declarations, unavailable: &[Unavailable]) -> Value {
        let functions = chosen.functions.iter().map(|function| {
            json!({
                "identifier": function.identifier,
                "server": function.server,
                "tool": function.tool,
                "declaration": function.declaration,
                "returns": match function.returns {
                    Returns::Structured => "structured",
                    Returns::ToolResult => "ToolResult",
                },
                "interfaces": function.interfaces,
            })
        });
        let interfaces = chosen
            .interfaces
            .iter()
            .map(|ty| json!({ "name": ty.name, "declaration": ty.declaration }));
        let renamed = chosen.renamed.iter().map(|tool| {
            json!({
                "server": tool.server,
                "tool": tool.tool,
                "identifier": tool.identifier,
                "reason": tool.reason.to_string(),
            })
        });
        let unavailable = unavailable
            .iter()
            .map(|bad| json!({ "server": bad.server, "tool": bad.tool, "reason": bad.why }));
        let mut json = json!({
            "functions": functions.collect::<Vec<_>>(),
            "interfaces": interfaces.collect::<Vec<_>>(),
            "renamed": renamed.collect::<Vec<_>>(),
            "unavailable": unavailable.collect::<Vec<_>>(),
        });
        if self.globals {
            json["globals"] = GLOBALS.into();
        }
        json
    }
}

/// A tool that a script does not have.
struct Unavailable {
    server: String,
    tool: String,
    why: String,
}

/// What each tool costs in full, with the types that it needs, and all of them together.
fn stats(declarations: &Declarations) -> String {
    let sizes = sizes(declarations);
    let mut text = String::from("   bytes  tokens  tool\n");
    for function in &declarations.functions {
        let _ = writeln!(text, "{}  {}", cost(bytes(function, &sizes)), function.identifier);
    }
    let count = declarations.functions.len();
    let all = cost(declarations.text().len());
    let _ = writeln!(text, "{all}  all {count} (types that several tools need count once)");
    text
}

/// The same for what was shown of it, and how.
fn stats_within(declarations: &Declarations, budgeted: &Budgeted, tokens: usize) -> String {
    let sizes = sizes(declarations);
    let mut text = String::from("   bytes  tokens  in full; shown as\n");
    for (function, shown) in declarations.functions.iter().zip(&budgeted.shown) {
        let detail = match shown.detail {
            Detail::Counted => "(only counted)",
            Detail::Name => "name",
            Detail::Signature => "signature",
            Detail::Full => "full",
        };
        let cost = cost(bytes(function, &sizes));
        let _ = writeln!(text, "{cost}  {}: {detail}", function.identifier);
    }
    let _ = writeln!(text, "{}  shown, of a budget of {tokens}", cost(budgeted.text.len()));
    text
}

fn cost(bytes: usize) -> String {
    format!("{bytes:8}{:8}", bytes.div_ceil(BYTES_PER_TOKEN))
}

fn sizes(declarations: &Declarations) -> HashMap<&str, usize> {
    let types = declarations.interfaces.iter();
    types.map(|ty| (ty.name.as_str(), ty.declaration.len())).collect()
}

fn bytes(function: &Function, sizes: &HashMap<&str, usize>) -> usize {
    let types = function.interfaces.iter().filter_map(|name| sizes.get(name.as_str()));
    function.declaration.len() + types.sum::<usize>()
}
