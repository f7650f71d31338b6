//! Station: what came back is small enough, no error, and what the tool promised.

use serde_json::Value;

use super::{Answer, CallLimit, Fault, Kind};
use crate::catalogue::Usable;
use crate::limits::CallLimits;
use crate::transport::Raw;

/// Reads the result of a call that was made.
pub(super) fn read(tool: &Usable, raw: Raw, limits: &CallLimits) -> Result<Answer, Fault> {
    let raw = admit(raw, limits)?;
    let Value::Object(result) = &raw else {
        return Err(Fault::new(Kind::Protocol, "the server's result is not an object"));
    };
    complete(result.get("resultType"))?;
    let structured = result.get("structuredContent");
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        let content = result.get("content");
        let said = content.map(text).filter(|text| !text.trim().is_empty());
        let message = said.unwrap_or_else(|| "the tool failed without saying why".to_owned());
        return Err(Fault {
            content: content.cloned(),
            structured_content: structured.cloned(),
            ..Fault::new(Kind::Execution, message)
        });
    }
    let checked = match (&tool.output, structured) {
        (None, _) => false,
        (Some(schema), Some(value)) => {
            if let Err(misfit) = schema.check(value) {
                let problem = format!("does not fit the tool's output schema: {misfit}");
                return Err(invalid_output(&problem, result.get("content"), Some(value)));
            }
            true
        }
        (Some(_), None) => {
            let problem = "has no `structuredContent` although the tool has an output schema";
            return Err(invalid_output(problem, result.get("content"), None));
        }
    };
    Ok(Answer::new(raw, checked))
}

/// The result, if it is no larger than it may be.
pub(super) fn admit(raw: Raw, limits: &CallLimits) -> Result<Value, Fault> {
    let Raw { value, bytes } = raw;
    let limit = limits.result_bytes;
    if bytes <= limit {
        return Ok(value);
    }
    let message = format!(
        "the result has {bytes} bytes, `result_bytes` allows {limit}; the call has taken effect"
    );
    Err(Fault::limit(CallLimit::ResultBytes, message))
}

/// Only a complete result is one. Servers before 2026-07-28 do not say so.
pub(super) fn complete(result_type: Option<&Value>) -> Result<(), Fault> {
    let problem = match result_type {
        None => return Ok(()),
        Some(Value::String(name)) if name == "complete" => return Ok(()),
        Some(Value::String(name)) if name == "input_required" => {
            "the tool wants to ask a person something, which is not supported".to_owned()
        }
        Some(other) => format!("the server answers with a result of the unknown type {other}"),
    };
    Err(Fault::new(Kind::Protocol, problem))
}

fn invalid_output(problem: &str, content: Option<&Value>, structured: Option<&Value>) -> Fault {
    let message = format!("the call has taken effect, but its result {problem}");
    Fault {
        content: content.cloned(),
        structured_content: structured.cloned(),
        ..Fault::new(Kind::InvalidOutput, message)
    }
}

/// The text blocks of `content`, a line each.
fn text(content: &Value) -> String {
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> =
        blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str)).collect();
    texts.join("\n")
}
