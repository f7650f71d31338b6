//! Tickets in an SQLite file: one table, `issues`, a row each.
//!
//! Titles are checked here, so that nothing else can file a bad one. A model reads the messages of
//! [`Error`] when its call is refused, so they say what to change.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rmcp::schemars;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

const TITLE_CHARS: usize = 200;

/// How soon somebody should look at an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Priority {
    Low,
    Medium,
    High,
}

/// Whether an issue still needs work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum State {
    Open,
    Closed,
}

/// The name of an issue outside the file: `TICKET-7` for row 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IssueId(i64);

/// An issue as `listIssues` shows it.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Issue {
    pub(crate) issue_id: String,
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    pub(crate) priority: String,
    pub(crate) state: String,
    pub(crate) created_at: String,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("title is empty: say in one line what is wrong")]
    EmptyTitle,
    #[error(
        "title has {chars} characters, at most {TITLE_CHARS} are allowed: move details to body"
    )]
    LongTitle { chars: usize },
    #[error("title has a line break: use one line as the title and put the rest into body")]
    BrokenTitle,
    #[error(
        "`{text}` is not an issue id: use one that createIssue or listIssues gave, like TICKET-7"
    )]
    BadId { text: String },
    #[error("there is no {id}: listIssues shows which issues exist")]
    NoSuchIssue { id: IssueId },
    #[error("the ticket file cannot be used")]
    File(#[from] rusqlite::Error),
}

/// The open file. Calls are short and take turns.
pub(crate) struct Store {
    connection: Mutex<Connection>,
}

impl Store {
    /// Opens a file, making it, its folder and its table if they are not there.
    pub(crate) fn open(file: &Path) -> Result<Self, Error> {
        if let Some(folder) = file.parent() {
            // If it cannot be made, SQLite says what that means for the file.
            let _ = std::fs::create_dir_all(folder);
        }
        let connection = Connection::open(file)?;
        // Two servers on one file wait for each other instead of failing.
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS issues (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                title TEXT NOT NULL,
                body TEXT,
                priority TEXT NOT NULL,
                state TEXT NOT NULL DEFAULT 'open',
                created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
            )",
        )?;
        Ok(Self { connection: Mutex::new(connection) })
    }

    /// Files an issue.
    pub(crate) fn create(
        &self,
        title: &str,
        body: Option<&str>,
        priority: Priority,
    ) -> Result<IssueId, Error> {
        check_title(title)?;
        self.with(|connection| {
            connection.execute(
                "INSERT INTO issues (title, body, priority) VALUES (?1, ?2, ?3)",
                params![title, body, priority.word()],
            )?;
            Ok(IssueId(connection.last_insert_rowid()))
        })
    }

    /// The issues in `state`, or all, oldest first.
    pub(crate) fn list(&self, state: Option<State>) -> Result<Vec<Issue>, Error> {
        self.with(|connection| {
            let mut rows = connection.prepare(
                "SELECT id, title, body, priority, state, created_at FROM issues
                 WHERE ?1 IS NULL OR state = ?1 ORDER BY id",
            )?;
            let issues = rows.query_map([state.map(State::word)], |row| {
                Ok(Issue {
                    issue_id: IssueId(row.get(0)?).to_string(),
                    title: row.get(1)?,
                    body: row.get(2)?,
                    priority: row.get(3)?,
                    state: row.get(4)?,
                    created_at: row.get(5)?,
                })
            })?;
            Ok(issues.collect::<Result<_, _>>()?)
        })
    }

    /// Closes an issue, which may be closed already.
    pub(crate) fn close(&self, id: IssueId) -> Result<(), Error> {
        self.with(|connection| {
            connection
                .query_row(
                    "UPDATE issues SET state = ?2 WHERE id = ?1 RETURNING id",
                    params![id.0, State::Closed.word()],
                    |_| Ok(()),
                )
                .optional()?
                .ok_or(Error::NoSuchIssue { id })
        })
    }

    fn with<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        // A panic elsewhere leaves the file whole: each statement did or did not run.
        work(&self.connection.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn check_title(title: &str) -> Result<(), Error> {
    match title.chars().count() {
        _ if title.trim().is_empty() => Err(Error::EmptyTitle),
        _ if title.contains(['\n', '\r']) => Err(Error::BrokenTitle),
        chars if chars > TITLE_CHARS => Err(Error::LongTitle { chars }),
        _ => Ok(()),
    }
}

impl Priority {
    fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

impl fmt::Display for IssueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TICKET-{}", self.0)
    }
}

impl FromStr for IssueId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let number = text.strip_prefix("TICKET-").and_then(|number| number.parse().ok());
        number.map(Self).ok_or_else(|| Error::BadId { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests;
