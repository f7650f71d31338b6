//! `cofferdam doctor`: whether the configuration, the servers, and what stands between a script and
//! this machine are as they should be.

use super::{
    exit::{Exit, failed},
    interrupt::Interrupt,
    output,
    progress::Progress,
    servers,
    setup::{WithConfig, WithSandbox, connect},
};
use cofferdam::{
    Report, Sandbox, ServerStatus,
    config::SandboxConfig,
    runtime::{Attempt, Hardening, v8_version},
};
use serde_json::{Value, json};
use std::fmt::Write;

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: WithConfig,
    #[command(flatten)]
    sandbox: WithSandbox,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A script that needs nothing but a worker that works.
const SCRIPT: &str = "return [1, 2, 3].reduce((sum: number, n: number) => sum + n)";

pub(super) async fn doctor(arguments: Arguments, interrupt: &Interrupt) -> anyhow::Result<Exit> {
    let config = arguments.config.read_if_there()?;
    let configuration = config.as_ref().map(|config| config.path.display().to_string());
    let builder = match config {
        Some(mut config) => {
            config.sandbox = arguments.sandbox.over(config.sandbox);
            config.eager().builder()
        }
        None => arguments.sandbox.over(SandboxConfig::default()).over(Sandbox::builder()),
    };
    // What is missing is to be told, so it must not keep the doctor from looking.
    let Some(sandbox) = connect(builder.strict(false), &Progress::start(), interrupt).await? else {
        return Ok(Exit::Interrupted);
    };
    let seen = Seen {
        configuration,
        servers: sandbox.servers(),
        hardening: sandbox.hardening().await?,
        attempts: sandbox.probe().await?,
        script: sandbox.run(SCRIPT).await,
    };
    sandbox.shutdown().await;
    if arguments.json {
        output::json(&seen.json())?;
    } else {
        output::print(&seen.text())?;
    }
    Ok(if !seen.holds() {
        Exit::Failed
    } else if failed(&seen.servers).next().is_some() {
        Exit::Unreachable
    } else {
        Exit::Done
    })
}

/// What the doctor found.
struct Seen {
    configuration: Option<String>,
    servers: Vec<ServerStatus>,
    hardening: Hardening,
    attempts: Vec<Attempt>,
    script: Report,
}

impl Seen {
    fn holds(&self) -> bool {
        self.hardening.missing().next().is_none()
            && self.attempts.iter().all(|attempt| attempt.refused)
            && self.script.is_completed()
    }

    fn json(&self) -> Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "v8": v8_version(),
            "configuration": self.configuration,
            "servers": self.servers.iter().map(servers::json).collect::<Vec<_>>(),
            "walls": self.hardening.walls(),
            "attempts": self.attempts,
            "script": self.script.to_json()["outcome"],
        })
    }

    fn text(&self) -> String {
        let mut text = format!("cofferdam {}, V8 {}\n\n", env!("CARGO_PKG_VERSION"), v8_version());
        match &self.configuration {
            None => text += "No configuration file; `cofferdam init` writes one.\n\n",
            Some(file) => {
                let _ = writeln!(text, "Configuration: {file}");
                for line in servers::text(&self.servers, true).lines() {
                    let _ = writeln!(text, "  {line}");
                }
                if self.servers.is_empty() {
                    text += "  no servers\n";
                }
                text.push('\n');
            }
        }
        text += &walls(&self.hardening, &self.attempts);
        text += match self.script.is_completed() {
            true => "\nA script was run: it came to its end.\n",
            false => "\nA script was run, and failed:\n",
        };
        if !self.script.is_completed() {
            text += &self.script.to_model_text(4096);
        }
        text
    }
}

fn walls(hardening: &Hardening, attempts: &[Attempt]) -> String {
    let mut text =
        "What stands between a script that has taken over V8 and this machine:\n".to_owned();
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
