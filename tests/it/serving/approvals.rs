//! Questions that go to the client: by `input_required`, by requests of the older era, or not at all.

use super::scene::{Instance, Scene, Sdk, run, text};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::atomic::{AtomicUsize, Ordering},
};

const ALL: [Sdk; 3] = [Sdk::Modern, Sdk::Legacy, Sdk::Old];
const FILE_ONE: &str =
    "await ticketing_createIssue({ title: 'a', priority: 'low' }); return 'filed'";
const FILE_TWO: &str = "await ticketing_createIssue({ title: 'a', priority: 'low' }); await ticketing_createIssue({ title: 'b', priority: 'low' }); return 'filed'";

fn says(decision: &str) -> Value {
    json!({ "action": "accept", "content": { "decision": decision } })
}

#[test]
fn a_call_is_made_when_the_user_allows_it() {
    for sdk in ALL {
        let scene = Scene::new();
        let plan = json!({ "server": scene.stdio(&[]), "elicit": [says("once")], "steps": [run(FILE_TWO)] });
        let seen = sdk.play(&plan);
        assert_eq!(text(&seen, 0), "Returned: \"filed\"\n", "{sdk:?} {seen:#}");
        assert_eq!(scene.tickets(), 2);
        let questions = seen["questions"].as_array().unwrap();
        assert_eq!(questions.len(), 2, "{seen:#}");
        let message = questions[0]["message"].as_str().unwrap();
        assert!(
            message.contains("`createIssue` of the server `ticketing`")
                && message.contains("\"title\": \"a\"")
        );
    }
}

#[test]
fn an_approval_for_the_run_and_for_the_session_is_kept_so_long() {
    let scene = Scene::new();
    let steps = json!([run(FILE_TWO), run(FILE_ONE)]);
    let answers = [(says("run"), 2), (says("session"), 1)];
    for (answer, asked) in answers {
        let plan = json!({ "server": scene.stdio(&[]), "elicit": [answer], "steps": steps });
        let seen = Sdk::Modern.play(&plan);
        assert_eq!(seen["questions"].as_array().unwrap().len(), asked, "{seen:#}");
        assert_eq!(text(&seen, 1), "Returned: \"filed\"\n");
    }
    assert_eq!(scene.tickets(), 6);
}

#[test]
fn grants_are_not_shared_between_clients() {
    let scene = Scene::new();
    let instance = scene.http(&[], &[]);
    let plan = json!({ "server": instance.server(), "elicit": [says("session")], "steps": [run(FILE_ONE), run(FILE_ONE)] });
    for _ in 0..2 {
        let seen = Sdk::Legacy.play(&plan);
        assert_eq!(seen["questions"].as_array().unwrap().len(), 1, "{seen:#}");
    }
    // Without a session there is nothing that a longer grant could belong to.
    let seen = Sdk::Modern.play(&plan);
    let offered = &seen["questions"][0]["requestedSchema"]["properties"]["decision"]["enum"];
    assert_eq!(offered, &json!(["once", "run", "deny"]), "{seen:#}");
    assert_eq!(scene.tickets(), 4);
}

#[test]
fn what_is_not_allowed_is_not_sent() {
    for sdk in ALL {
        let scene = Scene::new();
        for answer in [json!({ "action": "decline" }), json!({ "action": "cancel" }), says("deny")]
        {
            let plan =
                json!({ "server": scene.stdio(&[]), "elicit": [answer], "steps": [run(FILE_ONE)] });
            let seen = sdk.play(&plan);
            assert!(
                text(&seen, 0).contains("denied: the user did not allow it"),
                "{sdk:?} {seen:#}"
            );
        }
        assert_eq!(scene.tickets(), 0);
    }
}

#[test]
fn an_answer_that_comes_too_late_is_none() {
    for (sdk, says_so) in [(Sdk::Modern, "the answer came too late"), (Sdk::Legacy, "denied")] {
        let scene = Scene::new();
        let instance = scene.http(&["--answer-time", "1s"], &[]);
        let plan = json!({ "server": instance.server(), "elicit": [says("once")], "elicitDelay": 4000,
                           "steps": [run(FILE_ONE)] });
        let seen = sdk.play(&plan);
        assert!(text(&seen, 0).contains(says_so), "{seen:#}");
        instance.wait_for_figure("cofferdam_runs_active", |count| count == 0.0);
        assert_eq!(scene.tickets(), 0);
    }
}

#[test]
fn a_client_that_cannot_ask_is_told_how_to_allow() {
    for sdk in ALL {
        let scene = Scene::new();
        let seen = sdk.play(&json!({ "server": scene.stdio(&[]), "steps": [run(FILE_ONE)] }));
        assert!(text(&seen, 0).contains("cannot ask its user"), "{seen:#}");
        assert!(
            text(&seen, 0)
                .contains("{ \"action\": \"allow\", \"tools\": \"ticketing_createIssue\" }")
        );
        let allowed = scene.stdio(&["--allow", "ticketing_createIssue"]);
        let seen = sdk.play(&json!({ "server": allowed, "steps": [run(FILE_ONE)] }));
        assert_eq!(text(&seen, 0), "Returned: \"filed\"\n", "{seen:#}");
    }
}

#[test]
fn a_single_call_is_asked_about_as_well() {
    for sdk in ALL {
        let scene = Scene::new();
        let arguments = json!({ "name": "ticketing_createIssue", "arguments": { "title": "a", "priority": "low" } });
        let plan = json!({ "server": scene.stdio(&[]), "elicit": [says("once")],
                           "steps": [{ "tool": "call_tool", "arguments": arguments }] });
        let seen = sdk.play(&plan);
        assert_eq!(seen["steps"][0]["answer"]["structuredContent"]["ok"], json!(true), "{seen:#}");
        assert_eq!((scene.tickets(), seen["questions"].as_array().unwrap().len()), (1, 1));
    }
}

/// Questions come together when nothing else moves, and nothing is sent twice for it.
#[test]
fn approvals_of_calls_side_by_side_come_in_one_round() {
    let scene = Scene::new();
    let instance = scene.http(&[], &[]);
    let script = "await everything_echo({ message: 'x' }); const file = (title: string) => ticketing_createIssue({ title, priority: 'low' }); await Promise.all(['a', 'b', 'c'].map(file)); return 'filed'";
    let plan =
        json!({ "server": instance.server(), "elicit": [says("once")], "steps": [run(script)] });
    let seen = Sdk::Modern.play(&plan);
    assert_eq!(text(&seen, 0), "Returned: \"filed\"\n", "{seen:#}");
    assert_eq!((scene.tickets(), seen["questions"].as_array().unwrap().len()), (3, 3));
    assert_eq!(instance.figure("cofferdam_questions_total"), 3.0);
}

/// Gives each connection to the next instance, as a load balancer without memory does.
pub(super) struct RoundRobin {
    pub(super) address: String,
}

impl RoundRobin {
    pub(super) fn over(instances: &[&Instance]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let behind: Vec<String> =
            instances.iter().map(|instance| instance.address.clone()).collect();
        let next = AtomicUsize::new(0);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let turn = next.fetch_add(1, Ordering::Relaxed) % behind.len();
                let Ok(server) = TcpStream::connect(&behind[turn]) else { continue };
                std::thread::spawn(move || one_request(client, server));
            }
        });
        Self { address }
    }
}

/// One request for each connection, so that the next one goes to the other instance.
fn one_request(mut client: TcpStream, mut server: TcpStream) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match client.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let without: Vec<&str> = head
        .split("\r\n")
        .filter(|line| !line.is_empty() && !line.to_lowercase().starts_with("connection:"))
        .collect();
    let head = format!("{}\r\nConnection: close\r\n\r\n", without.join("\r\n"));
    let _ = server.write_all(head.as_bytes());
    let (mut up, mut down) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let upward = std::thread::spawn(move || {
        let _ = std::io::copy(&mut up, &mut down);
    });
    let _ = std::io::copy(&mut server, &mut client);
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
    let _ = upward.join();
}

#[test]
fn another_instance_goes_on_after_an_approval_and_sends_nothing_twice() {
    let scene = Scene::new();
    let key = [("COFFERDAM_STATE_KEY", "a key that both of them have")];
    let (one, other) = (scene.http(&[], &key), scene.http(&[], &key));
    let proxy = RoundRobin::over(&[&one, &other]);
    let server = json!({ "url": format!("http://{}/mcp", proxy.address) });
    let script = "const before = (await ticketing_listIssues({})).text; for (const title of ['a', 'b', 'c']) { await ticketing_createIssue({ title: title + before.length, priority: 'low' }); console.log(title) } return before !== (await ticketing_listIssues({})).text";
    let plan = json!({ "server": server, "elicit": [says("once")], "steps": [run(script)] });
    let seen = Sdk::Modern.play(&plan);
    assert_eq!(text(&seen, 0), "a\nb\nc\nReturned: true\n", "{seen:#}");
    assert_eq!(seen["questions"].as_array().unwrap().len(), 3);
    assert_eq!(scene.tickets(), 3);
    let calls = &seen["steps"][0]["answer"]["structuredContent"]["calls"];
    assert_eq!(calls, &json!({ "succeeded": 5 }), "the ledger has the calls of both instances");
    let asked = |instance: &Instance| instance.figure("cofferdam_questions_total");
    assert!(asked(&one) > 0.0 && asked(&other) > 0.0, "both instances took part");
    // A grant for the run goes along.
    let plan = json!({ "server": plan["server"], "elicit": [says("run")], "steps": [run(script)] });
    let seen = Sdk::Modern.play(&plan);
    assert_eq!(
        (text(&seen, 0), seen["questions"].as_array().unwrap().len()),
        ("a\nb\nc\nReturned: true\n", 1)
    );
}

#[test]
fn what_was_read_at_one_instance_is_known_to_the_other() {
    let scene = Scene::new();
    scene.change(|config| {
        config["dataFlow"] = json!({ "rules": [
            { "from": "logging/*", "to": "ticketing/*", "action": "deny", "reason": "logs stay here" },
        ] });
    });
    let key = [("COFFERDAM_STATE_KEY", "a key that both of them have")];
    let (one, other) = (scene.http(&[], &key), scene.http(&[], &key));
    let proxy = RoundRobin::over(&[&one, &other]);
    let script = "const body = JSON.stringify((await logging_getLogs({ level: 'error', since: 0 })).entries.slice(0, 5));
        await ticketing_createIssue({ title: 'unrelated', priority: 'low' });
        try { await ticketing_createIssue({ title: 'all', body, priority: 'low' }); } catch (error) { return error.message; }";
    let server = json!({ "url": format!("http://{}/mcp", proxy.address) });
    let plan = json!({ "server": server, "elicit": [says("once")], "steps": [run(script)] });
    let seen = Sdk::Modern.play(&plan);
    assert_eq!(
        text(&seen, 0),
        "Returned: \"denied by the rule `data flow: deny logging/* → ticketing/*`: logs stay here\"\n",
        "{seen:#}"
    );
    let asked = |instance: &Instance| instance.figure("cofferdam_questions_total");
    assert_eq!((asked(&one) + asked(&other), scene.tickets()), (1.0, 1));
}

#[test]
fn a_script_that_does_not_repeat_itself_is_stopped_before_it_sends_anything() {
    let scene = Scene::new();
    let key = [("COFFERDAM_STATE_KEY", "a key that both of them have")];
    let (one, other) = (scene.http(&[], &key), scene.http(&[], &key));
    let proxy = RoundRobin::over(&[&one, &other]);
    let server = json!({ "url": format!("http://{}/mcp", proxy.address) });
    let script = "await everything_echo({ message: String(Math.random()) }); await ticketing_createIssue({ title: 'a', priority: 'low' })";
    let plan = json!({ "server": server, "elicit": [says("once")], "steps": [run(script)] });
    let seen = Sdk::Modern.play(&plan);
    assert!(text(&seen, 0).contains("it went another way when it was repeated"), "{seen:#}");
    assert!(text(&seen, 0).contains("with other arguments"), "{seen:#}");
    assert_eq!(scene.tickets(), 0);
}

#[test]
fn without_a_common_key_or_with_too_much_to_carry_only_the_same_instance_goes_on() {
    let scene = Scene::new();
    let key = [("COFFERDAM_STATE_KEY", "a key that both of them have")];
    let random: [(&str, &str); 0] = [];
    for (env, more, says_so) in [
        (&random[..], &[][..], "is not one of ours"),
        (&key[..], &["--state", "100B"][..], "only be continued by the instance that began it"),
    ] {
        let (one, other) = (scene.http(more, env), scene.http(more, env));
        let proxy = RoundRobin::over(&[&one, &other]);
        let plan = |url: String| json!({ "server": { "url": url }, "elicit": [says("once")], "steps": [run(FILE_ONE)] });
        let seen = Sdk::Modern.play(&plan(format!("http://{}/mcp", proxy.address)));
        assert!(text(&seen, 0).contains(says_so), "{seen:#}");
        assert_eq!(scene.tickets(), 0);
    }
}

/// The demo's everything server asks through its tool, over the older protocol.
#[test]
fn what_a_server_asks_goes_to_the_client_of_the_call() {
    for sdk in ALL {
        let scene = Scene::new();
        let content = json!({ "name": "Ada" });
        let plan = json!({
            "server": scene.stdio(&[]),
            "elicit": [{ "action": "accept", "content": content }],
            "steps": [run("return (await everything_trigger_elicitation_request({})).text")],
        });
        let seen = sdk.play(&plan);
        let message =
            seen["questions"][0]["message"].as_str().unwrap_or_else(|| panic!("{seen:#}"));
        assert!(message.starts_with("The server `everything` asks"), "{message}");
        assert!(text(&seen, 0).contains("Ada"), "{seen:#}");
    }
}

#[test]
fn a_label_that_a_model_chose_is_not_taken_for_another() {
    let rule = |label: &str| json!([{ "tools": "*", "labels": label, "action": "allow" }]);
    for (label, is_allowed) in [("nightly", false), ("serve:nightly", true), ("serve", false)] {
        let scene = Scene::with(rule(label));
        let mut step = run("return (await everything_echo({ message: 'x' })).text");
        step["arguments"]["label"] = json!("nightly");
        let seen = Sdk::Modern.play(&json!({ "server": scene.stdio(&[]), "steps": [step] }));
        assert_eq!(seen["steps"][0]["answer"]["isError"] != json!(true), is_allowed, "{seen:#}");
    }
}
