//! Public servers, at the pinned versions of the fixtures of the whole project.
//!
//! `MCP_NODE_MODULES` and `MCP_VENV` say where they are installed; see [`installed`]. Ignored by
//! default because they must be installed first: `cargo test -- --ignored`.

use std::path::PathBuf;

use broker::{Broker, CallLimits, Era, Request, ServerConfig, ServerState};
use serde_json::{Value, json};

use crate::{broker, names};

/// Where a kind of servers is installed. Missing ones are an error, not a reason to pass.
fn installed(variable: &str) -> PathBuf {
    let path = std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set"));
    PathBuf::from(path)
}

fn node(server: &str, args: &[&str]) -> ServerConfig {
    let script = installed("MCP_NODE_MODULES")
        .join(format!("@modelcontextprotocol/server-{server}/dist/index.js"));
    let script = script.to_string_lossy().into_owned();
    ServerConfig::stdio("node", [script.as_str()].iter().chain(args).copied())
}

fn python(server: &str, args: &[&str]) -> ServerConfig {
    let program = installed("MCP_VENV").join(format!("bin/mcp-server-{server}"));
    ServerConfig::stdio(program.to_string_lossy(), args.iter().copied())
}

async fn reached(config: ServerConfig, expected: Era, tools: usize) -> Broker {
    let broker = broker(config, CallLimits::default()).await;
    let status = broker.servers().remove(0);
    let ServerState::Ready { era, .. } = status.state else { panic!("{status:?}") };
    assert_eq!(era, expected);
    assert_eq!(names(&broker).len(), tools, "{:?}", broker.catalogue().rejected());
    assert_eq!(broker.catalogue().rejected(), []);
    broker
}

async fn call(broker: &Broker, tool: &str, input: Value) -> broker::Answer {
    broker.open_run().call(Request::new("s", tool, input)).await.unwrap()
}

struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("broker-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    fn text(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
#[ignore = "needs installed servers"]
async fn filesystem() {
    let directory = Directory::new("filesystem");
    std::fs::write(directory.0.join("a.txt"), "hello").unwrap();
    let broker = reached(node("filesystem", &[&directory.text()]), Era::Legacy, 14).await;
    let path = directory.0.join("a.txt");
    let answer = call(&broker, "read_text_file", json!({ "path": path })).await;
    assert_eq!(answer.structured(), Some(&json!({ "content": "hello" })));
    let outside = json!({ "path": "/etc/passwd" });
    let error = broker.open_run().call(Request::new("s", "read_text_file", outside)).await;
    assert_eq!(error.unwrap_err().kind, broker::Kind::Execution);
    broker.shutdown().await;
}

#[tokio::test]
#[ignore = "needs installed servers"]
async fn memory() {
    let directory = Directory::new("memory");
    let file = directory.0.join("memory.jsonl");
    let config = node("memory", &[]).secret("MEMORY_FILE_PATH", file.to_string_lossy().as_ref());
    let broker = reached(config, Era::Legacy, 9).await;
    let entity = json!({ "name": "x", "entityType": "thing", "observations": ["it is"] });
    call(&broker, "create_entities", json!({ "entities": [entity] })).await;
    let answer = call(&broker, "read_graph", json!({})).await;
    assert_eq!(answer.structured().unwrap()["entities"], json!([entity]));
    broker.shutdown().await;
}

#[tokio::test]
#[ignore = "needs installed servers"]
async fn everything_over_stdio() {
    let broker = reached(node("everything", &[]), Era::Legacy, 13).await;
    let answer = call(&broker, "echo", json!({ "message": "hi" })).await;
    assert_eq!(answer.result["content"][0]["text"], "Echo: hi");
    broker.shutdown().await;
}

#[tokio::test]
#[ignore = "needs an installed server, running: MCP_EVERYTHING_URL"]
async fn everything_over_http() {
    let url = installed("MCP_EVERYTHING_URL").to_string_lossy().into_owned();
    let broker = reached(ServerConfig::http(url), Era::Legacy, 13).await;
    let answer = call(&broker, "echo", json!({ "message": "hi" })).await;
    assert_eq!(answer.result["content"][0]["text"], "Echo: hi");
    let answer = call(&broker, "get-structured-content", json!({ "location": "New York" })).await;
    assert!(answer.structured().is_some());
    broker.shutdown().await;
}

#[tokio::test]
#[ignore = "needs installed servers"]
async fn git() {
    let directory = Directory::new("git");
    let made = std::process::Command::new("git").arg("init").arg(&directory.0).output().unwrap();
    assert!(made.status.success());
    let broker = reached(python("git", &[]), Era::Modern, 12).await;
    let answer = call(&broker, "git_status", json!({ "repo_path": directory.text() })).await;
    assert!(answer.result["content"][0]["text"].as_str().unwrap().contains("No commits yet"));
    broker.shutdown().await;
}

#[tokio::test]
#[ignore = "needs installed servers"]
async fn time() {
    let broker = reached(python("time", &[]), Era::Modern, 2).await;
    let answer = call(&broker, "get_current_time", json!({ "timezone": "Europe/Paris" })).await;
    assert!(answer.structured().is_some());
    broker.shutdown().await;
}
