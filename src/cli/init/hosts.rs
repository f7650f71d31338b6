//! Where MCP hosts keep their servers, and reading that.
//!
//! The places are those of the hosts' own documentation: Claude Desktop and Claude Code (Anthropic),
//! VS Code (`mcp.json`), Cursor, and Codex (`config.toml`).

use anyhow::Context;
use serde_json::{Map, Value};
use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

/// Larger files are not read: Claude Code keeps histories in its file.
const MOST_BYTES: u64 = 64 << 20;

/// Whose file it is, which says how to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Host {
    ClaudeDesktop,
    ClaudeCode,
    VsCode,
    Cursor,
    Codex,
    Project,
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::VsCode => "VS Code",
            Self::Cursor => "Cursor",
            Self::Codex => "Codex",
            Self::Project => "this folder",
        })
    }
}

/// The folders that matter.
pub(super) struct Surroundings {
    pub(super) home: PathBuf,
    pub(super) folder: PathBuf,
    /// Of the user, for programs' settings.
    config: PathBuf,
}

impl Surroundings {
    pub(super) fn here() -> anyhow::Result<Self> {
        let directories = directories::BaseDirs::new().context("there is no home directory")?;
        Ok(Self {
            home: directories.home_dir().to_owned(),
            folder: std::env::current_dir().context("the working directory cannot be found")?,
            config: directories.config_dir().to_owned(),
        })
    }

    fn places(&self) -> [(Host, PathBuf); 8] {
        let Self { home, folder, config } = self;
        [
            (Host::Project, folder.join(".mcp.json")),
            (Host::ClaudeCode, home.join(".claude.json")),
            (Host::ClaudeDesktop, config.join("Claude/claude_desktop_config.json")),
            (Host::VsCode, folder.join(".vscode/mcp.json")),
            (Host::VsCode, config.join("Code/User/mcp.json")),
            (Host::Cursor, folder.join(".cursor/mcp.json")),
            (Host::Cursor, home.join(".cursor/mcp.json")),
            (Host::Codex, home.join(".codex/config.toml")),
        ]
    }
}

/// A file that is there.
pub(super) struct Found {
    pub(super) host: Host,
    pub(super) path: PathBuf,
    /// Its servers as it describes them, or why they cannot be read.
    pub(super) servers: Result<Vec<(String, Value)>, String>,
}

/// The files of hosts that are on this machine.
pub(super) fn find(surroundings: &Surroundings) -> Vec<Found> {
    let places = surroundings.places().into_iter().filter(|(_, path)| path.exists());
    places
        .map(|(host, path)| {
            let servers = read(host, &path, &surroundings.folder);
            Found { host, path, servers }
        })
        .collect()
}

fn read(host: Host, path: &Path, folder: &Path) -> Result<Vec<(String, Value)>, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MOST_BYTES {
        return Err(format!("it has {size} bytes, more than {MOST_BYTES}"));
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let root: Value = match host {
        Host::Codex => toml::from_str(&text).map_err(|error| error.message().to_owned())?,
        // These files may have comments.
        _ => jsonc_parser::parse_to_serde_value(&text, &jsonc_parser::ParseOptions::default())
            .map_err(|error| error.to_string())?,
    };
    let mut servers = Vec::new();
    let mut add = |value: Option<&Value>| {
        let map = value.and_then(Value::as_object);
        servers.extend(map.into_iter().flat_map(Map::iter).map(|(k, v)| (k.clone(), v.clone())));
    };
    match host {
        Host::Codex => add(root.get("mcp_servers")),
        Host::VsCode => add(root.get("servers")),
        Host::ClaudeCode => {
            add(root.get("mcpServers"));
            // What was added for this folder alone.
            let project = folder.to_str().and_then(|folder| root.get("projects")?.get(folder));
            add(project.and_then(|project| project.get("mcpServers")));
        }
        _ => add(root.get("mcpServers")),
    }
    Ok(servers)
}
