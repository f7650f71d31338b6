//! Schemas made by chance: whatever they say, the text holds the intended declarations.

mod support;

use proptest::prelude::*;
use stubgen::{Options, Reason};
use support::case::plain;
use support::parse::declared_names;

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_schemas_are_declared(documents in proptest::collection::vec(support::schemas::documents(), 1..4)) {
        let tools: Vec<_> = documents
            .into_iter()
            .enumerate()
            .map(|(at, document)| {
                let mut tool = plain("s", &format!("t{at}"), document.clone());
                tool.output_schema = Some(document);
                tool
            })
            .collect();
        let declarations = stubgen::declare(&tools, &Options::default());
        prop_assert_eq!(declarations.functions.len() + declarations.unavailable.len(), tools.len());
        for unavailable in &declarations.unavailable {
            prop_assert_eq!(&unavailable.reason, &Reason::NoInput);
        }
        let mut intended: Vec<&str> =
            declarations.interfaces.iter().map(|interface| interface.name.as_str()).collect();
        intended.extend(declarations.functions.iter().map(|function| function.identifier.as_str()));
        prop_assert_eq!(declared_names(declarations.text()), intended);
        // Alone or among others, a tool has the same name and gives the same.
        for tool in &tools {
            let alone = stubgen::declare(std::slice::from_ref(tool), &Options::default());
            let identifier = alone.identifier(&tool.server, &tool.name);
            prop_assert_eq!(identifier, declarations.identifier(&tool.server, &tool.name));
        }
        prop_assert_eq!(stubgen::declare(&tools, &Options::default()), declarations);
    }
}
