//! The client that the MCP conformance suite looks at: connects to one URL, and calls what is there.
//!
//! `scripts/conformance.sh` runs it. Which calls a scenario wants stands in
//! `MCP_CONFORMANCE_CONTEXT`; where it does not, each tool is called once, with arguments made from
//! its schema. That a call fails is no failure of the client: the suite judges what it sees.

use std::process::ExitCode;
use std::sync::Arc;

use broker::{
    Action, Ask, Broker, Elicitation, Elicitor, Field, FieldKind, Policy, Reply, Request, Rule,
    ServerConfig, ServerState, Tool,
};
use serde_json::{Map, Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().nth(1) else { return failed("usage: conformance URL") };
    let builder = Broker::builder()
        .server("suite", ServerConfig::http(url))
        .policy(Policy::default().rule(Rule::new(Action::Allow)))
        .elicitor(Arc::new(Yes));
    let broker = match builder.connect().await {
        Ok(broker) => broker,
        Err(error) => return failed(&error.to_string()),
    };
    for status in broker.servers() {
        if let ServerState::Failed { error } = status.state {
            return failed(&error.to_string());
        }
    }
    let run = broker.open_run();
    for (tool, arguments) in calls(&broker) {
        match run.call(Request::new("suite", &tool, arguments)).await {
            Ok(answer) => say(&format!("{tool}: {}", answer.result)),
            Err(error) => say(&format!("{tool}: {}: {error}", error.kind)),
        }
    }
    broker.shutdown().await;
    ExitCode::SUCCESS
}

/// A user who agrees to everything that is proposed.
struct Yes;

#[async_trait::async_trait]
impl Elicitor for Yes {
    async fn elicit(&self, question: &Elicitation) -> Reply {
        let Ask::Form(form) = &question.ask else { return Reply::Accept(Map::new()) };
        let value = |field: &Field| match (&field.default, &field.kind) {
            (Some(default), _) => default.clone(),
            (None, FieldKind::Integer | FieldKind::Number) => json!(1),
            (None, FieldKind::Boolean) => json!(true),
            (None, FieldKind::Choice(options)) => json!(options.first().map(|(value, _)| value)),
            (None, FieldKind::Choices(_)) => json!([]),
            (None, _) => json!("text"),
        };
        let fields = form.fields().iter().map(|field| (field.name.clone(), value(field)));
        Reply::Accept(fields.collect())
    }
}

/// The calls that the scenario wants.
fn calls(broker: &Broker) -> Vec<(String, Value)> {
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    if let Some(calls) = context.get("toolCalls").and_then(Value::as_array) {
        let name = |call: &Value| call.get("name").and_then(Value::as_str).map(str::to_owned);
        let arguments = |call: &Value| {
            let arguments = call.get("arguments").and_then(Value::as_object);
            // The suite passes null for what its schema does not let be null, to see that no header
            // is made of it. Such a call would not be sent here, so the argument is left out.
            let given = arguments.into_iter().flatten().filter(|(_, value)| !value.is_null());
            Value::Object(given.map(|(name, value)| (name.clone(), value.clone())).collect())
        };
        return calls.iter().filter_map(|call| Some((name(call)?, arguments(call)))).collect();
    }
    let catalogue = broker.catalogue();
    // One scenario wants to see the schema of its other tool again, as it was received.
    let schemas = catalogue.tools().map(|tool| &tool.input_schema);
    let richest = schemas.max_by_key(|schema| schema.to_string().len());
    catalogue.tools().map(|tool| (tool.name.clone(), sample(tool, richest))).collect()
}

/// Arguments for each property of a tool.
fn sample(tool: &Tool, schema: Option<&Value>) -> Value {
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let value = |(name, property): (&String, &Value)| {
        let value = match property.get("type").and_then(Value::as_str) {
            Some("string") => json!("text"),
            Some("integer" | "number") => json!(5),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            _ => schema.cloned().unwrap_or_else(|| json!({})),
        };
        (name.clone(), value)
    };
    Value::Object(properties.into_iter().flatten().map(value).collect::<Map<_, _>>())
}

#[allow(clippy::print_stderr, reason = "the suite shows what its client writes")]
fn say(text: &str) {
    eprintln!("{text}");
}

fn failed(text: &str) -> ExitCode {
    say(text);
    ExitCode::FAILURE
}
