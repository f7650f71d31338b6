//! Where each call of a run stands, however the run ended.
//!
//! An entry only moves forward: waiting, in flight, settled. Whoever comes late, a result after the
//! run was closed or a cancellation after the result, changes nothing. So the ledger can be read at
//! any moment and says of every call whether the server has seen it.

mod book;

use std::fmt;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

pub(crate) use book::Book;

use crate::approval::{GrantId, Scope};
use crate::call::Kind;
use crate::flow::Flow;
use crate::review::Reviewed;

/// Number of a call within its run, from 1 in the order in which the script made the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CallId(pub(crate) u64);

impl CallId {
    /// The number.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// The calls of one run, in order.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    entries: Vec<Entry>,
    closed: bool,
}

/// One call of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// Its number.
    pub id: CallId,
    /// The server as the script named it.
    pub server: String,
    /// The tool as the script named it.
    pub tool: String,
    /// Line of the script.
    pub line: Option<u32>,
    /// Where the call stands.
    pub state: State,
    /// Time with the server, until the answer or until now; zero if the call was never sent.
    pub duration: Duration,
    /// Size of the arguments as JSON text; zero until they were looked at.
    pub argument_bytes: usize,
    /// Size of the result as it came; zero without one.
    pub result_bytes: usize,
    /// Why the call was allowed; absent if it was not.
    pub decision: Option<Allowance>,
    /// What the arguments carry of results of other servers, as far as it was looked for.
    pub flows: Vec<Flow>,
    /// What reviewers changed or refused, in order.
    pub reviews: Vec<Reviewed>,
    sent_at: Option<Instant>,
}

/// Where a call stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum State {
    /// On its way through the broker; the server has not seen it.
    Waiting,
    /// The server has it.
    InFlight,
    /// Never sent.
    Refused {
        /// What kept it.
        kind: Kind,
        /// The same in words.
        message: String,
    },
    /// Sent, and the answer was good.
    Succeeded,
    /// Sent, and the answer was an error, bad, or did not come in time.
    Failed {
        /// What went wrong.
        kind: Kind,
        /// The same in words.
        message: String,
    },
    /// In flight when the run ended or the script stopped waiting: it may have taken effect.
    Unknown,
}

/// Why a call was allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Allowance {
    /// A rule of the policy, in its own words.
    Rule(String),
    /// Somebody was asked about this very call.
    Approved {
        /// How far the answer reaches.
        scope: Scope,
        /// What is kept of it, if it reaches beyond this call.
        grant: Option<GrantId>,
    },
    /// An earlier answer covers it.
    Granted {
        /// Which.
        id: GrantId,
        /// How long that one lasts.
        scope: Scope,
    },
}

impl State {
    /// The name used in reports: `waiting`, `in_flight`, `refused`, `succeeded`, `failed`, `unknown`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::InFlight => "in_flight",
            Self::Refused { .. } => "refused",
            Self::Succeeded => "succeeded",
            Self::Failed { .. } => "failed",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the state is final.
    pub fn is_settled(&self) -> bool {
        !matches!(self, Self::Waiting | Self::InFlight)
    }

    /// What may follow what. A call that was sent can no longer be refused, and one that was not
    /// cannot have failed at the server.
    fn may_become(&self, next: &Self) -> bool {
        match self {
            Self::Waiting => matches!(next, Self::InFlight | Self::Refused { .. }),
            Self::InFlight => {
                matches!(next, Self::Succeeded | Self::Failed { .. } | Self::Unknown)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(rule) => write!(f, "rule: {rule}"),
            Self::Approved { scope, grant: None } => write!(f, "approved {scope}"),
            Self::Approved { scope, grant: Some(id) } => write!(f, "approved {scope}, grant {id}"),
            Self::Granted { id, scope } => write!(f, "covered by the grant {id} {scope}"),
        }
    }
}

impl Ledger {
    /// The calls, in the order in which the script made them.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Adds a call; `None` if the run has ended.
    fn open(&mut self, server: &str, tool: &str, line: Option<u32>) -> Option<CallId> {
        if self.closed {
            return None;
        }
        let id = CallId(self.entries.len() as u64 + 1);
        self.entries.push(Entry {
            id,
            server: server.to_owned(),
            tool: tool.to_owned(),
            line,
            state: State::Waiting,
            duration: Duration::ZERO,
            argument_bytes: 0,
            result_bytes: 0,
            decision: None,
            flows: Vec::new(),
            reviews: Vec::new(),
            sent_at: None,
        });
        Some(id)
    }

    fn entry(&mut self, id: CallId) -> Option<&mut Entry> {
        let index = usize::try_from(id.0).ok()?.checked_sub(1)?;
        self.entries.get_mut(index)
    }

    /// Moves an entry forward. Returns whether it moved.
    fn advance(&mut self, id: CallId, next: State, now: Instant) -> bool {
        let Some(entry) = self.entry(id) else { return false };
        if !entry.state.may_become(&next) {
            return false;
        }
        if next == State::InFlight {
            entry.sent_at = Some(now);
        } else if let Some(sent) = entry.sent_at {
            entry.duration = now.saturating_duration_since(sent);
        }
        entry.state = next;
        true
    }

    /// Settles a call whose caller went away.
    fn abandon(&mut self, id: CallId, why: &str, now: Instant) {
        let refused = State::Refused { kind: Kind::Cancelled, message: why.to_owned() };
        let _ = self.advance(id, refused, now) || self.advance(id, State::Unknown, now);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_state() -> impl Strategy<Value = State> {
        let message = || String::new();
        prop_oneof![
            Just(State::Waiting),
            Just(State::InFlight),
            Just(State::Refused { kind: Kind::Denied, message: message() }),
            Just(State::Succeeded),
            Just(State::Failed { kind: Kind::Timeout, message: message() }),
            Just(State::Unknown),
        ]
    }

    fn rank(state: &State) -> u8 {
        match state {
            State::Waiting => 0,
            State::InFlight => 1,
            _ => 2,
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Advance(u64, State),
        Abandon(u64),
    }

    fn any_step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0u64..5, any_state()).prop_map(|(id, state)| Step::Advance(id, state)),
            (0u64..5).prop_map(Step::Abandon),
        ]
    }

    proptest! {
        #[test]
        fn a_ledger_entry_never_moves_backwards(steps in prop::collection::vec(any_step(), 0..40)) {
            let mut ledger = Ledger::default();
            for _ in 0..3 {
                ledger.open("s", "t", None);
            }
            for step in steps {
                let before: Vec<State> = ledger.entries.iter().map(|e| e.state.clone()).collect();
                match step {
                    Step::Advance(id, state) => {
                        ledger.advance(CallId(id), state, Instant::now());
                    }
                    Step::Abandon(id) => ledger.abandon(CallId(id), "gone", Instant::now()),
                }
                for (old, entry) in before.iter().zip(&ledger.entries) {
                    let new = &entry.state;
                    prop_assert!(rank(new) >= rank(old));
                    prop_assert!(!old.is_settled() || old == new, "{old:?} became {new:?}");
                    // Whether the server saw the call is never forgotten nor made up.
                    let refused = matches!(new, State::Refused { .. });
                    prop_assert_eq!(refused || *new == State::Waiting, entry.sent_at.is_none());
                }
            }
        }
    }
}
