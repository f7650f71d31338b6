//! Tool lists of real servers, where the environment has some: all of them can be called, and keep
//! their schemas as they came.

use std::io::Write;
use std::path::PathBuf;

use broker::{Broker, LocalTool};
use serde_json::{Value, json};

/// The lists of the folder that `COFFERDAM_TOOL_LISTS` names, each `<server>.json` with
/// `{"tools": [...]}`; none, with a message, if it names none.
fn lists() -> Vec<(String, Vec<Value>)> {
    let Some(folder) = std::env::var_os("COFFERDAM_TOOL_LISTS").map(PathBuf::from) else {
        // Not by `eprintln!`, which is not shown when the test passes.
        let _ = writeln!(
            std::io::stderr(),
            "\nNOT TESTED on real tool lists: COFFERDAM_TOOL_LISTS names no folder"
        );
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let read = |path: PathBuf| {
        let list: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let server = path.file_stem().unwrap().to_string_lossy().into_owned();
        (server, list["tools"].as_array().unwrap().clone())
    };
    paths.into_iter().map(read).collect()
}

/// A tool that is listed just as the entry says.
fn listed(entry: &Value) -> LocalTool {
    let members = entry.as_object().unwrap();
    let name = members["name"].as_str().unwrap();
    let tool = LocalTool::new(name, |_| async { Ok(json!(null)) });
    members.iter().fold(tool, |tool, (member, value)| tool.member(member, value.clone()))
}

#[tokio::test]
async fn every_tool_of_real_lists_can_be_called() {
    let lists = lists();
    let builder = lists.iter().fold(Broker::builder(), |builder, (server, entries)| {
        builder.local(server, entries.iter().map(listed).collect())
    });
    let broker = builder.connect().await.unwrap();
    let catalogue = broker.catalogue();
    assert_eq!(catalogue.rejected(), []);
    let mut count = 0;
    for (server, entries) in &lists {
        for entry in entries {
            let tool = catalogue.find(server, entry["name"].as_str().unwrap()).unwrap();
            assert_eq!(tool.input_schema, entry["inputSchema"], "{server}/{}", tool.name);
            let output = entry.get("outputSchema").filter(|schema| !schema.is_null());
            assert_eq!(tool.output_schema.as_ref(), output, "{server}/{}", tool.name);
            count += 1;
        }
    }
    assert_eq!(catalogue.tools().len(), count);
}
