//! Every station and every kind of error, over tools in memory.

mod answers;
mod approval;
mod ending;
mod flow;
mod grants;
mod queue;
mod review;
mod stations;
mod stops;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Answer, Request, ToolError};
use crate::{Action, Broker, Builder, CallLimits, LocalTool, Policy, Rule, Run};

/// Tools that count how often they are reached.
struct Scene {
    reached: Arc<AtomicUsize>,
    builder: Builder,
}

impl Scene {
    /// A server `s` whose tools may all be used.
    fn open() -> Self {
        let scene = Self::shut();
        let builder = scene.builder.policy(Policy::default().rule(Rule::new(Action::Allow)));
        Self { builder, ..scene }
    }

    /// A server `s` about whose tools somebody must be asked.
    fn shut() -> Self {
        let reached = Arc::new(AtomicUsize::new(0));
        let builder = Broker::builder().local("s", tools(&reached));
        Self { reached, builder }
    }

    fn limits(self, limits: CallLimits) -> Self {
        Self { builder: self.builder.limits(limits), ..self }
    }

    async fn run(self) -> (Run, Arc<AtomicUsize>) {
        (self.builder.connect().await.unwrap().open_run(), self.reached)
    }
}

fn tools(reached: &Arc<AtomicUsize>) -> Vec<LocalTool> {
    let number = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let counted = |name: &str, handler: fn(Value) -> Result<Value, String>| {
        let reached = Arc::clone(reached);
        LocalTool::new(name, move |input| {
            reached.fetch_add(1, Ordering::SeqCst);
            std::future::ready(handler(input))
        })
    };
    let slow = {
        let reached = Arc::clone(reached);
        LocalTool::new("slow", move |_| {
            reached.fetch_add(1, Ordering::SeqCst);
            async {
                tokio::time::sleep(Duration::from_secs(10)).await;
                Ok(json!("done"))
            }
        })
    };
    vec![
        counted("echo", Ok).input_schema(number.clone()),
        counted("number", |_| Ok(json!({ "n": 1 }))).output_schema(number.clone()),
        counted("text", |_| Ok(json!("plain"))).output_schema(number.clone()),
        counted("fails", |_| Err("the disk is full".to_owned())),
        counted("panics", |_| panic!("a bug")),
        counted("other", Ok),
        slow,
        LocalTool::with_whole_result("whole", |_| async { Ok(json!({ "content": [] })) })
            .output_schema(number.clone()),
        LocalTool::with_whole_result("nonsense", |_| async { Ok(json!(7)) }),
        LocalTool::new("unusable", |_| async { Ok(json!(1)) })
            .input_schema(json!({ "$ref": "https://example.org/x" })),
    ]
}

async fn call(run: &Run, tool: &str, input: Value) -> Result<Answer, ToolError> {
    run.call(Request::new("s", tool, input)).await
}

async fn fault(run: &Run, tool: &str, input: Value) -> ToolError {
    call(run, tool, input).await.unwrap_err()
}

fn count(reached: &AtomicUsize) -> usize {
    reached.load(Ordering::SeqCst)
}

fn states(run: &Run) -> Vec<&'static str> {
    run.ledger().entries().iter().map(|entry| entry.state.as_str()).collect()
}
