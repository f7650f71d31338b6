//! `cofferdam run`: one script, from a file or from standard input.

use super::{
    dry,
    events::WithEvents,
    exit::Exit,
    interrupt::Interrupt,
    ledger, limits, output,
    setup::{Opened, WithConfig, WithPolicy, ask_on_terminal, open},
};
use anyhow::Context;
use cofferdam::{Isolation, Script, broker::Rehearsal, config::parse_size, recorded::Recorded};
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
    /// Print the whole report as JSON: outcome, console, ledger and usage
    #[arg(long)]
    json: bool,
    /// Print the ledger of calls on standard error when the run has ended
    #[arg(long)]
    ledger: bool,
    /// What the script runs in
    #[arg(long, value_enum, default_value_t)]
    isolation: In,
    /// Refuse to run if anything is missing of what should stand between the script and this
    /// machine; `cofferdam doctor` says what
    #[arg(long)]
    strict: bool,
    /// Let V8 make no machine code: safer, and slower in long loops
    #[arg(long)]
    jitless: bool,
    /// Give the script's process namespaces of its own, where the kernel lets it
    #[arg(long)]
    namespaces: bool,
    /// The most that is printed for the model; what is longer loses its middle
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "64KiB")]
    budget: usize,
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

#[derive(Clone, Copy, Default, clap::ValueEnum)]
pub(super) enum In {
    /// A process of its own, which the system keeps from everything
    #[default]
    Process,
    /// A thread of this process: faster, and a crash of V8 ends the program
    Thread,
}

impl From<In> for Isolation {
    fn from(chosen: In) -> Self {
        match chosen {
            In::Process => Self::Process,
            In::Thread => Self::Thread,
        }
    }
}

pub(super) async fn run(arguments: Arguments, interrupt: &Interrupt) -> anyhow::Result<Exit> {
    let stdin_is_free = arguments.script.as_os_str() != "-";
    let mut config = arguments.config.read()?;
    config.limits = arguments.limits.over(&config.limits);
    config.policy = arguments.policy.before(config.policy)?;

    let Some(source) = interrupt.or(read(&arguments.script)).await else {
        return Ok(Exit::Interrupted);
    };
    let source = source?;
    let events = arguments.events.open()?;
    let recording = arguments.recording.as_deref().map(Recorded::load).transpose()?;
    let builder = config
        .builder()
        .isolation(arguments.isolation.into())
        .strict(arguments.strict)
        .jitless(arguments.jitless)
        .namespaces(arguments.namespaces);
    let (builder, show) = ask_on_terminal(builder, stdin_is_free);
    let sandbox = match open(builder, &show, interrupt).await? {
        Opened::Ready(sandbox) => sandbox,
        Opened::Not(exit) => return Ok(exit),
    };
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
            output::print(&report.to_model_text(arguments.budget))?;
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
