//! Servers of both eras that ask the user something, and resources.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use broker::{
    Action, Answer, Approver, Ask, Broker, CallLimits, Decision, Elicitation, Elicitor, Kind,
    PendingCall, Policy, Reply, Request, Rule, Run, Scope, ServerConfig, ToolError,
};
use serde_json::{Value, json};

/// Answers as told, and keeps what it was asked.
struct User {
    reply: Box<dyn Fn(&Elicitation) -> Reply + Send + Sync>,
    after: Duration,
    asked: Mutex<Vec<Elicitation>>,
}

impl User {
    fn new(reply: impl Fn(&Elicitation) -> Reply + Send + Sync + 'static) -> Arc<Self> {
        Self::slow(Duration::ZERO, reply)
    }

    fn slow(
        after: Duration,
        reply: impl Fn(&Elicitation) -> Reply + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { reply: Box::new(reply), after, asked: Mutex::default() })
    }

    fn asked(&self) -> Vec<Elicitation> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Elicitor for User {
    async fn elicit(&self, question: &Elicitation) -> Reply {
        self.asked.lock().unwrap().push(question.clone());
        tokio::time::sleep(self.after).await;
        (self.reply)(question)
    }
}

fn seats() -> Reply {
    let Value::Object(answer) = json!({ "name": "Grace", "seats": 3 }) else { unreachable!() };
    Reply::Accept(answer)
}

/// A file for the notes of a fixture, which goes with the test.
struct Notes(PathBuf);

impl Notes {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("interactive-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn lines(&self, method: &str) -> Vec<String> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().filter(|line| line.contains(method)).map(str::to_owned).collect()
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn config(era: &str, notes: &Notes) -> ServerConfig {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/interactive.py");
    ServerConfig::stdio("python3", [script, era, notes.0.to_str().unwrap()])
        .connect_timeout(crate::PATIENCE)
}

async fn broker(era: &str, notes: &Notes, user: Option<Arc<User>>) -> Broker {
    let policy = Policy::default().rule(Rule::new(Action::Allow));
    let mut builder = Broker::builder().server("s", config(era, notes)).policy(policy);
    if let Some(user) = user {
        builder = builder.elicitor(user);
    }
    builder.connect().await.unwrap()
}

async fn call(run: &Run, tool: &str) -> Result<Answer, ToolError> {
    run.call(Request::new("s", tool, json!({ "of": "the call" }))).await
}

fn text(answer: &Answer) -> Value {
    serde_json::from_str(answer.result["content"][0]["text"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn a_modern_question_is_answered_by_the_user_and_goes_back_with_its_state() {
    let (notes, user) = (Notes::new(), User::new(|_| seats()));
    let broker = broker("modern", &notes, Some(Arc::clone(&user))).await;
    let run = broker.open_run();
    let answer = call(&run, "book").await.unwrap();
    let content = json!({ "name": "Grace", "seats": 3 });
    let state = "st\u{e4}te \"\\ \u{2028} +/=";
    let expected = json!([{ "q 1": { "action": "accept", "content": content } }, state]);
    assert_eq!(text(&answer), expected);

    let asked = user.asked();
    assert_eq!((asked.len(), asked[0].message.as_str()), (1, "Which seats?"));
    assert_eq!((asked[0].server.as_str(), asked[0].tool.as_deref()), ("s", Some("book")));
    let Ask::Form(form) = &asked[0].ask else { panic!("{asked:?}") };
    let names: Vec<_> = form.fields().iter().map(|f| (f.name.as_str(), f.required)).collect();
    assert_eq!(names.len(), 5);
    assert!(names.contains(&("seats", true)) && names.contains(&("price", false)));

    // The same request under a new id, and one entry of the ledger.
    let calls = notes.lines("tools/call");
    let ids: Vec<&str> = calls.iter().filter_map(|line| line.split(' ').next()).collect();
    assert!(ids.len() == 2 && ids[0] != ids[1], "{calls:?}");
    assert!(
        calls[0].contains("book - null") && calls[1].contains("book answers \"st"),
        "{calls:?}"
    );
    assert_eq!(run.close().entries().len(), 1);
}

#[tokio::test]
async fn nothing_of_a_question_leaks_into_other_calls() {
    let notes = Notes::new();
    let user = User::slow(Duration::from_millis(300), |_| seats());
    let broker = broker("modern", &notes, Some(user)).await;
    let run = broker.open_run();
    let (twice, plain) = tokio::join!(call(&run, "twice"), async {
        tokio::time::sleep(Duration::from_millis(450)).await;
        call(&run, "plain").await
    });
    assert_eq!(plain.unwrap().result["content"][0]["text"], "plain");
    // The second round has the second answer and the second state, and nothing of the first.
    let twice = text(&twice.unwrap());
    assert_eq!(twice[1], "second");
    assert_eq!(twice[0].as_object().unwrap().keys().collect::<Vec<_>>(), ["q 2"]);
    let plain = notes.lines("tools/call plain");
    assert!(plain[0].contains("plain - null"), "{plain:?}");
}

#[tokio::test]
async fn a_server_that_never_has_enough_is_given_up() {
    let (notes, user) = (Notes::new(), User::new(|_| Reply::Accept(Default::default())));
    let broker = broker("modern", &notes, Some(Arc::clone(&user))).await;
    let error = call(&broker.open_run(), "nag").await.unwrap_err();
    assert_eq!(error.kind, Kind::Protocol);
    assert_eq!(error.message, "the server has asked 10 times and is still not done");
    assert_eq!((user.asked().len(), notes.lines("tools/call").len()), (10, 10));
    let answer = call(&broker.open_run(), "state_only").await.unwrap();
    assert_eq!(answer.result["content"][0]["text"], "went on");
}

#[tokio::test]
async fn a_user_may_decline_or_put_the_question_away() {
    for era in ["modern", "legacy"] {
        for (reply, action) in [(Reply::Decline, "decline"), (Reply::Cancel, "cancel")] {
            let notes = Notes::new();
            let broker = broker(era, &notes, Some(User::new(move |_| reply.clone()))).await;
            let answer = text(&call(&broker.open_run(), "book").await.unwrap());
            let answer = if era == "modern" { &answer[0]["q 1"] } else { &answer };
            assert_eq!(answer, &json!({ "action": action }), "{era}");
        }
    }
}

#[tokio::test]
async fn a_legacy_question_goes_the_same_way() {
    let (notes, user) = (Notes::new(), User::new(|_| seats()));
    let broker = broker("legacy", &notes, Some(Arc::clone(&user))).await;
    let run = broker.open_run();
    let answer = text(&call(&run, "book").await.unwrap());
    assert_eq!(answer, json!({ "action": "accept", "content": { "name": "Grace", "seats": 3 } }));
    let asked = user.asked();
    assert_eq!(
        (asked[0].tool.as_deref(), asked[0].call.map(|id| id.number())),
        (Some("book"), Some(1))
    );
    // Two calls at once: it is not known which of them is meant.
    let (first, second) = tokio::join!(call(&run, "book"), call(&run, "book"));
    assert!(first.is_ok() && second.is_ok());
    assert!(user.asked()[1..].iter().any(|question| question.tool.is_none()));
    // After the call there is nobody to ask for.
    call(&run, "ask_later").await.unwrap();
    for _ in 0..100 {
        if !notes.lines("answer late").is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let late = notes.lines("answer late");
    assert!(late.iter().any(|line| line.contains("error") || line.contains("code")), "{late:?}");
    assert_eq!(user.asked().len(), 3);
}

#[tokio::test]
async fn a_page_is_named_in_full_and_only_if_it_is_one() {
    for era in ["modern", "legacy"] {
        let notes = Notes::new();
        let user = User::new(|_| Reply::Accept(Default::default()));
        let broker = broker(era, &notes, Some(Arc::clone(&user))).await;
        let run = broker.open_run();
        let answer = text(&call(&run, "visit").await.unwrap());
        let answer = if era == "modern" { &answer[0]["q 1"] } else { &answer };
        assert_eq!(answer, &json!({ "action": "accept" }));
        let asked = user.asked();
        let Ask::Url(url) = &asked[0].ask else { panic!("{asked:?}") };
        assert_eq!(url, "https://pay.example/checkout?order=17&user=a%20b");
        for bad in ["script", "nested"] {
            let _ = call(&run, bad).await;
        }
        assert_eq!(user.asked().len(), 1, "{era}: what cannot be asked is not asked");
    }
}

#[tokio::test]
async fn what_a_user_answers_must_fit_and_is_not_told_to_the_script() {
    let reply = || match json!({ "name": "x", "seats": 77777 }) {
        Value::Object(answer) => Reply::Accept(answer),
        _ => unreachable!(),
    };
    let (notes, user) = (Notes::new(), User::new(move |_| reply()));
    let broker = broker("modern", &notes, Some(user)).await;
    let error = call(&broker.open_run(), "book").await.unwrap_err();
    assert_eq!(error.message, "the user's answer does not fit what the server asked for");
    assert_eq!(notes.lines("tools/call").len(), 1, "it was not sent");
    assert_eq!(format!("{:?}", reply()), "Accept(***)");
}

#[tokio::test]
async fn without_anybody_to_ask_servers_are_told_so() {
    for era in ["modern", "legacy"] {
        let notes = Notes::new();
        let broker = broker(era, &notes, None).await;
        let outcome = call(&broker.open_run(), "book").await;
        if era == "modern" {
            let error = outcome.unwrap_err();
            assert_eq!(
                error.message,
                "the server asks the user something, and there is nobody to ask"
            );
        } else {
            assert_eq!(text(&outcome.unwrap())["code"], -32601);
        }
        let hello = notes.lines("elicitation=");
        assert!(hello.iter().all(|line| line.ends_with("elicitation=null")), "{hello:?}");
    }
    for era in ["modern", "legacy"] {
        let notes = Notes::new();
        let broker = broker(era, &notes, Some(User::new(|_| Reply::Cancel))).await;
        let method = if era == "modern" { "tools/call" } else { "initialize" };
        let _ = call(&broker.open_run(), "plain").await;
        let hello = notes.lines(method);
        assert!(hello[0].ends_with(r#"elicitation={"form": {}, "url": {}}"#), "{era}: {hello:?}");
    }
}

#[tokio::test]
async fn models_and_folders_of_the_host_are_refused_politely() {
    for era in ["modern", "legacy"] {
        let notes = Notes::new();
        let broker = broker(era, &notes, Some(User::new(|_| seats()))).await;
        let run = broker.open_run();
        for (tool, problem) in [("sample", "the host's model"), ("roots", "the host's folders")] {
            match call(&run, tool).await {
                Err(error) => {
                    assert_eq!((era, error.kind), ("modern", Kind::Protocol));
                    assert!(error.message.contains(problem), "{error}");
                }
                Ok(answer) => assert_eq!((era, &text(&answer)["code"]), ("legacy", &json!(-32601))),
            }
        }
        if era == "modern" {
            let error = call(&run, "half").await.unwrap_err();
            assert_eq!(error.message, "the server asks for something, but does not say for what");
        }
        assert!(call(&run, "plain").await.is_ok());
    }
}

#[tokio::test]
async fn clocks_stand_while_the_user_is_asked() {
    for era in ["modern", "legacy"] {
        let notes = Notes::new();
        let user = User::slow(Duration::from_millis(1500), |_| seats());
        let policy = Policy::default().rule(Rule::new(Action::Allow));
        let limits = CallLimits::default().tool_timeout(Duration::from_millis(1000));
        let builder = Broker::builder().server("s", config(era, &notes)).policy(policy);
        let broker = builder.limits(limits).elicitor(user).connect().await.unwrap();
        let told = Arc::new(Mutex::new(Vec::new()));
        let telling = Arc::clone(&told);
        let request = Request::new("s", "book", json!({}))
            .waiting(move |waits| telling.lock().unwrap().push(waits));
        broker.open_run().call(request).await.unwrap();
        assert_eq!(*told.lock().unwrap(), [true, false], "{era}");
    }
}

#[tokio::test]
async fn giving_up_the_call_takes_the_question_back() {
    for era in ["modern", "legacy"] {
        let notes = Notes::new();
        let user = User::slow(Duration::from_secs(600), |_| seats());
        let broker = broker(era, &notes, Some(Arc::clone(&user))).await;
        let run = broker.open_run();
        let asked = async {
            while user.asked().is_empty() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            run.close()
        };
        let (outcome, ledger) = tokio::join!(call(&run, "book"), asked);
        assert_eq!(outcome.unwrap_err().kind, Kind::Cancelled);
        assert_eq!(ledger.entries()[0].state.as_str(), "unknown");
        assert_eq!(call(&broker.open_run(), "plain").await.map(|_| ()), Ok(()));
    }
}

#[tokio::test]
async fn resources_are_listed_over_all_pages_and_read() {
    for era in ["modern", "legacy"] {
        let notes = Notes::new();
        let broker = broker(era, &notes, Some(User::new(|_| Reply::Decline))).await;
        let run = broker.open_run();
        let list = run.call(Request::list_resources("s")).await.unwrap();
        let uris: Vec<_> =
            list.result["resources"].as_array().unwrap().iter().map(|r| r["uri"].clone()).collect();
        assert_eq!(uris, ["note://1", "note://2", "note://3"], "{era}");
        let read = async |uri: &str| run.call(Request::read_resource("s", uri)).await;
        let note = read("note://1").await.unwrap();
        assert_eq!(note.result["contents"][0]["text"], "the note 1");
        // What a result links to.
        let link = call(&run, "link").await.unwrap();
        let uri = link.result["content"][0]["uri"].as_str().unwrap().to_owned();
        assert_eq!(read(&uri).await.unwrap().result["contents"][0]["blob"], "AAEC");
        if era == "modern" {
            assert!(read("note://ask").await.is_ok(), "a read may have rounds as well");
        }
        let error = read("file:///etc/passwd").await.unwrap_err();
        assert_eq!((error.kind, error.code), (Kind::Protocol, Some(-32602)));
        assert_eq!((error.server.as_str(), error.tool.as_str()), ("s", "resources/read"));
        assert_eq!(read("").await.unwrap_err().kind, Kind::InvalidInput);
        let error = read("note://odd").await.unwrap_err();
        assert_eq!(error.message, "the server's answer has no list `contents`");
        let ledger = run.close();
        let tools: Vec<_> = ledger.entries().iter().map(|e| e.tool.as_str()).collect();
        assert_eq!(tools[..3], ["resources/list", "resources/read", "link"]);
        assert_eq!(ledger.entries()[1].state.as_str(), "succeeded");
        assert!(ledger.entries()[1].result_bytes > 0 && ledger.entries()[1].argument_bytes > 0);
    }
}

/// Allows once, and keeps what it was asked.
#[derive(Default)]
struct Once(Mutex<Vec<PendingCall>>);

#[async_trait]
impl Approver for Once {
    async fn approve(&self, call: &PendingCall) -> Decision {
        self.0.lock().unwrap().push(call.clone());
        Decision::Allow(Scope::Once)
    }
}

#[tokio::test]
async fn a_resource_that_policy_denies_is_not_read() {
    let notes = Notes::new();
    let denied = |pattern: &str| Policy::default().deny(pattern).unwrap().allow("*").unwrap();
    for pattern in ["s/resources/*", "s_resources_read", "s/*", "s_*", "*/resources/read"] {
        let server = config("modern", &notes);
        let builder = Broker::builder().server("s", server).policy(denied(pattern));
        let run = builder.connect().await.unwrap().open_run();
        let error = run.call(Request::read_resource("s", "note://1")).await.unwrap_err();
        assert_eq!(
            (error.kind, run.close().entries()[0].state.as_str()),
            (Kind::Denied, "refused")
        );
    }
    assert_eq!(notes.lines("resources/read"), [""; 0], "none was sent");

    // Without a rule somebody is asked, and sees which one.
    let approver = Arc::new(Once::default());
    let builder = Broker::builder().server("s", config("modern", &notes));
    let broker = builder.approver(approver.clone()).connect().await.unwrap();
    let run = broker.open_run();
    run.call(Request::read_resource("s", "note://1")).await.unwrap();
    {
        let asked = approver.0.lock().unwrap();
        assert_eq!(asked[0].tool, "resources/read");
        assert_eq!(Value::Object(asked[0].arguments.clone()), json!({ "uri": "note://1" }));
    }
    // A tool of such a name is a tool, and this server has none.
    let error = run.call(Request::new("s", "resources/read", json!({ "uri": "note://1" }))).await;
    assert_eq!(error.unwrap_err().kind, Kind::Unavailable);
    assert_eq!(notes.lines("resources/read").len(), 1);
}

#[tokio::test]
async fn a_resource_may_not_be_larger_than_a_result() {
    let notes = Notes::new();
    let policy = Policy::default().rule(Rule::new(Action::Allow));
    let limits = CallLimits::default().result_bytes(100_000);
    let builder = Broker::builder().server("s", config("modern", &notes)).policy(policy);
    let run = builder.limits(limits).connect().await.unwrap().open_run();
    let error = run.call(Request::read_resource("s", "note://big")).await.unwrap_err();
    assert_eq!(error.kind, Kind::Limit, "{error}");
    assert!(run.call(Request::read_resource("s", "note://1")).await.is_ok());
}
