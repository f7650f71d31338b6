//! What holds for any tools whatsoever: asked of tools made by chance, and of those that the
//! fuzzer makes.

use std::collections::HashSet;

use stubgen::{Catalogue, Declarations, Tool};

use super::case::declared;
use super::parse::{declared_names, parse};

/// Declares the tools; panics if anything is not as promised.
pub(crate) fn declare(tools: &[Tool]) -> Declarations {
    let declarations = declared(tools);
    assert_eq!(declarations.functions.len() + declarations.unavailable.len(), tools.len());
    let mut intended: Vec<&str> =
        declarations.interfaces.iter().map(|interface| interface.name.as_str()).collect();
    intended.extend(declarations.functions.iter().map(|function| function.identifier.as_str()));
    let distinct: HashSet<&&str> = intended.iter().collect();
    assert_eq!(distinct.len(), intended.len(), "{intended:?}");
    assert_eq!(declared_names(declarations.text()), intended);
    assert_shows(declarations.text());
    for function in &declarations.functions {
        assert_leads_both_ways(&declarations, &function.identifier);
    }
    // Other forms of the same.
    parse(&declarations.stubs());
    let budget = declarations.text().len() / 8;
    let budgeted = declarations.within(budget, &[]);
    parse(&budgeted.text);
    assert!(budgeted.tokens <= budget || budgeted.text.lines().all(|line| line.starts_with("//")));
    // Alone or among others, a tool that collides with no other has the same name.
    for tool in tools {
        let alone = declared(std::slice::from_ref(tool));
        parse(alone.text());
        let alone = alone.identifier(&tool.server, &tool.name);
        let Some(among) = declarations.identifier(&tool.server, &tool.name) else { continue };
        if !declarations.renamed.iter().any(|renaming| renaming.identifier == among) {
            assert!(alone.is_none_or(|alone| alone == among), "{alone:?} {among}");
        }
    }
    assert_eq!(declared(tools), declarations);
    declarations
}

/// What a catalogue held before changes nothing.
pub(crate) fn update(tools: &[Tool]) {
    let fresh = declared(tools);
    let mut catalogue: Catalogue = tools.iter().rev().cloned().collect();
    catalogue.declare();
    catalogue.update(tools.iter().skip(1).cloned());
    catalogue.declare();
    catalogue.update(tools.iter().cloned());
    let updated = catalogue.declare();
    assert_eq!(updated, fresh);
    assert_eq!(updated.text(), fresh.text());
    assert_eq!(updated.stubs(), fresh.stubs());
}

/// No character hides or reorders others.
fn assert_shows(text: &str) {
    let hides = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}'..='\u{200f}')
    };
    assert!(!text.contains(hides), "{text:?}");
}

/// From the function to its tool and back; a renaming is told.
fn assert_leads_both_ways(declarations: &Declarations, identifier: &str) {
    let function = declarations.function(identifier).expect("found by its name");
    let (server, tool) = (&function.server, &function.tool);
    assert_eq!(declarations.identifier(server, tool), Some(identifier));
    if *identifier != format!("{server}_{tool}") {
        let told = |renaming: &stubgen::Renaming| renaming.identifier == identifier;
        assert!(declarations.renamed.iter().any(told), "{identifier}");
        assert!(function.declaration.contains("@tool "), "{}", function.declaration);
    }
}
