//! `cofferdam run`: one script, from a file or from standard input.

use super::{
    dry,
    events::WithEvents,
    exit::Exit,
    interrupt::Interrupt,
    kept::Kept,
    ledger, limits, output,
    setup::{Opened, WithConfig, WithPolicy, WithSandbox, ask_on_terminal, open},
};
use anyhow::Context;
use cofferdam::{
    OutputBudget, Report, Script, Skill, broker::Rehearsal, config::parse_size, recorded::Recorded,
};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The script, TypeScript or JavaScript; - for standard input
    #[arg(value_name = "FILE")]
    script: PathBuf,
    #[command(flatten)]
    config: WithConfig,
    #[command(flatten)]
    policy: WithPolicy,
    /// A label for this run, which rules of the policy can be about
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// Enable the servers that this skill (a SKILL.md, or its folder) needs, for this run (may be
    /// given several times)
    #[arg(long, value_name = "PATH")]
    skill: Vec<PathBuf>,
    /// Print the whole report as JSON: outcome, console, ledger and usage
    #[arg(long)]
    json: bool,
    /// Print the ledger of calls on standard error when the run has ended
    #[arg(long)]
    ledger: bool,
    #[command(flatten)]
    sandbox: WithSandbox,
    /// The most that is printed for the model; of what is longer the shape stays, and the rest is
    /// kept for `cofferdam output`
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "64KiB")]
    budget: usize,
    /// The same in tokens, estimated: one for 4 ASCII characters, one for every other character
    #[arg(long, value_name = "NUMBER")]
    tokens: Option<usize>,
    /// Write everything that the run asks for and gets into this file, for `cofferdam replay`
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    record: Option<PathBuf>,
    /// Send only what trusted servers say only reads; the first call that is anything else ends the
    /// run, with a list of what it would have done
    #[arg(long)]
    dry_run: bool,
    /// In a dry run, answer from this recording what is not sent
    #[arg(long, value_name = "FILE", requires = "dry_run")]
    recording: Option<PathBuf>,
    #[command(flatten)]
    events: WithEvents,
    #[command(flatten)]
    limits: limits::Given,
}

pub(super) async fn run(arguments: Arguments, interrupt: &Interrupt) -> anyhow::Result<Exit> {
    let stdin_is_free = arguments.script.as_os_str() != "-";
    let mut config = arguments.config.read()?;
    arguments.limits.put_over(&mut config);
    config.policy = arguments.policy.before(config.policy)?;
    config.sandbox = arguments.sandbox.over(config.sandbox);

    let Some(source) = interrupt.or(read(&arguments.script)).await else {
        return Ok(Exit::Interrupted);
    };
    let source = source?;
    let skills = arguments.skill.iter().map(|path| Skill::load(path));
    let skills = skills.collect::<Result<Vec<_>, _>>()?;
    let events = arguments.events.open()?;
    let recording = arguments.recording.as_deref().map(Recorded::load).transpose()?;
    let (builder, show) = ask_on_terminal(config.builder(), stdin_is_free);
    let sandbox = match open(builder, &show, interrupt).await? {
        Opened::Ready(sandbox) => sandbox,
        Opened::Not(exit) => return Ok(exit),
    };
    let mut held = Vec::new();
    for skill in &skills {
        held.push(sandbox.hold(skill).await?);
    }
    let script = Script::new(source).cancel(interrupt.token());
    let script = arguments.label.into_iter().fold(script, Script::label);
    let script = events.into_iter().fold(script, Script::events);
    let script = script.events_in_full(arguments.events.events_full);
    let rehearsal =
        arguments.dry_run.then(|| Rehearsal::new(recording.map(Recorded::into_recording)));
    let mut script = rehearsal.iter().cloned().fold(script, Script::rehearse);
    let mut recorder = None;
    if let Some(path) = &arguments.record {
        let (recorded, writer) = sandbox.record(script, path).await?;
        (script, recorder) = (recorded, Some(writer));
    }
    let report = {
        let _hush = arguments.events.are_on_stderr().then(|| show.hush());
        sandbox.run(script).await
    };
    let withheld = rehearsal.map(|rehearsal| rehearsal.withheld()).unwrap_or_default();
    let exit = match withheld.as_slice() {
        [] => Exit::of(&report, &sandbox.servers()),
        // It went as far as it was meant to go.
        _ if !interrupt.token().is_cancelled() => Exit::Done,
        _ => Exit::Interrupted,
    };
    if let Some(problem) = recorder.and_then(|recorder| recorder.problem()) {
        output::warning(&problem.to_string());
    }
    {
        let _hush = show.hush();
        if arguments.json {
            let mut json = report.to_json();
            if arguments.dry_run {
                json["would_call"] = dry::json(&withheld);
            }
            output::json(&json)?;
        } else if withheld.is_empty() {
            output::print(&for_model(&report, arguments.budget, arguments.tokens))?;
        } else {
            output::print(&dry::text(&report, &withheld))?;
        }
        if arguments.ledger {
            output::note(&ledger::text(&report.ledger));
        }
    }
    sandbox.shutdown().await;
    Ok(exit)
}

/// What the model reads. If that is not all, the whole is kept, and the text says where.
fn for_model(report: &Report, bytes: usize, tokens: Option<usize>) -> String {
    let budget = tokens.into_iter().fold(OutputBudget::bytes(bytes), OutputBudget::tokens);
    let text = report.for_model(&budget);
    if !text.was_cut {
        return text.text;
    }
    let Some(kept) = Kept::of_user() else { return text.text };
    let id = Kept::new_id();
    match kept.keep(&id, &report.whole_text()) {
        Ok(()) => report.for_model(&budget.rest(format!("cofferdam output {id} --range A-B"))).text,
        Err(error) => {
            output::warning(&format!("the whole output could not be kept: {error:#}"));
            text.text
        }
    }
}

/// Reads the script without keeping Ctrl-C from working.
pub(super) async fn read(path: &std::path::Path) -> anyhow::Result<String> {
    let from = path.to_owned();
    let reading = tokio::task::spawn_blocking(move || {
        if from.as_os_str() == "-" {
            std::io::read_to_string(std::io::stdin())
        } else {
            std::fs::read_to_string(from)
        }
    });
    reading.await?.with_context(|| match path.to_str() {
        Some("-") => "the script cannot be read from standard input".to_owned(),
        _ => format!("the script {} cannot be read", path.display()),
    })
}
