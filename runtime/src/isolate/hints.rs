//! What to do instead, for mistakes that are made again and again.

use crate::outcome::ScriptError;

const NO_IMPORTS: &str =
    "there are no modules here: every function that the script can call is global already";
const NO_NETWORK: &str = "there is no network here: call one of the declared functions instead";
const NO_SYSTEM: &str =
    "there is no system, process or environment here: call one of the declared functions instead";
const NO_FILES: &str = "there are no files here: call one of the declared functions instead, \
                        and hand results back with `return` or console.log";
const NO_PAGE: &str = "there is no web page here: hand results back with `return` or console.log";
const NO_SHARING: &str = "there are no threads, shared memory or WebAssembly here";

/// Names that scripts expect to find, and what there is instead.
const ABSENT: &[(&[&str], &str)] = &[
    (&["require", "module", "exports", "importScripts"], NO_IMPORTS),
    (
        &["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "axios", "http", "https", "net"],
        NO_NETWORK,
    ),
    (&["Request", "Response", "Headers", "FormData"], NO_NETWORK),
    (&["process", "Deno", "Bun", "os", "child_process", "navigator"], NO_SYSTEM),
    (&["fs", "path", "__dirname", "__filename", "File", "FileReader", "Blob"], NO_FILES),
    (&["window", "document", "localStorage", "sessionStorage", "alert", "location"], NO_PAGE),
    (&["WebAssembly", "SharedArrayBuffer", "Atomics", "Worker"], NO_SHARING),
    (
        &["Buffer"],
        "there is no Buffer here: use Uint8Array with TextEncoder and TextDecoder, or atob and btoa",
    ),
    (&["global"], "the global object is called globalThis"),
    (&["setImmediate"], "there is no setImmediate here: use setTimeout or queueMicrotask"),
    (&["Temporal"], "there is no Temporal here: use Date and Intl"),
];

/// A sentence of advice, if the error is one of those.
pub(super) fn about(error: &ScriptError) -> Option<String> {
    match error.name.as_str() {
        "ReferenceError" => {
            let name = error.message.strip_suffix(" is not defined")?;
            let (_, advice) = ABSENT.iter().find(|(names, _)| names.contains(&name))?;
            Some((*advice).to_owned())
        }
        "EvalError" if error.message.starts_with("Code generation from strings disallowed") => {
            Some("code cannot be made from text here: write the function out".into())
        }
        "RangeError" if error.message == "Maximum call stack size exceeded" => Some(
            "a function calls itself without end, or recursion goes too deep: use a loop".into(),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(name: &str, message: &str) -> Option<String> {
        about(&ScriptError { name: name.into(), message: message.into(), ..ScriptError::default() })
    }

    #[test]
    fn absent_names_have_advice_and_others_do_not() {
        for name in ["fetch", "require", "process", "Deno", "Buffer", "fs"] {
            assert!(hint("ReferenceError", &format!("{name} is not defined")).is_some(), "{name}");
        }
        assert_eq!(hint("ReferenceError", "fetched is not defined"), None);
        assert_eq!(hint("TypeError", "fetch is not defined"), None);
        // Where exactly the stack ends differs, so no case of a script says it.
        assert!(hint("RangeError", "Maximum call stack size exceeded").is_some());
    }
}
