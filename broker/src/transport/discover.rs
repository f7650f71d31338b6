//! The answer to the modern question, made readable.
//!
//! rmcp takes an answer with all its members in good order or not at all. Members that only advise are
//! filled in, and what is no answer to this question becomes a refusal of it: then the server is asked
//! the old way, as the specification says.

use rmcp::model::{ErrorCode, ErrorData};
use serde_json::{Map, Value, json};

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The result as rmcp wants it.
///
/// # Errors
/// It is no answer to the question.
pub(super) fn mend(result: &Value) -> Result<Value, ErrorData> {
    let is_complete = match result.get("resultType") {
        None => true,
        Some(name) => name == "complete",
    };
    let revisions = result.get("supportedVersions").and_then(Value::as_array);
    let Some(revisions) = revisions.filter(|_| is_complete) else {
        let problem = "this does not answer the question";
        return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, problem, None));
    };
    let tells = result.pointer("/capabilities/tools/listChanged") == Some(&Value::Bool(true));
    let mut meta = Map::new();
    let info = result.get("_meta").and_then(|meta| meta.get(SERVER_INFO));
    let text = |member: &str| info?.get(member)?.as_str();
    if let (Some(name), Some(version)) = (text("name"), text("version")) {
        meta.insert(SERVER_INFO.to_owned(), json!({ "name": name, "version": version }));
    }
    Ok(json!({
        "resultType": "complete",
        "supportedVersions": revisions.iter().filter(|it| it.is_string()).collect::<Vec<_>>(),
        "capabilities": { "tools": { "listChanged": tells } },
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": meta,
    }))
}

#[cfg(test)]
mod tests {
    use rmcp::model::DiscoverResult;

    use super::*;

    #[test]
    fn what_says_which_revisions_it_speaks_is_an_answer() {
        for result in [
            json!({ "supportedVersions": ["2026-07-28"] }),
            json!({ "supportedVersions": ["2026-07-28", 7], "capabilities": [], "ttlMs": -1 }),
            json!({ "supportedVersions": ["2026-07-28"], "resultType": "complete", "_meta": {
                SERVER_INFO: { "name": "s", "version": "1", "icons": "odd" } } }),
        ] {
            let mended: DiscoverResult = serde_json::from_value(mend(&result).unwrap()).unwrap();
            assert_eq!(mended.supported_versions.len(), 1);
        }
        for result in [json!({}), json!(null), json!({ "tools": [] })] {
            assert!(mend(&result).is_err(), "{result}");
        }
        assert!(mend(&json!({ "supportedVersions": [], "resultType": "task" })).is_err());
    }
}
