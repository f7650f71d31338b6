//! The program with public MCP servers, as they are installed from npm and PyPI, and with the two
//! of the demo.
//!
//! `tests/servers/` holds the scripts, beside each what the program must print for it on standard
//! output (`[folder]` is the folder it runs in), and the versions of the servers.
//! `scripts/test-servers.sh` installs these; without them the tests fail.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a scene that cannot be set up fails its test"
)]

mod scene;

use scene::{HttpServer, Scene, demo, fixture, script, server};
use serde_json::{Value, json};
use std::fs;

#[test]
fn filesystem_writes_reads_lists_and_refuses_what_is_outside_of_its_folder() {
    let scene = Scene::new();
    scene.make_folder("files");
    let config = all_allowed(json!({ "files": filesystem(&scene) }));
    assert_eq!(scene.plays("filesystem", &config), "");
    assert_eq!(scene.read("files/notes/a.txt"), "first\nzweite – 二\n");
    assert_eq!(scene.read("files/notes/c.txt"), "c");
}

#[test]
fn memory_keeps_entities_and_gives_its_graph_as_structured_results() {
    let scene = Scene::new();
    let config = all_allowed(json!({ "memory": memory(&scene) }));
    assert_eq!(scene.plays("memory", &config), "");
    assert!(scene.read("memory.jsonl").contains("wrote the first program"));
}

#[test]
fn everything_over_stdio() {
    let scene = Scene::new();
    let config = all_allowed(json!({ "everything": { "command": server("everything") } }));
    assert_eq!(scene.plays("everything", &config), "");
}

#[test]
fn everything_over_streamable_http() {
    let scene = Scene::new();
    let http = HttpServer::start(&server("everything"), &["streamableHttp"]);
    let config = all_allowed(json!({ "everything": { "type": "http", "url": http.url("/mcp") } }));
    assert_eq!(scene.plays("everything", &config), "");
}

#[test]
fn everything_has_resources_to_list_and_to_read() {
    let scene = Scene::new();
    let config = all_allowed(json!({ "everything": { "command": server("everything") } }));
    assert_eq!(scene.plays("resources", &config), "");
}

#[test]
fn git_tells_of_a_repository_and_commits_to_it() {
    let scene = Scene::new();
    scene.make_repository("repository");
    let config = all_allowed(json!({ "git": git(&scene) }));
    assert_eq!(scene.plays("git", &config), "");
    let log = scene.command("git", &["-C", "repository", "log", "--format=%s"]);
    assert_eq!(log, "Add a file\nBegin\n");
}

#[test]
fn time_gives_the_time_and_converts_it() {
    let scene = Scene::new();
    let config = all_allowed(json!({ "time": { "command": server("time") } }));
    assert_eq!(scene.plays("time", &config), "");
}

#[test]
fn the_demo_files_as_many_tickets_as_it_says() {
    let scene = Scene::new();
    let config = all_allowed(json!({
        "logging": { "command": demo("logging") },
        "ticketing": { "command": demo("ticketing"), "args": [scene.path("tickets.db")] },
    }));
    let triage = scene.run(&script("examples/triage.ts"), &config);
    assert_eq!((triage.code, triage.stderr.as_str()), (Some(0), ""), "{triage:?}");
    let said = triage.stdout.strip_prefix("Filed ").and_then(|rest| rest.split(' ').next());
    let said: usize = said.and_then(|number| number.parse().ok()).unwrap_or_default();
    assert!(said > 0, "{triage:?}");
    // Another run, and so another process of the server.
    let counted = scene.run(&script("tests/servers/tickets.ts"), &config);
    assert_eq!(counted.stdout, format!("Returned: {said}\n"), "{counted:?}");
    assert_eq!(scene.processes(), [""; 0]);
}

#[test]
fn a_denied_write_does_not_reach_the_server() {
    let scene = Scene::new();
    scene.make_folder("files");
    fs::write(scene.path("files/there.txt"), "").unwrap();
    let config = json!({
        "mcpServers": { "files": filesystem(&scene) },
        "policy": [
            { "tools": "files_write_*", "action": "deny", "reason": "this folder is only read" },
            { "tools": "files_*", "action": "allow" },
        ],
    });
    assert_eq!(scene.plays("denied", &config), "");
    assert!(!scene.path("files/denied.txt").exists());
}

#[test]
fn a_denied_ticket_is_not_filed() {
    let scene = Scene::new();
    let config = json!({
        "mcpServers": {
            "ticketing": { "command": demo("ticketing"), "args": [scene.path("tickets.db")] },
        },
        "policy": [
            { "tools": "ticketing_createIssue", "action": "deny" },
            { "servers": "ticketing", "action": "allow" },
        ],
    });
    assert_eq!(scene.plays("tickets-denied", &config), "");
}

#[test]
fn the_policy_of_the_page_on_approval_holds_with_its_three_servers() {
    let scene = Scene::new();
    scene.make_folder("notes");
    scene.make_repository("repository");
    let page = fs::read_to_string(script("docs/approval.md")).unwrap();
    let config = page.split("```json\n").find(|block| block.contains("\"git\"")).unwrap();
    let config = config.split("\n```").next().unwrap();
    let work = scene.path("").to_str().unwrap().trim_end_matches('/').to_owned();
    let mut config: Value = serde_json::from_str(&config.replace("/srv/work", &work)).unwrap();
    config["mcpServers"] = json!({
        "files": { "command": server("filesystem"), "args": [work], "timeout": "2m" },
        "git": git(&scene),
        "ticketing": { "command": demo("ticketing"), "args": [scene.path("tickets.db")] },
    });
    config["mcpServers"]["git"]["timeout"] = json!("2m");
    assert_eq!(scene.plays("approval", &config), "");
    assert_eq!(scene.read("notes/a.md"), "a note");
    assert!(!scene.path("elsewhere.md").exists());
    let log = scene.command("git", &["-C", "repository", "log", "--format=%s"]);
    assert_eq!(log, "Add a file\nBegin\n");
}

#[test]
fn a_server_that_cannot_start_keeps_no_other_from_working() {
    let scene = Scene::new();
    // The folder is not made: this server looks for it and ends.
    let config = all_allowed(json!({
        "files": filesystem(&scene),
        "time": { "command": server("time") },
    }));
    let warning = scene.plays("beside-a-broken-one", &config);
    assert!(warning.starts_with("warning: "), "{warning}");
    assert!(warning.contains("`files`"), "{warning}");
    assert_eq!(warning.matches("warning: ").count(), 1, "{warning}");
}

#[test]
fn a_server_that_dies_in_a_call_is_unavailable() {
    let scene = Scene::new();
    let config = all_allowed(json!({
        "odd": { "command": "python3", "args": [fixture("server.py")] },
        "time": { "command": server("time") },
    }));
    assert_eq!(scene.plays("dies-in-a-call", &config), "");
}

#[test]
fn an_interrupted_run_leaves_no_server_behind() {
    let scene = Scene::new();
    let config = all_allowed(json!({
        "memory": memory(&scene),
        "everything": { "command": server("everything") },
    }));
    let mut running = scene.start(&script("tests/servers/never-done.ts"), &config);
    running.wait_until(|| scene.path("memory.jsonl").exists());
    // That processes are found while they are there is what makes the other tests, which find none
    // at the end, say something.
    let there = scene.processes();
    for program in ["mcp-server-memory", "mcp-server-everything"] {
        assert!(there.iter().any(|command| command.contains(program)), "{there:?}");
    }
    scene.command("kill", &["-s", "INT", &running.id()]);
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert_eq!(scene.processes(), [""; 0]);
}

#[test]
fn scripts_fit_the_declarations_that_the_program_prints() {
    let scene = Scene::new();
    scene.make_folder("files");
    scene.make_repository("repository");
    let config = all_allowed(json!({
        "files": filesystem(&scene),
        "memory": memory(&scene),
        "everything": { "command": server("everything") },
        "git": git(&scene),
        "time": { "command": server("time") },
        "logging": { "command": demo("logging") },
        "ticketing": { "command": demo("ticketing"), "args": [scene.path("tickets.db")] },
        "odd": { "command": "python3", "args": [fixture("server.py")] },
    }));
    let declarations = scene.types(&config);
    assert_eq!((declarations.code, declarations.stderr.as_str()), (Some(0), ""));
    let scripts = scene::scripts().into_iter().chain([script("examples/triage.ts")]);
    assert_eq!(scene.compile(&declarations.stdout, scripts), "");
}

#[test]
fn every_script_is_played_and_every_output_has_its_script() {
    for path in scene::scripts() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let played = [format!("\"{name}\""), format!("/{name}.ts\"")];
        let is_played = played.iter().any(|text| include_str!("servers.rs").contains(text));
        assert!(is_played, "no test plays {}", path.display());
    }
    for path in scene::files("out") {
        assert!(path.with_extension("ts").exists(), "{} has no script", path.display());
    }
}

/// A configuration with these servers whose tools may all be called. All the time they want to
/// start: on a busy machine that can be much.
fn all_allowed(mut servers: Value) -> Value {
    for server in servers.as_object_mut().unwrap().values_mut() {
        server["timeout"] = json!("2m");
    }
    json!({ "mcpServers": servers, "policy": [{ "tools": "*", "action": "allow" }] })
}

fn filesystem(scene: &Scene) -> Value {
    json!({ "command": server("filesystem"), "args": [scene.path("files")] })
}

fn memory(scene: &Scene) -> Value {
    let env = json!({ "MEMORY_FILE_PATH": scene.path("memory.jsonl") });
    json!({ "command": server("memory"), "env": env })
}

/// With the settings of the repository only, and texts in English, whoever runs the test.
fn git(scene: &Scene) -> Value {
    let env = json!({ "GIT_CONFIG_GLOBAL": "/dev/null", "LC_ALL": "C" });
    json!({ "command": server("git"), "cwd": scene.path("repository"), "env": env })
}
