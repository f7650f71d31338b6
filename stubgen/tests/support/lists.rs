//! Tool lists of real servers, where the environment has some.

use std::path::PathBuf;

use serde_json::Value;
use stubgen::Tool;

use super::case::tool;

/// All lists in the folder that `COFFERDAM_TOOL_LISTS` names. None, with a message, if the
/// variable is not set.
pub(crate) fn real_lists() -> Vec<(String, Vec<Tool>)> {
    let read = |(server, values): (String, Vec<Value>)| {
        let tools = values.iter().map(|value| tool(&server, value)).collect();
        (server, tools)
    };
    raw_lists().into_iter().map(read).collect()
}

/// The same as their servers wrote them: each `<server>.json` holds `{"tools": [...]}`.
pub(crate) fn raw_lists() -> Vec<(String, Vec<Value>)> {
    let Some(folder) = std::env::var_os("COFFERDAM_TOOL_LISTS").map(PathBuf::from) else {
        super::say("NOT TESTED on real tool lists: COFFERDAM_TOOL_LISTS names no folder");
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let json: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let server = path.file_stem().unwrap().to_string_lossy().into_owned();
        (server, json["tools"].as_array().unwrap().clone())
    };
    paths.into_iter().map(read).collect()
}
