//! What reviewers do to calls.

use std::sync::Mutex;

use async_trait::async_trait;
use serde_json::Map;

use super::*;
use crate::{
    Approver, Decision, Kind, Only, PendingCall, Review, ReviewedCall, Reviewer, Scope, Secrets,
    Size, Treatment, Urls,
};

/// Puts its name after the text of arguments and results, or refuses what says so.
struct Marks(&'static str);

#[async_trait]
impl Reviewer for Marks {
    fn name(&self) -> &str {
        self.0
    }

    async fn arguments(
        &self,
        _: &ReviewedCall,
        arguments: &Map<String, Value>,
    ) -> Review<Map<String, Value>> {
        let mut changed = arguments.clone();
        match arguments.get("text").and_then(Value::as_str) {
            None => Review::Pass,
            Some("refuse") => Review::Refuse { reason: "it says so".to_owned() },
            Some("spoil") => {
                changed.insert("n".to_owned(), json!("no number"));
                Review::Change(changed)
            }
            Some(text) => {
                changed.insert("text".to_owned(), json!(format!("{text} {}", self.0)));
                Review::Change(changed)
            }
        }
    }

    async fn result(&self, _: &ReviewedCall, result: &Value) -> Review<Value> {
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        if text.contains("keep this back") {
            return Review::Refuse { reason: "it says so".to_owned() };
        }
        if text.is_empty() {
            return Review::Pass;
        }
        let mut changed = result.clone();
        changed["content"][0]["text"] = json!(format!("{text} <{}", self.0));
        Review::Change(changed)
    }
}

#[derive(Default)]
struct Sees(Mutex<Vec<Value>>);

#[async_trait]
impl Approver for Sees {
    async fn approve(&self, call: &PendingCall) -> Decision {
        self.0.lock().unwrap().push(Value::Object(call.arguments.clone()));
        Decision::Allow(Scope::Once)
    }
}

fn echo() -> LocalTool {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    LocalTool::new("echo", |input: Value| {
        let said = input["text"].as_str().unwrap_or("nothing").to_owned();
        std::future::ready(if said.starts_with("fail") { Err(said) } else { Ok(json!(said)) })
    })
    .input_schema(schema)
}

fn builder() -> Builder {
    let allowed = Policy::default().rule(Rule::new(Action::Allow));
    Broker::builder().local("s", vec![echo()]).policy(allowed)
}

fn notes(run: &Run, index: usize) -> Vec<String> {
    let ledger = run.ledger();
    let reviews = ledger.entries()[index].reviews.iter();
    let what = |refused| if refused { "refused" } else { "changed" };
    reviews.map(|r| format!("{} {} {}", r.reviewer, what(r.refused), r.side.as_str())).collect()
}

fn said(answer: Result<Answer, ToolError>) -> String {
    answer.unwrap().result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn reviewers_change_in_order_and_what_is_shown_is_what_is_sent() {
    let sees = Arc::new(Sees::default());
    let approver: Arc<dyn Approver> = Arc::<Sees>::clone(&sees);
    let builder = Broker::builder().local("s", vec![echo()]).approver(approver);
    let builder = builder.reviewer(Arc::new(Marks("one"))).reviewer(Arc::new(Marks("two")));
    let run = builder.connect().await.unwrap().open_run();
    let answer = call(&run, "echo", json!({ "text": "hello" })).await;
    assert_eq!(said(answer), "hello one two <one <two");
    assert_eq!(*sees.0.lock().unwrap(), [json!({ "text": "hello one two" })]);
    let expected = [
        "one changed arguments",
        "two changed arguments",
        "one changed result",
        "two changed result",
    ];
    assert_eq!(notes(&run, 0), expected);
}

#[tokio::test]
async fn what_a_reviewer_refuses_goes_no_further_and_names_it() {
    let run = builder().reviewer(Arc::new(Marks("strict"))).connect().await.unwrap().open_run();
    let error = fault(&run, "echo", json!({ "text": "refuse" })).await;
    assert_eq!(error.kind, Kind::Denied);
    assert_eq!(error.message, "refused by the reviewer `strict`: it says so");
    let error = fault(&run, "echo", json!({ "text": "keep this back" })).await;
    assert_eq!(
        error.message,
        "the call has taken effect, but its result was refused by the reviewer `strict`: it says so"
    );
    let error = fault(&run, "echo", json!({ "text": "spoil" })).await;
    assert_eq!(error.kind, Kind::InvalidInput);
    assert!(error.message.ends_with("as `strict` changed them"), "{}", error.message);
    // A result of a tool that failed is looked at as well.
    let error = fault(&run, "echo", json!({ "text": "fail" })).await;
    assert_eq!(error.message, "fail strict <strict");
    assert_eq!(states(&run), ["refused", "failed", "refused", "failed"]);
    assert_eq!(notes(&run, 0), ["strict refused arguments"]);
    assert_eq!(notes(&run, 1), ["strict changed arguments", "strict refused result"]);
}

#[tokio::test]
async fn the_built_in_ones_do_what_they_are_for() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let urls = Urls::none().allow("known.example").unwrap();
    let builder = builder()
        .reviewer(Arc::new(Size::default().arguments(200).results(230)))
        .reviewer(Arc::new(Secrets::default().arguments(Treatment::Pass)))
        .reviewer(Arc::new(Only::tools(vec!["other/*".parse().unwrap()], Arc::new(Urls::none()))))
        .reviewer(Arc::new(urls));
    let run = builder.connect().await.unwrap().open_run();
    let masked = call(&run, "echo", json!({ "text": format!("x {token}") })).await;
    assert_eq!(said(masked), "x [github-token removed]");
    let error = fault(&run, "echo", json!({ "text": "x".repeat(300) })).await;
    assert_eq!(error.message, "refused by the reviewer `size`: 311 bytes, 200 are allowed");
    let error = fault(&run, "echo", json!({ "text": "x".repeat(188) })).await;
    assert!(error.message.contains("was refused by the reviewer `size`: "), "{}", error.message);
    let error = fault(&run, "echo", json!({ "text": "https://evil.example/x" })).await;
    assert_eq!(
        error.message,
        "refused by the reviewer `urls`: the arguments have a URL of the host `evil.example`, which \
         is not allowed"
    );
    said(call(&run, "echo", json!({ "text": "https://known.example/x" })).await);
}

#[tokio::test]
async fn secrets_in_arguments_are_refused_unless_said_otherwise() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let run = builder().reviewer(Arc::new(Secrets::default())).connect().await.unwrap().open_run();
    let error = fault(&run, "echo", json!({ "text": token })).await;
    let expected =
        "refused by the reviewer `secrets`: there is a secret in the arguments (github-token)";
    assert_eq!(error.message, expected);
}
