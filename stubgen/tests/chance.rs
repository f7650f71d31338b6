//! Schemas made by chance: whatever they say, the text holds the intended declarations.

mod support;

use proptest::prelude::*;
use stubgen::Reason;
use support::case::plain;

proptest! {
    #![proptest_config(support::cases(500, "tests/chance.regressions"))]

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
        let declarations = support::property::declare(&tools);
        for unavailable in &declarations.unavailable {
            prop_assert_eq!(&unavailable.reason, &Reason::NoInput);
        }
        // These names do not collide: alone or among others, a tool has the same.
        for tool in &tools {
            let alone = support::declared(std::slice::from_ref(tool));
            let identifier = alone.identifier(&tool.server, &tool.name);
            prop_assert_eq!(identifier, declarations.identifier(&tool.server, &tool.name));
        }
    }
}
