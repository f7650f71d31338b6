//! The program, as a person or a script uses it.
//!
//! Each `tests/cli/NAME.toml` is one use of it in an empty folder; what it printed, its exit code
//! and what the server saw of it are in `NAME.snap` beside it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde::Deserialize;
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// One use of the program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What it shows.
    about: String,
    args: Vec<String>,
    exit: i32,
    /// The configuration, written to `.mcp.json`. Its servers reach the fixtures by
    /// `${env:SERVER}` (a stdio server, which notes the calls it sees in the file `notes`) and
    /// `${env:HTTP}` (the port of the HTTP server).
    config: Option<String>,
    /// The script, written to `script.ts`.
    script: Option<String>,
    /// A skill, written to `SKILL.md`.
    skill: Option<String>,
    stdin: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// How the HTTP server behaves.
    http: Option<String>,
    /// Signals to send, the first when the server has seen a call of its tool `slow`.
    #[serde(default)]
    signals: Vec<String>,
    /// Lines typed on a terminal, one per question. Standard output and error are that terminal.
    typed: Option<Vec<String>>,
}

/// How long anything may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn the_program_does_and_says_what_the_snapshots_say() {
    insta::glob!("../cli", "*.toml", |path| {
        let text = fs::read_to_string(path).unwrap();
        let case: Case =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(path.parent().unwrap());
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.remove_snapshot_suffix();
        settings.remove_input_file();
        settings.set_description(case.about.clone());
        settings.add_filter(r"\d+(\.\d+)? ?(ms|µs)\b", "[time]");
        settings.add_filter(r#"("\w+_ms": )[\d.]+"#, "$1[time]");
        settings.add_filter(r#"("heap_bytes": )\d+"#, "$1[size]");
        settings.add_filter(r"cofferdam \d\S*, V8 \S+", "cofferdam [version], V8 [version]");
        settings.add_filter(r"cofferdam output [0-9a-f]{12}", "cofferdam output [run]");
        settings.add_filter(r"127\.0\.0\.1:\d+", "127.0.0.1:[port]");
        let seen = case.play();
        let name = path.file_stem().unwrap().to_str().unwrap();
        settings.bind(|| insta::assert_snapshot!(name, seen));
    });
}

#[test]
fn every_snapshot_has_its_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "snap") {
            assert!(path.with_extension("toml").exists(), "{} has no case", path.display());
        }
    }
}

impl Case {
    /// Exit code, outputs, and what the server noted, in one text.
    fn play(&self) -> String {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (name, content) in
            [(".mcp.json", &self.config), ("script.ts", &self.script), ("SKILL.md", &self.skill)]
        {
            if let Some(content) = content {
                fs::write(at(name), content).unwrap();
            }
        }
        let http = self.http.as_ref().map(|behaviour| Http::start(behaviour));
        let mut command = self.command();
        command.current_dir(folder.path()).env_clear().envs(&self.env);
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", folder.path());
        command.env("SERVER", fixture("server.py")).env("NOTES", at("notes"));
        command.env("INTERACTIVE", fixture("interactive.py"));
        command.env("TERM", "dumb");
        if let Some(http) = &http {
            command.env("HTTP", &http.port);
        }
        let mut child = Running(command.spawn().unwrap());
        let mut stdin = child.0.stdin.take().unwrap();
        // The program may end without having read it.
        let _ = stdin.write_all(self.stdin.as_deref().unwrap_or_default().as_bytes());
        drop(stdin);
        for (index, signal) in self.signals.iter().enumerate() {
            match index {
                0 => wait_until(|| {
                    let notes = fs::read_to_string(at("notes")).unwrap_or_default();
                    notes.contains("called slow")
                }),
                // The program has to see that these are two.
                _ => std::thread::sleep(Duration::from_millis(200)),
            }
            let pid = child.0.id().to_string();
            Command::new("kill").args(["-s", signal, &pid]).status().unwrap();
        }
        let stdout = child.0.stdout.take().unwrap();
        let stdout = std::thread::spawn(move || std::io::read_to_string(stdout).unwrap());
        let stderr = std::io::read_to_string(child.0.stderr.take().unwrap()).unwrap();
        let status = child.wait();
        let stdout = stdout.join().unwrap();
        assert_eq!(status.code(), Some(self.exit), "exit code\n{stdout}\n{stderr}");

        let notes = fs::read_to_string(at("notes")).unwrap_or_default();
        let calls: String = notes
            .lines()
            .filter(|line| line.starts_with("called"))
            .map(|l| format!("{l}\n"))
            .collect();
        let folder = folder.path().to_str().unwrap();
        let fixtures = fixture("");
        format!(
            "exit code: {}\n----- stdout -----\n{stdout}----- stderr -----\n{stderr}----- calls seen by the server -----\n{calls}",
            self.exit
        )
        .replace(folder, "[folder]")
        .replace(fixtures.to_str().unwrap(), "[fixtures]/")
    }

    fn command(&self) -> Command {
        let program = env!("CARGO_BIN_EXE_cofferdam");
        let mut command = match &self.typed {
            None => Command::new(program),
            Some(lines) => {
                let mut command = Command::new("python3");
                let terminal = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/terminal.py");
                let stdin = if self.stdin.is_some() { "pipe" } else { "terminal" };
                command.arg(terminal).arg(lines.join("\n")).args([stdin, program]);
                command
            }
        };
        command.args(&self.args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// A process that does not outlive its test.
struct Running(Child);

impl Running {
    fn wait(&mut self) -> std::process::ExitStatus {
        let mut status = None;
        wait_until(|| {
            status = self.0.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that answers HTTP as it is told.
struct Http {
    _process: Running,
    port: String,
}

impl Http {
    fn start(behaviour: &str) -> Self {
        let mut command = Command::new("python3");
        command.arg(fixture("http_server.py")).arg(behaviour).stdout(Stdio::piped());
        let mut process = Running(command.spawn().unwrap());
        let mut port = String::new();
        BufReader::new(process.0.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { _process: process, port: port.trim().to_owned() }
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("broker/tests/fixtures").join(name)
}

fn wait_until(mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "waited too long");
        std::thread::sleep(Duration::from_millis(10));
    }
}
