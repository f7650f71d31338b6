//! A server that does what a file says, and the log of what it saw.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use broker::ServerConfig;
use serde_json::Value;

use crate::PATIENCE;

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/scripted.py");

/// How the server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Stdio,
    Http,
}

impl By {
    pub(crate) const BOTH: [Self; 2] = [Self::Stdio, Self::Http];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        }
    }
}

/// A server with its script; it ends with the test, and so does its folder.
pub(crate) struct Scripted {
    folder: PathBuf,
    by: By,
    process: Option<(Child, u16)>,
}

impl Scripted {
    pub(crate) fn new(by: By, script: &Value) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("scripted-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("script.json"), script.to_string()).unwrap();
        let mut scripted = Self { folder, by, process: None };
        if by == By::Http {
            let mut command = Command::new("python3");
            command.args(scripted.arguments()).stdout(Stdio::piped());
            let mut process = command.spawn().unwrap();
            let mut port = String::new();
            BufReader::new(process.stdout.take().unwrap()).read_line(&mut port).unwrap();
            scripted.process = Some((process, port.trim().parse().unwrap()));
        }
        scripted
    }

    fn arguments(&self) -> [String; 4] {
        let file = |name| self.folder.join(name).to_string_lossy().into_owned();
        [FIXTURE.to_owned(), self.by.name().to_owned(), file("script.json"), file("log")]
    }

    pub(crate) fn config(&self) -> ServerConfig {
        match &self.process {
            None => ServerConfig::stdio("python3", self.arguments()),
            Some((_, port)) => ServerConfig::http(format!("http://127.0.0.1:{port}/mcp")),
        }
        .connect_timeout(PATIENCE)
    }

    pub(crate) fn port(&self) -> u16 {
        self.process.as_ref().unwrap().1
    }

    /// What happened, in the server's words.
    pub(crate) fn log(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// How often the server got a request or notification.
    pub(crate) fn count(&self, method: &str) -> usize {
        self.log().iter().filter(|entry| entry["got"] == method).count()
    }

    /// Waits until something is in the log.
    pub(crate) async fn wait_for(&self, what: &str, is_it: impl Fn(&Value) -> bool) {
        for _ in 0..400 {
            if self.log().iter().any(&is_it) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{what} is not in the log: {:?}", self.log());
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        if let Some((process, _)) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
