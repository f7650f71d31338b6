use super::*;
use broker::{Action, Share, Transport};
use std::time::Duration;

fn parse(text: &str) -> Result<Config, Error> {
    let variable = |name: &str| (name == "TOKEN").then(|| "hunter2-hunter2".into());
    Config::parse("mcp.json".into(), text.as_bytes(), &variable)
}

fn error(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn everything_that_can_be_said_is_understood() {
    let config = parse(
        r#"{
          // A comment.
          "mcpServers": {
            "files": { "command": "${env:TOKEN}", "args": ["-x"], "env": { "KEY": "${env:TOKEN}" },
                       "cwd": "/tmp", "timeout": "5s", "lazy": true, "onDemand": true, "idle": "10m", "description": "Files", "calls": 4, "rate": "10/s",
                       "tools": { "grep": { "calls": 1, "rate": "30/5m" } },
                       "pins": { "grep": "sha256:0101010101010101010101010101010101010101010101010101010101010101" } },
            "web": { "type": "streamable-http", "url": "http://x/", "headers": { "A": "B" } },
          },
          "policy": [
            { "action": "deny", "tools": ["*/delete*", "files_rm"], "reason": "no" },
            { "action": "allow", "servers": "files", "annotations": { "readOnly": true } }
          ],
          "limits": { "wall": "2m", "tool_timeout_max": "1h", "approval_wait": "30m", "denials": 0,
                      "heap_bytes": "256MiB", "calls": 5, "value_bytes": 77 },
          "trust": ["files"]
        }"#,
    )
    .unwrap();
    let files = &config.servers["files"];
    assert!(files.trusted && !config.servers["web"].trusted);
    assert_eq!(files.connect_timeout, Duration::from_secs(5));
    assert!(files.lazy && !config.servers["web"].lazy);
    assert!(files.on_demand && !config.servers["web"].on_demand);
    assert_eq!(files.idle, Some(Duration::from_secs(600)));
    assert_eq!(files.description.as_deref(), Some("Files"));
    assert_eq!(files.allowance, Share::default().calls(4).rate(10, Duration::from_secs(1)));
    assert_eq!(files.tools["grep"], Share::default().calls(1).rate(30, Duration::from_secs(300)));
    assert_eq!(files.pins["grep"].to_string(), format!("sha256:{}", "01".repeat(32)));
    assert_eq!(config.tool_timeout_max, Some(Duration::from_secs(3600)));
    assert_eq!((config.approval_wait, config.denials), (Some(Duration::from_secs(1800)), Some(0)));
    let Transport::Stdio { command, args, env, cwd } = &files.transport else { panic!() };
    assert_eq!((command.as_str(), args.as_slice()), ("hunter2-hunter2", &["-x".to_owned()][..]));
    assert_eq!(env["KEY"].expose(), "hunter2-hunter2");
    assert_eq!(cwd.as_deref(), Some(Path::new("/tmp")));
    let rules: Vec<String> = config.policy.rules().iter().map(ToString::to_string).collect();
    assert_eq!(rules, ["deny */delete* | files_rm", "allow servers files read-only"]);
    assert_eq!(config.policy.rules()[0].action, Action::Deny);
    let limits = Limits {
        wall: Duration::from_secs(120),
        heap_bytes: 256 << 20,
        calls: 5,
        value_bytes: 77,
        ..Limits::default()
    };
    assert_eq!(config.limits, limits);
}

#[test]
fn rules_mean_what_the_broker_reads_in_them() {
    let text = r#"[{"action":"deny","tools":["a_*","b/c"],"servers":"s","reason":"r",
                    "annotations":{"readOnly":false,"openWorld":true}},{"action":"ask"}]"#;
    let config = parse(&format!(r#"{{"policy":{text}}}"#)).unwrap();
    let policy: Policy = serde_json::from_str(text).unwrap();
    let json = |policy| serde_json::to_value(policy).unwrap();
    assert_eq!(json(config.policy), json(policy));
}

#[test]
fn the_audit_log_is_a_file_or_more() {
    let short = parse(r#"{"audit": "/logs/a.jsonl"}"#).unwrap().audit;
    assert_eq!(short, Some(broker::Audit::new("/logs/a.jsonl")));
    let mut expected = broker::Audit::new("a");
    (expected.full, expected.sync, expected.rotate_bytes) = (true, true, 1 << 20);
    expected.redact = vec!["/token".into(), "/deep/0/k~1y".into()];
    let long = r#"{"audit": {"file": "a", "arguments": "full", "redact": ["/token", "/deep/0/k~1y"],
                             "sync": true, "rotate_bytes": "1MiB"}}"#;
    assert_eq!(parse(long).unwrap().audit, Some(expected));
    for (text, expected) in [
        (r#"{"audit": ""}"#, "1:11: `audit`: the name of the file is empty"),
        (r#"{"audit": {}}"#, "1:11: `audit` needs `file`"),
        (
            r#"{"audit": {"file": "a", "arguments": "some"}}"#,
            "1:38: `arguments` of `audit`: possible are `digest` and `full`",
        ),
        (
            r#"{"audit": {"file": "a", "redact": ["token"]}}"#,
            "1:36: `redact` of `audit`: `token` is no JSON pointer; write for example `/token`",
        ),
        (
            r#"{"audit": {"file": "a", "rotate_bytes": "much"}}"#,
            "1:41: `rotate_bytes` of `audit`: `much` is not a size; write a number of bytes, or for example `512KiB` or `256MiB`",
        ),
        (
            r#"{"audit": {"file": "a", "sync": 1}}"#,
            "1:33: `sync` of `audit` must be true or false, not a number",
        ),
        (
            r#"{"audit": {"fiel": "a"}}"#,
            "1:12: unknown key `fiel` in `audit`; did you mean `file`?",
        ),
    ] {
        assert_eq!(error(text), format!("mcp.json:{expected}"), "{text}");
    }
}

#[test]
fn each_mistake_has_its_place_and_a_remedy() {
    let table = [
        ("", "1:1: this is not JSON: the file is empty; the least is `{}`"),
        ("{\n  'a': 1}", "2:3: this is not JSON: single-quoted strings are not allowed"),
        ("{\"limits\": {}", "1:1: this is not JSON: unterminated object"),
        ("[]", "1:1: the configuration must be an object, not a list"),
        (
            "{\n\"mcpserver\": {}}",
            "2:1: unknown key `mcpserver` in the configuration; did you mean `mcpServers`?",
        ),
        (
            r#"{"x": {}}"#,
            "1:2: unknown key `x` in the configuration; possible are `mcpServers`, `policy`, `dataFlow`, `reviewers`, `limits`, `sandbox`, `trust`, `audit`",
        ),
        (
            r#"{"trust": [], "trust": []}"#,
            "1:15: the key `trust` is there twice in the configuration; keep one",
        ),
        (
            r#"{"mcpServers": {"a": {"comand": "x"}}}"#,
            "1:23: unknown key `comand` in the server `a`; did you mean `command`?",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "args": "y"}}}"#,
            "1:47: `args` of the server `a` must be a list of strings, not a string",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "env": {"K": 1}}}}"#,
            "1:52: `env.K` of the server `a` must be a string, not a number",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "args": ["${env:NOPE}"]}}}"#,
            "1:48: the environment variable `NOPE` is not set, and an item in `args` of the server `a` uses it; set it",
        ),
        (
            r#"{"mcpServers": {"a": {"url": "x", "headers": {"K": "${TOKEN}"}}}}"#,
            "1:52: `headers.K` of the server `a` has a `${` that is not understood; write `${env:NAME}`, `${file:PATH}`, `${command:PROGRAM …}` or `${keychain:SERVICE/ACCOUNT}`, or `$${` for the characters themselves",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "url": "y"}}}"#,
            "1:39: `url` of the server `a` does not go with `command`; a server is a program or a URL, not both",
        ),
        (
            r#"{"mcpServers": {"a": {}}}"#,
            "1:17: the server `a` needs `command` (a program) or `url` (streamable HTTP)",
        ),
        (r#"{"mcpServers": {"a": {"type": "http"}}}"#, "1:17: the server `a` needs `url`"),
        (
            r#"{"mcpServers": {"a": {"type": "sse", "url": "x"}}}"#,
            "1:31: the server `a` has the type `sse`, which is not supported: only `stdio` (a program) and `http` (streamable HTTP) are",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "timeout": 30}}}"#,
            "1:50: `timeout` of the server `a` must be a time such as \"30s\", not a number",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "lazy": "yes"}}}"#,
            "1:47: `lazy` of the server `a` must be true or false, not a string",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "calls": 0}}}"#,
            "1:48: `calls` of the server `a`: this is not a whole number from 1",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "tools": {"t": {"rate": "often"}}}}}"#,
            "1:63: `rate` of the tool `t` of the server `a`: this is not a number of calls and a time, such as \"10/s\" or \"100/5m\"",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "pins": {"t": "md5:1"}}}}"#,
            "1:53: the pin of the tool `t` of the server `a`: a digest is `sha256:` and 64 hexadecimal digits",
        ),
        (
            r#"{"mcpServers": {"files": {"command": "x"}}, "trust": ["file"]}"#,
            "1:55: `trust` names the server `file`, which is not in `mcpServers`; did you mean `files`?",
        ),
        (
            r#"{"policy": [{"action": "allow"}, {"tool": "x"}]}"#,
            "1:35: unknown key `tool` in rule 2 of `policy`; did you mean `tools`?",
        ),
        (
            r#"{"policy": [{"tools": "x"}]}"#,
            r#"1:13: rule 1 of `policy` needs `action`: "allow", "ask" or "deny""#,
        ),
        (
            r#"{"policy": [{"action": "alow"}]}"#,
            "1:24: `action` of rule 1 of `policy`: `alow` is not an action; did you mean `allow`?",
        ),
        (
            r#"{"policy": [{"action": "deny", "tools": ["a", "b["]}]}"#,
            "1:47: `tools` of rule 1 of `policy`: `b[` is not a pattern: unclosed character class; missing ']'",
        ),
        (
            r#"{"policy": [{"action": "allow", "tools": []}]}"#,
            "1:42: `tools` of rule 1 of `policy`: the list is empty; to match everything leave the key out",
        ),
        (
            r#"{"limits": {"heap": 1}}"#,
            "1:13: unknown key `heap` in `limits`; did you mean `heap_bytes`?",
        ),
        (
            r#"{"limits": {"wall": 30}}"#,
            r#"1:21: `wall` in `limits` must be a time such as "30s", "500ms" or "2m", not a number"#,
        ),
        (
            r#"{"limits": {"wall": "soon"}}"#,
            "1:21: `wall` in `limits`: `soon` is not a time; write for example `30s`, `500ms` or `2m`",
        ),
        (
            r#"{"limits": {"heap_bytes": "lots"}}"#,
            "1:27: `heap_bytes` in `limits`: `lots` is not a size; write a number of bytes, or for example `512KiB` or `256MiB`",
        ),
        (
            r#"{"limits": {"calls": -1}}"#,
            "1:22: `calls` in `limits`: -1 is not a whole number from 0 to 4294967295",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(error(text), format!("mcp.json:{expected}"), "{text}");
    }
}

#[test]
fn a_file_that_is_not_text_is_refused_where_it_stops_being_text() {
    let error = Config::parse("mcp.json".into(), b"{\n\xff}", &|_| None).unwrap_err();
    assert_eq!(error.to_string(), "mcp.json:2:1: this is not UTF-8 text");
}

#[test]
fn no_error_shows_a_credential() {
    let texts = [
        r#"{"mcpServers": {"a": {"command": "x", "timeout": "${env:TOKEN}"}}}"#,
        r#"{"mcpServers": {"a": {"command": "x", "env": {"K": "hunter2-hunter2${"}}}}"#,
        r#"{"mcpServers": {"a": {"command": "x", "env": {"K": "hunter2-hunter2" 1}}}}"#,
        r#"{"mcpServers": {"a": {"command": "x", "env": ["hunter2-hunter2"]}}}"#,
    ];
    for text in texts {
        assert!(!error(text).contains("hunter2"), "{}", error(text));
        assert!(!format!("{:?}", parse(text)).contains("hunter2"));
    }
}

#[test]
fn nesting_without_end_is_an_error() {
    assert!(error(&"[".repeat(100_000)).contains("not JSON"));
}

#[test]
fn data_flow_and_reviewers_are_understood() {
    let config = parse(
        r#"{
          "mcpServers": {
            "mail": { "command": "x", "sensitive": true },
            "hr": { "command": "x", "tools": { "salaries": { "sensitive": true }, "list": {} } },
            "web": { "command": "x", "public": true }
          },
          "dataFlow": {
            "rules": [{ "from": ["mail/*", "hr_*"], "to": "web/*", "action": "deny", "reason": "no" }],
            "sensitiveToPublic": "deny"
          },
          "reviewers": [
            { "use": "size", "arguments": "64KiB", "results": 1000 },
            { "use": "secrets", "tools": "mail/*", "arguments": "refuse", "results": "mask" },
            { "use": "urls", "allow": ["*.example"] }
          ]
        }"#,
    )
    .unwrap();
    let rules: Vec<String> = config.data_flow.rules().iter().map(ToString::to_string).collect();
    assert_eq!(rules, ["deny mail/* | hr_* → web/*"]);
    let text = format!("{:?}", config.data_flow);
    for part in [r#"{"mail"}"#, r#"{("hr", "salaries")}"#, r#"{"web"}"#, "Deny"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(format!("{:?}", config.reviewers), r#"["size", "secrets", "urls"]"#);
}

#[test]
fn mistakes_in_data_flow_and_reviewers_are_named() {
    let table = [
        (
            r#"{ "dataFlow": { "rules": [{ "to": "x", "action": "ask" }] } }"#,
            "rule 1 of `dataFlow` needs `from`",
        ),
        (
            r#"{ "dataFlow": { "rules": [{ "from": "x", "to": "x", "action": "alow" }] } }"#,
            "did you mean `allow`?",
        ),
        (r#"{ "dataFlow": { "sensitiveToPublic": "allow" } }"#, "this must be \"ask\" or \"deny\""),
        (r#"{ "dataFlow": { "rule": [] } }"#, "did you mean `rules`?"),
        (
            r#"{ "mcpServers": { "a": { "command": "x", "public": 1 } } }"#,
            "`public` of the server `a` must be true or false",
        ),
        (
            r#"{ "mcpServers": { "a": { "command": "x", "tools": { "t": { "sensitive": 1 } } } } }"#,
            "`sensitive` of the tool `t`",
        ),
        (r#"{ "reviewers": [{ "tools": "x" }] }"#, "reviewer 1 needs `use`"),
        (r#"{ "reviewers": [{ "use": "url" }] }"#, "did you mean `urls`?"),
        (r#"{ "reviewers": [{ "use": "urls", "results": "mask" }] }"#, "unknown key `results`"),
        (r#"{ "reviewers": [{ "use": "secrets", "results": "hide" }] }"#, "`hide` is not one of"),
        (r#"{ "reviewers": [{ "use": "size", "results": "x" }] }"#, "`x` is not a size"),
    ];
    for (text, expected) in table {
        let error = error(text);
        assert!(error.contains(expected), "{error}");
    }
}
