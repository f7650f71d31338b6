//! `cofferdam policy`: what the rules make of a call, and whether they still make of it what was
//! expected. No server is reached and nothing is called.

use super::{
    exit::Exit,
    output,
    setup::{WithConfig, WithPolicy},
};
use anyhow::{Context, bail, ensure};
use cofferdam::{
    Policy,
    broker::{Action, Annotations, Carried, Explanation, Subject, Tool, Verdict},
    config::Config,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::{fmt::Write, path::PathBuf};

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Show which rule decides about a call, and why those before it do not
    Explain(Explain),
    /// Compare what the policy makes of calls with what is expected of it
    Test(Test),
}

#[derive(clap::Args)]
struct Explain {
    /// The tool, as server/tool
    tool: String,
    /// The arguments, as a JSON object
    #[arg(default_value = "{}")]
    input: String,
    /// The label of the run
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// What the tool says of itself, as servers do: '{"readOnlyHint": true}'
    #[arg(long, value_name = "JSON", default_value = "{}")]
    annotations: String,
    /// A tool, as server/tool, of whose results something is in the arguments (may be given several
    /// times)
    #[arg(long, value_name = "TOOL")]
    carries: Vec<String>,
    /// A tool whose results the run has read before (may be given several times)
    #[arg(long, value_name = "TOOL")]
    read: Vec<String>,
    #[command(flatten)]
    config: WithConfig,
    #[command(flatten)]
    policy: WithPolicy,
}

#[derive(clap::Args)]
struct Test {
    /// A JSON list of { "tool", "input", "annotations", "label", "carries", "read", "expect": "allow" |
    /// "ask" | "deny" }
    file: PathBuf,
    #[command(flatten)]
    config: WithConfig,
}

/// A call and what is expected of the policy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    /// `server/tool`
    tool: String,
    #[serde(default)]
    input: Map<String, Value>,
    /// As servers give them.
    #[serde(default)]
    annotations: Map<String, Value>,
    label: Option<String>,
    /// Tools of whose results something is in the input: `server/tool`.
    #[serde(default)]
    carries: Vec<String>,
    /// Tools whose results the run has read before.
    #[serde(default)]
    read: Vec<String>,
    expect: Action,
}

/// What is decided about a call, and by what.
struct Judgement {
    /// What the policy makes of it by itself.
    policy: Explanation,
    /// And with what it carries.
    verdict: Verdict,
}

pub(super) fn policy(arguments: Arguments) -> anyhow::Result<Exit> {
    match arguments.command {
        Command::Explain(explain) => explain.run(),
        Command::Test(test) => test.run(),
    }
}

impl Explain {
    fn run(self) -> anyhow::Result<Exit> {
        let config = self.config.read()?;
        let policy = self.policy.before(config.policy.clone())?;
        let call = Expectation {
            input: serde_json::from_str(&self.input).context("the arguments are no JSON object")?,
            annotations: serde_json::from_str(&self.annotations).context("--annotations")?,
            tool: self.tool,
            label: self.label,
            carries: self.carries,
            read: self.read,
            expect: Action::Ask,
        };
        let judgement = call.judge(&policy, &config)?;
        let steps = &judgement.policy.steps;
        let mut text = String::new();
        for step in steps {
            let _ = match &step.mismatch {
                Some(why) => {
                    writeln!(text, "rule {}, {}: passed over, {why}", step.number, step.rule)
                }
                None => writeln!(text, "rule {}, {}: decides", step.number, step.rule),
            };
        }
        if steps.last().is_none_or(|step| step.mismatch.is_some()) {
            text += "no rule matches, so somebody is asked\n";
        }
        if let Some(rule) = judgement.flow_rule() {
            let _ = writeln!(text, "{rule}: decides, as it is stricter");
        }
        let verdict = &judgement.verdict;
        let reason = match verdict {
            Verdict::Deny { reason, .. } | Verdict::Ask { reason, .. } => reason.as_deref(),
            _ => None,
        };
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        let _ = writeln!(text, "=> {}{reason}", verdict.action().as_str());
        if call.carries.is_empty()
            && call.read.is_empty()
            && let Some((server, tool)) = call.tool.split_once('/')
        {
            for line in config.data_flow.about(server, tool) {
                let _ = writeln!(text, "data flow, if it is stricter: {line}");
            }
        }
        output::print(&text)?;
        Ok(Exit::Done)
    }
}

impl Test {
    fn run(self) -> anyhow::Result<Exit> {
        let config = self.config.read()?;
        let name = self.file.display();
        let text = std::fs::read_to_string(&self.file)
            .with_context(|| format!("{name} cannot be read"))?;
        let expectations: Vec<Expectation> = serde_json::from_str(&text)
            .with_context(|| format!("{name} is no list of expectations"))?;
        ensure!(!expectations.is_empty(), "{name} expects nothing");
        let mut wrong = 0;
        for (index, expectation) in expectations.iter().enumerate() {
            let judgement = expectation.judge(&config.policy, &config)?;
            let decided = judgement.verdict.action();
            if decided != expectation.expect {
                wrong += 1;
                let rule = judgement.policy.steps.last().filter(|step| step.mismatch.is_none());
                let rule = rule.map_or("no rule matches".to_owned(), |step| {
                    format!("rule {}, {}", step.number, step.rule)
                });
                let rule = judgement.flow_rule().map_or(rule, str::to_owned);
                output::print(&format!(
                    "{}: {} is expected to be {}, and is {}: {rule}\n",
                    index + 1,
                    expectation.tool,
                    expectation.expect.as_str(),
                    decided.as_str(),
                ))?;
            }
        }
        let right = expectations.len() - wrong;
        output::print(&format!("{right} of {} as expected\n", expectations.len()))?;
        Ok(if wrong == 0 { Exit::Done } else { Exit::Failed })
    }
}

impl Expectation {
    fn judge(&self, policy: &Policy, config: &Config) -> anyhow::Result<Judgement> {
        let (server, name) = parts(&self.tool, config)?;
        let known = config.servers.get(server);
        let mut tool = Tool::new(server, name);
        tool.annotations = annotations(&self.annotations)?;
        let explanation = policy.explain(Subject {
            tool: &tool,
            trusted: known.is_some_and(|known| known.trusted),
            arguments: &self.input,
            label: self.label.as_deref(),
        });
        let carried =
            Carried { carries: tools(&self.carries, config)?, read: tools(&self.read, config)? };
        let verdict = explanation.verdict.clone();
        let verdict = config.data_flow.verdict((server, name), &carried, verdict);
        Ok(Judgement { policy: explanation, verdict })
    }
}

impl Judgement {
    /// The rule of data flow that decides, if one does.
    fn flow_rule(&self) -> Option<&str> {
        let rule = match &self.verdict {
            Verdict::Deny { rule, .. } => Some(rule),
            Verdict::Ask { rule, .. } => rule.as_ref(),
            _ => None,
        };
        rule.map(String::as_str).filter(|_| self.verdict != self.policy.verdict)
    }
}

fn tools<'a>(tools: &'a [String], config: &Config) -> anyhow::Result<Vec<(&'a str, &'a str)>> {
    tools.iter().map(|tool| parts(tool, config)).collect()
}

/// The server and the name of a tool.
fn parts<'a>(tool: &'a str, config: &Config) -> anyhow::Result<(&'a str, &'a str)> {
    let Some((server, name)) = tool.split_once('/') else {
        bail!("`{tool}` is not a tool: write it as server/tool");
    };
    ensure!(
        config.servers.contains_key(server),
        "`{tool}`: the configuration has no server `{server}`"
    );
    Ok((server, name))
}

/// What a server would say, by the names that servers use.
fn annotations(given: &Map<String, Value>) -> anyhow::Result<Annotations> {
    let mut annotations = Annotations::default();
    for (name, value) in given {
        let hint = match name.as_str() {
            "readOnlyHint" => &mut annotations.read_only,
            "destructiveHint" => &mut annotations.destructive,
            "idempotentHint" => &mut annotations.idempotent,
            "openWorldHint" => &mut annotations.open_world,
            _ => bail!(
                "`{name}` is not an annotation; possible are `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`"
            ),
        };
        *hint = Some(value.as_bool().with_context(|| format!("`{name}` is not true or false"))?);
    }
    Ok(annotations)
}
