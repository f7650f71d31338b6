//! Credentials that are kept elsewhere: in a file, behind a command, in the system's keychain.
//!
//! A configuration says where a credential is; the broker fetches it when it reaches the server, and
//! not before: a server that is not used asks nobody for anything. What was fetched is a [`Secret`]
//! from the first moment on. An error says which place gave nothing and why, never what it gave.

mod command;
mod file;
mod keychain;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use keychain::Keychain;

use crate::secret::Secret;

/// How large a credential may be, wherever it comes from.
const BYTES: usize = 64 * 1024;
/// How long fetching one may take. Some places ask somebody to unlock them.
const TIME: Duration = Duration::from_secs(60);

/// Where a credential is kept.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CredentialSource {
    /// A file that holds it and nothing else.
    File(PathBuf),
    /// A program that prints it. No shell comes between.
    Command {
        /// The program, looked up in `PATH` if it has no slash.
        program: String,
        /// Its arguments.
        args: Vec<String>,
    },
    /// The system's keychain.
    Keychain {
        /// The service under which it is kept.
        service: String,
        /// The account.
        account: String,
    },
}

/// A text of a configuration of which parts are kept elsewhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Template {
    place: String,
    parts: Vec<Part>,
}

/// A piece of a [`Template`].
#[derive(Clone, PartialEq, Eq)]
pub enum Part {
    /// As it stands in the configuration.
    Text(String),
    /// What is fetched from there.
    From(CredentialSource),
}

/// Why a credential cannot be had. It never contains one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialError {
    /// The file is not there or not for us.
    #[error("the file {} cannot be read: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        problem: String,
    },
    /// The program is not there, or cannot be started.
    #[error("the command `{program}` cannot be started: {problem}")]
    NotStarted {
        /// The program.
        program: String,
        /// What the system says.
        problem: String,
    },
    /// The program says that it failed.
    #[error("the command `{program}` ended with {how}{}", After(stderr))]
    Failed {
        /// The program.
        program: String,
        /// `code 1` or `signal 9`.
        how: String,
        /// The last it wrote to its standard error, without what it wrote to its output.
        stderr: String,
    },
    /// The keychain cannot be used.
    #[error("the system's keychain cannot be used: {problem}")]
    NoKeychain {
        /// Why.
        problem: String,
    },
    /// The keychain has no such entry.
    #[error("the system's keychain has no entry for the account `{account}` of `{service}`")]
    NotInKeychain {
        /// The service.
        service: String,
        /// The account.
        account: String,
    },
    /// It did not come in time.
    #[error("{from} gave nothing within {}s", after.as_secs_f64())]
    Timeout {
        /// From where.
        from: String,
        /// How long we waited.
        after: Duration,
    },
    /// It is no credential.
    #[error("{from} gave {problem}")]
    Unusable {
        /// From where.
        from: String,
        /// What is wrong with what came.
        problem: &'static str,
    },
}

impl CredentialSource {
    /// Fetches the credential. A line end after it does not belong to it.
    ///
    /// # Errors
    /// See [`CredentialError`].
    pub async fn fetch(&self) -> Result<Secret, CredentialError> {
        self.fetch_within(TIME).await
    }

    async fn fetch_within(&self, time: Duration) -> Result<Secret, CredentialError> {
        let fetching = async {
            match self {
                Self::File(path) => file::read(path.clone()).await,
                Self::Command { program, args } => command::run(program, args).await,
                Self::Keychain { service, account } => Keychain::new(service, account).read().await,
            }
        };
        let slow = |_| CredentialError::Timeout { from: self.to_string(), after: time };
        let bytes = tokio::time::timeout(time, fetching).await.map_err(slow)??;
        let unusable = |problem| CredentialError::Unusable { from: self.to_string(), problem };
        if bytes.len() > BYTES {
            return Err(unusable("more than 64 KiB, too much for a credential"));
        }
        let text = String::from_utf8(bytes).map_err(|_| unusable("something that is not text"))?;
        match text.trim_end_matches(['\r', '\n']) {
            "" => Err(unusable("nothing")),
            text => Ok(Secret::new(text)),
        }
    }
}

/// The place in words, without arguments: these may be credentials themselves.
impl fmt::Display for CredentialSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "the file {}", path.display()),
            Self::Command { program, .. } => write!(f, "the command `{program}`"),
            Self::Keychain { service, account } => {
                write!(f, "the keychain's entry for the account `{account}` of `{service}`")
            }
        }
    }
}

impl fmt::Debug for CredentialSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Template {
    /// A text that is put together from parts. `place` is where it stands in the configuration, for
    /// errors.
    pub fn new(place: impl Into<String>, parts: Vec<Part>) -> Self {
        Self { place: place.into(), parts }
    }

    /// The text, if nothing of it is elsewhere.
    pub fn plain(&self) -> Option<String> {
        let text = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::From(_) => None,
        };
        self.parts.iter().map(text).collect()
    }

    /// The whole text, with what of it was fetched.
    pub(crate) async fn fetch(&self) -> Result<Fetched, Unfetched> {
        let mut fetched = Fetched { text: String::new(), secrets: Vec::new() };
        for part in &self.parts {
            match part {
                Part::Text(text) => fetched.text.push_str(text),
                Part::From(source) => {
                    let failed = |error| Unfetched { place: self.place.clone(), error };
                    let secret = source.fetch().await.map_err(failed)?;
                    fetched.text.push_str(secret.expose());
                    fetched.secrets.push(secret);
                }
            }
        }
        Ok(fetched)
    }
}

impl From<&str> for Template {
    fn from(text: &str) -> Self {
        Self::new("", vec![Part::Text(text.to_owned())])
    }
}

/// Text of a configuration may be a credential as well, so only places are shown.
impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.parts).finish()
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("***"),
            Self::From(source) => fmt::Display::fmt(source, f),
        }
    }
}

/// A [`Template`] with everything in its place.
pub(crate) struct Fetched {
    pub(crate) text: String,
    pub(crate) secrets: Vec<Secret>,
}

/// What is missing, and where in the configuration it was wanted.
pub(crate) struct Unfetched {
    pub(crate) place: String,
    pub(crate) error: CredentialError,
}

/// What a program wrote last, as the end of a sentence.
struct After<'a>(&'a str);

impl fmt::Display for After<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}

#[cfg(test)]
mod tests;
