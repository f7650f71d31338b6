//! A folder with a configuration of one server, in which a test uses the program.

use cofferdam::broker::audit::{Entry, Expect, Verified, read};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// A folder with a configuration, in which the program is used.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new(more: &Value) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        let mut config = json!({
            "mcpServers": {
                "good": { "command": "python3", "args": [fixture(), "good", "${env:NOTES}"] }
            },
            "policy": [{ "tools": "good_*", "action": "allow" }],
            "audit": "audit.jsonl",
        });
        for (name, value) in more.as_object().unwrap() {
            config[name] = value.clone();
        }
        fs::write(place.at(".mcp.json"), config.to_string()).unwrap();
        place
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
        command.args(args).current_dir(self.folder.path()).env("NOTES", self.at("notes"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn script(&self, name: &str, source: &str) {
        fs::write(self.at(name), source).unwrap();
    }

    pub(crate) fn play(&self, args: &[&str]) -> (Option<i32>, String, String) {
        told(self.command(args).output().unwrap())
    }

    pub(crate) fn log(&self) -> (Vec<Entry>, Verified) {
        let mut entries = Vec::new();
        let whole = read(&self.at("audit.jsonl"), Expect::default(), |entry| {
            entries.push(entry.clone());
        });
        (entries, whole.unwrap())
    }
}

pub(crate) fn told(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

pub(crate) fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("broker/tests/fixtures/server.py")
}
