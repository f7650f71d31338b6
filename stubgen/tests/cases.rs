//! Each file in `cases/` holds tools; what is declared for them is a golden beside this file.
//!
//! A case may also hold `valid` and `invalid` values, which are checked by the TypeScript
//! compiler in `typescript.rs`.

mod support;

use std::fmt::Write;

use stubgen::Declarations;
use support::case::Case;
use support::parse::declared_names;

#[test]
fn cases() {
    insta::glob!("cases/*.json", |path| {
        let case = Case::read(path);
        let declarations = support::declared(&case.tools);
        let again = support::declared(&case.tools);
        assert_eq!(declarations, again, "the same tools give the same declarations");
        assert_declares_exactly(&declarations);
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(told(&declarations));
        });
    });
}

/// The text parses, and holds the intended declarations and nothing else.
fn assert_declares_exactly(declarations: &Declarations) {
    let mut intended: Vec<String> = Vec::new();
    intended.extend(declarations.interfaces.iter().map(|interface| interface.name.clone()));
    intended.extend(declarations.functions.iter().map(|function| function.identifier.clone()));
    assert_eq!(declared_names(declarations.text()), intended);
}

/// The declarations, then what a host is told besides.
fn told(declarations: &Declarations) -> String {
    let mut text = declarations.text().to_owned();
    for renaming in &declarations.renamed {
        let _ = writeln!(
            text,
            "// renamed {:?} {:?} -> {}: {}",
            renaming.server, renaming.tool, renaming.identifier, renaming.reason
        );
    }
    for unavailable in &declarations.unavailable {
        let _ = writeln!(
            text,
            "// unavailable {:?} {:?}: {}",
            unavailable.server, unavailable.tool, unavailable.reason
        );
    }
    text
}

#[test]
fn no_golden_is_without_its_case() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    for entry in std::fs::read_dir(format!("{folder}/snapshots")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        let case = name.strip_prefix("cases@").and_then(|name| name.strip_suffix(".snap"));
        if let Some(case) = case {
            let path = format!("{folder}/cases/{case}");
            assert!(std::path::Path::new(&path).exists(), "{name} has no case");
        }
    }
}
