//! Sandboxes for tests, with tools in memory.

use cofferdam::{Builder, Isolation, Limits, LocalTool, Policy, Sandbox, WorkerProgram};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Both isolations; what holds in one has to hold in the other.
pub(crate) const ISOLATIONS: [Isolation; 2] = [Isolation::Process, Isolation::Thread];

/// Runs a test's future as a host would.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}

/// A sandbox with the tools of `demo`, all allowed but `denied`; calls that come through are
/// counted.
pub(crate) struct Host {
    pub(crate) sandbox: Sandbox,
    pub(crate) calls: Arc<AtomicUsize>,
}

impl Host {
    pub(crate) async fn new(isolation: Isolation, limits: Limits) -> Self {
        Self::with(isolation, limits, |builder| builder).await
    }

    pub(crate) async fn with(
        isolation: Isolation,
        limits: Limits,
        with: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        let calls = Arc::new(AtomicUsize::new(0));
        let policy =
            Policy::default().deny("demo_denied").and_then(|policy| policy.allow("demo_*"));
        let builder = Sandbox::builder()
            .tools("demo", tools(&calls))
            .policy(policy.expect("patterns"))
            .isolation(isolation)
            .worker_program(WorkerProgram::At(env!("CARGO_BIN_EXE_cofferdam").into()))
            .limits(limits);
        Self { sandbox: with(builder).build().await.expect("a sandbox"), calls }
    }

    /// Calls that came to a tool.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

/// Limits under which a test that hangs ends soon.
pub(crate) fn short() -> Limits {
    Limits { wall: Duration::from_secs(60), cpu: Duration::from_secs(10), ..Limits::default() }
}

fn tools(calls: &Arc<AtomicUsize>) -> Vec<LocalTool> {
    let any = json!({ "type": "object" });
    vec![
        // With an output schema: the script gets the structured content.
        counted(calls, "echo", |input| async { Ok(input) }).output_schema(any),
        counted(calls, "text", |_| async { Ok(json!("some text")) }),
        counted(calls, "count", |input| async move {
            let many = input["many"].as_u64().unwrap_or_default();
            Ok(json!((0..many).collect::<Vec<_>>()))
        }),
        counted(calls, "fail", |_| async { Err("it did not work".to_owned()) }),
        counted(calls, "sleep", |input| async move {
            let millis = input["ms"].as_u64().unwrap_or_default();
            tokio::time::sleep(Duration::from_millis(millis)).await;
            Ok(json!("slept"))
        }),
        counted(calls, "denied", |_| async { Ok(json!("should not have been called")) }),
        counted(calls, "strict", |_| async { Ok(json!("fine")) }).input_schema(json!({
            "type": "object",
            "properties": { "level": { "enum": ["low", "high"] } },
            "required": ["level"],
        })),
        counted(calls, "liar", |_| async { Ok(json!({ "n": "not a number" })) }).output_schema(
            json!({
                "type": "object",
                "properties": { "n": { "type": "number" } },
            }),
        ),
    ]
}

fn counted<F, R>(calls: &Arc<AtomicUsize>, name: &str, tool: F) -> LocalTool
where
    F: Fn(Value) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Value, String>> + Send + 'static,
{
    let calls = calls.clone();
    LocalTool::new(name, move |input| {
        calls.fetch_add(1, Ordering::SeqCst);
        tool(input)
    })
}
