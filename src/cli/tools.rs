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
    discovery::Query,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write};

/// How much of a description is shown.
const SUMMARY_CHARS: usize = 100;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Words to look for, the best match first; or a pattern, with --regex
    query: Option<String>,
    /// Take QUERY for a regular expression
    #[arg(long, requires = "query")]
    regex: bool,
    /// Only tools of this server; may be repeated
    #[arg(long, value_name = "NAME")]
    server: Vec<String>,
    /// Only tools that say that they change nothing
    #[arg(long)]
    read_only: bool,
    /// How many tools a search finds at most
    #[arg(long, value_name = "TOOLS", default_value_t = 20)]
    limit: usize,
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
    let query = arguments.query.unwrap_or_default();
    let functions = if query.is_empty() && arguments.server.is_empty() && !arguments.read_only {
        None
    } else {
        // Without words there is nothing to be good or bad at: all of them.
        let limit = if query.is_empty() { usize::MAX } else { arguments.limit };
        let wanted = arguments.server.into_iter().fold(Query::new(&query), Query::server);
        let wanted = wanted.limit(limit);
        let wanted = if arguments.read_only { wanted.read_only() } else { wanted };
        let hits = if arguments.regex {
            sandbox.search_pattern(wanted).await
        } else {
            Ok(sandbox.search(&wanted).await.hits)
        };
        match hits {
            Ok(hits) => Some(hits.iter().map(|hit| hit.tool.function.clone()).collect()),
            Err(error) => {
                sandbox.shutdown().await;
                return Err(error.into());
            }
        }
    };
    let listing = Listing::new(&sandbox, &judge, &query.to_lowercase(), functions);
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
    /// Lists the functions that were found, in their order; all if nothing was looked for.
    fn new(sandbox: &Sandbox, judge: &Judge, query: &str, found: Option<Vec<String>>) -> Self {
        let declarations = sandbox.declarations();
        let catalogue = sandbox.catalogue();
        let all = declarations.functions.iter().map(|function| function.identifier.clone());
        let tools = found.unwrap_or_else(|| all.collect()).into_iter().filter_map(|function| {
            let known = declarations.function(&function)?;
            let tool = catalogue.find(&known.server, &known.tool)?.clone();
            let trusted = judge.trusted.get(&tool.server).copied().unwrap_or(false);
            let verdict = judge.policy.outlook(&tool, trusted);
            Some(Listed { function, tool, verdict })
        });
        let is_wanted = |path: &str| query.is_empty() || path.to_lowercase().contains(query);
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
        let unavailable = undeclared.chain(rejected).filter(|bad| is_wanted(&bad.path()));
        Self { tools: tools.collect(), unavailable: unavailable.collect() }
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
