//! What one run has read, and what that means for its next calls.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use super::find::{self, TOLD};
use super::held::{FINGERPRINTS, Held};
use super::{DataFlow, Flow, Origin, Source};
use crate::policy::{Action, Verdict};

/// The data of one run.
pub(crate) struct Tracker {
    held: Mutex<Held>,
    /// The first sensitive thing that it read.
    sensitive: Mutex<Option<Source>>,
}

/// What flows with a call, and what follows from that.
#[derive(Default)]
pub(crate) struct Labels {
    /// What is told, the largest first.
    pub(crate) flows: Vec<Flow>,
    /// Where that comes from about which somebody must be asked, whatever the policy says. Only a
    /// grant that was given for all of them covers the call.
    pub(crate) asked: Vec<Origin>,
    /// The strictest of what the rules say.
    judged: Option<super::rules::Judged>,
}

impl Default for Tracker {
    fn default() -> Self {
        // Random: see `Held`.
        Self::with_key(RandomState::new().hash_one(0), FINGERPRINTS)
    }
}

impl Tracker {
    fn with_key(key: u64, most: usize) -> Self {
        Self { held: Mutex::new(Held::new(key, most)), sensitive: Mutex::default() }
    }

    /// Takes note of what a call returned, before the script gets it.
    pub(crate) fn note(&self, rules: &DataFlow, source: Source, result: &Value) {
        if rules.is_sensitive(&source.server, &source.tool) {
            lock(&self.sensitive).get_or_insert_with(|| source.clone());
        }
        if rules.watches() {
            lock(&self.held).add(source, result);
        }
    }

    /// What a call of a tool carries.
    pub(crate) fn label(
        &self,
        rules: &DataFlow,
        (server, tool): (&str, &str),
        arguments: &Map<String, Value>,
    ) -> Labels {
        let mut labels = Labels::default();
        if rules.is_public(server)
            && let Some(from) = lock(&self.sensitive).clone()
        {
            labels.flows.push(Flow::Sensitive { from });
        }
        if rules.watches() {
            let held = lock(&self.held);
            labels.flows.extend(find::flows(&held, arguments, server));
            for (from_server, from_tool) in held.forgotten() {
                if from_server != server {
                    let flow =
                        Flow::Forgotten { server: from_server.into(), tool: from_tool.into() };
                    // Whoever is told of everything that might be is told nothing.
                    let matters = rules.judge(&flow, server, tool);
                    if matters.is_some_and(|judged| judged.action != Action::Allow) {
                        labels.flows.push(flow);
                    }
                }
            }
        }
        for flow in &labels.flows {
            let Some(judged) = rules.judge(flow, server, tool) else { continue };
            if judged.action == Action::Ask {
                let origin = Origin::of(flow);
                if !labels.asked.contains(&origin) {
                    labels.asked.push(origin);
                }
            }
            labels.judged = Some(match labels.judged.take() {
                Some(known) => known.and(judged),
                None => judged,
            });
        }
        labels.flows.truncate(TOLD);
        labels
    }
}

impl Labels {
    /// The stricter of the policy's verdict and what the rules of data flow say.
    pub(crate) fn combine(&mut self, verdict: Verdict) -> Verdict {
        match self.judged.take() {
            Some(judged) => judged.with(verdict),
            None => verdict,
        }
    }

    /// Of what somebody must be asked about, what they are shown.
    pub(crate) fn shown(&self) -> Vec<Origin> {
        let told: Vec<Origin> = self.flows.iter().map(Origin::of).collect();
        self.asked.iter().filter(|origin| told.contains(origin)).cloned().collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No change leaves half of one behind.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::flow::FlowRule;
    use crate::ledger::CallId;

    #[test]
    fn what_is_forgotten_is_asked_about_as_if_it_flowed() {
        let tools = |pattern: &str| vec![pattern.parse().unwrap()];
        let rules =
            DataFlow::default().rule(FlowRule::new(tools("mail/*"), tools("web/*"), Action::Deny));
        let tracker = Tracker::with_key(1, 200);
        let text = |seed: u64| {
            (0..400).map(|n| format!("{:x} ", seed * 7_919 + n * 104_729)).collect::<String>()
        };
        tracker.note(&rules, Source::new(CallId(1), "mail", "read"), &json!(text(1)));
        let arguments = Map::new();
        let action = |tool: &str| {
            let mut labels = tracker.label(&rules, ("web", tool), &arguments);
            let allowed = Verdict::Allow { rule: String::new() };
            (labels.flows.clone(), labels.combine(allowed).action())
        };
        // Too much for its memory already.
        let (flows, asked) = action("post");
        assert!(matches!(&flows[..], [Flow::Forgotten { .. }]), "{flows:?}");
        assert_eq!(asked, Action::Ask, "nobody knows, so a rule that denies asks");
        let labels = tracker.label(&rules, ("notes", "write"), &arguments);
        assert!(labels.flows.is_empty(), "no rule is about it");
    }
}
