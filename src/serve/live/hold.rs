//! A run that is held while its questions are answered, and what it takes to go on with it, here or at
//! another instance.

use super::Live;
use crate::serve::{job::Job, past::Record};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Instant;

/// A run that is held.
pub(in crate::serve) struct Held {
    pub(in crate::serve) round: u32,
    /// What it takes to go on elsewhere, if that is possible.
    pub(in crate::serve) resume: Option<Resume>,
    pub(in crate::serve) questions: Vec<(String, Value)>,
}

/// What is needed to go on with a run elsewhere.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::serve) struct Resume {
    pub(in crate::serve) job: Job,
    pub(in crate::serve) record: Record,
    pub(in crate::serve) granted: Vec<Granted>,
}

/// A tool that was allowed for the whole run, and what it was then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::serve) struct Granted {
    pub(in crate::serve) server: String,
    pub(in crate::serve) tool: String,
    pub(in crate::serve) digest: String,
}

impl Live {
    /// Holds it, if nothing moves but its questions.
    pub(in crate::serve) fn hold(&self) -> Option<Held> {
        self.change(|state| {
            if !state.only_asks() {
                return None;
            }
            state.held = Some(Instant::now() + self.answer_time);
            state.round += 1;
            // What a server asks belongs to a call that it has already.
            let is_portable = state.questions.values().all(|question| question.is_portable);
            let record = state.past.record().filter(|_| is_portable);
            let granted = state.granted.clone();
            let questions = &state.questions;
            Some(Held {
                round: state.round,
                resume: record.map(|record| Resume { job: self.job.clone(), record, granted }),
                questions: questions
                    .iter()
                    .map(|(key, it)| (key.clone(), it.params.clone()))
                    .collect(),
            })
        })
    }

    /// Lets it go on after it was held for the time that is named, with these answers.
    pub(in crate::serve) fn resume(
        &self,
        round: u32,
        answers: impl IntoIterator<Item = (String, Value)>,
    ) -> bool {
        let can_go_on = self.change(|state| {
            let can_go_on = state.round == round && state.held.take().is_some();
            can_go_on.then(|| {
                for (key, answer) in answers {
                    state.answer(&key, answer);
                }
            })
        });
        can_go_on.is_some()
    }

    /// Whether it is held since before the time that is named: it went on elsewhere meanwhile.
    pub(in crate::serve) fn is_behind(&self, round: u32) -> bool {
        let state = self.lock();
        state.held.is_some() && state.round < round
    }

    /// Whether it was held for longer than anybody will wait.
    pub(in crate::serve) fn is_forgotten(&self, now: Instant) -> bool {
        self.lock().held.is_some_and(|until| until < now)
    }
}
