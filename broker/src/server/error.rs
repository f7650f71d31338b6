//! Why a server could not be reached, in one sentence each.

use std::path::PathBuf;
use std::time::Duration;

use crate::credential::CredentialError;
use crate::secret::Hidden;

/// Why a server could not be reached. The others are not affected.
///
/// The text is one sentence for a person. It never contains credentials of the configuration: URLs
/// appear without user, password and query, and what a server printed is searched for them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// It is on demand, and nobody has enabled it.
    #[error("it is switched off until it is enabled")]
    Off,
    /// A credential of its configuration cannot be had.
    #[error("{place}: {error}")]
    Credential {
        /// Where the configuration wants it.
        place: String,
        /// Why it cannot be had.
        error: CredentialError,
    },
    /// There is no such program.
    #[error("the command `{command}` was not found")]
    CommandNotFound {
        /// The program.
        command: String,
    },
    /// The working directory of the configuration is not there.
    #[error("the working directory `{}` does not exist", cwd.display())]
    NoDirectory {
        /// The directory.
        cwd: PathBuf,
    },
    /// The program is there and cannot be started.
    #[error("the command `{command}` cannot be started: {problem}")]
    NotStarted {
        /// The program.
        command: String,
        /// What the system says.
        problem: String,
    },
    /// The program ended before it had answered.
    #[error("it ended at its start with {how}{}", Tail(stderr))]
    Exited {
        /// `code 1` or `signal 9`.
        how: String,
        /// The last it wrote to its standard error.
        stderr: String,
    },
    /// The program writes something else than MCP to its standard output.
    #[error("it prints text instead of MCP, beginning with `{line}`")]
    Junk {
        /// The first such line, shortened.
        line: String,
    },
    /// It did not answer in time.
    #[error("it did not answer within {}s{}", after.as_secs_f64(), Tail(stderr))]
    Timeout {
        /// How long we waited.
        after: Duration,
        /// The last it wrote to its standard error; empty for HTTP.
        stderr: String,
    },
    /// The URL cannot be used.
    #[error("the URL is not usable: {problem}")]
    BadUrl {
        /// What is wrong with it.
        problem: String,
    },
    /// A header cannot be sent.
    #[error("the header `{name}` cannot be sent: {problem}")]
    BadHeader {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The host of the URL has no address.
    #[error("the host of {url} is not known")]
    UnknownHost {
        /// The endpoint.
        url: String,
    },
    /// Nothing answers at the URL.
    #[error("{url} cannot be reached: {problem}")]
    Unreachable {
        /// The endpoint.
        url: String,
        /// What the system says.
        problem: String,
    },
    /// HTTP 401 or 403.
    #[error("{url} refuses access (HTTP {status}); check the credentials in `headers`")]
    Unauthorized {
        /// The endpoint.
        url: String,
        /// 401 or 403.
        status: u16,
    },
    /// HTTP 401 of a server at which somebody can log in.
    #[error("{url} wants you to log in: run `cofferdam login {server}`")]
    LoginNeeded {
        /// The endpoint.
        url: String,
        /// The name of the server.
        server: String,
    },
    /// The login does not reach as far as what was asked for.
    #[error("{url} wants more rights ({}): run `cofferdam login {server}`", scopes.join(" "))]
    MoreRights {
        /// The endpoint.
        url: String,
        /// The name of the server.
        server: String,
        /// The rights.
        scopes: Vec<String>,
    },
    /// There is a login, and it cannot be used.
    #[error("the login at {url} cannot be used: {problem}")]
    Login {
        /// The endpoint.
        url: String,
        /// Why.
        problem: String,
    },
    /// HTTP 404.
    #[error("there is nothing at {url} (HTTP 404)")]
    NotFound {
        /// The endpoint.
        url: String,
    },
    /// Another HTTP status that is not success.
    #[error("{url} answers with HTTP {status}")]
    Status {
        /// The endpoint.
        url: String,
        /// The status.
        status: u16,
    },
    /// No revision of the protocol is known to both sides.
    #[error("it speaks no revision of MCP that is known here, only {}", supported.join(", "))]
    Revision {
        /// What the server supports.
        supported: Vec<String>,
    },
    /// It answers, but not as an MCP server does.
    #[error("it does not answer as an MCP server: {problem}")]
    NotMcp {
        /// What is odd.
        problem: String,
    },
    /// It speaks the transport of 2024, HTTP with server-sent events, and nothing newer.
    #[error(
        "{url} speaks only the HTTP+SSE transport of 2024, which is not supported here; many such \
         servers have a streamable HTTP endpoint too, often at `/mcp`"
    )]
    OldTransport {
        /// The endpoint.
        url: String,
    },
    /// It was ready, and the connection broke. It is reached again when it is needed.
    #[error("the connection to it broke: {how}")]
    Lost {
        /// How.
        how: String,
    },
    /// The broker has shut down.
    #[error("the broker has shut down")]
    ShutDown,
    /// It was reached, but its tools cannot be listed.
    #[error("its tools cannot be listed: {problem}")]
    Listing {
        /// What went wrong.
        problem: String,
    },
}

impl ConnectError {
    /// The same without credentials, wherever a server or a configuration has put them.
    pub(crate) fn without(self, secrets: &Hidden) -> Self {
        let hide = |text: String| secrets.hide(&text);
        match self {
            Self::CommandNotFound { command } => Self::CommandNotFound { command: hide(command) },
            Self::NoDirectory { cwd } => {
                Self::NoDirectory { cwd: hide(cwd.to_string_lossy().into_owned()).into() }
            }
            Self::NotStarted { command, problem } => {
                Self::NotStarted { command: hide(command), problem: hide(problem) }
            }
            Self::Exited { how, stderr } => Self::Exited { how, stderr: hide(stderr) },
            Self::Junk { line } => Self::Junk { line: hide(line) },
            Self::Timeout { after, stderr } => Self::Timeout { after, stderr: hide(stderr) },
            Self::BadUrl { problem } => Self::BadUrl { problem: hide(problem) },
            Self::BadHeader { name, problem } => Self::BadHeader { name, problem: hide(problem) },
            Self::UnknownHost { url } => Self::UnknownHost { url: hide(url) },
            Self::Unreachable { url, problem } => {
                Self::Unreachable { url: hide(url), problem: hide(problem) }
            }
            Self::Unauthorized { url, status } => Self::Unauthorized { url: hide(url), status },
            Self::LoginNeeded { url, server } => Self::LoginNeeded { url: hide(url), server },
            Self::MoreRights { url, server, scopes } => {
                Self::MoreRights { url: hide(url), server, scopes }
            }
            Self::Login { url, problem } => Self::Login { url: hide(url), problem: hide(problem) },
            Self::NotFound { url } => Self::NotFound { url: hide(url) },
            Self::Status { url, status } => Self::Status { url: hide(url), status },
            Self::Revision { supported } => {
                Self::Revision { supported: supported.into_iter().map(hide).collect() }
            }
            Self::NotMcp { problem } => Self::NotMcp { problem: hide(problem) },
            Self::Listing { problem } => Self::Listing { problem: hide(problem) },
            Self::OldTransport { url } => Self::OldTransport { url: hide(url) },
            Self::Lost { how } => Self::Lost { how: hide(how) },
            // What was looked for and not found is no secret.
            Self::Off | Self::Credential { .. } | Self::ShutDown => self,
        }
    }
}

/// What a server wrote last, as the end of a sentence. Lines are joined: the sentence stays one.
struct Tail<'a>(&'a str);

impl std::fmt::Display for Tail<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const LINES: usize = 5;
        const CHARS: usize = 200;
        let lines: Vec<&str> =
            self.0.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let skipped = lines.len().saturating_sub(LINES);
        for (index, line) in lines.iter().skip(skipped).enumerate() {
            let short: String = line.chars().filter(|c| !c.is_control()).take(CHARS).collect();
            write!(f, "{} {short}", if index == 0 { ":" } else { " |" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_is_one_sentence() {
        let stderr = "one\n\x1b[31mtwo\r\n\n";
        let error = ConnectError::Exited { how: "code 1".into(), stderr: stderr.into() };
        assert_eq!(error.to_string(), "it ended at its start with code 1: one | [31mtwo");
        let error =
            ConnectError::Timeout { after: Duration::from_millis(1500), stderr: String::new() };
        assert_eq!(error.to_string(), "it did not answer within 1.5s");
    }
}
