//! Dry runs: what is sent, what is answered by a recording, and what is listed.

use crate::place::{Place, fixture};
use serde_json::{Value, json};
use std::fs;

fn place() -> Place {
    // Lists of resources count as reads, of a server that is trusted.
    let interactive = fixture().with_file_name("interactive.py");
    let notes = json!({ "command": "python3", "args": [interactive, "modern"] });
    Place::new(&json!({
        "mcpServers": {
            "good": { "command": "python3", "args": [fixture(), "good", "${env:NOTES}"] },
            "notes": notes,
            "strange": notes,
        },
        "trust": ["good", "notes"],
        "policy": [{ "action": "allow", "tools": ["good/echo", "*/resources/*"] }, { "action": "deny", "tools": "good/slow" }],
    }))
}

/// Calls that the server has noted.
fn called(place: &Place) -> usize {
    fs::read_to_string(place.at("notes")).unwrap_or_default().matches("called").count()
}

#[test]
fn a_dry_run_sends_what_only_reads_and_lists_the_rest() {
    let place = place();
    place.script(
        "script.ts",
        "console.log(await good_slow({}).catch((error) => error.kind));
         console.log((await mcp.listResources('notes')).length > 0);
         await Promise.all([good_echo({ text: 'a' }), good_fails({}), mcp.listResources('strange')]);
         console.log('not reached');",
    );
    let (code, said, errors) = place.play(&["run", "script.ts", "--dry-run"]);
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(
        said,
        "denied\ntrue\nDry run: it would make 3 calls now:\n#3 good/echo, line 3\n  {\n    \"text\": \"a\"\n  }\n\
         #4 good/fails, line 3; somebody would be asked\n  {}\n#5 strange/resources/list, line 3\n  {}\n"
    );
    assert_eq!(called(&place), 0);
}

#[test]
fn programs_get_the_same_list_as_json() {
    let place = place();
    place.script(
        "script.ts",
        "await Promise.all([good_echo({ text: 'a' }),\n good_fails({ n: 1 })]);",
    );
    let (code, said, errors) = place.play(&["run", "script.ts", "--dry-run", "--json"]);
    assert_eq!(code, Some(0), "{errors}");
    let report: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        report["would_call"],
        json!([
            { "id": 1, "server": "good", "tool": "echo", "line": 1, "arguments": { "text": "a" }, "action": "allow" },
            { "id": 2, "server": "good", "tool": "fails", "line": 2, "arguments": { "n": 1 }, "action": "ask" },
        ])
    );
    assert_eq!(called(&place), 0);
}

#[test]
fn a_recording_answers_the_calls_that_it_has_and_no_others() {
    let place = place();
    let recorded = "console.log((await good_echo({ text: 'a' })).text);";
    place.script("recorded.ts", recorded);
    assert_eq!(place.play(&["run", "recorded.ts", "--record", "run.rec"]).0, Some(0));
    let before = called(&place);
    let dry = |script: &str| {
        place.script("script.ts", script);
        let (code, said, errors) =
            place.play(&["run", "script.ts", "--dry-run", "--recording", "run.rec"]);
        assert_eq!(code, Some(0), "{errors}");
        said
    };
    assert_eq!(dry(recorded), "{\"text\": \"a\"}\n");
    let further =
        format!("{recorded}\nawait good_echo({{ text: 'b' }}); console.log('not reached');");
    assert_eq!(
        dry(&further),
        "{\"text\": \"a\"}\nDry run: it would make 1 call now:\n#2 good/echo, line 2\n  {\n    \"text\": \"b\"\n  }\n"
    );
    // It has that call once.
    let twice =
        format!("{recorded}\nawait good_echo({{ text: 'a' }}); console.log('not reached');");
    assert!(dry(&twice).contains("it would make 1 call now:\n#2 good/echo, line 2"));
    assert_eq!(called(&place), before, "the server was called in a dry run");
    let (code, _, errors) = place.play(&["run", "script.ts", "--recording", "run.rec"]);
    assert!(code == Some(2) && errors.contains("--dry-run"), "{errors}");
}
