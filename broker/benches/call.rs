//! What a call costs through the broker, beside the same call by rmcp alone.
//!
//! The tool echoes its arguments. Its server is this program: over stdio a second process of it, over
//! HTTP a thread. It does as little as a server can, so that the difference is the clients'.

#![allow(missing_docs, reason = "a benchmark")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "what is not as expected ends the benchmark")]

use std::hint::black_box;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;

use broker::{Action, Broker, Policy, Request, Rule, ServerConfig};
use criterion::{BenchmarkId, Criterion, Throughput};
use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Map, Value, json};
use tokio::process::{Child, Command};
use tokio::runtime::Runtime;

/// Makes this program the server.
const SERVE: &str = "--serve";
const REVISION: &str = "2026-07-28";

fn main() {
    if std::env::args().any(|argument| argument == SERVE) {
        return serve_stdio();
    }
    let mut criterion = Criterion::default().configure_from_args();
    measure(&mut criterion);
    criterion.final_summary();
}

fn measure(criterion: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let url = serve_http();
    let program = std::env::current_exe().unwrap();
    let program = program.to_string_lossy();
    let through = |config| runtime.block_on(reach(config));
    let brokers = [
        ("stdio", through(ServerConfig::stdio(program.as_ref(), [SERVE]))),
        ("http", through(ServerConfig::http(&url))),
    ];
    let (_process, by_stdio) = runtime.block_on(rmcp_by_stdio(program.as_ref()));
    let clients = [("stdio", by_stdio), ("http", runtime.block_on(rmcp_by_http(&url)))];

    for (size, bytes) in [("small", 20), ("100 kB", 100_000)] {
        let arguments = Map::from_iter([("text".to_owned(), Value::from("x".repeat(bytes)))]);
        let mut group = criterion.benchmark_group(format!("call/{size}"));
        group.throughput(Throughput::Elements(1));
        for (transport, client) in &clients {
            group.bench_function(BenchmarkId::new(*transport, "rmcp"), |bencher| {
                bencher.to_async(&runtime).iter(|| async {
                    let params =
                        CallToolRequestParams::new("echo").with_arguments(arguments.clone());
                    let result = client.peer().call_tool(params).await.unwrap();
                    assert!(result.structured_content.is_some());
                    black_box(result)
                });
            });
        }
        for (transport, broker) in &brokers {
            group.bench_function(BenchmarkId::new(*transport, "broker"), |bencher| {
                bencher.to_async(&runtime).iter(|| async {
                    let input = Value::Object(arguments.clone());
                    let run = broker.open_run();
                    let answer = run.call(Request::new("s", "echo", input)).await.unwrap();
                    assert!(answer.result.get("structuredContent").is_some());
                    black_box(answer)
                });
            });
        }
        group.finish();
    }
}

async fn reach(config: ServerConfig) -> Broker {
    let policy = Policy::default().rule(Rule::new(Action::Allow));
    let broker = Broker::builder().server("s", config).policy(policy).connect().await.unwrap();
    assert_eq!(broker.catalogue().tools().len(), 1, "{:?}", broker.servers());
    broker
}

type Client = RunningService<RoleClient, ()>;

fn lifecycle() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

async fn rmcp_by_stdio(program: &str) -> (Child, Client) {
    let mut command = Command::new(program);
    command.arg(SERVE).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut process = command.spawn().unwrap();
    let pipes = (process.stdout.take().unwrap(), process.stdin.take().unwrap());
    (process, ().serve_with_lifecycle(pipes, lifecycle()).await.unwrap())
}

async fn rmcp_by_http(url: &str) -> Client {
    let config = StreamableHttpClientTransportConfig::with_uri(url);
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let transport = StreamableHttpClientTransport::with_client(http, config);
    ().serve_with_lifecycle(transport, lifecycle()).await.unwrap()
}

/// The server's answer to a message; none to a notification.
fn answer(message: &[u8]) -> Option<Vec<u8>> {
    let mut request: Value = serde_json::from_slice(message).unwrap();
    let id = request.get_mut("id").map(Value::take)?;
    let mut result = match request["method"].as_str().unwrap() {
        "server/discover" => json!({
            "supportedVersions": [REVISION], "capabilities": { "tools": {} },
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "echo", "version": "1" } },
        }),
        "tools/list" => {
            let schema =
                json!({ "type": "object", "properties": { "text": { "type": "string" } } });
            json!({ "tools": [{ "name": "echo", "inputSchema": schema }] })
        }
        "tools/call" => {
            let echo = request["params"]["arguments"].take();
            json!({ "content": [], "structuredContent": echo })
        }
        other => panic!("{other} is not expected"),
    };
    result["resultType"] = "complete".into();
    result["ttlMs"] = 0.into();
    result["cacheScope"] = "private".into();
    let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
    Some(serde_json::to_vec(&answer).unwrap())
}

fn serve_stdio() {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        if let Some(mut answer) = answer(line.unwrap().as_bytes()) {
            answer.push(b'\n');
            output.write_all(&answer).and_then(|()| output.flush()).unwrap();
        }
    }
}

/// Serves until the program ends; returns where.
fn serve_http() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve_connection(&stream));
        }
    });
    url
}

fn serve_connection(mut stream: &TcpStream) {
    stream.set_nodelay(true).unwrap();
    let mut input = BufReader::new(stream);
    let mut line = String::new();
    // A request begins; when the client goes away, none does.
    while input.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
        let is_post = line.starts_with("POST");
        let mut length = 0;
        loop {
            line.clear();
            input.read_line(&mut line).unwrap();
            let Some((name, value)) = line.split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        input.read_exact(&mut body).unwrap();
        let (status, body) = match is_post.then(|| answer(&body)) {
            Some(Some(answer)) => ("200 OK", answer),
            Some(None) => ("202 Accepted", Vec::new()),
            None => ("405 Method Not Allowed", Vec::new()),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        if stream.write_all(&[head.as_bytes(), &body].concat()).is_err() {
            return;
        }
        line.clear();
    }
}
