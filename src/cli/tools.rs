//! `cofferdam tools`: what can be called, and what the policy makes of it.

use super::{
    exit::Exit,
    interrupt::Interrupt,
    output,
    progress::Progress,
    setup::{Opened, WithConfig, WithPolicy, open},
    visible::first_line,
};
use cofferdam::{
    Policy, Sandbox,
    broker::{RejectReason, Tool, Verdict},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write};

/// How much of a description is shown.
const SUMMARY_CHARS: usize = 100;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Only tools that have this text in a name or in the description, in any case
    query: Option<String>,
    #[command(flatten)]
    config: WithConfig,
    #[command(flatten)]
    policy: WithPolicy,
    /// Print JSON, with the whole descriptions
    #[arg(long)]
    json: bool,
    /// Print what to put under `pins` of each server to hold its tools to what they are now
    #[arg(long, conflicts_with = "json")]
    pins: bool,
}

pub(super) async fn tools(arguments: Arguments, interrupt: &Interrupt) -> anyhow::Result<Exit> {
    let config = arguments.config.read()?.eager();
    let policy = arguments.policy.before(config.policy.clone())?;
    let trusted: BTreeMap<String, bool> =
        config.servers.iter().map(|(name, server)| (name.clone(), server.trusted)).collect();
    let sandbox = match open(config.builder().warm(0), &Progress::start(), interrupt).await? {
        Opened::Ready(sandbox) => sandbox,
        Opened::Not(exit) => return Ok(exit),
    };
    let judge = Judge { policy, trusted };
    let query = arguments.query.unwrap_or_default().to_lowercase();
    let listing = Listing::new(&sandbox, &judge, &query);
    if arguments.pins {
        output::json(&listing.pins(&sandbox))?;
    } else if arguments.json {
        output::json(&listing.json())?;
    } else if listing.tools.is_empty() && listing.unavailable.is_empty() {
        output::note(if query.is_empty() { "there are no tools" } else { "no tool matches" });
    } else {
        output::print(&listing.text())?;
    }
    sandbox.shutdown().await;
    Ok(Exit::Done)
}

struct Judge {
    policy: Policy,
    trusted: BTreeMap<String, bool>,
}

struct Listing {
    tools: Vec<Listed>,
    unavailable: Vec<Unavailable>,
}

struct Listed {
    function: String,
    tool: Tool,
    /// `None` if it depends on the arguments or the run.
    verdict: Option<Verdict>,
}

struct Unavailable {
    server: String,
    tool: Option<String>,
    reason: String,
}

impl Listing {
    fn new(sandbox: &Sandbox, judge: &Judge, query: &str) -> Self {
        let declarations = sandbox.declarations();
        let catalogue = sandbox.catalogue();
        let is_wanted = |texts: &[&str]| {
            query.is_empty() || texts.iter().any(|text| text.to_lowercase().contains(query))
        };
        let mut tools = Vec::new();
        for tool in catalogue.tools() {
            let Some(function) = declarations.identifier(&tool.server, &tool.name) else {
                continue;
            };
            let path = format!("{}/{}", tool.server, tool.name);
            let title = tool.title.as_deref().unwrap_or_default();
            let description = tool.description.as_deref().unwrap_or_default();
            if is_wanted(&[function, &path, title, description]) {
                let trusted = judge.trusted.get(&tool.server).copied().unwrap_or(false);
                let verdict = judge.policy.outlook(tool, trusted);
                tools.push(Listed { function: function.to_owned(), tool: tool.clone(), verdict });
            }
        }
        let undeclared = declarations.unavailable.iter().map(|bad| Unavailable {
            server: bad.server.clone(),
            tool: Some(bad.tool.clone()),
            reason: bad.reason.to_string(),
        });
        let rejected = catalogue.rejected().iter().map(|bad| Unavailable {
            server: bad.server.clone(),
            tool: bad.name.clone(),
            reason: bad.reason.to_string(),
        });
        let unavailable = undeclared.chain(rejected).filter(|bad| is_wanted(&[&bad.path()]));
        Self { tools, unavailable: unavailable.collect() }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let width = self.tools.iter().map(|listed| listed.function.chars().count()).max();
        let width = width.unwrap_or(0).min(50);
        for Listed { function, tool, verdict } in &self.tools {
            let about = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
            let summary = first_line(about, SUMMARY_CHARS);
            let line = format!("{function:width$}  {:<7}  {summary}", action(verdict.as_ref()));
            let _ = writeln!(text, "{}", line.trim_end());
        }
        if !self.unavailable.is_empty() {
            text.push_str("\nNot available:\n");
            for bad in &self.unavailable {
                let _ = writeln!(text, "  {}: {}", first_line(&bad.path(), 100), bad.reason);
            }
        }
        text
    }

    /// The digests, by server and tool; also of those that are refused because they changed.
    fn pins(&self, sandbox: &Sandbox) -> Value {
        let catalogue = sandbox.catalogue();
        let mut pins: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
        for Listed { tool, .. } in &self.tools {
            let of = pins.entry(&tool.server).or_default();
            of.insert(&tool.name, tool.digest().to_string());
        }
        for bad in catalogue.rejected() {
            if let (Some(name), RejectReason::Changed { found, .. }) = (&bad.name, &bad.reason)
                && self.unavailable.iter().any(|it| it.is(&bad.server, name))
            {
                pins.entry(&bad.server).or_default().insert(name, found.to_string());
            }
        }
        json!(pins)
    }

    fn json(&self) -> Value {
        let tools = self.tools.iter().map(|Listed { function, tool, verdict }| {
            let rule = match verdict {
                Some(Verdict::Allow { rule } | Verdict::Deny { rule, .. }) => Some(rule),
                Some(Verdict::Ask { rule, .. }) => rule.as_ref(),
                _ => None,
            };
            json!({
                "function": function,
                "server": tool.server,
                "tool": tool.name,
                "title": tool.title,
                "description": tool.description,
                "annotations": tool.annotations,
                "policy": { "action": action(verdict.as_ref()), "rule": rule },
            })
        });
        let unavailable = self
            .unavailable
            .iter()
            .map(|bad| json!({ "server": bad.server, "tool": bad.tool, "reason": bad.reason }));
        json!({
            "tools": tools.collect::<Vec<_>>(),
            "unavailable": unavailable.collect::<Vec<_>>(),
        })
    }
}

impl Unavailable {
    fn is(&self, server: &str, tool: &str) -> bool {
        self.server == server && self.tool.as_deref() == Some(tool)
    }

    fn path(&self) -> String {
        format!("{}/{}", self.server, self.tool.as_deref().unwrap_or("(a tool without a name)"))
    }
}

/// One word for a verdict.
fn action(verdict: Option<&Verdict>) -> &'static str {
    verdict.map_or("depends", |verdict| verdict.action().as_str())
}
