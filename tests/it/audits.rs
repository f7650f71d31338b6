//! What can be set about the audit log, and how it is shown to programs.

use crate::place::Place;
use serde_json::{Value, json};
use std::fs;

const SCRIPT: &str = "
    await good_echo({ text: 'plain', token: 'a secret', list: [{ token: 'nested' }] });
    await good_echo({ text: 'other', token: 'another one' });
    await good_fails({ token: 'a secret' }).catch(() => 0);
    await good_echo({ text: 7, token: 'a secret' }).catch(() => 0);
";

/// The place after a run, and the text of its log.
fn log(audit: &Value) -> (Place, String) {
    let place = Place::new(&json!({ "audit": audit }));
    place.script("script.ts", SCRIPT);
    let (code, _, errors) = place.play(&["run", "script.ts"]);
    assert_eq!(code, Some(0), "{errors}");
    let text = fs::read_to_string(place.at("audit.jsonl")).unwrap();
    (place, text)
}

#[test]
fn arguments_are_in_the_log_if_that_is_wanted_but_not_what_is_redacted() {
    let (place, text) = log(
        &json!({ "file": "audit.jsonl", "arguments": "full", "redact": ["/token", "/list/0/token"] }),
    );
    assert!(text.contains("plain") && text.contains("other"), "{text}");
    for secret in ["a secret", "another one", "nested"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    // Nobody can find out what was left out by trying: it is not in the digest.
    let (entries, _) = place.log();
    let sent: Vec<_> = entries.iter().filter(|it| it.text("event") == Some("call_sent")).collect();
    assert_eq!(sent.len(), 3);
    let place = Place::new(&json!({ "audit": { "file": "audit.jsonl", "redact": ["/token"] } }));
    let script = |token: &str| format!("await good_echo({{ text: 'plain', token: '{token}' }});");
    place
        .script("script.ts", &(script("one") + &script("two") + "await good_echo({ text: 'x' });"));
    assert_eq!(place.play(&["run", "script.ts"]).0, Some(0));
    let (entries, _) = place.log();
    let digests: Vec<_> = entries
        .iter()
        .filter(|entry| entry.text("event") == Some("call_sent"))
        .map(|entry| entry.text("arguments_digest").unwrap().to_owned())
        .collect();
    assert!(digests[0] == digests[1] && digests[1] != digests[2], "{digests:?}");
}

#[test]
fn a_log_that_waits_for_the_disk_is_the_same_log() {
    let steps = |audit: &Value| {
        let (place, _) = log(audit);
        let (code, said, errors) = place.play(&["audit", "verify"]);
        assert_eq!(code, Some(0), "{errors}");
        assert!(said.starts_with("whole: 12 entries in 1 file\n"), "{said}");
        let (entries, _) = place.log();
        entries.iter().map(|entry| entry.text("event").unwrap().to_owned()).collect::<Vec<_>>()
    };
    let synced = steps(&json!({ "file": "audit.jsonl", "sync": true }));
    assert_eq!(synced, steps(&json!({ "file": "audit.jsonl", "sync": false })));
}

#[test]
fn what_is_no_setting_of_the_log_is_refused() {
    let place = Place::new(&json!({}));
    place.script("script.ts", "return 1");
    for (audit, expected) in [
        (json!({ "file": "audit.jsonl", "arguments": "some" }), "possible are `digest` and `full`"),
        (json!({ "file": "audit.jsonl", "redact": ["token"] }), "token"),
        (json!({ "file": "audit.jsonl", "sinc": true }), "sinc"),
        (json!({ "arguments": "full" }), "file"),
    ] {
        let config = json!({ "mcpServers": {}, "audit": audit }).to_string();
        fs::write(place.at("bad.json"), config).unwrap();
        let (code, _, errors) = place.play(&["run", "--config", "bad.json", "script.ts"]);
        assert!(code == Some(2) && errors.contains(expected), "{audit}: {errors}");
    }
}

#[test]
fn the_log_is_shown_to_programs_line_by_line_as_it_is() {
    let (place, text) = log(&json!("audit.jsonl"));
    let shown = |args: &[&str]| -> String {
        let (code, said, errors) = place.play(&[&["audit", "show", "--json"], args].concat());
        assert_eq!(code, Some(0), "{errors}");
        said
    };
    assert_eq!(shown(&[]), text);
    let events = |args: &[&str]| -> Vec<String> {
        let event = |line: &str| -> String {
            let entry: Value = serde_json::from_str(line).unwrap();
            entry["event"].as_str().unwrap().to_owned()
        };
        shown(args).lines().map(event).collect()
    };
    assert_eq!(events(&["--tool", "good/fails"]), ["call_decided", "call_sent", "call_settled"]);
    assert_eq!(events(&["--tool", "fails", "--state", "failed"]), ["call_settled"]);
    assert_eq!(events(&["--state", "refused"]), ["call_refused"]);
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(shown(&["--run", first["run"].as_str().unwrap()]), text);
    assert!(shown(&["--server", "other"]).is_empty());
}
