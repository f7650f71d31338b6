//! A thousand calls of sixteen scripts to a server that fails at random: what each script saw, what
//! its ledger says and what the server noted are the same.

#[path = "../../broker/tests/servers/faults/script.rs"]
mod script;

use crate::hosts::{block_on, short};
use cofferdam::{
    Limits, Outcome, Policy, Sandbox, Script, ServerConfig, WorkerProgram,
    broker::{Entry, State},
};
use serde_json::{Value, json};
use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

const RUNS: u64 = 16;
const CALLS: u64 = 64;

/// Four at a time; of every tenth call the script loses patience, sooner or later. What is not sent,
/// since the server is being left alone for a while, is made again under another number.
const SCRIPT: &str = r#"
const seen: [number, string, number | null][] = [];
const patience: Record<number, number> = { 7: 2, 17: 20, 27: 60, 37: 200 };
async function call(n: number, tool = n - FIRST === 21 && FIRST < 500_000 ? "s/dies" : "s/t") {
  const ms = patience[n % 40];
  try {
    const answer = await mcp.callToolRaw(
      tool, { n, pad: "x".repeat(n - FIRST) }, ms ? { signal: AbortSignal.timeout(ms) } : {});
    return [n, answer.isError ? "execution" : "value", answer.structuredContent?.n ?? null];
  } catch (error) {
    return [n, error instanceof ToolError ? error.kind : String(error), null];
  }
}
let next = FIRST;
for (let sent = 0; sent < CALLS;) {
  const batch = await Promise.all([0, 1, 2, 3].map((it) => call(next + it)));
  next += 4;
  const reached = batch.filter(([, how]) => how !== "unavailable").length;
  sent += reached;
  if (reached < 4) await new Promise((done) => setTimeout(done, 200));
  seen.push(...batch);
}
// A call is only too late if the server lives so long, which it does when the others have ended.
while (FIRST === 100_000 && !seen.some(([, how]) => how === "timeout")) {
  seen.push(await call(next++, "s/hangs"));
  await new Promise((done) => setTimeout(done, 200));
}
return seen;
"#;

/// A server of the broker's tests, its script and its log.
struct Server(tempfile::TempDir);

impl Server {
    fn new() -> Self {
        let script = script::script();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("script.json"), script.to_string()).unwrap();
        Self(folder)
    }

    fn config(&self) -> ServerConfig {
        let fixture: PathBuf =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("broker/tests/fixtures/scripted.py");
        let [script, log] = ["script.json", "log"].map(|name| self.0.path().join(name));
        let arguments = [fixture, "stdio".into(), script, log];
        ServerConfig::stdio("python3", arguments.map(|path| path.to_string_lossy().into_owned()))
            .connect_timeout(Duration::from_secs(60))
    }

    /// What it got of each call, and whether it has answered.
    fn calls(&self) -> HashMap<u64, bool> {
        let log = fs::read_to_string(self.0.path().join("log")).unwrap();
        let log: Vec<Value> =
            log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let key = |entry: &Value| (entry["process"].to_string(), entry["id"].to_string());
        let answered: HashSet<_> =
            log.iter().filter(|entry| entry["answered"] == "tools/call").map(key).collect();
        let mut calls = HashMap::new();
        for entry in log.iter().filter(|entry| entry["got"] == "tools/call") {
            let number = entry["arguments"]["n"].as_u64().unwrap();
            let earlier = calls.insert(number, answered.contains(&key(entry)));
            assert_eq!(earlier, None, "call {number} was sent twice");
        }
        calls
    }
}

/// The number of a run's first call.
fn first(run: u64) -> u64 {
    (run + 1) * 100_000
}

#[test]
fn what_sixteen_scripts_saw_is_what_their_ledgers_and_the_server_say() {
    let server = Server::new();
    let reports = block_on(async {
        let limits = Limits {
            wall: Duration::from_secs(240),
            tool_timeout: Duration::from_secs(10),
            calls: 10_000,
            ..short()
        };
        let sandbox = Sandbox::builder()
            .server("s", server.config())
            .policy(Policy::default().allow("*").unwrap())
            .worker_program(WorkerProgram::At(env!("CARGO_BIN_EXE_cofferdam").into()))
            .limits(limits);
        let sandbox = sandbox.build().await.unwrap();
        let runs = (0..RUNS).map(|run| {
            let calls = CALLS.to_string();
            let script = SCRIPT.replace("FIRST", &first(run).to_string()).replace("CALLS", &calls);
            sandbox.run(Script::new(script))
        });
        let reports = futures::future::join_all(runs).await;
        sandbox.shutdown().await;
        reports
    });
    let mut calls = server.calls();
    let mut count: HashMap<String, usize> = HashMap::new();
    for (run, report) in (0..RUNS).zip(&reports) {
        let Outcome::Completed { value: Some(seen) } = &report.outcome else {
            panic!("{:?}", report.outcome)
        };
        let seen: Vec<(u64, String, Option<u64>)> = serde_json::from_str(seen).unwrap();
        let entries = report.ledger.entries();
        // Each call of a run has arguments of another length, by which its entry is known.
        let mut by_size: HashMap<usize, &Entry> =
            entries.iter().map(|entry| (entry.argument_bytes, entry)).collect();
        assert_eq!(by_size.len(), entries.len());
        for (number, how, value) in seen {
            let pad = "x".repeat(usize::try_from(number - first(run)).unwrap());
            let entry = by_size.remove(&json!({ "n": number, "pad": pad }).to_string().len());
            let was_answered = calls.remove(&number);
            // The script may have given up while the answer was on its way to it.
            let was_told = |kind: &str| how == kind || how == "cancelled";
            let agrees = match entry.map(|entry| &entry.state) {
                // Given up before the host had begun with it.
                None => how == "cancelled" && was_answered.is_none(),
                Some(State::Succeeded) => {
                    was_told("value")
                        && was_answered == Some(true)
                        && (value.is_none() || value == Some(number))
                }
                Some(State::Refused { kind, .. }) => {
                    was_told(kind.as_str()) && was_answered.is_none()
                }
                Some(State::Failed { kind, .. }) => was_told(kind.as_str()),
                Some(State::Unknown) => how == "cancelled",
                Some(_) => false,
            };
            assert!(agrees, "{number}: {how}, {value:?}, {entry:?}, {was_answered:?}");
            *count.entry(how).or_default() += 1;
        }
        assert!(by_size.is_empty(), "the script did not see {by_size:?}");
    }
    assert!(calls.is_empty(), "the server got what no ledger has: {calls:?}");
    for kind in ["value", "execution", "protocol", "timeout", "unavailable", "cancelled"] {
        assert!(count.contains_key(kind), "nothing of {kind} happened: {count:?}");
    }
}
