//! Where a replay first does something else than the recording.

use std::fmt;

use serde_json::Value;

use super::differences;

/// A call, as a script made it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Made {
    /// Its number in the run.
    pub number: u64,
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// Line of the script.
    pub line: Option<u32>,
    /// The arguments.
    pub arguments: Value,
}

/// Where a replay first does something else than the recording.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Divergence {
    /// Another call is made.
    Different {
        /// The call in the recording.
        expected: Made,
        /// The one that is made.
        made: Made,
    },
    /// A call is made that the recording does not have (any more).
    Extra {
        /// The call.
        made: Made,
        /// How many calls the recording has.
        recorded: usize,
    },
    /// A call of the recording was not made.
    Missing {
        /// The call.
        expected: Made,
    },
    /// A call was not made, or not settled, before the answer to another.
    Order {
        /// What was waited for.
        expected: Made,
        /// The call whose answer came after it in the recording.
        before: Made,
    },
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, server, tool, line, .. } = self;
        let slash = if server.is_empty() { "" } else { "/" };
        write!(f, "call #{number} ({server}{slash}{tool}")?;
        line.map_or(Ok(()), |line| write!(f, ", line {line}"))?;
        f.write_str(")")
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Different { expected, made }
                if (&expected.server, &expected.tool) == (&made.server, &made.tool) =>
            {
                let differences = differences(&expected.arguments, &made.arguments);
                write!(f, "{made} has other arguments than in the recording{differences}")
            }
            Self::Different { expected, made } => {
                write!(f, "the recording has {expected} here; the script makes {made}")
            }
            Self::Extra { made, recorded } => {
                let plural = if *recorded == 1 { "" } else { "s" };
                write!(
                    f,
                    "{made} is not among the {recorded} call{plural} of the recording, or was answered before"
                )
            }
            Self::Missing { expected } => {
                write!(f, "{expected} of the recording was not made")
            }
            Self::Order { expected, before } => {
                write!(
                    f,
                    "{expected} came before the answer to {before} in the recording, and does not now"
                )
            }
        }
    }
}
