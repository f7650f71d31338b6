//! What went wrong below MCP, told apart as far as a person can do something about it.

use std::error::Error;

use rmcp::transport::AuthError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use crate::oauth::wanted_scopes;
use crate::server::ConnectError;

/// An endpoint as it may be shown.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) url: String,
    /// The name of the server, if a login there would do something.
    pub(super) server: Option<String>,
}

/// A failed exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Status(u16),
    /// 403 for want of these rights.
    Scopes(Vec<String>),
    /// The login cannot be used.
    Login(String),
    UnknownHost,
    Unreachable(String),
    /// The exchange broke off after it had begun.
    Broken(String),
    TooLarge,
    NotMcp(String),
}

impl Failure {
    /// Looks for an HTTP failure among an error and its causes.
    pub(super) fn find(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(current) = next {
            if let Some(error) = current.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
                return Some(error.into());
            }
            next = current.source();
        }
        None
    }

    /// The same as an error of connecting to a place.
    pub(super) fn of(self, place: &Shown) -> ConnectError {
        let Shown { url, server } = place.clone();
        match (self, server) {
            (Self::Status(401), Some(server)) => ConnectError::LoginNeeded { url, server },
            (Self::Scopes(scopes), Some(server)) => {
                ConnectError::MoreRights { url, server, scopes }
            }
            (failure, _) => failure.elsewhere(url),
        }
    }

    fn elsewhere(self, url: String) -> ConnectError {
        match self {
            Self::Scopes(_) => ConnectError::Unauthorized { url, status: 403 },
            Self::Login(problem) => ConnectError::Login { url, problem },
            Self::Status(status @ (401 | 403)) => ConnectError::Unauthorized { url, status },
            Self::Status(404) => ConnectError::NotFound { url },
            Self::Status(status) => ConnectError::Status { url, status },
            Self::UnknownHost => ConnectError::UnknownHost { url },
            Self::Unreachable(problem) | Self::Broken(problem) => {
                ConnectError::Unreachable { url, problem }
            }
            Self::TooLarge => {
                ConnectError::NotMcp { problem: "its answer is too large".to_owned() }
            }
            Self::NotMcp(problem) => ConnectError::NotMcp { problem },
        }
    }
}

impl From<&StreamableHttpError<reqwest::Error>> for Failure {
    fn from(error: &StreamableHttpError<reqwest::Error>) -> Self {
        use StreamableHttpError as E;
        match error {
            E::AuthRequired(_) => Self::Status(401),
            E::InsufficientScope(error) => wanted_scopes(&error.www_authenticate_header)
                .map_or(Self::Status(403), Self::Scopes),
            E::Auth(AuthError::CredentialStoreError(problem)) => Self::Login(problem.clone()),
            E::HttpStatus(error) => Self::Status(error.status),
            E::SessionExpired => Self::Status(404),
            E::ResponseBodyTooLarge { .. } => Self::TooLarge,
            E::Client(error) => unreachable(error),
            E::UnexpectedContentType(Some(kind)) => {
                let kind: String = kind.chars().filter(|c| !c.is_control()).take(60).collect();
                Self::NotMcp(format!("it answers with `{kind}`"))
            }
            E::UnexpectedContentType(None) => {
                Self::NotMcp("it answers without a content type".to_owned())
            }
            other => Self::NotMcp(innermost(other)),
        }
    }
}

fn unreachable(error: &reqwest::Error) -> Failure {
    if let Some(status) = error.status() {
        return Failure::Status(status.as_u16());
    }
    let mut next = error.source();
    while let Some(current) = next {
        // reqwest and hyper have no type for this.
        if current.to_string().contains("dns error") {
            return Failure::UnknownHost;
        }
        next = current.source();
    }
    // The outer messages repeat the URL with its query.
    let problem = innermost(error);
    if error.is_connect() { Failure::Unreachable(problem) } else { Failure::Broken(problem) }
}

fn innermost(error: &dyn Error) -> String {
    let Some(mut cause) = error.source() else {
        return "the exchange failed".to_owned();
    };
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
