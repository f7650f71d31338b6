use serde_json::json;

use super::*;

fn policy(rules: serde_json::Value) -> Policy {
    serde_json::from_value(rules).unwrap()
}

#[test]
fn a_misspelt_condition_is_an_error() {
    for (rule, says) in [
        (json!({ "action": "allow", "tool": "x" }), "unknown field `tool`"),
        (json!({ "action": "allow", "tools": "a[" }), "`a[`"),
        (
            json!({ "action": "allow", "arguments": { "/a": { "equal": 1 } } }),
            "unknown field `equal`",
        ),
        (json!({ "action": "allow", "arguments": { "a": { "equals": 1 } } }), "not a JSON Pointer"),
        (json!({ "action": "allow", "arguments": { "/a": {} } }), "no test for `/a`"),
        (json!({ "action": "allow", "arguments": { "/a": { "regex": "(" } } }), "unclosed group"),
    ] {
        let error = serde_json::from_value::<Policy>(json!([rule])).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn a_policy_survives_being_written_and_read() {
    let rules = json!([{
        "action": "allow",
        "tools": ["a_*"],
        "annotations": { "readOnly": true },
        "arguments": { "/a": { "equals": null, "present": true }, "/b": { "oneOf": [1], "under": "/x" } },
        "labels": ["x"],
    }]);
    assert_eq!(serde_json::to_value(policy(rules.clone())).unwrap(), rules);
}

#[test]
fn a_rule_shows_all_of_its_conditions() {
    let rules = policy(json!([{
        "action": "ask", "tools": "a/*", "servers": "a", "labels": "n-*", "annotations": { "destructive": false },
        "arguments": { "/p": { "under": "/srv", "regex": "x$" }, "/n": { "max": 3 } },
    }]));
    assert_eq!(
        rules.rules[0].to_string(),
        "ask a/* servers a labels n-* not destructive where /n <= 3, /p matches x$ and under /srv"
    );
}

#[test]
fn rules_that_can_never_match_are_found() {
    let rules = policy(json!([
        { "action": "allow", "tools": ["files/*", "mail/list"] },
        { "action": "deny", "tools": "mail/list", "arguments": { "/all": { "equals": true } } },
        { "action": "deny", "tools": "males/*" },
        { "action": "ask", "servers": "mail", "arguments": { "/n": { "min": 5, "max": 1 } } },
        { "action": "allow", "servers": "mail", "annotations": { "readOnly": true } },
        { "action": "allow", "annotations": { "readOnly": true } },
        { "action": "ask", "labels": "*" },
        { "action": "deny" },
        { "action": "allow", "tools": "mail_*" },
    ]));
    let unused = rules.unused([("files", true), ("mail", false)]);
    let seen: Vec<_> = unused.iter().map(|rule| (rule.number, rule.why.clone())).collect();
    let condition = "/n >= 5 and <= 1".to_owned();
    assert_eq!(
        seen,
        [
            (2, Why::Behind { number: 1 }),
            (3, Why::NoSuchServer),
            (4, Why::Contradiction { condition }),
            (5, Why::NoneTrusted),
            (9, Why::Behind { number: 8 }),
        ]
    );
    assert_eq!(
        unused[0].to_string(),
        "rule 2 of the policy (`deny mail/list where /all = true`) never matches: \
         rule 1 matches everything that it would"
    );
}

#[test]
fn what_depends_on_the_arguments_or_the_run_is_not_known_before() {
    let rules = policy(json!([
        { "action": "deny", "tools": "a/write", "arguments": { "/force": { "equals": true } } },
        { "action": "ask", "tools": "a/list", "labels": "x" },
        { "action": "allow", "servers": "a" },
    ]));
    let outlook = |server: &str, name: &str| rules.outlook(&Tool::new(server, name), false);
    assert_eq!(outlook("a", "write"), None);
    assert_eq!(outlook("a", "list"), None);
    assert_eq!(outlook("a", "read"), Some(Verdict::Allow { rule: "allow servers a".into() }));
    assert_eq!(outlook("b", "write"), Some(Verdict::Ask { rule: None, reason: None }));
}
