//! The Rust that code in the isolate can reach: our ops, and the list of deno_core's that stay.
//!
//! The build script compiles this file too, to make the snapshot: it must name nothing of the
//! crate. What the ops do is behind [`Door`].
//!
//! All of them are synchronous. What comes back later comes through functions of the realm that
//! Rust calls: deno_core's asynchronous ops can be watched, and taken, through what a script puts on
//! prototypes.

use deno_core::{JsBuffer, OpDecl, OpState, extension, op2, v8};
use std::rc::Rc;

/// What the ops do.
pub(crate) trait Door {
    /// Starts a call. Its result, or why it was refused, is handed to the realm's `settle`.
    fn begin_call(&self, call: BeginCall);
    /// The script gives the call up; it fails at once.
    fn cancel_call(&self, id: u32);
    /// Prints.
    fn console(&self, level: u32, text: String);
    /// Milliseconds since the run began.
    fn now(&self) -> f64;
    /// Fills the buffer; `false` if there are no random numbers.
    fn random(&self, bytes: &mut [u8]) -> bool;
    /// Has the realm's `tick` called when the run is this many milliseconds old; never, if that is
    /// negative.
    fn set_alarm(&self, milliseconds: f64);
    /// Ends the run by an error that nothing caught: the JSON text that `31_ending.js` makes.
    fn fail(&self, error: String);
}

/// A call as the script makes it.
pub(crate) struct BeginCall {
    /// Never used twice in a run.
    pub(crate) id: u32,
    pub(crate) function: String,
    pub(crate) input: String,
    pub(crate) raw: bool,
    /// Milliseconds; what is not a positive number means that the script did not say.
    pub(crate) timeout_ms: f64,
    pub(crate) line: Option<u32>,
}

/// The script's name in stack traces.
pub(crate) const SCRIPT: &str = "file:///script.ts";

/// The ops that stay: ours, and those of deno_core that its own code needs while a script runs or
/// that ours uses.
///
/// All others are disabled: among them are ones that print to the process's output, read files,
/// evaluate text as internal code, or abort the process (`op_panic`).
pub(crate) const KEPT: &[&str] = &[
    // Ours.
    "op_alarm",
    "op_call_begin",
    "op_call_cancel",
    "op_console",
    "op_fail",
    "op_has_handler",
    "op_now",
    "op_random",
    "op_url_parse",
    "op_url_set",
    // Pure functions of their arguments: text, cloning, and what the console shows of an object.
    "op_encode",
    "op_decode",
    "op_encode_binary_string",
    "op_structured_clone",
    "op_get_non_index_property_names",
    "op_get_promise_details",
    "op_get_proxy_details",
    "op_is_any_array_buffer",
    "op_is_arguments_object",
    "op_is_boxed_primitive",
    "op_is_date",
    "op_is_map",
    "op_is_native_error",
    "op_is_promise",
    "op_is_proxy",
    "op_is_reg_exp",
    "op_is_set",
];

/// Lets an op of deno_core stay, or disables it.
pub(crate) fn keep(op: OpDecl) -> OpDecl {
    if KEPT.contains(&op.name) { op } else { op.disable() }
}

extension!(
    cofferdam,
    ops = [
        op_alarm,
        op_call_begin,
        op_call_cancel,
        op_console,
        op_fail,
        op_has_handler,
        op_now,
        op_random,
        op_url_parse,
        op_url_set,
    ],
);

type Doors = Rc<dyn Door>;

/// Starts a call and gives the line of the script that makes it; 0 if that is not known.
#[op2(fast)]
fn op_call_begin(
    scope: &mut v8::PinScope<'_, '_>,
    state: &OpState,
    id: u32,
    #[string] function: String,
    #[string] input: String,
    raw: bool,
    timeout_ms: f64,
) -> u32 {
    let line = script_line(scope);
    let door = state.borrow::<Doors>();
    door.begin_call(BeginCall { id, function, input, raw, timeout_ms, line });
    line.unwrap_or(0)
}

/// The innermost line of the script on the stack.
fn script_line(scope: &v8::PinScope<'_, '_>) -> Option<u32> {
    let stack = v8::StackTrace::current_stack_trace(scope, 8)?;
    (0..stack.get_frame_count())
        .filter_map(|index| stack.get_frame(scope, index))
        .find(|frame| {
            let name = frame.get_script_name(scope);
            name.is_some_and(|name| name.to_rust_string_lossy(scope) == SCRIPT)
        })
        .and_then(|frame| u32::try_from(frame.get_line_number()).ok())
}

#[op2(fast)]
fn op_call_cancel(state: &OpState, id: u32) {
    state.borrow::<Doors>().cancel_call(id);
}

#[op2(fast)]
fn op_console(state: &OpState, level: u32, #[string] text: String) {
    state.borrow::<Doors>().console(level, text);
}

#[op2(fast)]
fn op_now(state: &OpState) -> f64 {
    state.borrow::<Doors>().now()
}

#[op2(fast)]
fn op_alarm(state: &OpState, milliseconds: f64) {
    state.borrow::<Doors>().set_alarm(milliseconds);
}

/// Nothing of the script runs after this.
#[op2(fast)]
fn op_fail(scope: &mut v8::PinScope<'_, '_>, state: &OpState, #[string] error: String) {
    state.borrow::<Doors>().fail(error);
    scope.terminate_execution();
}

/// Whether something waits for the promise, or has.
#[op2(fast)]
fn op_has_handler(promise: v8::Local<'_, v8::Value>) -> bool {
    v8::Local::<v8::Promise>::try_from(promise).is_ok_and(|promise| promise.has_handler())
}

/// Fills the buffer; `false` if the system has no random numbers to give.
#[op2]
fn op_random(state: &OpState, #[buffer] mut bytes: JsBuffer) -> bool {
    state.borrow::<Doors>().random(&mut bytes)
}

/// The parts of a URL by lines, as [`parts`] orders them; empty if it is not one.
#[op2]
#[string]
fn op_url_parse(#[string] href: &str, #[string] base: &str) -> String {
    let base = match base {
        "" => None,
        base => match url::Url::parse(base) {
            Ok(base) => Some(base),
            Err(_) => return String::new(),
        },
    };
    url::Url::options()
        .base_url(base.as_ref())
        .parse(href)
        .map_or_else(|_| String::new(), |url| parts(&url))
}

/// The parts of the URL after one of them was set as the URL Standard's setters do.
#[op2]
#[string]
fn op_url_set(#[string] href: &str, #[string] part: &str, #[string] value: &str) -> String {
    use url::quirks;
    let Ok(mut url) = url::Url::parse(href) else { return String::new() };
    // A setter that refuses its value leaves the URL as it is, which is what the standard wants.
    let _ = match part {
        "href" => quirks::set_href(&mut url, value).map_err(drop),
        "protocol" => quirks::set_protocol(&mut url, value),
        "username" => quirks::set_username(&mut url, value),
        "password" => quirks::set_password(&mut url, value),
        "host" => quirks::set_host(&mut url, value),
        "hostname" => quirks::set_hostname(&mut url, value),
        "port" => quirks::set_port(&mut url, value),
        "pathname" => {
            quirks::set_pathname(&mut url, value);
            Ok(())
        }
        "search" => {
            quirks::set_search(&mut url, value);
            Ok(())
        }
        "hash" => {
            quirks::set_hash(&mut url, value);
            Ok(())
        }
        _ => Err(()),
    };
    parts(&url)
}

/// A URL never holds a line break, so its parts can be told apart by them.
fn parts(url: &url::Url) -> String {
    use url::quirks;
    [
        quirks::href(url),
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
        &quirks::origin(url),
    ]
    .join("\n")
}
