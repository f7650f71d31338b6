//! An MCP server over a day of logs, for the demo.
//!
//! One tool, `getLogs`, with an output schema: what a script gets from it is typed. The entries are
//! made up by [`day`], so that the demo needs no log files and finds something every time.

mod day;

use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{Json, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};
use serde::{Deserialize, Serialize};

use day::Level;

/// What `getLogs` is asked for.
#[derive(Deserialize, schemars::JsonSchema)]
struct GetLogs {
    /// Only entries of exactly this level.
    level: Level,
    /// Only entries from this moment on, in milliseconds since 1970-01-01 UTC (what `Date.now()` gives).
    since: f64,
}

/// What `getLogs` answers.
#[derive(Serialize, schemars::JsonSchema)]
struct Logs {
    /// The entries, oldest first.
    entries: Vec<LogEntry>,
}

/// One line of the log.
#[derive(Serialize, schemars::JsonSchema)]
struct LogEntry {
    /// When it was written, as ISO 8601 in UTC.
    timestamp: String,
    /// What happened. Errors of the same cause have the same message.
    message: String,
    /// "error", "warn" or "info".
    #[schemars(with = "String")]
    level: Level,
}

struct Logging;

#[tool_router]
impl Logging {
    /// Read log entries of the shop's services, oldest first. The last 24 hours are kept.
    #[tool(
        name = "getLogs",
        annotations(title = "Read logs", read_only_hint = true, open_world_hint = false)
    )]
    async fn get_logs(&self, Parameters(wanted): Parameters<GetLogs>) -> Json<Logs> {
        let entries = day::entries_until(now_ms())
            .filter(|entry| entry.level == wanted.level && entry.at_ms as f64 >= wanted.since)
            .map(|entry| LogEntry {
                timestamp: day::iso_8601(entry.at_ms),
                message: entry.message,
                level: entry.level,
            })
            .collect();
        Json(Logs { entries })
    }
}

#[tool_handler(
    name = "logging",
    instructions = "Logs of a web shop. Read errors with getLogs and group them by message: one cause shows up many times."
)]
impl ServerHandler for Logging {}

fn now_ms() -> u64 {
    // A clock before 1970 has no logs: the day then ends at its first millisecond.
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    Logging.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_schema_names_the_entry() {
        let tool = Logging::tool_router().list_all().remove(0);
        let schema = serde_json::Value::Object(tool.output_schema.unwrap().as_ref().clone());
        assert_eq!(schema["properties"]["entries"]["items"]["$ref"], "#/$defs/LogEntry");
        assert_eq!(schema["$defs"]["LogEntry"]["properties"]["level"]["type"], "string");
    }

    #[test]
    fn level_stands_in_the_input_schema_itself() {
        let tool = Logging::tool_router().list_all().remove(0);
        let level = &tool.input_schema["properties"]["level"];
        assert_eq!(level["enum"], serde_json::json!(["error", "warn", "info"]));
    }

    #[test]
    fn reading_is_marked_as_such() {
        let tool = Logging::tool_router().list_all().remove(0);
        assert_eq!(tool.annotations.unwrap().read_only_hint, Some(true));
    }
}
