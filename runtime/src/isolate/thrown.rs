//! From what a script threw to what is reported of it.

use super::ops::SCRIPT;
use crate::outcome::{Frame, ScriptError};
use deno_core::error::{CoreError, CoreErrorKind, JsError};

/// The error of the script, if it was one.
pub(crate) fn js_error(error: &CoreError) -> Option<&JsError> {
    match error.as_kind() {
        CoreErrorKind::Js(error) => Some(error),
        _ => None,
    }
}

/// What is reported of `error`: frames of the script only, and all of its causes.
pub(crate) fn script_error(error: &JsError, source: &str) -> ScriptError {
    let frames = error.frames.iter().filter_map(|frame| {
        if frame.file_name.as_deref() != Some(SCRIPT) {
            return None;
        }
        Some(Frame {
            function: frame.function_name.clone().filter(|name| !name.is_empty()),
            line: frame.line_number.and_then(|line| u32::try_from(line).ok())?,
            column: frame.column_number.and_then(|column| u32::try_from(column).ok())?,
        })
    });
    let property = |name: &str| {
        error
            .additional_properties
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.clone())
    };
    ScriptError {
        name: error.name.clone().unwrap_or_default(),
        message: message(error),
        kind: property("kind"),
        position: None,
        frames: frames.collect(),
        cause: error.cause.as_ref().map(|cause| Box::new(script_error(cause, source))),
    }
    .placed(source)
}

/// The message; for what is not an `Error`, the text that V8 makes of it.
fn message(error: &JsError) -> String {
    if let Some(message) = &error.message {
        return message.clone();
    }
    let text = error.exception_message.as_str();
    let text = text.strip_prefix("Uncaught ").unwrap_or(text);
    text.strip_prefix("(in promise) ").unwrap_or(text).to_owned()
}
