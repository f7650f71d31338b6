use serde_json::json;

use super::*;

fn tool(server: &str, name: &str, read_only: Option<bool>) -> Tool {
    let mut tool = Tool::named(server, name);
    tool.annotations.read_only = read_only;
    tool
}

fn policy(rules: serde_json::Value) -> Policy {
    serde_json::from_value(rules).unwrap()
}

#[test]
fn without_rules_everything_is_asked() {
    assert_eq!(Policy::default().judge(&tool("a", "b", None), true), Verdict::Ask);
}

#[test]
fn the_first_rule_that_matches_decides() {
    let policy = policy(json!([
        { "action": "deny", "tools": "*/delete_*", "reason": "nothing is deleted" },
        { "action": "allow", "tools": ["logging_*", "tickets/list*"] },
        { "action": "ask", "servers": "tickets" },
        { "action": "allow" },
    ]));
    let judge = |server, name| policy.judge(&tool(server, name, None), false);
    assert_eq!(
        judge("logging", "delete_all"),
        Verdict::Deny { rule: "deny */delete_*".into(), reason: Some("nothing is deleted".into()) }
    );
    let rule = "allow logging_* | tickets/list*".to_owned();
    assert_eq!(judge("logging", "getLogs"), Verdict::Allow { rule: rule.clone() });
    assert_eq!(judge("tickets", "listAll"), Verdict::Allow { rule });
    assert_eq!(judge("tickets", "close"), Verdict::Ask);
    assert_eq!(judge("other", "close"), Verdict::Allow { rule: "allow".into() });
}

#[test]
fn annotations_count_only_for_trusted_servers() {
    let policy = policy(json!([
        { "action": "allow", "annotations": { "readOnly": true } },
        { "action": "deny", "annotations": { "destructive": true } },
    ]));
    let reads = tool("files", "read", Some(true));
    assert_eq!(policy.judge(&reads, true), Verdict::Allow { rule: "allow read-only".into() });
    assert_eq!(policy.judge(&reads, false), Verdict::Ask);
    let silent = tool("files", "write", None);
    assert!(matches!(policy.judge(&silent, true), Verdict::Deny { .. }));
}

#[test]
fn a_misspelt_condition_is_an_error() {
    let wrong = json!([{ "action": "allow", "tool": "x" }]);
    let error = serde_json::from_value::<Policy>(wrong).unwrap_err();
    assert!(error.to_string().contains("unknown field `tool`"), "{error}");
    let wrong = json!([{ "action": "allow", "tools": "a[" }]);
    let error = serde_json::from_value::<Policy>(wrong).unwrap_err();
    assert!(error.to_string().contains("`a[`"), "{error}");
}

#[test]
fn a_policy_survives_being_written_and_read() {
    let rules =
        json!([{ "action": "allow", "tools": ["a_*"], "annotations": { "readOnly": true } }]);
    assert_eq!(serde_json::to_value(policy(rules.clone())).unwrap(), rules);
}
