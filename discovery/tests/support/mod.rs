//! Tools to search: those of real servers, where the environment has lists of them, and made-up ones.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::io::Write;
use std::path::PathBuf;

use discovery::{Index, Parameters, Tool};
use serde_json::Value;

/// All tools of the lists in the folder that `COFFERDAM_TOOL_LISTS` names, by server. None, with a
/// message, if the variable is not set.
pub(crate) fn real_lists() -> Vec<(String, Vec<Tool>)> {
    let Some(folder) = std::env::var_os("COFFERDAM_TOOL_LISTS").map(PathBuf::from) else {
        // Past the test's captured output: what is missing is named aloud.
        let _ = writeln!(
            std::io::stderr(),
            "NOT TESTED on real tool lists: COFFERDAM_TOOL_LISTS names no folder"
        );
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let json: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let server = path.file_stem().unwrap().to_string_lossy().into_owned();
        let tools = json["tools"].as_array().unwrap().iter().map(|value| tool(&server, value));
        (server.clone(), tools.collect())
    };
    paths.into_iter().map(read).collect()
}

/// A tool as `tools/list` has it.
pub(crate) fn tool(server: &str, value: &Value) -> Tool {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let name = text(&value["name"]).unwrap();
    Tool {
        server: server.to_owned(),
        function: format!("{server}_{name}").replace(|char: char| !char.is_alphanumeric(), "_"),
        name,
        title: text(&value["title"]),
        description: text(&value["description"]),
        parameters: Parameters::of(&value["inputSchema"]),
        read_only: value["annotations"]["readOnlyHint"] == Value::Bool(true),
    }
}

pub(crate) fn index(lists: &[(String, Vec<Tool>)]) -> Index {
    let mut index = Index::default();
    for (server, tools) in lists {
        index.update_server(server, tools.iter().cloned());
    }
    index
}
