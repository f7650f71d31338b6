//! Rounds of questions that a client answers by asking again: what goes out with them, and how the run
//! goes on when they are answered.

use super::{
    arguments::No,
    client::Who,
    follow::Listener,
    handler::Handler,
    live::{Held, Live, Resume},
};
use rmcp::model::{CallToolResponse, InputRequests, InputRequiredResult};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

/// What a client keeps for us while it answers.
#[derive(Serialize, Deserialize)]
struct Claims {
    run: String,
    round: u32,
    resume: Option<Resume>,
}

impl Handler {
    /// Goes on with a run whose questions are answered: with the one that is here, or with a new one
    /// that repeats what the other has done.
    pub(super) fn go_on(
        &self,
        state: &str,
        answers: BTreeMap<String, Value>,
        who: &Who,
        listener: &Listener,
    ) -> Result<Arc<Live>, No> {
        let opened = self.shared.seal.open(state, &who.owner);
        let Claims { run, round, resume } = opened.map_err(|error| No::new(error.to_string()))?;
        let here = self.shared.runs.find(&run, &who.owner);
        if let Some(live) =
            here.as_ref().filter(|live| !(live.is_behind(round) && resume.is_some()))
        {
            if live.resume(round, answers) {
                return Ok(Arc::clone(live));
            }
            return Err(No::new(format!(
                "that question was answered already; wait_run with run_id \"{run}\" has the result"
            )));
        }
        // One that waits here for an answer that another instance has had. The new one takes its place.
        here.inspect(|behind| behind.cancel.cancel());
        let Some(resume) = resume else {
            return Err(No::new(
                "the run can only be continued by the instance that began it, which is not this one or \
                 does not have it any more. Calls that it made are not undone.",
            ));
        };
        self.start(run, round, resume, answers, who, listener)
    }

    /// Puts the questions of a run that is held.
    pub(super) fn ask(&self, live: &Live, held: Held, who: &Who) -> CallToolResponse {
        let shared = &self.shared;
        let requests: InputRequests = held
            .questions
            .iter()
            .filter_map(|(key, params)| {
                let request = json!({ "method": "elicitation/create", "params": params });
                Some((key.clone(), serde_json::from_value(request).ok()?))
            })
            .collect();
        let mut claims = Claims { run: live.id.clone(), round: held.round, resume: held.resume };
        let seal = |claims: &Claims, limit| {
            shared.seal.seal(claims, &who.owner, shared.options.answer_time, limit)
        };
        let state = seal(&claims, shared.options.state_bytes).or_else(|| {
            claims.resume = None;
            seal(&claims, usize::MAX)
        });
        shared.metrics.questions.inc_by(requests.len() as u64);
        InputRequiredResult::new(Some(requests), state).into()
    }
}
