//! The client that the MCP conformance suite looks at: connects to one URL, and calls what is there.
//!
//! `scripts/conformance.sh` runs it. Which calls a scenario wants stands in
//! `MCP_CONFORMANCE_CONTEXT`; where it does not, each tool is called once, with arguments made from
//! its schema. That a call fails is no failure of the client: the suite judges what it sees.

use std::process::ExitCode;
use std::sync::Arc;

use broker::{
    Action, Ask, Broker, Elicitation, Elicitor, Field, FieldKind, Login, OAuth, Policy, Reply,
    Request, Rule, ServerConfig, ServerState, TokenStore, Tool,
};
use serde_json::{Map, Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().nth(1) else { return failed("usage: conformance URL") };
    // A login lasts as long as the scenario.
    let Ok(logins) = tempfile::tempdir() else { return failed("no folder for logins") };
    let store = TokenStore::new(logins.path().join("logins"));
    for logins in 0..=LOGINS {
        match play(&url, &store).await {
            Ok(()) => return ExitCode::SUCCESS,
            Err(Stop::Failed(problem)) => return failed(&problem),
            Err(Stop::LoginNeeded) if logins == LOGINS => break,
            Err(Stop::LoginNeeded) => {
                if let Err(error) = log_in(&url, store.clone()).await {
                    return failed(&error);
                }
            }
        }
    }
    failed("the server is never satisfied with a login")
}

/// How often a user is patient enough to log in.
const LOGINS: usize = 3;

/// What an error says that a login would mend.
const LOGIN: &str = "cofferdam login";

enum Stop {
    Failed(String),
    LoginNeeded,
}

/// Reaches the server and makes the calls of the scenario.
async fn play(url: &str, store: &TokenStore) -> Result<(), Stop> {
    let builder = Broker::builder()
        .server("suite", ServerConfig::http(url))
        .policy(Policy::default().rule(Rule::new(Action::Allow)))
        .tokens(store.clone())
        .elicitor(Arc::new(Yes));
    let broker = builder.connect().await.map_err(|error| Stop::Failed(error.to_string()))?;
    for status in broker.servers() {
        let ServerState::Failed { error } = status.state else { continue };
        let problem = error.to_string();
        // It may be the list of tools that wants a login, not the server.
        return Err(match problem.contains(LOGIN) {
            true => Stop::LoginNeeded,
            false => Stop::Failed(problem),
        });
    }
    let run = broker.open_run();
    for (tool, arguments) in calls(&broker) {
        match run.call(Request::new("suite", &tool, arguments)).await {
            Ok(answer) => say(&format!("{tool}: {}", answer.result)),
            Err(error) if error.message.contains(LOGIN) => {
                return Err(Stop::LoginNeeded);
            }
            Err(error) => say(&format!("{tool}: {}: {error}", error.kind)),
        }
    }
    broker.shutdown().await;
    Ok(())
}

/// Logs in as a user whose browser agrees to everything.
async fn log_in(url: &str, store: TokenStore) -> Result<(), String> {
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let text = |key: &str| context.get(key).and_then(Value::as_str);
    let mut oauth = OAuth::default();
    oauth.client_id = text("client_id").map(str::to_owned);
    oauth.client_secret = text("client_secret").map(Into::into);
    // The name by which the suite knows a client with a document.
    oauth.client_metadata_url =
        Some("https://conformance-test.local/client-metadata.json".to_owned());
    let login = Login::begin(url, &oauth, store).await.map_err(|error| error.to_string())?;
    let browser = reqwest::Client::builder().no_proxy().build();
    let browser = browser.map_err(|error| error.to_string())?;
    let (redirected, _) = tokio::join!(login.wait(), browser.get(login.url()).send());
    let redirected = redirected.map_err(|error| error.to_string())?;
    login.finish(&redirected, false).await.map_err(|error| error.to_string())
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
