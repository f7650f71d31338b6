//! `cofferdam audit`: whether the audit log is whole, and what is in it.

use super::{exit::Exit, output, setup::WithConfig, visible::first_line};
use anyhow::{Context, bail};
use cofferdam::broker::{
    RunId,
    audit::{Entry, Expect, Hash, Verified, read, verify},
};
use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Check that nothing in the log was changed, taken out, added or moved
    Verify(Verify),
    /// Print what is in the log, the oldest first
    Show(Show),
}

#[derive(clap::Args)]
struct Verify {
    #[command(flatten)]
    log: WithLog,
    /// The hash of a line that must be there, as an earlier `verify` has printed it: without it
    /// nobody can tell that lines at the end are missing
    #[arg(long, value_name = "HASH")]
    head: Option<Hash>,
}

#[derive(clap::Args)]
struct Show {
    #[command(flatten)]
    log: WithLog,
    /// Only this run
    #[arg(long)]
    run: Option<RunId>,
    /// Only calls of this server
    #[arg(long)]
    server: Option<String>,
    /// Only calls of this tool, as tool or server/tool
    #[arg(long)]
    tool: Option<String>,
    /// Only how calls stand: decided, sent, refused, succeeded, failed or unknown
    #[arg(long)]
    state: Option<String>,
    /// Only what is not older than this: a time such as 2h, or a date such as 2026-11-30T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<SystemTime>,
    /// Print the lines as they are: JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct WithLog {
    /// The log; default: `audit` of the configuration
    file: Option<PathBuf>,
    #[command(flatten)]
    config: WithConfig,
    /// The hash of the last line that was taken away on purpose with old files
    #[arg(long, value_name = "HASH")]
    after: Option<Hash>,
}

pub(super) fn audit(arguments: Arguments) -> anyhow::Result<Exit> {
    match arguments.command {
        Command::Verify(arguments) => arguments.run(),
        Command::Show(arguments) => arguments.run(),
    }
}

impl WithLog {
    fn file(&self) -> anyhow::Result<PathBuf> {
        if let Some(file) = &self.file {
            return Ok(file.clone());
        }
        match self.config.read()?.audit {
            Some(audit) => Ok(audit.path),
            None => bail!("the configuration has no `audit`; name the file of the log"),
        }
    }
}

impl Verify {
    fn run(self) -> anyhow::Result<Exit> {
        let file = self.log.file()?;
        let expect = Expect { after: self.log.after, head: self.head };
        match verify(&file, expect) {
            Ok(verified) => {
                output::print(&summary(&verified))?;
                Ok(Exit::Done)
            }
            Err(error) => {
                output::error(&format!("{:#}", anyhow::Error::new(error)));
                Ok(Exit::Failed)
            }
        }
    }
}

fn summary(verified: &Verified) -> String {
    let Verified { files, entries, head, torn_bytes, open_runs, unsettled_calls, .. } = verified;
    let plural = super::ledger::plural;
    let entry = if *entries == 1 { "entry" } else { "entries" };
    let mut text = format!("whole: {entries} {entry} in {files} file{}\n", plural(*files));
    text += &format!("head: {head}\n");
    if *torn_bytes > 0 {
        text +=
            &format!("the last write was cut off: {torn_bytes} bytes at the end are no entry\n");
    }
    if !open_runs.is_empty() {
        text += &format!(
            "not closed: {} run{} ({}): under way, or the program died, or the end is missing\n",
            open_runs.len(),
            plural(open_runs.len()),
            open_runs.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", "),
        );
    }
    if *unsettled_calls > 0 {
        text += &format!(
            "sent and not settled: {unsettled_calls} call{}: it may have taken effect\n",
            plural(*unsettled_calls)
        );
    }
    text
}

impl Show {
    fn run(self) -> anyhow::Result<Exit> {
        let file = self.log.file()?;
        let expect = Expect { after: self.log.after, head: None };
        let mut printed = Ok(());
        let verified = read(&file, expect, |entry| {
            if printed.is_ok() && self.wants(entry) {
                printed = output::print(&self.text(entry));
            }
        });
        printed?;
        match verified {
            Ok(_) => Ok(Exit::Done),
            Err(error) => {
                output::error(&format!("{:#}", anyhow::Error::new(error)));
                Ok(Exit::Failed)
            }
        }
    }

    fn wants(&self, entry: &Entry) -> bool {
        let is = |name: &str, wanted: &str| entry.text(name) == Some(wanted);
        let time = || humantime::parse_rfc3339(entry.text("time")?).ok();
        self.run.is_none_or(|run| is("run", &run.to_string()))
            && self.server.as_deref().is_none_or(|server| is("server", server))
            && self.tool.as_deref().is_none_or(|wanted| match wanted.split_once('/') {
                Some((server, tool)) if is("server", server) => is("tool", tool),
                _ => is("tool", wanted),
            })
            && self.state.as_deref().is_none_or(|wanted| state(entry) == Some(wanted))
            && self.since.is_none_or(|since| time().is_some_and(|time| time >= since))
    }

    fn text(&self, entry: &Entry) -> String {
        if self.json {
            return format!("{}\n", entry.line);
        }
        let text = |name: &str| entry.text(name).unwrap_or_default();
        let mut line = format!("{}  {:16}  ", text("time"), text("run"));
        match (entry.call(), state(entry)) {
            (Some(call), state) => {
                let name = match text("server") {
                    "" => text("tool").to_owned(),
                    server => format!("{server}/{}", text("tool")),
                };
                let state = state.unwrap_or_default();
                line += &format!("#{call}  {}  {state}", first_line(&name, 60));
            }
            (None, _) => line += text("event"),
        }
        for name in ["label", "outcome", "decision", "kind", "message"] {
            if let Some(value) = entry.text(name) {
                line += &format!("  {name}: {}", first_line(value, 200));
            }
        }
        if let Some(arguments) = entry.members.get("arguments") {
            line += &format!("  {}", first_line(&arguments.to_string(), 200));
        }
        line.push('\n');
        line
    }
}

/// Where a line says that a call stands.
fn state(entry: &Entry) -> Option<&str> {
    match entry.text("event")? {
        "call_settled" => entry.text("state"),
        event => event.strip_prefix("call_"),
    }
}

fn since(text: &str) -> anyhow::Result<SystemTime> {
    if let Ok(time) = humantime::parse_rfc3339_weak(text) {
        return Ok(time);
    }
    let ago: Duration = humantime::parse_duration(text)
        .with_context(|| format!("`{text}` is neither a time such as `2h` nor a date"))?;
    SystemTime::now().checked_sub(ago).context("that is too long ago")
}
