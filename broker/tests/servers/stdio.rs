mod calls;
mod end;
mod start;

use std::path::PathBuf;
use std::time::Duration;

use broker::{Broker, CallLimits, Request, ServerConfig, ToolError};
use serde_json::{Value, json};

use crate::{PATIENCE, broker};

/// A server that behaves in a certain way.
fn fixture(behaviour: &str) -> ServerConfig {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/server.py");
    ServerConfig::stdio("python3", [script, behaviour]).connect_timeout(PATIENCE)
}

/// The same, writing down what it sees.
fn noting(behaviour: &str, notes: &Notes) -> ServerConfig {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/server.py");
    let file = notes.file().to_string_lossy().into_owned();
    ServerConfig::stdio("python3", [script, behaviour, &file]).connect_timeout(PATIENCE)
}

async fn reached(behaviour: &str) -> Broker {
    broker(fixture(behaviour), CallLimits::default()).await
}

async fn call(broker: &Broker, tool: &str, input: Value) -> Result<broker::Answer, ToolError> {
    broker.open_run().call(Request::new("s", tool, input)).await
}

async fn fault(broker: &Broker, tool: &str) -> ToolError {
    call(broker, tool, json!({})).await.unwrap_err()
}

/// A file into which a fixture writes, in a directory of its own: a fixture that writes after the
/// test has ended leaves nothing behind.
struct Notes(PathBuf);

impl Notes {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("broker-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("notes")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap_or_default()
    }

    async fn wait_for(&self, line: &str) {
        for _ in 0..200 {
            if self.text().lines().any(|noted| noted == line) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("`{line}` is not among: {}", self.text());
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
