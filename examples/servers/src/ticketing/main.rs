//! An MCP server for tickets, for the demo. Usage: `ticketing [FILE]`
//!
//! Keeps its tickets in an SQLite file: the argument, else the variable `TICKETS_DB`, else `tickets.db`
//! in the working directory. It shows three kinds of answers: structured ones, plain text (`listIssues`
//! has no output schema), and refusals, which are results with `isError` that say how to do better.

mod store;

use std::path::PathBuf;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{Json, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};
use serde::{Deserialize, Serialize};

use store::{IssueId, Priority, State, Store};

// Optional fields are written so that their schema is that of the value: no `null` in its type or as its default.

/// What `createIssue` is asked for.
#[derive(Deserialize, schemars::JsonSchema)]
struct CreateIssue {
    /// What is wrong, in one line of at most 200 characters.
    title: String,
    /// Details, as long as needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    body: Option<String>,
    /// How soon somebody should look at it.
    priority: Priority,
}

/// Which issue `closeIssue` is asked to close.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CloseIssue {
    /// The id that createIssue gave.
    issue_id: String,
}

/// Which issues `listIssues` is asked for.
#[derive(Deserialize, schemars::JsonSchema)]
struct ListIssues {
    /// Only issues in this state. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "State")]
    state: Option<State>,
}

/// The issue that a call made or changed.
#[derive(Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
struct IssueRef {
    /// Its id, to be given to the other tools.
    issue_id: String,
}

struct Ticketing {
    store: Store,
}

#[tool_router]
impl Ticketing {
    /// File a new ticket. Every call makes one: look with listIssues first if it may exist already.
    #[tool(
        name = "createIssue",
        annotations(title = "File a ticket", destructive_hint = false, open_world_hint = false)
    )]
    async fn create_issue(
        &self,
        Parameters(wanted): Parameters<CreateIssue>,
    ) -> Result<Json<IssueRef>, String> {
        let id = self
            .store
            .create(&wanted.title, wanted.body.as_deref(), wanted.priority)
            .map_err(|error| error.to_string())?;
        Ok(Json(IssueRef { issue_id: id.to_string() }))
    }

    /// List tickets, oldest first. The text is a JSON array of
    /// {issueId, title, body, priority, state, createdAt}.
    #[tool(
        name = "listIssues",
        annotations(title = "List tickets", read_only_hint = true, open_world_hint = false)
    )]
    async fn list_issues(
        &self,
        Parameters(wanted): Parameters<ListIssues>,
    ) -> Result<String, String> {
        let issues = self.store.list(wanted.state).map_err(|error| error.to_string())?;
        serde_json::to_string(&issues).map_err(|error| error.to_string())
    }

    /// Close a ticket. Closing one that is closed already changes nothing.
    #[tool(
        name = "closeIssue",
        annotations(
            title = "Close a ticket",
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn close_issue(
        &self,
        Parameters(wanted): Parameters<CloseIssue>,
    ) -> Result<Json<IssueRef>, String> {
        let id: IssueId = wanted.issue_id.parse().map_err(|error| format!("{error}"))?;
        self.store.close(id).map_err(|error| error.to_string())?;
        Ok(Json(IssueRef { issue_id: id.to_string() }))
    }
}

#[tool_handler(
    router = Ticketing::tool_router(),
    name = "ticketing",
    instructions = "The team's tickets. File one per cause with createIssue, not one per occurrence."
)]
impl ServerHandler for Ticketing {}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let file = std::env::args_os()
        .nth(1)
        .or_else(|| std::env::var_os("TICKETS_DB"))
        .map_or_else(|| PathBuf::from("tickets.db"), PathBuf::from);
    let store = Store::open(&file)?;
    Ticketing { store }.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rmcp::model::Tool;

    use super::*;

    fn tool(name: &str) -> Tool {
        Ticketing::tool_router().list_all().into_iter().find(|tool| tool.name == name).unwrap()
    }

    #[test]
    fn only_list_issues_has_no_output_schema() {
        assert!(tool("createIssue").output_schema.is_some());
        assert!(tool("closeIssue").output_schema.is_some());
        assert!(tool("listIssues").output_schema.is_none());
    }

    #[test]
    fn body_is_an_optional_string() {
        let schema = tool("createIssue").input_schema;
        assert_eq!(schema["properties"]["body"]["type"], "string");
        assert_eq!(schema["required"], serde_json::json!(["title", "priority"]));
    }

    #[test]
    fn only_list_issues_says_that_it_only_reads() {
        let reads = |name| tool(name).annotations.and_then(|hints| hints.read_only_hint);
        assert_eq!(reads("listIssues"), Some(true));
        assert_ne!(reads("createIssue"), Some(true));
    }
}
