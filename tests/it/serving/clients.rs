//! What each of the official clients can do with the server.

use super::scene::{Scene, Sdk, play_python, run, text};
use serde_json::{Value, json};

fn plan(server: Value) -> Value {
    json!({
        "server": server,
        "steps": [
            { "tool": "search_tools", "arguments": { "query": "log entries" } },
            { "tool": "get_tool_details", "arguments": { "names": ["logging_getLogs", "loging_getLogs"] } },
            run("const { entries } = await logging_getLogs({ level: 'error', since: 0 }); console.log('seen'); return entries.length > 0"),
            { "tool": "call_tool", "arguments": { "name": "everything_echo", "arguments": { "message": "hi" } } },
            run("await everything_echo({ message: 'x' }); throw new Error('no luck')"),
            { "tool": "search_tools", "arguments": { "query": "log entries", "detail": "full", "limit": 1 } },
            { "tool": "search_tools", "arguments": { "query": "log entries", "detail": "all" } },
        ],
    })
}

fn check(seen: &Value) {
    // The tools are always the same, so that no client waits for news of them.
    if let Some(capabilities) = seen.get("capabilities") {
        assert_eq!(*capabilities, json!({ "tools": {} }), "{seen:#}");
    }
    assert!(text(seen, 0).starts_with("logging_getLogs: "), "{seen:#}");
    assert!(text(seen, 1).contains("declare function logging_getLogs"), "{seen:#}");
    assert!(text(seen, 1).contains("did you mean logging_getLogs?"), "{seen:#}");
    let answers: Vec<&Value> = (0..5).map(|step| &seen["steps"][step]["answer"]).collect();
    assert_eq!(text(seen, 2), "seen\nReturned: true\n");
    let structure = &answers[2]["structuredContent"];
    assert_eq!((&structure["status"], &structure["value"]), (&json!("completed"), &json!(true)));
    assert_eq!(structure["calls"], json!({ "succeeded": 1 }));
    assert_eq!(text(seen, 3), "Echo: hi");
    assert_eq!(answers[4]["isError"], json!(true));
    assert!(
        text(seen, 4).contains("no luck")
            && text(seen, 4).contains("#1 everything/echo: succeeded")
    );
    assert!(text(seen, 5).contains("declare function logging_getLogs"), "{seen:#}");
    let found = &seen["steps"][5]["answer"]["structuredContent"]["tools"];
    assert_eq!(found.as_array().unwrap().len(), 1);
    assert!(found[0]["declaration"].as_str().unwrap().contains("logging_getLogs("));
    assert_eq!(found[0]["inputSchema"]["type"], json!("object"));
    assert_eq!(text(seen, 6), "`detail` is \"name\", \"summary\" or \"full\"");
}

#[test]
fn typescript_clients_of_both_eras_over_stdio() {
    for sdk in [Sdk::Modern, Sdk::Legacy, Sdk::Old] {
        let scene = Scene::new();
        let seen = sdk.play(&plan(scene.stdio(&[])));
        check(&seen);
        assert!(seen["instructions"].as_str().unwrap().starts_with("Cofferdam gives you"));
        assert_eq!(scene.processes(), 0, "{sdk:?}: processes are left behind");
    }
}

#[test]
fn typescript_clients_of_both_eras_over_http() {
    let scene = Scene::new();
    let instance = scene.http(&[], &[]);
    for sdk in [Sdk::Modern, Sdk::Legacy, Sdk::Old] {
        check(&sdk.play(&plan(instance.server())));
    }
}

#[test]
fn python_client_of_both_eras_over_stdio_and_http() {
    let scene = Scene::new();
    let instance = scene.http(&[], &[]);
    for mode in ["auto", "legacy"] {
        for server in [scene.stdio(&[]), instance.server()] {
            let mut plan = plan(server);
            plan["mode"] = json!(mode);
            let seen = play_python(&plan);
            check(&seen);
            let is_modern = seen["version"] == json!("2026-07-28");
            assert_eq!(is_modern, mode == "auto", "{}", seen["version"]);
        }
    }
}

#[test]
fn what_a_model_reads_of_the_server() {
    let scene = Scene::new();
    let seen = Sdk::Modern.play(&json!({ "server": scene.stdio(&[]), "steps": [] }));
    let instructions = seen["instructions"].as_str().unwrap();
    let tools: Vec<Value> = seen["tools"].as_array().unwrap().clone();
    insta::assert_snapshot!("instructions", instructions);
    insta::assert_json_snapshot!("tools", tools);
    let sizes = json!({
        "instructions": instructions.len(),
        "tools": seen["tools"].to_string().len(),
        "without output schemas": tools
            .into_iter()
            .map(|mut tool| {
                tool.as_object_mut().unwrap().remove("outputSchema");
                tool.to_string().len()
            })
            .sum::<usize>(),
    });
    insta::assert_json_snapshot!("bytes", sizes);
}

#[test]
fn inspector_lists_and_calls() {
    let scene = Scene::new();
    // It would take `--config` for its own.
    std::fs::copy(scene.path().join("config.json"), scene.path().join(".mcp.json")).unwrap();
    let inspect = |arguments: &[&str]| -> Value {
        let program = "node_modules/@modelcontextprotocol/inspector/cli/build/cli.js";
        let mut command = super::scene::node(program);
        command.args(["--cli", env!("CARGO_BIN_EXE_cofferdam"), "serve"]);
        let output = command.args(arguments).current_dir(scene.path()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    };
    let listed = inspect(&["--method", "tools/list"]);
    let names: Vec<_> =
        listed["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert!(names.contains(&&json!("run_code")), "{names:?}");
    let ran = inspect(&[
        "--method",
        "tools/call",
        "--tool-name",
        "run_code",
        "--tool-arg",
        "script=return 6 * 7",
    ]);
    assert_eq!(ran["structuredContent"]["value"], json!(42), "{ran:#}");
}
