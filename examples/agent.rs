//! An agent that finds tools and then writes scripts: `cargo run --example agent -- QUESTION`, with
//! `CHAT_URL` (of a chat-completions endpoint), `CHAT_MODEL` and, if it wants one, `CHAT_KEY`.
//!
//! The model gets two tools and no more, however many there are behind them: `search_tools`, and
//! `run_code`. If all declarations fit into a small part of its context, it has read them already;
//! otherwise it searches first, in a turn of its own or in its script, and then writes code.

use cofferdam::{Detail, Session, Window, discovery::Query};
use serde_json::{Value, json};
use std::error::Error;

/// Turns after which the model is not asked any more.
const TURNS: usize = 12;

/// What a model reads of one run, in bytes.
const REPORT_BYTES: usize = 16 * 1024;

/// A chat-completions endpoint.
pub struct Chat {
    /// The whole URL.
    pub url: String,
    /// The model's name there.
    pub model: String,
    /// The bearer token.
    pub key: Option<String>,
}

impl Chat {
    /// The model's next message.
    async fn next(&self, messages: &[Value]) -> Result<Value, Box<dyn Error>> {
        let body = json!({ "model": self.model, "messages": messages, "tools": tools() });
        let request = reqwest::Client::new().post(&self.url).body(body.to_string());
        let request = request.header("content-type", "application/json");
        let request = match &self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        };
        let answer = request.send().await?.error_for_status()?.text().await?;
        let answer: Value = serde_json::from_str(&answer)?;
        Ok(answer["choices"][0]["message"].clone())
    }
}

fn tools() -> Value {
    let tool = |name: &str, about: &str, parameter: &str| {
        json!({ "type": "function", "function": {
            "name": name,
            "description": about,
            "parameters": {
                "type": "object",
                "properties": { parameter: { "type": "string" } },
                "required": [parameter],
            },
        }})
    };
    json!([
        tool("search_tools", "Finds functions for scripts, and gives their declarations.", "query"),
        tool(
            "run_code",
            "Runs a TypeScript script, and gives what it printed and returned.",
            "code"
        ),
    ])
}

/// Asks until the model answers without wanting anything more.
///
/// # Errors
/// The endpoint cannot be asked, or the model comes to no end.
pub async fn converse(
    session: &Session,
    chat: &Chat,
    window: Window,
    question: &str,
) -> Result<String, Box<dyn Error>> {
    let mut messages = vec![
        json!({ "role": "system", "content": session.prompt(window).text }),
        json!({ "role": "user", "content": question }),
    ];
    for _ in 0..TURNS {
        let message = chat.next(&messages).await?;
        messages.push(message.clone());
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        if calls.is_empty() {
            return Ok(message["content"].as_str().unwrap_or_default().to_owned());
        }
        for call in calls {
            let content = answer(session, &call["function"]).await;
            messages
                .push(json!({ "role": "tool", "tool_call_id": call["id"], "content": content }));
        }
    }
    Err("the model came to no end".into())
}

/// Whatever the model wrote, it gets an answer that it can read.
async fn answer(session: &Session, function: &Value) -> String {
    let arguments = function["arguments"].as_str().unwrap_or("{}");
    let Ok(arguments) = serde_json::from_str::<Value>(arguments) else {
        return "The arguments are not JSON.".to_owned();
    };
    match (function["name"].as_str(), &arguments["query"], &arguments["code"]) {
        (Some("search_tools"), Value::String(query), _) => {
            session.search(&Query::new(query).limit(5), Detail::Full).await
        }
        (Some("run_code"), _, Value::String(code)) => {
            session.run(code.as_str()).await.to_model_text(REPORT_BYTES)
        }
        _ => "There are `search_tools`, with `query`, and `run_code`, with `code`.".to_owned(),
    }
}

#[expect(clippy::print_stdout, reason = "the example is to be watched")]
fn main() -> Result<(), Box<dyn Error>> {
    cofferdam::worker::run_if_requested();
    let question = std::env::args().nth(1).ok_or("what do you want to know?")?;
    let chat = Chat {
        url: std::env::var("CHAT_URL")?,
        model: std::env::var("CHAT_MODEL")?,
        key: std::env::var("CHAT_KEY").ok(),
    };
    tokio::runtime::Runtime::new()?.block_on(async {
        // The servers and the policy of this directory's configuration.
        let config = cofferdam::config::Config::find(None)?;
        let session = Session::start(config.builder()).await?;
        let answer = converse(&session, &chat, Window::new(200_000), &question).await?;
        println!("{answer}");
        session.sandbox().shutdown().await;
        Ok(())
    })
}
