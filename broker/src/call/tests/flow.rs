//! What rules of data flow do to calls.

use super::answers::Answers;
use super::*;
use crate::{Approver, CallId, DataFlow, Decision, Encoding, Flow, FlowRule, Kind, Scope};

const MAIL: &str = "The board has decided to sell the Rotterdam warehouse to Vandenberg Logistics.";

fn rule(from: &str, to: &str, action: Action) -> FlowRule {
    FlowRule::new(vec![from.parse().unwrap()], vec![to.parse().unwrap()], action)
}

/// Servers `mail`, `notes` and `web`, whose tools may all be used; `web/post` counts its calls.
fn scene(flow: DataFlow, policy: Policy) -> (Builder, Arc<AtomicUsize>) {
    let posted = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&posted);
    let post = LocalTool::new("post", move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        std::future::ready(Ok(json!("posted")))
    });
    let read = |name: &str, text: String| {
        LocalTool::new(name, move |_| std::future::ready(Ok(json!(text))))
    };
    let fails = LocalTool::new("fails", |_| std::future::ready(Err(MAIL.to_owned())));
    let builder = Broker::builder()
        .local("mail", vec![read("read", MAIL.to_owned()), fails])
        .local(
            "notes",
            vec![
                read("read", "Nothing of interest is written here today.".to_owned()),
                read("echo", MAIL.to_owned()),
            ],
        )
        .local("web", vec![post])
        .policy(policy)
        .data_flow(flow);
    (builder, posted)
}

fn all() -> Policy {
    Policy::default().rule(Rule::new(Action::Allow))
}

async fn post(run: &Run, body: &str) -> Result<Answer, ToolError> {
    run.call(Request::new("web", "post", json!({ "body": body }))).await
}

async fn read(run: &Run, server: &str, tool: &str) {
    let _ = run.call(Request::new(server, tool, Value::Null)).await;
}

#[tokio::test]
async fn a_flow_that_is_denied_is_not_sent_whatever_the_policy_allows() {
    let flow = DataFlow::default().rule(rule("mail/*", "web/*", Action::Deny).reason("mail stays"));
    let (builder, posted) = scene(flow, all());
    let approver: Arc<dyn Approver> = Answers::always(Decision::Allow(Scope::Session));
    let run = builder.approver(approver).connect().await.unwrap().open_run();
    post(&run, MAIL).await.unwrap();
    read(&run, "mail", "read").await;
    let error = post(&run, &format!("FYI: {}", MAIL.to_uppercase())).await.unwrap_err();
    assert_eq!(error.kind, Kind::Denied);
    assert_eq!(error.message, "denied by the rule `data flow: deny mail/* → web/*`: mail stays");
    post(&run, "something of its own").await.unwrap();
    assert_eq!(count(&posted), 2);
    let ledger = run.close();
    let flows = &ledger.entries()[2].flows;
    let Some(Flow::Carries { argument, characters, form, from }) = flows.first() else { panic!() };
    let expected = crate::Source::new(CallId(2), "mail", "read");
    assert_eq!((argument.as_str(), *form, from), ("/body", Encoding::Plain, &expected));
    assert!((50..=66).contains(characters), "{characters}");
    assert!(ledger.entries()[3].flows.is_empty());
}

#[tokio::test]
async fn what_a_failed_call_said_was_read_as_well() {
    let flow = DataFlow::default().rule(rule("mail_*", "web_*", Action::Deny));
    let (builder, posted) = scene(flow, all());
    let run = builder.connect().await.unwrap().open_run();
    read(&run, "mail", "fails").await;
    assert_eq!(post(&run, MAIL).await.unwrap_err().kind, Kind::Denied);
    assert_eq!(count(&posted), 0);
}

#[tokio::test]
async fn what_an_earlier_part_of_the_run_read_flows_on() {
    let (mail, failed) = (json!(MAIL), (Kind::Execution, MAIL.to_owned()));
    for ended in [Ok(&mail), Err(failed)] {
        let flow = DataFlow::default().rule(rule("mail_*", "web_*", Action::Deny));
        let (builder, posted) = scene(flow, all());
        let run = builder.connect().await.unwrap().open_run();
        run.record_earlier("mail", "read", None, ended);
        assert_eq!(post(&run, MAIL).await.unwrap_err().kind, Kind::Denied);
        assert_eq!(count(&posted), 0);
        post(&run, "something of its own").await.unwrap();
    }
}

#[tokio::test]
async fn a_grant_covers_a_flow_only_if_it_was_shown() {
    let flow = DataFlow::default().rule(rule("mail/*", "web/*", Action::Ask));
    let (builder, posted) = scene(flow, Policy::default().allow("mail_*").unwrap());
    let answers = Answers::always(Decision::Allow(Scope::Session));
    let approver: Arc<dyn Approver> = Arc::<Answers>::clone(&answers);
    let broker = builder.approver(approver).connect().await.unwrap();
    let run = broker.open_run();
    post(&run, "nothing").await.unwrap();
    post(&run, "nothing again").await.unwrap();
    assert_eq!(answers.asked(), 1, "the grant covers it");
    read(&run, "mail", "read").await;
    post(&run, MAIL).await.unwrap();
    assert_eq!(answers.asked(), 2, "the flow was not shown when the grant was given");
    let asked = answers.asked.lock().unwrap()[1].clone();
    assert!(asked.flows[0].to_string().starts_with("/body contains "), "{}", asked.flows[0]);
    assert!(asked.flows[0].to_string().ends_with("characters from mail/read #3"));
    assert_eq!(asked.reason.as_deref(), Some("data flow: ask mail/* → web/*"));
    post(&run, MAIL).await.unwrap();
    assert_eq!((answers.asked(), count(&posted)), (2, 4), "now it was");
    let grants = broker.grants();
    let lines: Vec<String> = grants.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        ["g1: web/post for the session", "g2: web/post for the session with data from mail/read"]
    );
    broker.revoke(grants[1].id);
    post(&run, MAIL).await.unwrap();
    assert_eq!(answers.asked(), 3, "a grant that is gone covers nothing");
}

#[tokio::test]
async fn an_allow_rule_of_the_policy_does_not_undo_an_ask_and_the_first_flow_rule_decides() {
    let flow = DataFlow::default()
        .rule(rule("mail/fails", "*", Action::Allow))
        .rule(rule("mail/*", "web/*", Action::Ask))
        .rule(rule("*", "*", Action::Deny));
    let (builder, posted) = scene(flow, all());
    let run = builder.connect().await.unwrap().open_run();
    read(&run, "mail", "fails").await;
    post(&run, MAIL).await.unwrap();
    read(&run, "mail", "read").await;
    let error = post(&run, MAIL).await.unwrap_err();
    assert!(error.message.contains("needs approval"), "{}", error.message);
    // Laundered through another server, it is still the mail's.
    read(&run, "notes", "echo").await;
    let error = post(&run, MAIL).await.unwrap_err();
    assert_eq!(error.message, "denied by the rule `data flow: deny * → *`");
    assert_eq!(count(&posted), 1);
}

#[tokio::test]
async fn after_something_sensitive_public_servers_are_asked_about_whatever_they_are_sent() {
    let flow = DataFlow::default().sensitive_tool("mail", "read").public_server("web");
    for (flow, denied) in [
        (flow.clone(), "needs approval"),
        (
            flow.sensitive_to_public(Action::Deny),
            "denied by the rule `data flow: sensitive to public`",
        ),
    ] {
        let (builder, posted) = scene(flow, all());
        let broker = builder.connect().await.unwrap();
        let run = broker.open_run();
        read(&run, "mail", "fails").await;
        post(&run, "1").await.unwrap();
        read(&run, "mail", "read").await;
        let error = post(&run, "2").await.unwrap_err();
        assert!(error.message.contains(denied), "{}", error.message);
        read(&run, "notes", "read").await;
        let ledger = run.close();
        assert!(matches!(&ledger.entries()[3].flows[..], [Flow::Sensitive { .. }]));
        assert_eq!(ledger.entries()[4].state.as_str(), "succeeded", "it is not public");
        post(&broker.open_run(), "3").await.unwrap();
        assert_eq!(count(&posted), 2, "each run has read its own");
    }
}
