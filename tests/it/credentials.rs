//! What is kept elsewhere stays out of everything that the program writes.

#![allow(clippy::unwrap_used, reason = "a scene that cannot be set up fails its test")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const SECRETS: [&str; 3] = ["from-a-file-5up3r", "from-a-command-5up3r", "in-an-argument-5up3r"];

const SCRIPT: &str = r#"
const seen = [Object.getOwnPropertyNames(globalThis), JSON.stringify(globalThis)];
for (const name of ["leaky_leak", "leaky/leak"])
  try { await mcp.callTool(name); } catch (e) { seen.push(String(e), e.stack, JSON.stringify(e)); }
try { await mcp.readResource("leaky", "note://leak"); } catch (e) { seen.push(String(e)); }
console.log(seen);
return seen;
"#;

struct Scene(tempfile::TempDir);

impl Scene {
    fn new() -> Self {
        let scene = Self(tempfile::tempdir().unwrap());
        fs::write(scene.path("token"), format!("{}\n", SECRETS[0])).unwrap();
        fs::write(scene.path("script.ts"), SCRIPT).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let fixture = root.join("broker/tests/fixtures/interactive.py");
        // A server that tells its token to everybody.
        let server = |token: &str, more: &str| {
            serde_json::json!({ "command": "python3", "env": { "TOKEN": token },
                                "args": [fixture, "modern", scene.path("notes"), more] })
        };
        let command = format!("${{command:sh -c 'printf {} | cat'}}", SECRETS[1]);
        fs::write(scene.path("argument"), SECRETS[2]).unwrap();
        let config = serde_json::json!({
            "mcpServers": {
                "leaky": server("${file:token}", "${file:argument}"),
                "other": server(&command, "-"),
                "dead": { "command": "sh", "args": ["-c", "echo $0 >&2; exit 3", "${file:token}"] },
                "web": { "url": "http://127.0.0.1:1/${file:token}/mcp" },
            },
            "policy": [{ "action": "allow", "tools": "*" }]
        });
        fs::write(scene.path("config.json"), config.to_string()).unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, args: &[&str], log: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
        command.args(args).arg("--config").arg(self.path("config.json"));
        command.env("COFFERDAM_LOG", log).current_dir(self.0.path()).output().unwrap()
    }
}

#[test]
fn nothing_that_was_fetched_is_in_any_output() {
    let scene = Scene::new();
    let uses: [&[&str]; 7] = [
        &["run", "script.ts", "--ledger"],
        &["run", "script.ts", "--json"],
        &["servers", "--verbose"],
        &["servers", "--json"],
        &["tools"],
        &["call", "other/leak"],
        &["call", "other/hand"],
    ];
    for args in uses {
        for log in ["", "debug"] {
            let output = scene.run(args, log);
            let text = [output.stdout, output.stderr].concat();
            let text = String::from_utf8_lossy(&text);
            for secret in SECRETS {
                let shown = text.lines().find(|line| line.contains(secret));
                // What the server sends over its own pipe is its own doing, and only a log of
                // everything shows it; what we say of it is not.
                assert!(shown.is_none(), "{args:?} with the log `{log}`: {shown:?}");
            }
            // The scene does what it is there for.
            if args[0] == "run" && log.is_empty() {
                assert!(text.contains("the token *** of"), "{text}");
                assert!(text.contains("has expired"), "{text}");
            }
            if args == ["call", "other/hand"] {
                assert!(text.contains("my token is ***"), "{text}");
            }
        }
    }
}

#[test]
fn a_credential_is_fetched_only_for_a_server_that_is_used() {
    let scene = Scene::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fixture = root.join("broker/tests/fixtures/interactive.py");
    let touch = |name: &str| format!("${{command:sh -c 'echo {name} >> fetched; echo x'}}");
    let server = |name: &str, lazy: bool| {
        serde_json::json!({ "command": "python3", "lazy": lazy, "env": { "TOKEN": touch(name) },
                            "args": [fixture, "modern"] })
    };
    let config = serde_json::json!({
        "mcpServers": { "used": server("used", false), "unused": server("unused", true) },
        "policy": [{ "action": "allow", "tools": "*" }]
    });
    fs::write(scene.path("config.json"), config.to_string()).unwrap();
    let output = scene.run(&["call", "used/plain"], "");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read_to_string(scene.path("fetched")).unwrap(), "used\n");
}

#[test]
fn a_configuration_does_not_print_what_it_names() {
    let scene = Scene::new();
    let config = cofferdam::config::Config::load(scene.path("config.json")).unwrap();
    let text = format!("{config:?} {:?}", config.clone().servers);
    for secret in SECRETS.iter().skip(1) {
        assert!(!text.contains(secret), "{text}");
    }
    assert!(text.contains("the command `sh`"), "{text}");
}
