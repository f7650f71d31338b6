//! `cofferdam init`: a first configuration, of the servers that other MCP hosts have on this machine.
//!
//! It says what it takes from which file and what not. What looks like a secret is never copied: a
//! variable of the environment takes its place, and its name is told.

mod convert;
mod hosts;
mod register;
mod secrets;

use super::{exit::Exit, output};
use anyhow::Context;
use convert::Server;
use hosts::{Found, Surroundings};
use secrets::Variables;
use serde_json::{Map, Value, json};
use std::{
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The file to write [default: cofferdam/config.json in your configuration directory]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
    /// Print the configuration and write nothing
    #[arg(long)]
    print: bool,
}

pub(super) fn init(arguments: &Arguments) -> anyhow::Result<Exit> {
    let surroundings = Surroundings::here()?;
    let file = match &arguments.output {
        Some(file) => std::path::absolute(file)?,
        None => cofferdam::config::user_file()
            .context("this system has no configuration directory; name a file with --output")?,
    };
    let mut draft = Draft::default();
    for found in hosts::find(&surroundings) {
        // Neither this file nor this program are servers to take.
        if found.path != file {
            draft.take(found, &surroundings);
        }
    }
    let text = draft.file();
    if arguments.print {
        output::print(&text)?;
        output::note(&draft.told);
        return Ok(Exit::Done);
    }
    write(&file, &text, arguments.force)?;
    let mut told = draft.told;
    let _ = writeln!(told, "\nWrote {} with {}.", file.display(), servers(draft.servers.len()));
    if draft.variables.iter().next().is_some() {
        told += "\nSecrets were not copied. Set these variables before you start the program, or put other \
                 references into the file, such as ${file:PATH}, ${command:PROGRAM} or ${keychain:SERVICE/ACCOUNT}:\n";
        for (name, from) in draft.variables.iter() {
            let _ = writeln!(told, "  {name}  ({from})");
        }
    }
    told += "\nNothing is allowed yet: each call of a script is asked about. `policy` in the file changes that.\n";
    // By its name: the file of another host in the folder would have precedence.
    let named = file.display().to_string();
    let named = shlex::try_quote(&named).unwrap_or_default();
    let _ = writeln!(told, "Next: `cofferdam doctor --config {named}` tries all of it.");
    told += &register::text(&file)?;
    output::print(&told)?;
    Ok(Exit::Done)
}

fn servers(count: usize) -> String {
    format!("{count} server{}", super::ledger::plural(count))
}

/// The configuration in the making.
#[derive(Default)]
struct Draft {
    servers: Map<String, Value>,
    variables: Variables,
    /// What was taken and what not, for the user.
    told: String,
}

impl Draft {
    fn take(&mut self, found: Found, surroundings: &Surroundings) {
        let Found { host, path, servers } = found;
        let _ = writeln!(self.told, "{host}: {}", path.display());
        let servers = match servers {
            Ok(servers) => servers,
            Err(why) => {
                let _ = writeln!(self.told, "  not read: {why}");
                return;
            }
        };
        if servers.is_empty() {
            self.told += "  no servers\n";
        }
        for (name, described) in servers {
            let name = name.trim();
            match convert::server(name, &described, host, &path, surroundings, &mut self.variables)
            {
                Ok(server) => self.add(name, server),
                Err(why) => {
                    let _ = writeln!(self.told, "  not {name}: {why}");
                }
            }
        }
    }

    fn add(&mut self, name: &str, server: Server) {
        let Server { config, variables, left_out } = server;
        if self.servers.values().any(|known| *known == config) {
            let _ = writeln!(self.told, "  {name}: as above");
            return;
        }
        let mut free = name.to_owned();
        let mut number = 2;
        while self.servers.contains_key(&free) {
            free = format!("{name}-{number}");
            number += 1;
        }
        let renamed = if free == name { String::new() } else { format!(" as {free}") };
        let _ = writeln!(self.told, "  {name}{renamed}: {}", convert::summary(&config));
        for key in left_out {
            let _ = writeln!(self.told, "    without its `{key}`, which means nothing here");
        }
        for variable in variables {
            let _ = writeln!(self.told, "    with ${{env:{variable}}} in place of a secret");
        }
        self.servers.insert(free, config);
    }

    fn file(&self) -> String {
        format!("{:#}\n", json!({ "mcpServers": self.servers, "policy": [] }))
    }
}

/// Writes the file for its owner only, and over another one only if that is wanted.
fn write(file: &Path, text: &str, force: bool) -> anyhow::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut open = options.open(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => anyhow::anyhow!(
            "{} is there already; --force replaces it, --output names another file, --print only prints",
            file.display()
        ),
        _ => anyhow::Error::new(error).context(format!("{} cannot be written", file.display())),
    })?;
    open.write_all(text.as_bytes()).with_context(|| format!("{} cannot be written", file.display()))
}
