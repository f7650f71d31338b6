//! The audit log and recordings of the program: what is in them whatever becomes of a run.

use crate::place::{Place, told};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

/// Runs of 200 programs, four at a time on one log; each is killed at another moment.
#[test]
fn no_call_that_a_server_saw_is_missing_after_the_program_was_killed() {
    const WRITERS: usize = 4;
    const RUNS: usize = 50;
    let place = Place::new(&json!({ "audit": { "file": "audit.jsonl", "rotate_bytes": "64KiB" } }));
    place.script(
        "busy.ts",
        "for (;;) await Promise.all([good_echo({ text: 'a' }), good_echo({ text: 'b' })]);",
    );
    let run = |number: usize| {
        let notes = place.at(&format!("notes-{number}"));
        let label = format!("run {number}");
        let mut command = place.command(&["run", "busy.ts", "--label", &label]);
        let mut child = command.env("NOTES", &notes).spawn().unwrap();
        // Some before the first call, most among many.
        if !number.is_multiple_of(5) {
            let began = std::time::Instant::now();
            while !fs::read_to_string(&notes).unwrap_or_default().contains("called") {
                assert!(began.elapsed() < Duration::from_secs(60), "no call came");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        std::thread::sleep(Duration::from_micros(number as u64 * 7919 % 100_000));
        child.kill().unwrap();
        child.wait().unwrap();
        (label, notes)
    };
    let runs: Vec<_> = std::thread::scope(|scope| {
        let writer = |writer| {
            scope.spawn(move || (0..RUNS).map(|n| run(n * WRITERS + writer)).collect::<Vec<_>>())
        };
        let writers: Vec<_> = (0..WRITERS).map(writer).collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    // Servers end a moment after their hosts.
    std::thread::sleep(Duration::from_secs(1));

    let (entries, whole) = place.log();
    assert!(whole.files > 1, "it has rotated");
    let mut labels = BTreeMap::new();
    let mut sent: BTreeMap<String, usize> = BTreeMap::new();
    for entry in &entries {
        let run = entry.text("run").unwrap_or_default();
        match entry.text("event").unwrap() {
            "run_opened" => drop(labels.insert(entry.text("label").unwrap(), run.to_owned())),
            "call_sent" => *sent.entry(run.to_owned()).or_default() += 1,
            _ => {}
        }
    }
    let mut received = 0;
    for (label, notes) in &runs {
        let notes = fs::read_to_string(notes).unwrap_or_default();
        let seen = notes.lines().filter(|line| line.starts_with("called")).count();
        let logged = labels.get(label.as_str()).and_then(|run| sent.get(run)).copied();
        assert!(seen <= logged.unwrap_or(0), "{label}: {seen} calls seen, {logged:?} logged");
        received += seen;
    }
    assert!(received > WRITERS * RUNS, "{received} calls were made");
}

#[test]
fn the_log_says_what_became_of_each_call_and_not_with_which_arguments() {
    let place = Place::new(&json!({}));
    place.script(
        "script.ts",
        "await good_echo({ text: 'a secret' });
         await good_fails({}).catch(() => 0);
         await good_echo({ text: 7 }).catch(() => 0);
         await mcp.callTool('good/nothing', {}).catch(() => 0);",
    );
    assert_eq!(place.play(&["run", "script.ts", "--label", "nightly"]).0, Some(0));
    let (entries, whole) = place.log();
    let steps: Vec<String> = entries
        .iter()
        .map(|entry| {
            let mut step = entry.text("event").unwrap().to_owned();
            for name in ["label", "tool", "state", "kind", "decision", "outcome"] {
                step += &entry.text(name).map(|text| format!(" {text}")).unwrap_or_default();
            }
            step
        })
        .collect();
    assert_eq!(
        steps,
        [
            "run_opened nightly",
            "call_decided echo rule: allow good_*",
            "call_sent echo",
            "call_settled echo succeeded",
            "call_decided fails rule: allow good_*",
            "call_sent fails",
            "call_settled fails failed execution",
            "call_refused echo invalid_input",
            "call_refused nothing unavailable",
            "run_closed completed",
        ]
    );
    assert!(whole.open_runs.is_empty() && whole.unsettled_calls == 0);
    let text = fs::read_to_string(place.at("audit.jsonl")).unwrap();
    assert!(!text.contains("a secret") && text.contains("sha256:"));
}

#[test]
fn nothing_is_sent_when_the_log_cannot_be_written() {
    let place = Place::new(&json!({}));
    place.script("script.ts", "await good_echo({});");
    fs::create_dir(place.at("audit.jsonl")).unwrap();
    let (code, _, said) = place.play(&["run", "script.ts"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("the audit log") && said.contains("cannot be written"), "{said}");
    assert!(!fs::read_to_string(place.at("notes")).unwrap_or_default().contains("called"));
}

#[test]
fn a_log_that_breaks_during_a_run_keeps_its_further_calls_from_being_sent() {
    let place = Place::new(&json!({}));
    place.script(
        "script.ts",
        "await good_echo({});
         while (true) {
           await new Promise((done) => setTimeout(done, 50));
           try { await good_fails({}) } catch (error) {
             if (error.kind !== 'execution') return error.kind + ': ' + error.message;
           }
         }",
    );
    let running = place.command(&["run", "script.ts"]).spawn().unwrap();
    let began = std::time::Instant::now();
    while !fs::read_to_string(place.at("notes")).unwrap_or_default().contains("called") {
        assert!(began.elapsed() < Duration::from_secs(60), "no call came");
        std::thread::sleep(Duration::from_millis(5));
    }
    fs::rename(place.at("audit.jsonl"), place.at("elsewhere")).unwrap();
    fs::create_dir(place.at("audit.jsonl")).unwrap();
    let (code, said, _) = told(running.wait_with_output().unwrap());
    assert_eq!(code, Some(0));
    assert!(said.contains("unavailable: not sent: the audit log"), "{said}");
    let notes = fs::read_to_string(place.at("notes")).unwrap();
    let seen = notes.lines().filter(|line| line.starts_with("called")).count();
    let logged = fs::read_to_string(place.at("elsewhere")).unwrap().matches("call_sent").count();
    assert_eq!(seen, logged);
}

/// Calls side by side whose order matters, errors, time, chance, and what is never answered.
const EVERYTHING: &str = "
    const first = await Promise.race([good_echo({ text: 'one' }), good_echo({ text: 'two' })]);
    console.log(first.text, Date.now(), new Date().toISOString(), Math.random());
    console.log(crypto.randomUUID(), performance.now(), performance.timeOrigin);
    try { await good_fails({}) } catch (error) { console.warn(error.kind, error.message) }
    try { await good_nothing({}) } catch (error) { console.warn(error.message) }
    const wake = new Promise((done) => setTimeout(() => done('late'), 20));
    console.log(await Promise.race([good_slow({}, { timeoutMs: 500 }).catch(() => 'gone'), wake]), Date.now());
    await Promise.all(Array.from({ length: 20 }, (_, n) => good_echo({ text: `${n} ${Date.now()}` })));
    return { at: Date.now(), list: await good_structured({ n: 1 }).catch(String) };
";

#[test]
fn a_replay_of_the_same_script_gives_the_same_report() {
    for isolation in ["process", "thread"] {
        let place = Place::new(&json!({}));
        place.script("script.ts", EVERYTHING);
        let run = ["run", "script.ts", "--record", "run.rec", "--isolation", isolation];
        let (code, said, errors) = place.play(&[&run[..], &["--calls", "100"]].concat());
        assert_eq!(code, Some(0), "{said}\n{errors}");
        fs::remove_file(place.at(".mcp.json")).unwrap();
        for _ in 0..3 {
            let (code, again, errors) =
                place.play(&["replay", "run.rec", "--isolation", isolation]);
            assert_eq!((code, &again), (Some(0), &said), "{errors}");
            assert!(errors.contains("the report are those of the recording"), "{errors}");
        }
    }
}

#[test]
fn a_script_that_has_changed_diverges_at_the_first_other_call() {
    let place = Place::new(&json!({}));
    place.script(
        "script.ts",
        "await good_echo({ text: 'a', more: [1] });\nawait good_fails({}).catch(() => 0);",
    );
    assert_eq!(place.play(&["run", "script.ts", "--record", "run.rec"]).0, Some(0));
    let cases = [
        (
            "await good_echo({ text: 'b', more: [1] });",
            "error: the replay diverges: call #1 (good/echo, line 1) has other arguments than in the recording\n  /text: recorded \"a\", now \"b\"\n",
        ),
        (
            "await good_fails({});",
            "error: the replay diverges: the recording has call #1 (good/echo, line 1) here; the script makes call #1 (good/fails, line 1)\n",
        ),
        (
            "await good_echo({ text: 'a', more: [1] });",
            "error: the replay diverges: call #2 (good/fails, line 2) of the recording was not made\n",
        ),
        (
            "await good_echo({ text: 'a', more: [1] }); await good_fails({}).catch(() => 0);\nawait good_slow({});",
            "error: the replay diverges: call #3 (good/slow, line 2) is not among the 2 calls of the recording, or was answered before\n",
        ),
        (
            "const one = good_fails({}).catch(() => 0); await good_echo({ text: 'a', more: [1] }); await one",
            "error: the replay diverges: the recording has call #1 (good/echo, line 1) here; the script makes call #1 (good/fails, line 1)\n",
        ),
        (
            "await good_echo({ text: 'a', more: [1] }); await good_fails({}).catch(() => 0); return 7",
            "error: the calls are those of the recording (2 calls), but the report differs:\n  /outcome/value: recorded null, now 7\n  /ledger/1/line: recorded 2, now 1\n",
        ),
    ];
    for (script, expected) in cases {
        place.script("other.ts", script);
        let (code, _, errors) = place.play(&["replay", "run.rec", "other.ts"]);
        assert_eq!((code, errors.as_str()), (Some(1), expected), "{script}");
    }
    let lenient = |script: &str| {
        place.script("other.ts", script);
        let (code, _, errors) = place.play(&["replay", "run.rec", "other.ts", "--lenient"]);
        (code, errors)
    };
    let (code, errors) = lenient(cases[4].0);
    assert_eq!(code, Some(0), "{errors}");
    // In any order, but no others, and not less.
    for case in [0, 3] {
        let (code, errors) = lenient(cases[case].0);
        let told = "is not among the 2 calls of the recording, or was answered before";
        assert!(code == Some(1) && errors.contains(told), "{errors}");
    }
    let (code, errors) = lenient(cases[2].0);
    assert!(code == Some(1) && errors.contains("of the recording was not made"), "{errors}");
}

#[test]
fn what_is_no_recording_is_refused() {
    let place = Place::new(&json!({}));
    place.script("script.ts", "await good_echo({});");
    assert_eq!(place.play(&["run", "script.ts", "--record", "run.rec"]).0, Some(0));
    let recording = fs::read_to_string(place.at("run.rec")).unwrap();
    let lines: Vec<&str> = recording.lines().collect();
    let cut = format!("{}\n{}\n{{\"cut\":true}}\n", lines[0], lines[1]);
    let cases = [
        (String::new(), "is not a recording of a run"),
        ("{}\n".into(), "is not a recording of a run"),
        (
            recording.replacen("\"cofferdam_recording\":1", "\"cofferdam_recording\":2", 1),
            "of version 2; this program reads version 1",
        ),
        (format!("{}\n{}\n", lines[0], lines[2]), "line 2: call #1 was settled and never made"),
        (format!("{}\n{}\n{}\n", lines[0], lines[1], lines[1]), "line 3: call #1 where #2 belongs"),
        (
            format!("{}\n{}\n", lines[0], &lines[1][..20]),
            "line 2: this is not a line of a recording",
        ),
        (format!("{recording}{}\n", lines[1]), "there is more after the end of the run"),
        (
            recording.replacen("\"script\"", "\"scripts\"", 1),
            "the recording does not say what was run",
        ),
        (cut, "was cut when it had"),
    ];
    for (text, expected) in cases {
        fs::write(place.at("bad.rec"), text).unwrap();
        let (code, _, errors) = place.play(&["replay", "bad.rec"]);
        assert_eq!(code, Some(2), "{errors}");
        assert!(errors.contains(expected), "{expected}: {errors}");
    }
    // A run that was killed has no end, and can be replayed all the same.
    fs::write(place.at("killed.rec"), lines[..3].join("\n") + "\n").unwrap();
    let (code, _, errors) = place.play(&["replay", "killed.rec"]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("the recorded run was killed"), "{errors}");
}

#[test]
fn the_recording_of_each_example_replays_to_the_same_report() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = Path::new(env!("CARGO_BIN_EXE_cofferdam")).parent().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = fs::read_to_string(root.join("examples/demo.mcp.json")).unwrap();
    let config = config.replace("target/demo/tickets.db", "tickets.db");
    fs::write(folder.path().join("demo.json"), config).unwrap();
    let mut examples = BTreeSet::new();
    for entry in fs::read_dir(root.join("examples")).unwrap().flatten() {
        let script = entry.path();
        if script.extension().is_none_or(|extension| extension != "ts") {
            continue;
        }
        examples.insert(script.clone());
        let play = |args: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
            command.args(args).current_dir(folder.path()).env("COFFERDAM_BIN_DIR", programs);
            told(command.stdin(Stdio::null()).output().unwrap())
        };
        let run = ["run", "--config", "demo.json", "--record", "run.rec", script.to_str().unwrap()];
        let (code, said, errors) = play(&run);
        assert_eq!(code, Some(0), "{said}\n{errors}");
        let (code, again, errors) = play(&["replay", "run.rec"]);
        assert_eq!((code, again), (Some(0), said), "{errors}");
    }
    assert!(!examples.is_empty());
}

#[test]
fn events_tell_a_run_from_start_to_end_and_arguments_only_when_asked() {
    let place = Place::new(&json!({}));
    place.script("script.ts", "console.log('hi'); await good_echo({ text: 'a secret' });");
    let names = |text: &str| -> Vec<String> {
        let name = |line: &str| {
            let event: Value = serde_json::from_str(line).unwrap();
            assert_eq!(event["run"].as_str().unwrap().len(), 16);
            event["event"].as_str().unwrap().to_owned()
        };
        text.lines().map(name).collect()
    };
    let expected = [
        "run_started",
        "console",
        "call_proposed",
        "call_decided",
        "call_sent",
        "call_finished",
        "run_finished",
    ];
    let (_, _, errors) = place.play(&["run", "script.ts", "--events", "json"]);
    assert_eq!(names(&errors), expected);
    assert!(!errors.contains("a secret"), "{errors}");
    let to_file =
        ["run", "script.ts", "--events", "json", "--events-to", "events", "--events-full"];
    assert_eq!(place.play(&to_file).2, "");
    let events = fs::read_to_string(place.at("events")).unwrap();
    assert_eq!(names(&events), expected);
    assert_eq!(events.matches("a secret").count(), 2, "as argument and as result: {events}");
}

#[test]
fn the_log_is_checked_and_shown_from_the_command_line() {
    let place = Place::new(&json!({}));
    place.script(
        "script.ts",
        "await good_echo({ text: 'a' }); await good_fails({}).catch(() => 0);",
    );
    assert_eq!(place.play(&["run", "script.ts", "--label", "one"]).0, Some(0));
    let (code, said, errors) = place.play(&["audit", "verify"]);
    assert_eq!(code, Some(0), "{errors}");
    let (whole, head) = said.split_once("head: ").unwrap();
    assert_eq!(whole, "whole: 8 entries in 1 file\n");
    let head = head.trim_end();
    let old = place.play(&["audit", "verify", "audit.jsonl", "--head", head]);
    assert_eq!(old.0, Some(0), "{}", old.2);

    let shown = |args: &[&str]| -> Vec<String> {
        let (code, said, errors) = place.play(&[&["audit", "show"], args].concat());
        assert_eq!(code, Some(0), "{errors}");
        // After the time and the run.
        said.lines().map(|line| line.get(44..).unwrap().to_owned()).collect()
    };
    assert_eq!(
        shown(&[]),
        [
            "run_opened  label: one",
            "#1  good/echo  decided  decision: rule: allow good_*",
            "#1  good/echo  sent",
            "#1  good/echo  succeeded",
            "#2  good/fails  decided  decision: rule: allow good_*",
            "#2  good/fails  sent",
            "#2  good/fails  failed  kind: execution",
            "run_closed  outcome: completed",
        ]
    );
    assert_eq!(shown(&["--tool", "good/fails", "--state", "failed"]).len(), 1);
    assert_eq!(shown(&["--server", "good", "--since", "1h"]).len(), 6);
    assert_eq!(shown(&["--since", "2000-01-01T00:00:00Z"]).len(), 8);
    assert!(shown(&["--server", "other"]).is_empty());
    assert!(shown(&["--run", "0123456789abcdef"]).is_empty());

    let text = fs::read_to_string(place.at("audit.jsonl")).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(place.at("short.jsonl"), lines[..6].concat()).unwrap();
    let (code, said, _) = place.play(&["audit", "verify", "short.jsonl"]);
    assert_eq!(code, Some(0));
    assert!(
        said.contains("not closed: 1 run (") && said.contains("sent and not settled: 1 call"),
        "{said}"
    );
    let (code, _, errors) = place.play(&["audit", "verify", "short.jsonl", "--head", head]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("lines at the end are missing"), "{errors}");

    fs::write(place.at("audit.jsonl"), text.replace("\"tool\":\"fails\"", "\"tool\":\"other\""))
        .unwrap();
    let (code, _, errors) = place.play(&["audit", "verify"]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("audit.jsonl, line 5: this line was changed"), "{errors}");
    let (code, said, _) = place.play(&["audit", "show"]);
    assert_eq!((code, said.lines().count()), (Some(1), 4), "what is whole is shown");
}
