//! A first configuration, made of those of other hosts: `tests/init` is the home of somebody who
//! uses all of them.

use crate::serving::scene::{Sdk, run, text};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/broker/tests/fixtures/server.py");

/// A copy of the home, in which `[home]` stands for itself.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/init");
        home.copy(&from, home.0.path());
        home
    }

    /// The same for somebody who has one server, the fixture, which is in `SERVER`.
    fn with_one_server() -> Self {
        let home = Self::new();
        for other in [".claude.json", ".codex", ".cursor", ".config", "project/.vscode"] {
            let path = home.at(other);
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
        let mcp = fs::read_to_string(home.at("project/.mcp.json")).unwrap();
        let mut mcp: Value = serde_json::from_str(&mcp).unwrap();
        mcp["mcpServers"].as_object_mut().unwrap().remove("web");
        fs::write(home.at("project/.mcp.json"), mcp.to_string()).unwrap();
        home
    }

    fn copy(&self, from: &Path, to: &Path) {
        for entry in fs::read_dir(from).unwrap() {
            let (from, name) =
                (entry.as_ref().unwrap().path(), entry.as_ref().unwrap().file_name());
            let to = to.join(name);
            if from.is_dir() {
                fs::create_dir(&to).unwrap();
                self.copy(&from, &to);
            } else if from.extension().is_none_or(|extension| extension != "snap") {
                let text = fs::read_to_string(&from).unwrap();
                fs::write(to, text.replace("[home]", self.0.path().to_str().unwrap())).unwrap();
            }
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// Runs the program in the project's folder.
    fn run(&self, args: &[&str], env: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
        command.args(args).current_dir(self.at("project")).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.0.path());
        command.env("XDG_CONFIG_HOME", self.at(".config")).envs(env.iter().copied());
        command.output().unwrap()
    }

    fn shown(&self, output: &Output) -> String {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let status = output.status.code().unwrap();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        format!("exit code: {status}\n----- stdout -----\n{out}----- stderr -----\n{err}")
            .replace(self.0.path().to_str().unwrap(), "[home]")
            .replace(env!("CARGO_BIN_EXE_cofferdam"), "[cofferdam]")
    }
}

/// macOS has its settings elsewhere.
#[cfg(target_os = "linux")]
#[test]
fn servers_of_other_hosts_are_taken_without_their_secrets() {
    let home = Home::new();
    let told = home.run(&["init"], &[]);
    let file = fs::read_to_string(home.at(".config/cofferdam/config.json")).unwrap();
    for text in [&file, &home.shown(&told)] {
        assert!(!text.to_lowercase().contains("hunter2"), "{text}");
    }
    let mode = fs::metadata(home.at(".config/cofferdam/config.json")).unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);

    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../init");
    settings.set_prepend_module_to_snapshot(false);
    let file = file.replace(home.0.path().to_str().unwrap(), "[home]");
    settings.bind(|| {
        insta::assert_snapshot!("told", home.shown(&told));
        insta::assert_snapshot!("file", file);
        insta::assert_snapshot!("again", home.shown(&home.run(&["init"], &[])));
    });
}

/// What `init` writes is a configuration, and the doctor finds its servers well.
#[test]
fn what_was_written_works() {
    let home = Home::with_one_server();
    let file = home.at("first.json");
    let file = file.to_str().unwrap();
    assert!(home.run(&["init", "--output", file], &[]).status.success());
    let seen = home.run(&["doctor", "--config", file, "--json"], &[("SERVER", FIXTURE)]);
    let seen: Value = serde_json::from_slice(&seen.stdout).unwrap();
    assert_eq!(seen["servers"][0]["name"], "logs");
    assert_eq!(seen["servers"][0]["state"], "ready");
    assert_eq!(seen["script"]["value"], 6);
    // A variable that is missing is named, with the place where it stands.
    let seen = home.shown(&home.run(&["doctor", "--config", file], &[]));
    assert!(seen.contains("`SERVER`") && seen.contains("first.json:"), "{seen}");
}

/// From nothing to a host that runs a script: by the configuration that `init` writes and the snippet
/// that it prints.
#[test]
fn what_was_written_serves_the_official_client() {
    for sdk in [Sdk::Modern, Sdk::Legacy, Sdk::Old] {
        let home = Home::with_one_server();
        let told = home.run(&["init"], &[]);
        assert!(told.status.success(), "{}", home.shown(&told));
        let told = String::from_utf8(told.stdout).unwrap();
        let next = told.split_once("Next: `cofferdam ").unwrap().1.split_once('`').unwrap().0;
        let next: Vec<&str> = next.split(' ').collect();
        let doctor = home.run(&next, &[("SERVER", FIXTURE)]);
        assert!(next[0] == "doctor" && doctor.status.success(), "{}", home.shown(&doctor));
        let snippet = told.split_once(".mcp.json files:\n").unwrap().1;
        let snippet: Value = serde_json::from_str(snippet).unwrap();

        let mut server = snippet["mcpServers"]["cofferdam"].clone();
        server["cwd"] = json!(home.0.path());
        server["env"] = json!({ "SERVER": FIXTURE, "HOME": home.0.path() });
        let yes = json!({ "action": "accept", "content": { "decision": "once" } });
        let find = json!({ "tool": "search_tools", "arguments": { "query": "return arguments" } });
        let script = run("return (await logs_echo({ text: 'hi' })).json()");
        let plan = json!({ "server": server, "elicit": [yes], "steps": [find, script] });
        let seen = sdk.play(&plan);
        let tools = seen["tools"].as_array().unwrap();
        assert!(tools.iter().any(|tool| tool["name"] == "run_code"), "{sdk:?} {seen:#}");
        assert!(text(&seen, 0).starts_with("logs_echo: "), "{sdk:?} {seen:#}");
        let value = &seen["steps"][1]["answer"]["structuredContent"]["value"];
        assert_eq!(*value, json!({ "text": "hi" }), "{sdk:?} {seen:#}");
        // Nothing is allowed yet, so the user was asked.
        assert_eq!(seen["questions"].as_array().unwrap().len(), 1, "{sdk:?} {seen:#}");
    }
}
