//! Servers on demand: found, enabled and disabled by clients.

use super::scene::{Instance, Scene, Sdk, run, text};
use crate::hosts::block_on;
use cofferdam::{
    Isolation, Policy, Sandbox, ServerConfig, ServerState,
    serve::{Http, Options, Server},
};
use serde_json::{Value, json};
use std::{
    path::Path,
    time::{Duration, Instant},
};

const ALL: [Sdk; 3] = [Sdk::Modern, Sdk::Legacy, Sdk::Old];
const LIST: &str = "return (await ticketing_listIssues({})).json<unknown[]>().length";

/// The tickets are on demand; what reads is allowed, and enabling is asked about.
fn scene() -> Scene {
    let scene = Scene::new();
    scene.change(|config| {
        config["mcpServers"]["ticketing"]["onDemand"] = json!(true);
        config["mcpServers"]["ticketing"]["description"] = json!("Issues of the project.\nMore.");
    });
    scene
}

fn says(decision: &str) -> Value {
    json!({ "action": "accept", "content": { "decision": decision } })
}

fn step(tool: &str, arguments: Value) -> Value {
    json!({ "tool": tool, "arguments": arguments })
}

fn enable(server: &str) -> Value {
    step("enable_server", json!({ "server": server }))
}

fn disable(server: &str) -> Value {
    step("disable_server", json!({ "server": server }))
}

fn structure(seen: &Value, step: usize) -> &Value {
    &seen["steps"][step]["answer"]["structuredContent"]
}

#[test]
fn the_tools_are_there_only_if_a_server_is_on_demand() {
    let names = |seen: &Value| -> Vec<String> {
        let tools = seen["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let steps = json!([enable("ticketing")]);
    let plan = |scene: &Scene| json!({ "server": scene.stdio(&[]), "steps": steps });
    let without = Sdk::Modern.play(&plan(&Scene::new()));
    let with = Sdk::Modern.play(&plan(&scene()));
    let more = ["search_servers", "enable_server", "disable_server"].map(str::to_owned);
    assert_eq!(names(&with), [names(&without), more.to_vec()].concat());
    assert!(without["steps"][0]["error"].as_str().unwrap().contains("no tool `enable_server`"));

    let tools = with["tools"].as_array().unwrap();
    assert_eq!(tools[..tools.len() - 3], *without["tools"].as_array().unwrap());
    insta::assert_json_snapshot!("tools_on_demand", tools[tools.len() - 3..]);
    let (with, without) = (with["instructions"].as_str(), without["instructions"].as_str());
    let more = with.unwrap().strip_prefix(without.unwrap()).unwrap();
    insta::assert_snapshot!("instructions_on_demand", more);
}

/// What the host of a server has enabled itself is its own affair.
#[test]
fn a_client_does_not_take_a_server_from_the_host() {
    block_on(async {
        let program = Path::new(env!("CARGO_BIN_EXE_cofferdam")).with_file_name("logging");
        let none: [&str; 0] = [];
        let config = ServerConfig::stdio(program.to_string_lossy(), none).on_demand(true);
        let policy = Policy::default().allow("logging/*").unwrap();
        let builder = Sandbox::builder().isolation(Isolation::Thread).warm(0).policy(policy);
        let sandbox = builder.server("logging", config).build().await.unwrap();
        let is_off = || matches!(sandbox.servers()[0].state, ServerState::Off);
        let server = Server::new(sandbox.clone(), Options::default());
        let listening = server.listen(Http::new(([127, 0, 0, 1], 0).into())).await.unwrap();
        let url = format!("http://{}/mcp", listening.address());
        let serving = tokio::spawn(listening.serve());
        let play = async || {
            let steps = json!([enable("logging"), disable("logging")]);
            let plan = json!({ "server": { "url": url }, "steps": steps });
            let seen = tokio::task::spawn_blocking(move || Sdk::Modern.play(&plan)).await.unwrap();
            assert!(text(&seen, 0).contains("is on;"), "{seen:#}");
        };
        play().await;
        assert!(is_off(), "it was the client's alone");
        sandbox.enable("logging").await.unwrap().unwrap();
        play().await;
        assert!(!is_off(), "it is the host's");
        server.drain().await;
        serving.await.unwrap().unwrap();
        sandbox.shutdown().await;
    });
}

#[test]
fn a_server_is_found_enabled_used_and_disabled() {
    for sdk in ALL {
        let scene = scene();
        let steps = json!([
            step("search_servers", json!({ "query": "project issue" })),
            step("search_tools", json!({ "query": "create issue" })),
            step("search_tools", json!({ "server": "ticketing" })),
            enable("ticketing"),
            step("search_tools", json!({ "query": "create issue" })),
            run(LIST),
            disable("ticketing"),
            disable("ticketing"),
            run(LIST),
            step("search_servers", json!({})),
        ]);
        let plan = json!({ "server": scene.stdio(&[]), "elicit": [says("once")], "steps": steps });
        let seen = sdk.play(&plan);
        assert_eq!(text(&seen, 0), "ticketing (off, 0 tools): Issues of the project.\n");
        assert!(!text(&seen, 1).contains("ticketing_"), "{sdk:?} {seen:#}");
        assert!(text(&seen, 2).contains("until it is enabled (enable_server)"), "{seen:#}");
        assert_eq!(structure(&seen, 3)["ok"], json!(true), "{sdk:?} {seen:#}");
        assert_eq!(structure(&seen, 3)["server"], json!("ticketing"));
        assert!(text(&seen, 4).contains("ticketing_createIssue: "), "{seen:#}");
        assert_eq!(text(&seen, 5), "Returned: 0\n", "{seen:#}");
        let off = json!({ "server": "ticketing", "state": "off" });
        assert_eq!((structure(&seen, 6), structure(&seen, 7)), (&off, &off));
        assert!(text(&seen, 8).contains("switched off until it is enabled"), "{seen:#}");
        assert_eq!(structure(&seen, 9)["found"], json!(3));
        let questions = seen["questions"].as_array().unwrap();
        assert_eq!(questions.len(), 1, "{seen:#}");
        let message = questions[0]["message"].as_str().unwrap();
        assert!(message.contains("The server `ticketing` is to be switched on"), "{message}");
        assert!(message.contains("It is for: Issues of the project."), "{message}");
        assert_eq!(scene.processes(), 0);
    }
}

#[test]
fn a_server_is_not_enabled_without_leave() {
    for sdk in ALL {
        let scene = scene();
        let steps =
            json!([enable("ticketing"), step("search_servers", json!({ "query": "ticketing" }))]);
        let play = |elicit: Option<Value>, more: &[&str]| {
            let mut plan = json!({ "server": scene.stdio(more), "steps": steps });
            if let Some(answer) = elicit {
                plan["elicit"] = json!([answer]);
            }
            sdk.play(&plan)
        };
        let denied = |seen: &Value, why: &str| {
            assert_eq!(seen["steps"][0]["answer"]["isError"], json!(true), "{sdk:?} {seen:#}");
            assert_eq!(structure(seen, 0)["error"]["kind"], json!("denied"), "{seen:#}");
            assert!(text(seen, 0).contains(why), "{seen:#}");
            assert_eq!(structure(seen, 1)["servers"][0]["state"], json!("off"), "{seen:#}");
        };
        denied(&play(Some(says("deny")), &[]), "the user did not allow it");
        denied(&play(Some(json!({ "action": "cancel" })), &[]), "the user did not allow it");
        let seen = play(None, &[]);
        denied(&seen, "cannot ask its user");
        let rule = "{ \"action\": \"allow\", \"tools\": \"ticketing/servers/enable\" }";
        denied(&seen, rule);
        let seen = play(None, &["--allow", "ticketing/servers/enable"]);
        assert_eq!(structure(&seen, 0)["ok"], json!(true), "{sdk:?} {seen:#}");
        assert_eq!(structure(&seen, 1)["servers"][0]["state"], json!("ready"));
        denied(&play(Some(says("once")), &["--deny", "ticketing/servers/enable"]), "denied");
    }
}

#[test]
fn a_name_that_is_none_has_its_nearest() {
    let scene = scene();
    let steps = json!([
        enable("tiketing"),
        disable("tiketing"),
        enable("nothing-like-it"),
        enable("logging"),
        step("search_servers", json!({ "query": "zeppelin" })),
        step("search_tools", json!({ "server": "loging" })),
    ]);
    let plan = json!({ "server": scene.stdio(&[]), "steps": steps });
    let seen = Sdk::Modern.play(&plan);
    let near = "there is no server `tiketing`; did you mean `ticketing`?";
    assert_eq!([text(&seen, 0), text(&seen, 1)], [near; 2]);
    assert!(text(&seen, 2).ends_with("search_servers lists all"));
    assert!(text(&seen, 3).contains("`logging` is always on"));
    assert!(text(&seen, 4).starts_with("No server matches."));
    assert_eq!(text(&seen, 5), "there is no server `loging`; did you mean `logging`?");
}

/// One instance begins it, another one goes on when the user has said yes.
#[test]
fn another_instance_enables_after_an_approval() {
    let scene = scene();
    let key = [("COFFERDAM_STATE_KEY", "0123456789abcdef0123")];
    let (first, second) = (scene.http(&[], &key), scene.http(&[], &key));
    let proxy = super::approvals::RoundRobin::over(&[&first, &second]);
    let plan = json!({ "server": { "url": format!("http://{}/mcp", proxy.address) }, "elicit": [says("once")], "steps": [enable("ticketing")] });
    let seen = Sdk::Modern.play(&plan);
    assert_eq!(structure(&seen, 0)["ok"], json!(true), "{seen:#}");
    let on = [&first, &second].iter().filter(|instance| state(instance) == "ready").count();
    assert_eq!(on, 1);
}

fn state(instance: &Instance) -> String {
    let step = step("search_servers", json!({ "query": "ticketing" }));
    let seen = Sdk::Modern.play(&json!({ "server": instance.server(), "steps": [step] }));
    structure(&seen, 0)["servers"][0]["state"].as_str().unwrap().to_owned()
}

#[test]
fn a_client_does_not_take_a_server_from_another() {
    let scene = scene();
    let instance = scene.http(&["--allow", "ticketing/servers/enable"], &[]);
    let first = json!([enable("ticketing"), { "sleep": 6000 }, run(LIST), disable("ticketing")]);
    let first = Sdk::Legacy.start(&json!({ "server": instance.server(), "steps": first }));
    while state(&instance) != "ready" {}
    // It sees the tools at once; what it has not enabled it cannot disable.
    let other = json!([run(LIST), disable("ticketing"), enable("ticketing"), disable("ticketing")]);
    let other = Sdk::Modern.play(&json!({ "server": instance.server(), "steps": other }));
    assert_eq!(text(&other, 0), "Returned: 0\n", "{other:#}");
    for step in [1, 3] {
        assert_eq!(text(&other, step), "The server `ticketing` stays on: others use it.\n");
    }
    let first = first.end();
    assert_eq!(text(&first, 1), "Returned: 0\n", "{first:#}");
    assert_eq!(text(&first, 2), "The server `ticketing` is off.\n", "{first:#}");
}

/// A session of the older era, without a client around it.
struct Session<'a> {
    instance: &'a Instance,
    id: String,
}

impl<'a> Session<'a> {
    fn begin(instance: &'a Instance) -> Self {
        let mut session = Self { instance, id: String::new() };
        let answer = session.send("POST", super::http::INITIALIZE);
        let id = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        session.id = id.unwrap().to_owned();
        session.send("POST", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        session
    }

    fn send(&self, method: &str, body: &str) -> String {
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        if !self.id.is_empty() {
            headers.extend([
                ("Mcp-Session-Id", self.id.as_str()),
                ("MCP-Protocol-Version", "2025-11-25"),
            ]);
        }
        self.instance.send(method, "/mcp", &headers, body).1
    }

    fn call(&self, tool: &str, arguments: Value) -> String {
        let params = json!({ "name": tool, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
        self.send("POST", &call.to_string())
    }

    fn end(self) {
        self.send("DELETE", "");
    }
}

fn wait_until_off(instance: &Instance) {
    let until = Instant::now() + Duration::from_secs(60);
    while state(instance) != "off" {
        assert!(Instant::now() < until, "the server stays {}", state(instance));
    }
}

#[test]
fn a_session_that_ends_lets_go_of_what_it_enabled() {
    let scene = scene();
    let instance = scene.http(&["--allow", "ticketing/servers/enable"], &[]);
    let session = Session::begin(&instance);
    let answer = session.call("enable_server", json!({ "server": "ticketing" }));
    assert!(answer.contains("is on; search_tools finds"), "{answer}");
    assert_eq!(state(&instance), "ready");
    session.end();
    wait_until_off(&instance);
}

/// The server is reached only when a file is there, so that the session can end before, or just when
/// it is reached.
#[test]
fn what_a_session_was_enabling_when_it_ended_is_off() {
    for ends_first in [true, false] {
        let scene = scene();
        let go = scene.path().join("go");
        let wait = "while [ ! -e \"$0\" ]; do sleep 0.05; done; exec \"$@\"";
        scene.change(|config| {
            let server = &mut config["mcpServers"]["ticketing"];
            let mut arguments = vec![json!("-c"), json!(wait), json!(go)];
            arguments.push(server["command"].take());
            arguments.extend(server["args"].as_array().unwrap().iter().cloned());
            server["command"] = json!("sh");
            server["args"] = json!(arguments);
        });
        let more = ["--allow", "ticketing/servers/enable", "--soft-limit", "1s"];
        let instance = scene.http(&more, &[]);
        let session = Session::begin(&instance);
        let answer = session.call("enable_server", json!({ "server": "ticketing" }));
        let run = answer.rfind("run_").and_then(|at| answer.get(at..at + 28));
        let run = run.filter(|run| run.starts_with("run_") && !run.contains('"'));
        let run = run.unwrap_or_else(|| panic!("it did not take long: {answer}"));
        assert_eq!(state(&instance), "connecting");
        if ends_first {
            session.end();
            std::fs::write(&go, "").unwrap();
        } else {
            std::fs::write(&go, "").unwrap();
            session.end();
        }
        wait_until_off(&instance);
        // The run is its owner's, who may have another session.
        let other = Session::begin(&instance);
        let answer = other.call("wait_run", json!({ "run_id": run }));
        let (given_up, on) = (answer.contains("its session ended"), answer.contains("is on;"));
        assert!(given_up || (on && !ends_first), "{answer}");
        // It stays so, whatever was still on its way.
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(state(&instance), "off");
    }
}
