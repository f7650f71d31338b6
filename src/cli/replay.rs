//! `cofferdam replay`: a script against a recording, without any server.

use super::{exit::Exit, interrupt::Interrupt, ledger, output, run::read, setup::WithSandbox};
use cofferdam::{
    broker::Order,
    config::{SandboxConfig, parse_size},
    recorded,
};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The recording, as `run --record` has made it
    #[arg(value_name = "FILE")]
    recording: PathBuf,
    /// The script; default: the one that was recorded
    #[arg(value_name = "SCRIPT")]
    script: Option<PathBuf>,
    /// Take the same calls in any order
    #[arg(long)]
    lenient: bool,
    /// Print the whole report as JSON
    #[arg(long)]
    json: bool,
    /// Print the ledger of calls on standard error
    #[arg(long)]
    ledger: bool,
    #[command(flatten)]
    sandbox: WithSandbox,
    /// The most that is printed for the model
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "64KiB")]
    budget: usize,
}

pub(super) async fn replay(arguments: Arguments, interrupt: &Interrupt) -> anyhow::Result<Exit> {
    let recorded = recorded::Recorded::load(&arguments.recording)?;
    let source = match &arguments.script {
        None => None,
        Some(path) => match interrupt.or(read(path)).await {
            None => return Ok(Exit::Interrupted),
            Some(source) => Some(source?),
        },
    };
    let builder = arguments.sandbox.over(SandboxConfig::default()).over(recorded.builder());
    let sandbox = builder.build().await?;
    let order = if arguments.lenient { Order::Lenient } else { Order::Exact };
    let (script, replay) = recorded.replay(source, order);
    let report = sandbox.run(script.cancel(interrupt.token())).await;
    sandbox.shutdown().await;
    if interrupt.token().is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    if arguments.json {
        output::json(&report.to_json())?;
    } else {
        output::print(&report.to_model_text(arguments.budget))?;
    }
    if arguments.ledger {
        output::note(&ledger::text(&report.ledger));
    }
    if let Some(divergence) = replay.divergence() {
        output::error(&format!("the replay diverges: {divergence}"));
        return Ok(Exit::Failed);
    }
    let calls = replay.recording().calls();
    let calls = format!("{calls} call{}", ledger::plural(calls));
    // Out of order, the ledger is another one.
    let difference = recorded::difference(replay.recording(), &report);
    match difference.filter(|_| order == Order::Exact) {
        Some(difference) => {
            output::error(&format!(
                "the calls are those of the recording ({calls}), but {difference}"
            ));
            Ok(Exit::Failed)
        }
        None if order == Order::Exact => {
            output::note(&format!("replay: {calls} and the report are those of the recording"));
            Ok(Exit::Done)
        }
        None => {
            output::note(&format!("replay: {calls}, all of them those of the recording"));
            Ok(Exit::Done)
        }
    }
}
