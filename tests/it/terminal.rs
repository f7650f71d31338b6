//! Approvals on a terminal where the moment matters: what is typed is typed when something is there
//! to be seen. (What does not depend on it is a case of `tests/cli`.)

#![allow(clippy::unwrap_used, reason = "a scene that cannot be set up fails its test")]

use nix::sys::wait::WaitStatus;
use rexpect::{session::PtySession, spawn_with_options};
use std::{fs, path::Path, process::Command};

/// How long anything may take before the test gives up, in milliseconds.
const PATIENCE: u64 = 60_000;

/// The program on a terminal of its own, and a server that writes down which calls it gets.
struct Scene {
    folder: tempfile::TempDir,
    terminal: PtySession,
}

impl Scene {
    fn new(script: &str, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("broker/tests/fixtures/server.py");
        let notes = folder.path().join("notes");
        let config = serde_json::json!({
            "mcpServers": { "good": { "command": "python3", "args": [server, "good", notes] } },
        });
        fs::write(folder.path().join(".mcp.json"), config.to_string()).unwrap();
        fs::write(folder.path().join("script.ts"), script).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
        command.args(["run", "script.ts"]).args(options).current_dir(folder.path());
        command.env("TERM", "dumb").env("HOME", folder.path());
        let options = rexpect::reader::Options::new().timeout_ms(Some(PATIENCE));
        let terminal = spawn_with_options(command, options.strip_ansi_escape_codes(true)).unwrap();
        Self { folder, terminal }
    }

    /// Waits until this is shown; what was shown before it.
    fn shows(&mut self, text: &str) -> String {
        self.terminal.exp_string(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn types(&mut self, line: &str) {
        self.terminal.send_line(line).unwrap();
    }

    /// Waits for the end: what was shown since, the exit code, and the calls that the server got.
    fn ends(mut self) -> (String, i32, usize) {
        let rest = self.terminal.exp_eof().unwrap();
        let status = self.terminal.process().wait().unwrap();
        let WaitStatus::Exited(_, code) = status else { panic!("{status:?}") };
        let notes = fs::read_to_string(self.folder.path().join("notes")).unwrap_or_default();
        let calls = notes.lines().filter(|line| line.starts_with("called ")).count();
        (rest, code, calls)
    }
}

#[test]
fn what_was_typed_before_a_question_does_not_answer_it() {
    let script = "console.log('ready'); await new Promise((done) => setTimeout(done, 1500)); await good_echo({});
        await new Promise((done) => setTimeout(done, 1500)); await good_echo({});";
    let mut scene = Scene::new(script, &[]);
    scene.types("y");
    scene.shows("May the script call good/echo?");
    scene.shows("\r\n> ");
    scene.types("y");
    // While nobody asks.
    std::thread::sleep(std::time::Duration::from_millis(500));
    scene.types("y");
    scene.shows("May the script call good/echo?");
    scene.shows("\r\n> ");
    scene.types("n I had not seen it");
    let (rest, code, calls) = scene.ends();
    assert_eq!((code, calls), (1, 1));
    assert!(rest.contains("I had not seen it"), "{rest}");
}

#[test]
fn a_call_that_comes_while_another_is_looked_at_is_told_of_and_waits() {
    let script = "const later = new Promise((done) => setTimeout(done, 500)).then(() => good_structured({}));
        await good_echo({}); await later;";
    let mut scene = Scene::new(script, &[]);
    scene.shows("May the script call good/echo?");
    scene.shows("(more calls wait; they come after this answer)");
    scene.types("y");
    scene.shows("May the script call good/structured?");
    scene.shows("\r\n> ");
    scene.types("y");
    let (rest, code, calls) = scene.ends();
    assert_eq!((code, calls), (0, 2), "{rest}");
}

#[test]
fn a_question_that_is_settled_otherwise_goes_away() {
    let script = "const signal = AbortSignal.timeout(700);
        try { await mcp.callTool('good_echo', {}, { signal }); } catch (error) { console.log(error.name); }
        await good_structured({});";
    let mut scene = Scene::new(script, &[]);
    scene.shows("May the script call good/echo?");
    scene.shows("(no answer needed any more)");
    scene.shows("May the script call good/structured?");
    scene.shows("\r\n> ");
    scene.types("y");
    let (rest, code, calls) = scene.ends();
    assert_eq!((code, calls), (0, 1), "{rest}");
}

#[test]
fn a_question_that_is_not_answered_in_time_goes_away_and_is_a_denial() {
    let mut scene = Scene::new("await good_echo({});", &["--approval-wait", "700ms"]);
    scene.shows("May the script call good/echo?");
    scene.shows("(no answer needed any more)");
    let (rest, code, calls) = scene.ends();
    assert_eq!((code, calls), (1, 0));
    assert!(rest.contains("denied: nobody answered within 700ms (`approval_wait`)"), "{rest}");
}

#[test]
fn denials_on_the_terminal_end_the_run_when_there_are_too_many() {
    let script = "for (;;) try { await good_echo({}); } catch {}";
    let mut scene = Scene::new(script, &["--denials", "1"]);
    for _ in 0..2 {
        scene.shows("May the script call good/echo?");
        scene.shows("\r\n> ");
        scene.types("n");
    }
    let (rest, code, calls) = scene.ends();
    assert_eq!((code, calls), (3, 0));
    assert!(rest.contains("The run was stopped by its limit `denials`"), "{rest}");
}
