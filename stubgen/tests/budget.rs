//! Declarations that keep to a budget, and stubs.

mod support;

use serde_json::{Value, json};
use stubgen::{Declarations, Detail, Tool};
use support::case::tool;

/// Twelve tools of two servers; some share a named type.
fn catalogue() -> Declarations {
    let tools: Vec<Tool> = (0..12)
        .map(|at| {
            let server = if at % 2 == 0 { "files" } else { "mail" };
            let value: Value = json!({
                "name": format!("tool{at}"),
                "description": format!("Does the thing with the number {at}, and says at length how it does it."),
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "where": { "$ref": "#/$defs/Place" },
                        "count": { "type": "integer", "description": "How many of them.", "default": at },
                    },
                    "required": ["where"],
                    "$defs": {
                        "Place": {
                            "type": "object",
                            "properties": { "path": { "type": "string", "description": "From the root." } },
                            "required": ["path"],
                        },
                    },
                },
            });
            tool(server, &value)
        })
        .collect();
    support::declared(&tools)
}

#[test]
fn a_budget_is_kept_and_used() {
    let declarations = catalogue();
    let whole = declarations.within(usize::MAX, &[]);
    assert_eq!(whole.text, declarations.text());
    let least = declarations.within(0, &[]);
    assert_eq!(least.text, "// files: 6 more tools\n// mail: 6 more tools\n");
    assert!(least.shown.iter().all(|shown| shown.detail == Detail::Counted));
    let mut before = least.tokens;
    for tokens in (least.tokens..whole.tokens + 10).step_by(7) {
        let budgeted = declarations.within(tokens, &["files_tool4", "mail_tool5"]);
        assert!(budgeted.tokens <= tokens, "{} of {tokens}", budgeted.tokens);
        assert_eq!(budgeted, declarations.within(tokens, &["files_tool4", "mail_tool5"]));
        support::parse::parse(&budgeted.text);
        before = before.max(budgeted.tokens);
    }
    assert!(before > whole.tokens / 2, "{before} of {}", whole.tokens);
}

#[test]
fn what_is_asked_for_comes_first() {
    let declarations = catalogue();
    let budgeted = declarations.within(320, &["mail_tool5"]);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("budget-asked-for", budgeted.text);
    });
    let detail = |name: &str| {
        budgeted.shown.iter().find(|shown| shown.identifier == name).map(|shown| shown.detail)
    };
    assert_eq!(detail("mail_tool5"), Some(Detail::Full));
    assert_eq!(detail("files_tool0"), Some(Detail::Signature));
    assert_eq!(detail("mail_tool11"), Some(Detail::Name));
}

#[test]
fn every_tool_is_shown_or_counted() {
    let declarations = catalogue();
    for tokens in [0, 60, 100, 200, 400, 800] {
        let budgeted = declarations.within(tokens, &[]);
        assert_eq!(budgeted.shown.len(), 12);
        for shown in &budgeted.shown {
            let there = budgeted.text.contains(&shown.identifier);
            assert_eq!(there, shown.detail != Detail::Counted, "{shown:?} in {tokens}");
        }
    }
}

#[test]
fn stubs_have_bodies() {
    let mut declarations = catalogue();
    declarations.functions.truncate(2);
    let stubs = declarations.stubs();
    support::parse::parse(&stubs);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("stubs", stubs);
    });
}

#[test]
fn a_part_is_declared_as_in_the_whole() {
    let declarations = catalogue();
    let mail = declarations.only(|server, _| server == "mail");
    assert_eq!(mail.functions.len(), 6);
    assert_eq!(mail.interfaces, declarations.interfaces);
    assert_eq!(mail.function("mail_tool5"), declarations.function("mail_tool5"));
    assert_eq!(mail.function("files_tool4"), None);
    assert!(declarations.text().ends_with(&mail.functions[5].declaration));
    assert_eq!(mail.within(usize::MAX, &[]).text, mail.text());
    assert_eq!(declarations.only(|_, _| true), declarations);
    assert_eq!(declarations.only(|_, _| false).text(), "");
}
