//! From the configuration and the command line to a sandbox.

use super::{
    approver::Terminal, exit::Exit, exit::failed, interrupt::Interrupt, output, progress::Progress,
};
use anyhow::Context;
use clap::Args;
use cofferdam::{
    Builder, Isolation, Policy, Sandbox, ServerState,
    config::{Config, Error, SandboxConfig},
};
use std::path::PathBuf;

/// Which configuration.
#[derive(Args)]
pub(super) struct WithConfig {
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Rules before those of the configuration.
#[derive(Args)]
pub(super) struct WithPolicy {
    /// Allow the tools that match, e.g. 'files_read*' or 'files/*' (may be given several times)
    #[arg(long, value_name = "GLOB")]
    allow: Vec<String>,
    /// Deny the tools that match; goes before --allow (may be given several times)
    #[arg(long, value_name = "GLOB")]
    deny: Vec<String>,
}

/// What scripts run in, where it is to be other than in the configuration.
#[derive(Args)]
pub(super) struct WithSandbox {
    /// What scripts run in [default: process]
    #[arg(long, value_enum)]
    isolation: Option<In>,
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
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum In {
    /// A process of its own, which the system keeps from everything
    Process,
    /// A thread of this process: faster, and a crash of V8 ends the program
    Thread,
}

impl WithSandbox {
    /// What was given, then what is configured.
    pub(super) fn over(&self, mut configured: SandboxConfig) -> SandboxConfig {
        match self.isolation {
            Some(In::Process) => configured.isolation = Isolation::Process,
            Some(In::Thread) => configured.isolation = Isolation::Thread,
            None => {}
        }
        configured.strict |= self.strict;
        configured.jitless |= self.jitless;
        configured.namespaces |= self.namespaces;
        configured
    }
}

impl WithConfig {
    pub(super) fn read(&self) -> anyhow::Result<Config> {
        let config = Config::find(self.config.as_deref())?;
        let servers = config.servers.iter().map(|(name, server)| (name.as_str(), server.trusted));
        for unused in config.policy.unused(servers) {
            output::warning(&unused.to_string());
        }
        for unused in config.data_flow.unused(config.servers.keys().map(String::as_str)) {
            output::warning(&unused);
        }
        Ok(config)
    }
}

impl WithConfig {
    /// The same, or `None` if no file was named and there is none.
    pub(super) fn read_if_there(&self) -> anyhow::Result<Option<Config>> {
        match Config::find(self.config.as_deref()) {
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
            Ok(_) => self.read().map(Some),
        }
    }
}

impl WithPolicy {
    /// The given rules, then those of the configuration.
    pub(super) fn before(&self, configured: Policy) -> anyhow::Result<Policy> {
        let mut policy = Policy::default();
        for glob in &self.deny {
            policy = policy.deny(glob).context("--deny")?;
        }
        for glob in &self.allow {
            policy = policy.allow(glob).context("--allow")?;
        }
        Ok(policy.then(configured))
    }
}

/// Asks on the terminal if there is one.
pub(super) fn ask_on_terminal(builder: Builder, stdin_is_free: bool) -> (Builder, Show) {
    let show = Progress::start();
    match Terminal::open(stdin_is_free, show.clone()) {
        Some(terminal) => (builder.approver(terminal.clone()).elicitor(terminal), show),
        None => (builder, show),
    }
}

/// What shows progress.
pub(super) type Show = std::sync::Arc<Progress>;

/// A sandbox whose servers were reached, or why there is none.
pub(super) enum Opened {
    Ready(Sandbox),
    Not(Exit),
}

/// Reaches the servers. Those that are not there are warned of; if none is there, that is the end.
pub(super) async fn open(
    builder: Builder,
    show: &Show,
    interrupt: &Interrupt,
) -> anyhow::Result<Opened> {
    let Some(sandbox) = connect(builder, show, interrupt).await? else {
        return Ok(Opened::Not(Exit::Interrupted));
    };
    let servers = sandbox.servers();
    for server in &servers {
        if let ServerState::Failed { error } = &server.state {
            output::warning(&format!("the server `{}` is not available: {error}", server.name));
        }
    }
    if !servers.is_empty() && failed(&servers).count() == servers.len() {
        output::error("no server could be reached");
        return Ok(Opened::Not(Exit::Unreachable));
    }
    Ok(Opened::Ready(sandbox))
}

/// Reaches the servers, whatever becomes of each. `None` if interrupted.
pub(super) async fn connect(
    builder: Builder,
    show: &Show,
    interrupt: &Interrupt,
) -> anyhow::Result<Option<Sandbox>> {
    let building = builder.events(show.clone()).build();
    Ok(interrupt.or(building).await.transpose()?)
}
