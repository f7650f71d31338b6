//! Whatever strings a server puts into a tool, the text holds the intended declarations and
//! nothing else.

mod support;

use proptest::prelude::*;
use serde_json::{Map, json};
use stubgen::Tool;
use support::case::plain as tool;
use support::parse::strings_in_types;

/// Pieces that end, open or bend something in TypeScript, in a comment or in a terminal.
const PIECES: &[&str] = &[
    "*/",
    "/*",
    "//",
    "*",
    "/",
    "\"",
    "'",
    "`",
    "${",
    "}",
    "{",
    "\\",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\u{0}",
    "\u{7}",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{feff}",
    "\u{e0041}",
    "<!--",
    "-->",
    "</script>",
    "$&",
    "$1",
    "@deprecated",
    "#",
    "\\u0022",
    "\\",
    ";",
    ",",
    "(",
    ")",
    "<",
    ">",
    "[",
    "]",
    "=",
    "=>",
    " ",
    "__proto__",
    "constructor",
    "a",
    "B",
    "0",
    "é",
    "天",
    "😀",
    "\u{301}",
    "declare const x: 1;",
    "interface X {}",
    "export default 1;",
    "import 'x';",
    "*\u{200b}/",
    "*\r/",
];

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => proptest::collection::vec(proptest::sample::select(PIECES), 0..8)
            .prop_map(|pieces| pieces.concat()),
        3 => any::<String>(),
        1 => Just(String::new()),
    ]
}

proptest! {
    #![proptest_config(support::cases(2000, "tests/hostile.regressions"))]

    #[test]
    fn no_string_breaks_out(strings in proptest::collection::vec(hostile(), 16), integer in any::<bool>()) {
        prop_assume!(strings[0] != format!("{}q", strings[9]) && strings[0] != format!("{}r", strings[11]));
        prop_assume!(strings[9] != strings[11]);
        let tools = tools_with(&strings, integer);
        let declarations = support::property::declare(&tools);
        prop_assert_eq!(&declarations.unavailable, &[]);
        // The literals that the schemas hold are what a parser reads from the text.
        let read = strings_in_types(declarations.text());
        for text in [&strings[6], &strings[7], &strings[8]] {
            prop_assert!(read.contains(text), "{:?} is not in:\n{}", text, declarations.text());
        }
    }
}

proptest! {
    #![proptest_config(support::cases(500, "tests/hostile.regressions"))]

    #[test]
    fn any_names_become_different_identifiers(names in proptest::collection::vec((hostile(), hostile()), 1..12)) {
        let tools: Vec<Tool> = names
            .iter()
            .map(|(server, name)| tool(server, name, json!({ "type": "object" })))
            .collect();
        let declarations = support::declared(&tools);
        let distinct: std::collections::HashSet<&(String, String)> = names.iter().collect();
        prop_assert_eq!(declarations.functions.len(), distinct.len());
        let identifiers: std::collections::HashSet<&str> =
            declarations.functions.iter().map(|function| function.identifier.as_str()).collect();
        prop_assert_eq!(identifiers.len(), distinct.len());
        for (server, name) in &names {
            let identifier = declarations.identifier(server, name).expect("declared");
            let function = declarations.function(identifier).expect("found by its name");
            prop_assert_eq!((&function.server, &function.tool), (server, name));
            // A renaming is told, in the list and in the comment.
            if *identifier != format!("{server}_{name}") {
                prop_assert!(declarations.renamed.iter().any(|renaming| renaming.identifier == identifier));
                prop_assert!(function.declaration.contains("@tool "));
            }
        }
        // The order of the tools changes no name.
        let mut turned = tools.clone();
        turned.reverse();
        let again = support::declared(&turned);
        for (server, name) in &names {
            prop_assert_eq!(again.identifier(server, name), declarations.identifier(server, name));
        }
    }
}

/// Two tools that hold the strings in every place that takes any.
fn tools_with(strings: &[String], integer: bool) -> Vec<Tool> {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = strings else { panic!("16 strings") };
    let mut properties = Map::new();
    properties.insert(
        a.clone(),
        json!({
            "description": b, "title": c, "format": d, "pattern": e, "default": f,
            "enum": [g, h, 1], "examples": [b, { b.clone(): c }],
        }),
    );
    properties.insert(format!("{j}q"), json!({ "const": { k.clone(): i } }));
    properties.insert(format!("{l}r"), json!({ "$ref": "#/$defs/x" }));
    let schema = json!({
        "type": if integer { json!("object") } else { json!(["object", "null"]) },
        "title": m,
        "description": n,
        "properties": properties,
        "required": [a],
        "$defs": {
            "x": { "title": o, "description": p, "type": "object", "properties": { b.clone(): { "description": a } } },
            b.clone(): { "$id": "urn:x" },
        },
        "additionalProperties": { "$ref": "#/$defs/x" },
    });
    let mut first = tool(a, b, schema.clone());
    first.description = Some(c.clone());
    first.title = Some(d.clone());
    first.output_schema = Some(schema.clone());
    let second = tool(&format!("{a}x"), &format!("y{b}"), schema);
    vec![first, second]
}
