//! The script's globals: built from the snapshot, then locked.
//!
//! Order matters: deno_core needs `globalThis.Deno` while it starts, so the snapshot still has it
//! and `90_lockdown.js` takes it away before any script is read.

use super::{
    door::RunDoor,
    heap::Budget,
    ops::{self, Door, SCRIPT},
};
use crate::{frame::JobLimits, host::Function, limits::Memory, strip::Stripped};
use deno_core::{
    JsRuntime, ModuleLoadOptions, ModuleLoadReferrer, ModuleLoadResponse, ModuleLoader,
    ModuleResolveResponse, ModuleSpecifier, ResolutionKind, RuntimeOptions, error::JsError, v8,
};
use deno_error::JsErrorBox;
use std::{borrow::Cow, cell::RefCell, future::Future, rc::Rc, sync::Arc};

static SNAPSHOT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/isolate.snapshot"));

/// A context that only scripts can still change.
pub(crate) struct Realm {
    pub(crate) runtime: JsRuntime,
    pub(crate) buffers: Arc<Budget>,
    source_map: SourceMapSlot,
    start: v8::Global<v8::Function>,
    finish: v8::Global<v8::Function>,
}

type SourceMapSlot = Rc<RefCell<Option<Vec<u8>>>>;

/// Why a script did not come as far as its first `await` or its end.
pub(crate) enum Refused {
    Syntax(Box<JsError>),
    Threw(Box<JsError>),
}

impl Realm {
    pub(crate) fn new(memory: Memory, door: Rc<RunDoor>) -> Result<Self, String> {
        let mut extension = ops::cofferdam::init();
        extension.middleware_fn = Some(Box::new(ops::keep));
        extension.op_state_fn = Some(Box::new(move |state| state.put::<Rc<dyn Door>>(door)));
        let buffers = Budget::new(memory.array_buffer_bytes);
        let params = v8::CreateParams::default()
            .heap_limits(0, memory.heap_bytes)
            .array_buffer_allocator(buffers.allocator())
            .allow_atomics_wait(false);
        let source_map = SourceMapSlot::default();
        let mut runtime = JsRuntime::try_new(RuntimeOptions {
            module_loader: Some(Rc::new(NoImports(source_map.clone()))),
            extensions: vec![extension],
            startup_snapshot: Some(SNAPSHOT),
            create_params: Some(params),
            ..RuntimeOptions::default()
        })
        .map_err(|error| format!("V8 did not start: {error}"))?;

        let lockdown = deno_core::ascii_str_include!("../../../js/90_lockdown.js");
        let hooks = runtime
            .execute_script("ext:cofferdam/90_lockdown.js", lockdown)
            .map_err(|error| format!("the realm could not be locked: {error}"))?;
        let (start, finish) = lock(&mut runtime, &hooks).ok_or("the realm's hooks are missing")?;
        buffers.begin();
        Ok(Self { runtime, buffers, source_map, start, finish })
    }

    /// Gives the script its functions.
    pub(crate) fn start(
        &mut self,
        functions: &[Function],
        limits: &JobLimits,
    ) -> Result<(), String> {
        let job = serde_json::json!({ "functions": functions, "timers": limits.timers });
        let job = job.to_string();
        deno_core::scope!(scope, self.runtime);
        v8::tc_scope!(let scope, scope);
        let start = v8::Local::new(scope, &self.start);
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
    pub(crate) fn evaluate(&mut self, script: Stripped) -> Result<v8::Global<v8::Value>, Refused> {
        self.source_map.replace(script.source_map);
        deno_core::scope!(scope, self.runtime);
        v8::tc_scope!(let scope, scope);
        let compiled = compile(scope, &script.code);
        let Some(compiled) = compiled else {
            return Err(Refused::Syntax(caught(scope)));
        };
        // Called from here, so that the script is the outermost frame of its stack traces.
        let receiver = v8::undefined(scope).into();
        let promise = compiled
            .run(scope)
            .and_then(|script| v8::Local::<v8::Function>::try_from(script).ok())
            .and_then(|script| script.call(scope, receiver, &[]));
        match promise {
            Some(promise) => Ok(v8::Global::new(scope, promise)),
            None => Err(Refused::Threw(caught(scope))),
        }
    }

    /// Settles when the script has ended: with the JSON text of what it returned, if that is
    /// anything.
    pub(crate) fn finish(
        &mut self,
        promise: v8::Global<v8::Value>,
    ) -> impl Future<Output = Result<v8::Global<v8::Value>, Box<JsError>>> + use<> {
        self.runtime.call_with_args(&self.finish, &[promise])
    }
}

/// Forbids code from strings, and takes the two functions that the lockdown left for us.
fn lock(
    runtime: &mut JsRuntime,
    hooks: &v8::Global<v8::Value>,
) -> Option<(v8::Global<v8::Function>, v8::Global<v8::Function>)> {
    let context = runtime.main_context();
    deno_core::scope!(scope, runtime);
    v8::Local::new(scope, context).set_allow_generation_from_strings(false);
    let hooks = v8::Local::new(scope, hooks).to_object(scope)?;
    let hook = |name: &str| {
        let key = v8::String::new(scope, name)?;
        let function = v8::Local::<v8::Function>::try_from(hooks.get(scope, key.into())?).ok()?;
        Some(v8::Global::new(scope, function))
    };
    Some((hook("start")?, hook("finish")?))
}

fn compile<'s>(scope: &mut v8::PinScope<'s, '_>, code: &str) -> Option<v8::Local<'s, v8::Script>> {
    let code = v8::String::new(scope, code)?;
    let name = v8::String::new(scope, SCRIPT)?.into();
    // The first line is ours, so the script's own begins with line 1.
    let origin =
        v8::ScriptOrigin::new(scope, name, -1, 0, false, 0, None, false, false, false, None);
    v8::Script::compile(scope, code, Some(&origin))
}

fn caught(
    scope: &mut v8::PinnedRef<'_, v8::TryCatch<'_, '_, v8::HandleScope<'_>>>,
) -> Box<JsError> {
    match scope.exception() {
        Some(error) => JsError::from_v8_exception(scope, error),
        // Only a termination leaves nothing behind, and then its reason is known elsewhere.
        None => {
            let undefined = v8::undefined(scope).into();
            JsError::from_v8_exception(scope, undefined)
        }
    }
}

/// Refuses every import, and keeps the source map of the script.
struct NoImports(SourceMapSlot);

impl NoImports {
    fn refusal(specifier: &str) -> JsErrorBox {
        JsErrorBox::type_error(format!(
            "cannot import \"{specifier}\": imports are not available; every function that the script can call is global already"
        ))
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
