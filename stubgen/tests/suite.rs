//! JSON Schema's own test suite: each value that it calls valid is of the declared type.
//!
//! The suite is looked for in the folder that `COFFERDAM_SCHEMA_SUITE` names. Where TypeScript
//! cannot follow, the test is listed in `suite-exceptions.txt` with the reason; how many of the
//! *invalid* values the types refuse is kept in the golden, per keyword group.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its files has failed")]

mod support;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::path::PathBuf;

use serde_json::Value;
use stubgen::Reason;
use support::case::plain;
use support::typescript::{Project, literal_type};

const DRAFTS: [(&str, &str); 3] = [
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
    ("draft2019-09", "https://json-schema.org/draft/2019-09/schema"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
];

/// A value of the suite, and the line on which the compiler judges it.
struct Judged {
    /// `draft/file: group: test`.
    name: String,
    file: String,
    valid: bool,
}

#[test]
fn valid_values_are_of_the_declared_type() {
    let Some(suite) = std::env::var_os("COFFERDAM_SCHEMA_SUITE").map(PathBuf::from) else {
        support::say(
            "NOT TESTED on the JSON Schema test suite: COFFERDAM_SCHEMA_SUITE names no folder",
        );
        return;
    };
    let Some(mut project) = Project::new("suite") else { return };
    let mut judged: HashMap<(String, usize), Judged> = HashMap::new();
    let mut groups = 0;
    let mut outside = 0;
    for (draft, dialect) in DRAFTS {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(suite.join("tests").join(draft))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        paths.sort();
        for path in paths {
            let keyword = path.file_stem().unwrap().to_string_lossy().into_owned();
            let file = format!("{draft}-{keyword}.ts");
            let json: Value =
                serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let mut text = String::new();
            for (at, group) in json.as_array().unwrap().iter().enumerate() {
                groups += 1;
                let mut schema = group["schema"].clone();
                if let Value::Object(map) = &mut schema {
                    map.entry("$schema").or_insert_with(|| Value::from(dialect));
                }
                let mut tool = plain("s", &format!("t{at}"), Value::Bool(true));
                tool.output_schema = Some(schema);
                let declarations = support::declared(&[tool]);
                if let [unavailable] = declarations.unavailable.as_slice() {
                    let expected = matches!(
                        unavailable.reason,
                        Reason::ExternalReference { .. } | Reason::UnknownDialect { .. }
                    );
                    assert!(
                        expected,
                        "{draft}/{keyword}: {}: {}",
                        group["description"], unavailable.reason
                    );
                    outside += 1;
                    continue;
                }
                // A block of its own, since each group declares the names that it likes.
                let _ = writeln!(text, "declare namespace n{at} {{");
                text.push_str(&declarations.text().replace("declare function", "function"));
                let _ = writeln!(text, "}}");
                let _ = writeln!(text, "type T{at} = Awaited<ReturnType<typeof n{at}.s_t{at}>>;");
                for (number, test) in group["tests"].as_array().unwrap().iter().enumerate() {
                    let value = literal_type(&test["data"]);
                    let _ = writeln!(text, "declare const v{at}_{number}: {value};");
                    let _ = writeln!(text, "(v{at}_{number} satisfies T{at});");
                    let describe = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                    let name = format!(
                        "{draft}/{keyword}: {}: {}",
                        describe(&group["description"]),
                        describe(&test["description"])
                    );
                    let valid = test["valid"] == Value::Bool(true);
                    let line = text.lines().count();
                    judged.insert(
                        (file.clone(), line),
                        Judged { name, file: keyword.clone(), valid },
                    );
                }
            }
            project.add(&file, text);
        }
    }
    let mut refused: BTreeMap<&str, &str> = BTreeMap::new();
    let told = project.diagnostics();
    for diagnostic in &told {
        let (file, rest) = diagnostic.split_once('(').unwrap();
        let line: usize = rest.split(',').next().unwrap().parse().unwrap();
        let Some(judged) = judged.get(&(file.to_owned(), line)) else {
            panic!("does not compile: {diagnostic}");
        };
        refused.insert(&judged.name, diagnostic);
    }
    let exceptions = exceptions();
    let mut wrong = String::new();
    let mut stale: BTreeSet<&str> = exceptions.iter().map(String::as_str).collect();
    for judged in judged.values().filter(|judged| judged.valid) {
        if let Some(diagnostic) = refused.get(judged.name.as_str())
            && !stale.remove(judged.name.as_str())
        {
            let _ = writeln!(wrong, "{}\n    {diagnostic}", judged.name);
        }
    }
    assert!(wrong.is_empty(), "valid values that the types refuse:\n{wrong}");
    assert!(stale.is_empty(), "exceptions that are none: {stale:#?}");
    let invalid: Vec<&Judged> = judged.values().filter(|judged| !judged.valid).collect();
    let caught = invalid.iter().filter(|judged| refused.contains_key(judged.name.as_str())).count();
    let total = format!("| {} | {caught} (", invalid.len());
    assert!(include_str!("../README.md").contains(&total), "README.md lacks: {total}");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("suite-precision", figures(judged.values(), &refused, groups, outside));
    });
}

/// How many values of either kind the types admit and refuse, per file of the suite.
fn figures<'a>(
    judged: impl Iterator<Item = &'a Judged>,
    refused: &BTreeMap<&str, &str>,
    groups: usize,
    outside: usize,
) -> String {
    let mut rows: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for judged in judged {
        for row in ["total", judged.file.as_str()] {
            let [valid, invalid, caught] = rows.entry(row).or_default();
            if judged.valid {
                *valid += 1;
            } else {
                *invalid += 1;
                *caught += usize::from(refused.contains_key(judged.name.as_str()));
            }
        }
    }
    let mut text = format!("{groups} schemas, of which {outside} refer to other documents\n\n");
    text.push_str(
        "| keyword | valid values | invalid values | refused by the type |\n|---|---|---|---|\n",
    );
    for (keyword, [valid, invalid, caught]) in rows {
        let _ = writeln!(text, "| {keyword} | {valid} | {invalid} | {caught} |");
    }
    text
}

/// The tests in `suite-exceptions.txt`; lines that begin with `#` give the reason for those below.
fn exceptions() -> Vec<String> {
    include_str!("suite-exceptions.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}
