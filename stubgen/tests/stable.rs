//! What a model has read of a tool stays true when other tools come and go.

mod support;

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use stubgen::{Catalogue, Declarations, Tool};
use support::case::plain;
use support::declared;

/// All that is printed of a tool: its types and its function.
fn text_of(declarations: &Declarations, tool: &Tool) -> Option<String> {
    let identifier = declarations.identifier(&tool.server, &tool.name)?;
    let function = declarations.function(identifier)?;
    let of_function = |name: &String| function.interfaces.contains(name);
    let types = declarations.interfaces.iter().filter(|ty| of_function(&ty.name));
    let mut types: Vec<&str> = types.map(|ty| ty.declaration.as_str()).collect();
    // Where they stand depends on who else needs them.
    types.sort_unstable();
    Some(types.concat() + &function.declaration)
}

/// The names of a tool's types, as they are in these declarations.
fn types_of<'a>(declarations: &'a Declarations, tool: &Tool) -> Vec<&'a str> {
    let identifier = declarations.identifier(&tool.server, &tool.name);
    let function = identifier.and_then(|identifier| declarations.function(identifier));
    function.map(|found| found.interfaces.iter().map(String::as_str).collect()).unwrap_or_default()
}

/// A type's name, and whether it has a suffix. No name in these tests ends like one by itself.
fn without_suffix(name: &str) -> (&str, bool) {
    match name.rsplit_once('_') {
        Some((plain, suffix)) if suffix.len() >= 4 && suffix.bytes().all(is_hex) => (plain, true),
        _ => (name, false),
    }
}

/// Whether a type's name may become another one because of what another tool's type is called: the
/// name was plain, and that tool has a type for it; or the digits of its suffix are those of that
/// type's as well, which then has more of them. This happens to one pair among 65,536.
fn must_yield(name: &str, other: &str) -> bool {
    match without_suffix(name) {
        (plain, false) => without_suffix(other).0 == plain,
        (_, true) => other.starts_with(name) && other.len() > name.len(),
    }
}

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

fn tools(server: &str, documents: Vec<Value>) -> Vec<Tool> {
    let tool = |(at, document): (usize, Value)| {
        let mut tool = plain(server, &format!("t{at}"), document.clone());
        tool.output_schema = Some(document);
        tool
    };
    documents.into_iter().enumerate().map(tool).collect()
}

/// Tools whose types often have the same names, and often differ.
fn some_tools(server: &'static str) -> impl Strategy<Value = Vec<Tool>> {
    vec(support::schemas::documents(), 1..4).prop_map(move |documents| tools(server, documents))
}

proptest! {
    #![proptest_config(support::cases(100, "tests/stable.regressions"))]

    #[test]
    fn other_tools_change_nothing(ours in some_tools("a"), others in some_tools("b"), after in any::<bool>()) {
        let before = declared(&ours);
        let all = if after { [ours.clone(), others.clone()] } else { [others.clone(), ours.clone()] };
        let with_others = declared(&all.concat());
        let theirs: Vec<&str> =
            others.iter().flat_map(|tool| types_of(&with_others, tool)).collect();
        for tool in &ours {
            let meets = types_of(&before, tool)
                .into_iter()
                .any(|name| theirs.iter().any(|other| must_yield(name, other)));
            if !meets {
                prop_assert_eq!(text_of(&before, tool), text_of(&with_others, tool));
            }
        }
    }

    #[test]
    fn the_order_of_the_tools_changes_no_tool(ours in some_tools("a"), others in some_tools("b")) {
        let tools = [ours, others].concat();
        let turned: Vec<Tool> = tools.iter().rev().cloned().collect();
        let (one, other) = (declared(&tools), declared(&turned));
        for tool in &tools {
            prop_assert_eq!(text_of(&one, tool), text_of(&other, tool));
        }
    }

    #[test]
    fn what_a_catalogue_held_before_changes_nothing(
        ours in some_tools("a"),
        others in some_tools("b"),
        changed in some_tools("a"),
        middle in any::<bool>(),
    ) {
        let mut catalogue: Catalogue = ours.iter().cloned().collect();
        if middle {
            catalogue.declare();
        }
        for tools in [[ours.clone(), others.clone()].concat(), [changed, others].concat(), ours] {
            if middle {
                catalogue.update(tools.iter().cloned());
            } else {
                // Tools of "a" come first wherever there are some.
                for server in ["a", "b"] {
                    let of_server = tools.iter().filter(|tool| tool.server == server).cloned();
                    catalogue.update_server(server, of_server);
                }
            }
            let (updated, fresh) = (catalogue.declare(), declared(&tools));
            prop_assert_eq!(updated.text(), fresh.text());
            prop_assert_eq!(&updated, &fresh);
            prop_assert_eq!(updated.stubs(), fresh.stubs());
            prop_assert_eq!(updated.within(100, &[]), fresh.within(100, &[]));
        }
    }
}

#[test]
fn real_servers_change_nothing_for_each_other() {
    let lists = support::lists::real_lists();
    let all: Vec<Tool> = lists.iter().flat_map(|(_, tools)| tools.clone()).collect();
    let together = declared(&all);
    for (server, tools) in &lists {
        let alone = declared(tools);
        for tool in tools {
            let (alone, among) = (text_of(&alone, tool), text_of(&together, tool));
            assert_eq!(alone, among, "{server}/{}", tool.name);
        }
    }
}

#[test]
fn the_order_of_properties_is_part_of_a_tool() {
    let tool = |text: &str| [plain("s", "t", serde_json::from_str(text).unwrap())];
    let [one, other] = [r#"{"properties":{"a":{},"b":{}}}"#, r#"{"properties":{"b":{},"a":{}}}"#];
    assert_eq!(tool(one), tool(other));
    let mut catalogue: Catalogue = tool(one).into_iter().collect();
    catalogue.update(tool(other));
    assert_eq!(catalogue.declare(), declared(&tool(other)));
    assert_ne!(catalogue.declare(), declared(&tool(one)));
}

/// The exception of `other_tools_change_nothing`, as a host sees it.
#[test]
fn of_two_types_none_keeps_the_name_and_a_third_changes_nothing() {
    let lists = |server: &str, property: &str| {
        let issue = json!({ "type": "object", "properties": { property: {} } });
        let schema = json!({
            "type": "object",
            "properties": { "issues": { "type": "array", "items": { "$ref": "#/$defs/Issue" } } },
            "$defs": { "Issue": issue },
        });
        plain(server, "close", schema)
    };
    let [github, jira, linear] =
        [lists("github", "number"), lists("jira", "key"), lists("linear", "slug")];
    let names = |tools: &[&Tool], tool| {
        let tools: Vec<Tool> = tools.iter().map(|tool| (*tool).clone()).collect();
        types_of(&declared(&tools), tool).concat()
    };
    assert_eq!(names(&[&github], &github), "Issue");
    // A type that is the same is no other.
    let again = lists("github2", "number");
    assert_eq!(names(&[&github, &again], &again), "Issue");
    let of_github = names(&[&github, &jira], &github);
    assert!(without_suffix(&of_github).1, "{of_github}");
    assert_eq!(names(&[&linear, &jira, &again, &github], &github), of_github);
}

/// The rarer exception: a suffix that is another's too. With so many types of one name there are some.
#[test]
fn a_suffix_grows_only_for_one_that_begins_like_it() {
    const TYPES: usize = 1500;
    let tools: Vec<Tool> = (0..TYPES).map(lists_issues).collect();
    let among_all = declared(&tools);
    let name = |declarations: &Declarations, tool: &Tool| types_of(declarations, tool).concat();
    let is_long = |tool: &&Tool| name(&among_all, tool).len() > "Issue_3f2a".len();
    let (long, short): (Vec<&Tool>, Vec<&Tool>) = tools.iter().partition(is_long);
    let first = long.first().expect("suffixes of 16 bits that meet");
    let begins_alike = |tool: &&&Tool| {
        let begin = |tool: &Tool| name(&among_all, tool)["Issue_".len()..][..4].to_owned();
        tool.name != first.name && begin(tool) == begin(first)
    };
    let alike = long.iter().find(begins_alike).expect("another one of them");
    let third = short.first().expect("one that meets no other");

    let without = declared(&[(*first).clone(), (*third).clone()]);
    assert_eq!(name(&without, first).len(), "Issue_3f2a".len());
    let with = declared(&[(*first).clone(), (*third).clone(), (*alike).clone()]);
    for tool in [first, alike] {
        assert_eq!(name(&with, tool).len(), "Issue_3f2a77c1".len());
    }
    assert!(must_yield(&name(&without, first), &name(&with, alike)));
    assert!(name(&with, first).starts_with(&name(&without, first)));
    assert!(!must_yield(&name(&without, third), &name(&with, alike)));
    assert_eq!(name(&without, third), name(&with, third));
    let distinct: HashSet<String> = tools.iter().map(|tool| name(&among_all, tool)).collect();
    assert_eq!(distinct.len(), TYPES);
}

/// A tool with a type `Issue` that no tool of another number has.
fn lists_issues(number: usize) -> Tool {
    let issue = json!({ "type": "object", "properties": { format!("p{number}"): {} } });
    let schema = json!({
        "type": "object",
        "properties": { "issues": { "type": "array", "items": { "$ref": "#/$defs/Issue" } } },
        "$defs": { "Issue": issue },
    });
    plain("s", &format!("t{number}"), schema)
}

#[test]
fn types_that_nobody_needs_any_more_are_forgotten() {
    let tool = |at: usize| {
        let schema = json!({
            "type": "object",
            "properties": { "p": { "$ref": "#/$defs/P" } },
            "$defs": { "P": { "type": "object", "properties": { format!("x{at}"): {} } } },
        });
        [plain("s", "t", schema)]
    };
    let mut catalogue: Catalogue = tool(0).into_iter().collect();
    for at in 1..1000 {
        catalogue.update(tool(at));
        assert_eq!(catalogue.declare(), declared(&tool(at)));
    }
    let size = format!("{catalogue:?}").len();
    assert!(size < 200_000, "{size} bytes are kept of one tool");
}
