//! The example of an agent, with a model that says what a script of ours says; and what a session
//! gives to it.

#[path = "../../examples/agent.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is a program as well")]
mod example;

use crate::hosts::{block_on, short};
use cofferdam::{
    Detail, Event, LocalTool, Policy, Sandbox, Session, Window, WorkerProgram, discovery::Query,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

/// A chat-completions endpoint that answers with these messages, one after the other, and keeps
/// what it was sent.
async fn model(messages: Vec<Value>) -> (example::Chat, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/chat/completions", listener.local_addr().unwrap());
    let requests = Arc::<Mutex<Vec<Value>>>::default();
    let seen = requests.clone();
    tokio::spawn(async move {
        for message in messages {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut read = Vec::new();
            let request = loop {
                let mut buffer = [0; 8192];
                let count = stream.read(&mut buffer).await.unwrap();
                read.extend_from_slice(&buffer[..count]);
                let text = String::from_utf8_lossy(&read);
                let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
                if let Ok(body) = serde_json::from_str(body) {
                    break body;
                }
            };
            seen.lock().unwrap().push(request);
            let body = json!({ "choices": [{ "message": message }] }).to_string();
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (example::Chat { url, model: "scripted".into(), key: None }, requests)
}

fn wants(name: &str, arguments: &Value) -> Value {
    let function = json!({ "name": name, "arguments": arguments.to_string() });
    json!({ "role": "assistant", "tool_calls": [{ "id": "1", "type": "function", "function": function }] })
}

/// Sixty tools, of which one has the answer.
async fn session() -> Session {
    let mut tools: Vec<LocalTool> = (0..59)
        .map(|at| LocalTool::new(format!("filler{at}"), |_| async { Ok(json!(null)) }))
        .collect();
    let stock = LocalTool::new("countStock", |input: Value| async move {
        Ok(json!({ "pieces": input["article"].as_str().unwrap_or_default().len() }))
    });
    tools.push(
        stock
            .description("How many pieces of an article are in the warehouse.")
            .input_schema(json!({
                "type": "object",
                "properties": { "article": { "type": "string" } },
                "required": ["article"],
            }))
            .output_schema(
                json!({ "type": "object", "properties": { "pieces": { "type": "integer" } } }),
            )
            .annotations(json!({ "readOnlyHint": true })),
    );
    let builder = Sandbox::builder()
        .tools("shop", tools)
        .policy(Policy::default().allow("shop_*").unwrap())
        .worker_program(WorkerProgram::At(env!("CARGO_BIN_EXE_cofferdam").into()))
        .limits(short());
    Session::start(builder).await.unwrap()
}

#[test]
fn an_agent_searches_and_then_writes_code() {
    block_on(async {
        let code = "const articles = ['bolt', 'hammer'];
            const stock = await Promise.all(articles.map((article) => shop_countStock({ article })));
            return stock.reduce((sum, { pieces }) => sum + pieces, 0);";
        let (chat, requests) = model(vec![
            wants("search_tools", &json!({ "query": "pieces in the warehouse" })),
            wants("run_code", &json!({ "code": code })),
            wants("no_such_tool", &json!({})),
            json!({ "role": "assistant", "content": "There are 10." }),
        ])
        .await;
        let session = session().await;
        let mut events = session.events().unwrap();
        let window = Window::new(10_000);
        let answer = example::converse(&session, &chat, window, "How many?").await.unwrap();
        assert_eq!(answer, "There are 10.");

        let requests = requests.lock().unwrap().clone();
        let last = requests.last().unwrap()["messages"].as_array().unwrap();
        let said = |at: usize| last[at]["content"].as_str().unwrap();
        assert!(said(0).contains("- shop: 60 tools, such as "), "{}", said(0));
        assert!(!said(0).contains("declare function shop_"));
        assert!(said(3).starts_with("// shop\n"), "{}", said(3));
        assert!(
            said(3).contains(
                "declare function shop_countStock(input: { article: string; }): Promise<{"
            )
        );
        assert_eq!(said(5), "Returned: 10\n");
        assert!(said(7).starts_with("There are `search_tools`"));
        // The array of tools never changes, and neither does what was said before.
        assert!(requests.iter().all(|request| request["tools"] == requests[0]["tools"]));
        assert!(requests.iter().all(|request| request["messages"][0] == last[0]));

        let mut called = Vec::new();
        while let Ok(event) = events.try_recv() {
            if let Event::CallFinished { tool, state, .. } = event {
                called.push((tool, state));
            }
        }
        let call = ("countStock".to_owned(), "succeeded");
        assert_eq!(called, [call.clone(), call]);
        session.sandbox().shutdown().await;
    });
}

#[test]
fn a_script_finds_and_calls_and_the_ledger_has_only_the_call() {
    block_on(async {
        let session = session().await;
        let report = session
            .run(
                "const [tool] = await mcp.searchTools('warehouse', { readOnly: true });
                 await mcp.describeTool(tool.name);
                 await mcp.listServers();
                 return (await mcp.callTool(tool.name, { article: 'nail' })).pieces;",
            )
            .await;
        assert_eq!(report.to_model_text(1000), "Returned: 4\n");
        assert_eq!(report.ledger.entries().len(), 1);
        // They are calls for the limits of the run.
        assert_eq!(report.usage.calls, 4);
        session.sandbox().shutdown().await;
    });
}

#[test]
fn a_session_describes_what_it_found() {
    block_on(async {
        let session = session().await;
        let inlined = session.prompt(Window::new(1_000_000));
        assert!(inlined.is_inlined && inlined.text.contains("declare function shop_countStock("));
        assert_eq!(inlined, session.prompt(Window::new(1_000_000)));

        let query = Query::new("warehouse");
        let names = session.search(&query, Detail::Name).await;
        assert_eq!(names, "// shop\nshop_countStock\n");
        let summary = session.search(&query, Detail::Summary).await;
        let about = "How many pieces of an article are in the warehouse.";
        assert_eq!(summary, format!("// shop\nshop_countStock: {about}\n"));
        let full = session.search(&query, Detail::Full).await;
        let described = session.describe(&["shop_countStock", "shop_nothing"]);
        assert_eq!(full, format!("// shop\n{described}"));
        let nothing = session.search(&Query::new("zzzz"), Detail::Full).await;
        assert_eq!(nothing, "No tool was found.\n");
        session.sandbox().shutdown().await;
    });
}
