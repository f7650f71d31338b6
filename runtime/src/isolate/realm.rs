//! The script's globals: built from the snapshot, then locked.
//!
//! Order matters: deno_core needs `globalThis.Deno` while it starts, so the snapshot still has it
//! and `90_lockdown.js` takes it away before any script is read.

use super::{
    door::{CallEnd, RunDoor},
    heap::Budget,
    ops::{self, Door, SCRIPT},
};
use crate::{frame::JobLimits, host::Function, limits::Memory, strip::Stripped};
use deno_core::{
    JsRuntime, ModuleLoadOptions, ModuleLoadReferrer, ModuleLoadResponse, ModuleLoader,
    ModuleResolveResponse, ModuleSpecifier, ResolutionKind, RuntimeOptions,
    error::{JsError, format_stack_trace},
    v8,
};
use deno_error::JsErrorBox;
use std::{borrow::Cow, cell::RefCell, rc::Rc, sync::Arc};

static SNAPSHOT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/isolate.snapshot"));

/// A context that only scripts can still change.
pub(crate) struct Realm {
    pub(crate) runtime: JsRuntime,
    pub(crate) buffers: Arc<Budget>,
    source_map: SourceMapSlot,
    hooks: Hooks,
}

/// The functions of the realm that Rust calls, and nobody else can.
struct Hooks {
    start: v8::Global<v8::Function>,
    settle: v8::Global<v8::Function>,
    tick: v8::Global<v8::Function>,
    finish: v8::Global<v8::Function>,
    describe: v8::Global<v8::Function>,
    head: v8::Global<v8::Function>,
}

/// Those of them that V8's callbacks need.
struct Looks {
    head: v8::Global<v8::Function>,
    describe: v8::Global<v8::Function>,
}

/// A hook did not come to its end: the run is being stopped.
pub(crate) struct Interrupted;

type SourceMapSlot = Rc<RefCell<Option<Vec<u8>>>>;

impl Realm {
    pub(crate) fn new(memory: Memory, door: Rc<RunDoor>) -> Result<Self, String> {
        let buffers = Budget::new(memory.array_buffer_bytes);
        let source_map = SourceMapSlot::default();
        let mut runtime = unlocked(memory, &buffers, &source_map, door)?;
        let lockdown = deno_core::ascii_str_include!("../../../js/90_lockdown.js");
        let hooks = runtime
            .execute_script("ext:cofferdam/90_lockdown.js", lockdown)
            .map_err(|error| format!("the realm could not be locked: {error}"))?;
        let hooks = lock(&mut runtime, &hooks).ok_or("the realm's hooks are missing")?;
        let isolate = runtime.v8_isolate();
        isolate.set_slot(Looks { head: hooks.head.clone(), describe: hooks.describe.clone() });
        isolate.set_prepare_stack_trace_callback(stack_text);
        isolate.add_message_listener(on_message);
        isolate.set_host_import_module_dynamically_callback(refuse_import);
        isolate.set_host_import_module_with_phase_dynamically_callback(refuse_import_in_phase);
        buffers.begin();
        Ok(Self { runtime, buffers, source_map, hooks })
    }

    /// Gives the script its functions.
    pub(crate) fn start(
        &mut self,
        functions: &[Function],
        limits: &JobLimits,
        fixed: Option<u64>,
    ) -> Result<(), String> {
        let timers = limits.timers;
        let job = serde_json::json!({ "functions": functions, "timers": timers, "fixed": fixed });
        let job = job.to_string();
        deno_core::scope!(scope, self.runtime);
        v8::tc_scope!(let scope, scope);
        let start = v8::Local::new(scope, &self.hooks.start);
        let receiver = v8::undefined(scope).into();
        let done =
            v8::String::new(scope, &job).and_then(|job| start.call(scope, receiver, &[job.into()]));
        match (done, scope.exception()) {
            (Some(_), _) => Ok(()),
            (None, Some(error)) => Err(format!(
                "the functions could not be defined: {}",
                JsError::from_v8_exception(scope, error)
            )),
            (None, None) => Err("the functions could not be defined".into()),
        }
    }

    /// Runs the script as far as its first `await`; gives its promise.
    ///
    /// # Errors
    /// What V8 finds wrong with it; `None` if it was stopped before it came so far.
    pub(crate) fn evaluate(
        &mut self,
        script: Stripped,
    ) -> Result<v8::Global<v8::Promise>, Option<Box<JsError>>> {
        self.source_map.replace(script.source_map);
        deno_core::scope!(scope, self.runtime);
        v8::tc_scope!(let scope, scope);
        let Some(compiled) = compile(scope, &script.code) else {
            // Nothing of the script has run yet, so this is safe to look at.
            let error = scope.exception().filter(|_| !scope.has_terminated());
            return Err(error.map(|error| JsError::from_v8_exception(scope, error)));
        };
        // Called from here, so that the script is the outermost frame of its stack traces.
        let receiver = v8::undefined(scope).into();
        let promise = compiled
            .run(scope)
            .and_then(|script| v8::Local::<v8::Function>::try_from(script).ok())
            .and_then(|script| script.call(scope, receiver, &[]))
            .and_then(|promise| v8::Local::<v8::Promise>::try_from(promise).ok())
            .ok_or(None)?;
        // We look at it ourselves.
        promise.mark_as_handled();
        Ok(v8::Global::new(scope, promise))
    }

    /// Gives the script the result of a call.
    pub(crate) fn settle(&mut self, (id, result): CallEnd) -> Result<(), Interrupted> {
        deno_core::scope!(scope, self.runtime);
        let result = v8::String::new(scope, &result).ok_or(Interrupted)?;
        let id = v8::Integer::new_from_unsigned(scope, id);
        hook(scope, &self.hooks.settle, &[id.into(), result.into()]).map(drop)
    }

    /// Runs the next timer.
    pub(crate) fn tick(&mut self) -> Result<(), Interrupted> {
        deno_core::scope!(scope, self.runtime);
        hook(scope, &self.hooks.tick, &[]).map(drop)
    }

    /// Where the script's promise stands.
    pub(crate) fn state(&mut self, promise: &v8::Global<v8::Promise>) -> v8::PromiseState {
        deno_core::scope!(scope, self.runtime);
        v8::Local::new(scope, promise).state()
    }

    /// What the script returned or threw, as the text that `31_ending.js` makes of it: `v` and
    /// JSON, `u` for nothing, or `e` and the JSON of an error. The promise must have settled.
    ///
    /// The text may be longer than `limit`; then only its length is given.
    pub(crate) fn ending(
        &mut self,
        promise: &v8::Global<v8::Promise>,
        limit: usize,
    ) -> Result<Result<String, usize>, Interrupted> {
        deno_core::scope!(scope, self.runtime);
        let promise = v8::Local::new(scope, promise);
        let value = promise.result(scope);
        if promise.state() == v8::PromiseState::Rejected {
            let text = hook(scope, &self.hooks.describe, &[value])?;
            return Ok(Ok(format!("e{}", text.to_rust_string_lossy(scope))));
        }
        let text = hook(scope, &self.hooks.finish, &[value])?;
        let text = v8::Local::<v8::String>::try_from(text).map_err(|_| Interrupted)?;
        // One byte is the letter in front.
        let used = text.utf8_length(scope).saturating_sub(1);
        let mut letter = [0];
        text.write_v2(scope, 0, &mut letter, v8::WriteFlags::default());
        if used > limit && letter == [u16::from(b'v')] {
            return Ok(Err(used));
        }
        Ok(Ok(text.to_rust_string_lossy(scope)))
    }
}

/// A runtime in which everything of deno_core can still be reached.
fn unlocked(
    memory: Memory,
    buffers: &Arc<Budget>,
    source_map: &SourceMapSlot,
    door: Rc<RunDoor>,
) -> Result<JsRuntime, String> {
    // For tests; workers and threads have chosen by now.
    super::init_v8(false);
    let mut extension = ops::cofferdam::init();
    extension.middleware_fn = Some(Box::new(ops::keep));
    extension.op_state_fn = Some(Box::new(move |state| state.put::<Rc<dyn Door>>(door)));
    let params = v8::CreateParams::default()
        .heap_limits(0, memory.heap_bytes)
        .array_buffer_allocator(buffers.allocator())
        .allow_atomics_wait(false);
    JsRuntime::try_new(RuntimeOptions {
        module_loader: Some(Rc::new(NoImports(source_map.clone()))),
        extensions: vec![extension],
        startup_snapshot: Some(SNAPSHOT),
        create_params: Some(params),
        ..RuntimeOptions::default()
    })
    .map_err(|error| format!("V8 did not start: {error}"))
}

/// Calls a function of the realm.
fn hook<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    function: &v8::Global<v8::Function>,
    arguments: &[v8::Local<'s, v8::Value>],
) -> Result<v8::Local<'s, v8::Value>, Interrupted> {
    v8::tc_scope!(let scope, scope);
    let function = v8::Local::new(scope, function);
    let receiver = v8::undefined(scope).into();
    function.call(scope, receiver, arguments).ok_or(Interrupted)
}

/// Forbids code from strings, and takes the functions that the lockdown left for us.
fn lock(runtime: &mut JsRuntime, hooks: &v8::Global<v8::Value>) -> Option<Hooks> {
    let context = runtime.main_context();
    deno_core::scope!(scope, runtime);
    v8::Local::new(scope, context).set_allow_generation_from_strings(false);
    let hooks = v8::Local::new(scope, hooks).to_object(scope)?;
    let hook = |name: &str| {
        let key = v8::String::new(scope, name)?;
        let function = v8::Local::<v8::Function>::try_from(hooks.get(scope, key.into())?).ok()?;
        Some(v8::Global::new(scope, function))
    };
    Some(Hooks {
        start: hook("start")?,
        settle: hook("settle")?,
        tick: hook("tick")?,
        finish: hook("finish")?,
        describe: hook("describe")?,
        head: hook("head")?,
    })
}

/// The text of an error's `stack`, made without asking the error for anything.
///
/// In the place of deno_core's own, which hands what it knows of the stack to the script's
/// `Error.prepareStackTrace`, and which a setter on `Array.prototype` makes panic then. Here that
/// function is not called.
fn stack_text<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    error: v8::Local<'s, v8::Value>,
    sites: v8::Local<'s, v8::Array>,
) -> v8::Local<'s, v8::Value> {
    let head = scope.get_slot::<Looks>().map(|looks| looks.head.clone());
    let head = head.and_then(|head| hook(scope, &head, &[error]).ok());
    let head = head.and_then(|head| v8::Local::<v8::String>::try_from(head).ok());
    // Of something that is no object only the frames are written.
    let nothing = v8::undefined(scope).into();
    let frames = format_stack_trace(scope, nothing, sites);
    let text = v8::Local::<v8::String>::try_from(frames)
        .ok()
        .zip(head)
        .and_then(|(frames, head)| v8::String::concat(scope, head, frames));
    text.map_or(frames, Into::into)
}

/// An error that V8 has nobody to give to: a finalizer's. Without this it prints it to the output
/// of the process, which in a thread is the host's.
#[allow(unsafe_code, reason = "the way in which V8's callbacks come to their scope")]
unsafe extern "C" fn on_message(
    message: v8::Local<'_, v8::Message>,
    error: v8::Local<'_, v8::Value>,
) {
    // SAFETY: V8 calls this with a message of the isolate that is entered.
    v8::callback_scope!(unsafe scope, message);
    let Some(describe) = scope.get_slot::<Looks>().map(|looks| looks.describe.clone()) else {
        return;
    };
    let Ok(text) = hook(scope, &describe, &[error]) else { return };
    let text = text.to_rust_string_lossy(scope);
    let state = JsRuntime::op_state_from(scope);
    state.borrow().borrow::<Rc<dyn Door>>().fail(text);
}

/// Refuses `import()` before deno_core hears of it.
fn refuse_import<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    _options: v8::Local<'s, v8::Data>,
    _referrer: v8::Local<'s, v8::Value>,
    specifier: v8::Local<'s, v8::String>,
    _attributes: v8::Local<'s, v8::FixedArray>,
) -> Option<v8::Local<'s, v8::Promise>> {
    let specifier: String = specifier.to_rust_string_lossy(scope).chars().take(200).collect();
    let message = v8::String::new(scope, &import_refusal(&specifier))?;
    let error = v8::Exception::type_error(scope, message);
    let resolver = v8::PromiseResolver::new(scope)?;
    resolver.reject(scope, error)?;
    Some(resolver.get_promise(scope))
}

/// The same for `import.source()` and `import.defer()`.
fn refuse_import_in_phase<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    options: v8::Local<'s, v8::Data>,
    referrer: v8::Local<'s, v8::Value>,
    specifier: v8::Local<'s, v8::String>,
    _phase: v8::ModuleImportPhase,
    attributes: v8::Local<'s, v8::FixedArray>,
) -> Option<v8::Local<'s, v8::Promise>> {
    refuse_import(scope, options, referrer, specifier, attributes)
}

fn import_refusal(specifier: &str) -> String {
    format!(
        "cannot import \"{specifier}\": imports are not available; \
         every function that the script can call is global already"
    )
}

fn compile<'s>(scope: &mut v8::PinScope<'s, '_>, code: &str) -> Option<v8::Local<'s, v8::Script>> {
    // The last such comment counts: a script cannot give itself a name, and our line its place.
    let code = v8::String::new(scope, &format!("{code}\n//# sourceURL="))?;
    let name = v8::String::new(scope, SCRIPT)?.into();
    // The first line is ours, so the script's own begins with line 1.
    let origin =
        v8::ScriptOrigin::new(scope, name, -1, 0, false, 0, None, false, false, false, None);
    v8::Script::compile(scope, code, Some(&origin))
}

/// Refuses every import, and keeps the source map of the script.
struct NoImports(SourceMapSlot);

impl NoImports {
    fn refusal(specifier: &str) -> JsErrorBox {
        JsErrorBox::type_error(import_refusal(specifier))
    }
}

impl ModuleLoader for NoImports {
    fn resolve(&self, specifier: &str, _: &str, _: ResolutionKind) -> ModuleResolveResponse {
        Err(Self::refusal(specifier))
    }

    fn load(
        &self,
        specifier: &ModuleSpecifier,
        _: Option<&ModuleLoadReferrer>,
        _: ModuleLoadOptions,
    ) -> ModuleLoadResponse {
        ModuleLoadResponse::Sync(Err(Self::refusal(specifier.as_str())))
    }

    fn get_source_map(&self, file_name: &str) -> Option<Cow<'_, [u8]>> {
        if file_name == SCRIPT { self.0.borrow().clone().map(Cow::Owned) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    fn evaluate(script: &'static str) -> String {
        let memory = crate::limits::Limits::default().memory();
        let door = Rc::new(RunDoor::new(Rc::new(|_| {})));
        let buffers = Budget::new(memory.array_buffer_bytes);
        let clock = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let _clock = clock.enter();
        let mut runtime = unlocked(memory, &buffers, &SourceMapSlot::default(), door).unwrap();
        let value = runtime.execute_script("ext:cofferdam/test.js", script).unwrap();
        deno_core::scope!(scope, runtime);
        v8::Local::new(scope, value).to_rust_string_lossy(scope)
    }

    /// Ops that an isolate has, by name, and what becomes of them. An op that is new in deno_core
    /// makes this fail until somebody has looked at it and written it into the list.
    #[test]
    fn ops_are_those_of_the_pinned_list() {
        let names = evaluate("Object.keys(Deno.core.ops).sort().join(' ')");
        let mut seen = String::new();
        for name in names.split(' ') {
            let what = if ops::KEPT.contains(&name) { "kept" } else { "disabled" };
            writeln!(seen, "{what} {name}").unwrap();
        }
        let pinned = include_str!("ops.txt");
        assert!(seen == pinned, "the list is:\n{seen}");
        for name in ops::KEPT {
            assert!(
                names.split(' ').any(|there| there == *name),
                "{name} is kept but is not there"
            );
        }
    }

    /// Called with nothing and with something, each says that it is disabled.
    #[test]
    fn disabled_ops_do_nothing_but_throw() {
        let answers = evaluate(
            "Object.keys(Deno.core.ops).sort().map((name) => {
               const outcome = (...args) => {
                 try {
                   const value = Deno.core.ops[name](...args);
                   return Deno.core.isPromise(value) ? Deno.core.getPromiseDetails(value)[1] : value;
                 } catch (error) {
                   return error;
                 }
               };
               const kept = KEPT.includes(name);
               return kept ? '' : `${name} ${outcome()} ${outcome('a', 1, {}, [])}\\n`;
             }).join('')"
                .replace("KEPT", &serde_json::to_string(ops::KEPT).unwrap())
                .leak(),
        );
        assert!(answers.lines().count() > 60, "{answers}");
        for answer in answers.lines() {
            let (_, outcomes) = answer.split_once(' ').unwrap();
            assert_eq!(outcomes, "Error: op is disabled Error: op is disabled", "{answer}");
        }
    }
}
