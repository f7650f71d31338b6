//! Bytes to tools to declarations: whatever comes in, what comes out parses, and declares what it
//! is meant to declare and nothing else.
//!
//! Bytes that begin like JSON are read as the answer to `tools/list`, so that the cases of the
//! tests can be seeds. All others are decisions by which tools are made, so that nearly every
//! input gets past the JSON parser.

#![no_main]
#![allow(dead_code, reason = "the tests use the rest of these files")]

#[path = "../../stubgen/tests/support/case.rs"]
mod case;
mod make;
#[path = "../../stubgen/tests/support/parse.rs"]
mod parse;
#[path = "../../stubgen/tests/support/property.rs"]
mod property;

use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::Value;
use stubgen::Tool;

/// More tools than this only take time.
const TOOLS: usize = 6;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Some(tools) = tools(bytes) else { return Corpus::Reject };
    property::declare(&tools);
    property::update(&tools);
    Corpus::Keep
});

fn tools(bytes: &[u8]) -> Option<Vec<Tool>> {
    if bytes.first() != Some(&b'{') {
        return make::tools(bytes, TOOLS);
    }
    let json: Value = serde_json::from_slice(bytes).ok()?;
    let listed = match json.get("tools").and_then(Value::as_array) {
        Some(values) => values.iter().take(TOOLS).map(|value| case::tool("s", value)).collect(),
        None => {
            let mut tool = case::plain("s", "t", json.get("input").unwrap_or(&json).clone());
            tool.output_schema = json.get("output").cloned();
            vec![tool]
        }
    };
    Some(listed)
}
