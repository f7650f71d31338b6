//! What is declared compiles, and says of values what the schemas say.
#![allow(clippy::unwrap_used, reason = "a test that cannot read its files has failed")]

mod support;

use std::fmt::Write;
use std::path::PathBuf;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;
use stubgen::{Reason, Tool};
use support::case::{Case, plain};
use support::typescript::{Project, expression};

#[test]
fn cases_compile_and_judge_their_values() {
    let Some(mut project) = Project::new("cases") else { return };
    for path in case_files() {
        let case = Case::read(&path);
        let declarations = support::declared(&case.tools);
        let mut text = declarations.text().to_owned();
        if let [function] = declarations.functions.as_slice() {
            let name = &function.identifier;
            let _ = writeln!(text, "type In = NonNullable<Parameters<typeof {name}>[0]>;");
            let _ = writeln!(text, "type Out = Awaited<ReturnType<typeof {name}>>;");
            judge(&mut text, "In", &case.valid, &case.invalid);
            judge(&mut text, "Out", &case.valid_output, &case.invalid_output);
        } else {
            assert!(case.valid.is_empty() && case.invalid.is_empty(), "{}", path.display());
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        project.add(&format!("{name}.ts"), text);
        project.add(&format!("{name}.stubs.ts"), declarations.stubs());
    }
    let told = project.diagnostics();
    assert!(told.is_empty(), "{} diagnostics:\n{}", told.len(), told.join("\n"));
}

#[test]
fn real_servers_compile() {
    let Some(mut project) = Project::new("real") else { return };
    let lists = support::lists::real_lists();
    let mut all: Vec<Tool> = Vec::new();
    for (server, tools) in lists {
        let declarations = support::declared(&tools);
        project.add(&format!("{server}.ts"), declarations.text().to_owned());
        project.add(&format!("{server}.stubs.ts"), declarations.stubs());
        let brief = declarations.within(2000, &[]);
        project.add(&format!("{server}.brief.ts"), brief.text);
        all.extend(tools);
    }
    let declarations = support::declared(&all);
    project.add("all-together.ts", declarations.text().to_owned());
    let told = project.diagnostics();
    assert!(told.is_empty(), "{} diagnostics:\n{}", told.len(), told.join("\n"));
}

/// Schemas in which every keyword occurs, in all the ways that chance finds.
#[test]
fn schemas_made_by_chance_compile() {
    let Some(mut project) = Project::new("chance") else { return };
    let mut runner = TestRunner::deterministic();
    let documents = support::schemas::documents();
    let tools: Vec<Tool> = (0..500)
        .map(|at| {
            let document = documents.new_tree(&mut runner).unwrap().current();
            let mut tool = plain("s", &format!("t{at}"), document.clone());
            tool.output_schema = Some(document);
            tool
        })
        .collect();
    let declarations = support::declared(&tools);
    for unavailable in &declarations.unavailable {
        assert_eq!(unavailable.reason, Reason::NoInput, "{:?}", unavailable.tool);
    }
    assert!(declarations.functions.len() > 250, "{}", declarations.functions.len());
    project.add("chance.ts", declarations.text().to_owned());
    let told = project.diagnostics();
    assert!(told.is_empty(), "{} diagnostics:\n{}", told.len(), told.join("\n"));
}

/// Lines that compile only if the valid values are of the type and the invalid ones are not.
fn judge(text: &mut String, ty: &str, valid: &[Value], invalid: &[Value]) {
    for (at, value) in valid.iter().enumerate() {
        let _ = writeln!(text, "const valid{ty}{at}: {ty} = {};", expression(value));
    }
    for (at, value) in invalid.iter().enumerate() {
        let _ = writeln!(text, "// @ts-expect-error");
        let _ = writeln!(text, "const invalid{ty}{at}: {ty} = {};", expression(value));
    }
}

fn case_files() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
