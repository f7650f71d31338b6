//! Progress, cancelling, shown content, and runs that take long.

use super::scene::{Scene, Sdk, TOKEN, run, text};
use serde_json::{Value, json};
use std::time::Duration;

const ALL: [Sdk; 3] = [Sdk::Modern, Sdk::Legacy, Sdk::Old];

#[test]
fn lines_and_calls_are_told_while_the_script_runs() {
    let scene = Scene::new();
    for sdk in ALL {
        let mut step = run(
            // What comes together with the result is not given to the program by these clients.
            "console.log('first'); await everything_echo({ message: 'x' }); console.log('\\u001b[2Jsecond'); await new Promise((done) => setTimeout(done, 1500)); return 1",
        );
        step["progress"] = json!(true);
        let seen = sdk.play(
            &json!({ "server": scene.stdio(&[]), "steps": [step, run("console.log('quiet')")] }),
        );
        let notes = seen["steps"][0]["progress"].as_array().unwrap();
        let told: Vec<&str> = notes.iter().map(|note| note["message"].as_str().unwrap()).collect();
        assert_eq!(told.join("\n"), "first\ncalls everything_echo\nsecond", "{sdk:?}");
        let figures: Vec<f64> =
            notes.iter().map(|note| note["progress"].as_f64().unwrap()).collect();
        assert!(figures.is_sorted_by(|a, b| a < b), "{figures:?}");
        assert_eq!(seen["steps"][1]["progress"], json!([]));
    }
}

#[test]
fn content_that_the_script_shows_comes_back_as_blocks() {
    let scene = Scene::new();
    let step = run(
        "const { content } = await everything_get_tiny_image({}); mcp.show(content.find((it) => it.type === 'image')); return 'done'",
    );
    let seen = Sdk::Modern.play(&json!({ "server": scene.stdio(&[]), "steps": [step] }));
    let content = &seen["steps"][0]["answer"]["content"];
    assert_eq!(
        content[0]["text"],
        json!("Returned: \"done\"\n[shown beside this text: image]\n"),
        "{seen:#}"
    );
    assert_eq!(
        (&content[1]["type"], &content[1]["mimeType"]),
        (&json!("image"), &json!("image/png"))
    );
}

#[test]
fn no_credential_of_a_server_reaches_the_client() {
    let scene = Scene::new();
    let direct = json!({ "tool": "call_tool", "arguments": { "name": "everything/get-env" } });
    let script = "const { content: [block] } = await everything_get_env({}); console.log(block.text); \
                  mcp.show(block); mcp.show({ type: 'text', text: '\\x1b[31mred' }); return block;";
    let steps = [direct, run(script)];
    for sdk in [Sdk::Modern, Sdk::Legacy] {
        let seen = sdk.play(&json!({ "server": scene.stdio(&[]), "steps": steps }));
        let all = seen.to_string();
        assert!(!all.contains(TOKEN) && !all.contains("[31m"), "{seen:#}");
        for step in seen["steps"].as_array().unwrap() {
            assert!(step.to_string().contains("API_TOKEN"), "{seen:#}");
        }
        let value = &seen["steps"][1]["answer"]["structuredContent"]["value"]["text"];
        assert!(value.as_str().unwrap().contains("\"API_TOKEN\": \"***\""), "{seen:#}");
    }
}

#[test]
fn a_request_that_is_cancelled_takes_its_run_along() {
    let scene = Scene::new();
    let instance = scene.http(&[], &[]);
    for (server, sdk) in [(instance.server(), Sdk::Modern), (instance.server(), Sdk::Legacy)] {
        let before = instance.figure("cofferdam_runs_total{outcome=\"cancelled\"}");
        let mut step = run("await new Promise((done) => setTimeout(done, 60000))");
        step["cancelAfter"] = json!(500);
        let seen = sdk.play(&json!({ "server": server, "steps": [step, { "sleep": 2000 }] }));
        assert!(seen["steps"][0]["error"].is_string(), "{seen:#}");
        instance
            .wait_for_figure("cofferdam_runs_total{outcome=\"cancelled\"}", |count| count > before);
        instance.wait_for_figure("cofferdam_runs_active", |count| count == 0.0);
    }
}

#[test]
fn a_long_run_is_gone_on_with_by_its_handle() {
    let scene = Scene::new();
    let script =
        "console.log('begun'); await new Promise((done) => setTimeout(done, 2500)); return 'late'";
    let steps = json!([
        run(script),
        { "tool": "wait_run", "arguments": { "run_id": "$run_id" } },
        { "tool": "wait_run", "arguments": { "run_id": "$run_id" } },
        { "tool": "wait_run", "arguments": { "run_id": "$run_id" } },
        { "tool": "wait_run", "arguments": { "run_id": "$run_id" } },
        run(script),
        { "tool": "cancel_run", "arguments": { "run_id": "$run_id" } },
        { "tool": "wait_run", "arguments": { "run_id": "run_unknown" } },
    ]);
    for sdk in ALL {
        let seen =
            sdk.play(&json!({ "server": scene.stdio(&["--soft-limit", "1s"]), "steps": steps }));
        let of = |step: usize| &seen["steps"][step]["answer"]["structuredContent"];
        assert_eq!((&of(0)["status"], &of(0)["output"]), (&json!("running"), &json!("begun\n")));
        assert!(text(&seen, 0).contains("wait_run") && text(&seen, 0).ends_with("begun\n"));
        assert_eq!(
            (&of(4)["status"], &of(4)["value"]),
            (&json!("completed"), &json!("late")),
            "{seen:#}"
        );
        assert_eq!(of(6)["outcome"], json!("cancelled"), "{seen:#}");
        assert_eq!(seen["steps"][7]["answer"]["isError"], json!(true));
    }
}

#[test]
fn a_result_survives_the_connection_and_is_nobody_elses() {
    let scene = Scene::new();
    let (one, other) = ("0123456789abcdef", "fedcba9876543210");
    let instance = scene.http(&["--soft-limit", "300ms", "--token", one, "--token", other], &[]);
    let server = |token: &str| {
        let mut server = instance.server();
        server["token"] = json!(token);
        server
    };
    let script = "await new Promise((done) => setTimeout(done, 1500)); return 'kept'";
    let begun = Sdk::Legacy.play(&json!({ "server": server(one), "steps": [run(script)] }));
    let id = &begun["steps"][0]["answer"]["structuredContent"]["run_id"];
    std::thread::sleep(Duration::from_secs(2));
    let wait = json!([{ "tool": "wait_run", "arguments": { "run_id": id } }]);
    let stranger = Sdk::Modern.play(&json!({ "server": server(other), "steps": wait }));
    assert!(text(&stranger, 0).contains("there is no such run"), "{stranger:#}");
    let back = Sdk::Modern.play(&json!({ "server": server(one), "steps": wait }));
    assert_eq!(back["steps"][0]["answer"]["structuredContent"]["value"], json!("kept"), "{back:#}");
}

#[test]
fn a_client_that_vanishes_leaves_nothing() {
    let scene = Scene::new();
    let script = run("await new Promise((done) => setTimeout(done, 100000))");
    let client =
        Sdk::Legacy.start(&json!({ "server": scene.stdio(&[]), "steps": [script.clone()] }));
    let until = std::time::Instant::now() + Duration::from_secs(60);
    while scene.processes() < 4 {
        assert!(std::time::Instant::now() < until, "it does not start");
        std::thread::sleep(Duration::from_millis(100));
    }
    client.kill();
    while scene.processes() > 0 {
        assert!(
            std::time::Instant::now() < until,
            "{} processes are left behind",
            scene.processes()
        );
        std::thread::sleep(Duration::from_millis(100));
    }

    let instance = scene.http(&["--timeout", "3s"], &[]);
    for sdk in [Sdk::Modern, Sdk::Legacy] {
        let client = sdk.start(&json!({ "server": instance.server(), "steps": [script.clone()] }));
        instance.wait_for_figure("cofferdam_runs_active", |count| count > 0.0);
        client.kill();
        instance.wait_for_figure("cofferdam_runs_active", |count| count == 0.0);
    }
}

#[test]
fn arguments_that_do_not_fit_are_explained() {
    let scene = Scene::new();
    let steps = json!([
        { "tool": "run_code", "arguments": { "code": "return 1" } },
        { "tool": "run_code", "arguments": { "script": "return 1", "timeout": -1 } },
        { "tool": "search_tools", "arguments": { "server": "nobody" } },
        { "tool": "call_tool", "arguments": { "name": "everything_ecko", "arguments": {} } },
        run("return 1 +"),
    ]);
    let seen = Sdk::Modern.play(&json!({ "server": scene.stdio(&[]), "steps": steps }));
    for (step, says) in [
        "script",
        "above zero",
        "there is no server `nobody`",
        "did you mean `everything_echo`",
        "not valid TypeScript",
    ]
    .iter()
    .enumerate()
    {
        assert_eq!(seen["steps"][step]["answer"]["isError"], Value::Bool(true), "{seen:#}");
        assert!(text(&seen, step).contains(says), "{}", text(&seen, step));
    }
}
