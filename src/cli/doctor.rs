//! `cofferdam doctor`: what stands between a script and this machine, and whether it holds.

use super::{exit::Exit, output, run::In};
use cofferdam::{
    Sandbox,
    runtime::{Attempt, Hardening, v8_version},
};
use serde_json::json;
use std::fmt::Write;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// What scripts run in
    #[arg(long, value_enum, default_value_t)]
    isolation: In,
    /// As `run --jitless`
    #[arg(long)]
    jitless: bool,
    /// As `run --namespaces`
    #[arg(long)]
    namespaces: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn doctor(arguments: Arguments) -> anyhow::Result<Exit> {
    let sandbox = Sandbox::builder()
        .isolation(arguments.isolation.into())
        .jitless(arguments.jitless)
        .namespaces(arguments.namespaces)
        .build()
        .await?;
    let hardening = sandbox.hardening().await?;
    let attempts = sandbox.probe().await?;
    sandbox.shutdown().await;
    if arguments.json {
        output::json(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "v8": v8_version(),
            "walls": hardening.walls(),
            "attempts": attempts,
        }))?;
    } else {
        output::print(&text(&hardening, &attempts))?;
    }
    let holds = hardening.missing().next().is_none() && attempts.iter().all(|a| a.refused);
    Ok(if holds { Exit::Done } else { Exit::Failed })
}

fn text(hardening: &Hardening, attempts: &[Attempt]) -> String {
    let mut text = format!("cofferdam {}, V8 {}\n\n", env!("CARGO_PKG_VERSION"), v8_version());
    text += "What stands between a script that has taken over V8 and this machine:\n";
    for held in hardening.walls() {
        let name = held.wall.as_str();
        let _ = match &held.missing {
            None => writeln!(text, "  yes  {name:15}  {}", held.wall.about()),
            Some(why) => writeln!(text, "  NO   {name:15}  {why}"),
        };
    }
    if attempts.is_empty() {
        return text;
    }
    let allowed: Vec<_> = attempts.iter().filter(|attempt| !attempt.refused).collect();
    let _ =
        writeln!(text, "\nA worker tried {} things that a script must never do:", attempts.len());
    match allowed.as_slice() {
        [] => text += "  all refused\n",
        allowed => {
            for attempt in allowed {
                let _ = writeln!(text, "  NOT REFUSED  {}", attempt.what);
            }
        }
    }
    text
}
