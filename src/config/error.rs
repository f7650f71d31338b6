//! What can be wrong with a configuration: what, where, and what to do.

use std::{fmt, io, path::PathBuf};

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No file was named, and none is where one is looked for.
    #[error("there is no configuration file; looked for {}", List(places))]
    NotFound {
        /// Where one was looked for, in this order.
        places: Vec<PathBuf>,
    },
    /// The file cannot be read.
    #[error("the configuration file {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file says something that cannot be.
    #[error("{}:{line}:{column}: {problem}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// What is wrong.
        problem: Box<Problem>,
    },
}

/// What is wrong with the content of a configuration file. `what` says in words what it is about,
/// for example ``the server `files` ``.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file is not UTF-8.
    #[error("this is not UTF-8 text")]
    NotText,
    /// The file is not JSON.
    #[error("this is not JSON: {problem}")]
    Syntax {
        /// What the parser says.
        problem: String,
    },
    /// A key that means nothing.
    #[error("unknown key `{key}` in {what}{}", Suggestion(nearest.as_deref(), known))]
    UnknownKey {
        /// The key.
        key: String,
        /// Where it is.
        what: String,
        /// The key that was probably meant.
        nearest: Option<String>,
        /// All keys that are possible there.
        known: Vec<String>,
    },
    /// A key that is there twice.
    #[error("the key `{key}` is there twice in {what}; keep one")]
    DuplicateKey {
        /// The key.
        key: String,
        /// Where it is.
        what: String,
    },
    /// A value of a wrong type.
    #[error("{what} must be {expected}, not {found}")]
    WrongType {
        /// Which value.
        what: String,
        /// What it must be.
        expected: String,
        /// What it is.
        found: &'static str,
    },
    /// A value of the right type that cannot be used.
    #[error("{what}: {problem}")]
    BadValue {
        /// Which value.
        what: String,
        /// Why, and what is possible.
        problem: String,
    },
    /// Something that must be there is not.
    #[error("{what} needs {missing}")]
    Missing {
        /// Where it must be.
        what: String,
        /// What is missing.
        missing: String,
    },
    /// A key of one kind of server at a server of the other kind.
    #[error("`{key}` of {what} does not go with `{other}`; {remedy}")]
    Misplaced {
        /// The key.
        key: String,
        /// Where it is.
        what: String,
        /// The key that it contradicts.
        other: String,
        /// What to do.
        remedy: String,
    },
    /// A way to reach a server that is not supported.
    #[error(
        "{what} has the type `{kind}`, which is not supported: only `stdio` (a program) and \
         `http` (streamable HTTP) are"
    )]
    Transport {
        /// The server.
        what: String,
        /// The type.
        kind: String,
    },
    /// An environment variable that is used and not set.
    #[error("the environment variable `{name}` is not set, and {what} uses it; set it")]
    UnsetVariable {
        /// The variable.
        name: String,
        /// Where it is used.
        what: String,
    },
    /// An environment variable that is not text.
    #[error("the environment variable `{name}`, which {what} uses, is not UTF-8 text")]
    VariableNotText {
        /// The variable.
        name: String,
        /// Where it is used.
        what: String,
    },
    /// A `${` that does not begin a variable. The text is not shown: it may be part of a
    /// credential.
    #[error(
        "{what} has a `${{` that is not understood; write `${{env:NAME}}`, `${{file:PATH}}`, \
         `${{command:PROGRAM …}}` or `${{keychain:SERVICE/ACCOUNT}}`, or `$${{` for the characters \
         themselves"
    )]
    NotAVariable {
        /// Where it is.
        what: String,
    },
    /// A credential that is kept elsewhere, where the value is needed at once.
    #[error(
        "{what} is needed before the server is reached; only `${{env:NAME}}` can be used in it"
    )]
    TooEarly {
        /// Where it is.
        what: String,
    },
    /// `trust` names a server that does not exist.
    #[error(
        "`trust` names the server `{name}`, which is not in `mcpServers`{}",
        Suggestion(nearest.as_deref(), &[])
    )]
    UnknownServer {
        /// The name.
        name: String,
        /// The name that was probably meant.
        nearest: Option<String>,
    },
}

/// A place in a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    /// In characters.
    pub(super) column: usize,
}

/// A problem and where it is.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: Place,
    pub(super) problem: Problem,
}

impl Place {
    pub(super) fn fault(self, problem: Problem) -> Fault {
        Fault { at: self, problem }
    }
}

struct List<'a>(&'a [PathBuf]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, path) in self.0.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { " and " }, path.display())?;
        }
        Ok(())
    }
}

/// The end of a sentence about something unknown.
struct Suggestion<'a>(Option<&'a str>, &'a [String]);

impl fmt::Display for Suggestion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(Some(nearest), _) => write!(f, "; did you mean `{nearest}`?"),
            Self(None, []) => Ok(()),
            Self(None, known) => write!(f, "; possible are `{}`", known.join("`, `")),
        }
    }
}
