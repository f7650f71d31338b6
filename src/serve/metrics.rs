//! Figures about a server, as Prometheus reads them.

use super::{Shared, live::Ended};
use crate::{Outcome, report};
use prometheus_client::{
    encoding::text::encode,
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};
use std::time::Duration;

type Labels = Vec<(&'static str, String)>;

/// All figures.
pub(super) struct Metrics {
    registry: Registry,
    runs: Family<Labels, Counter>,
    calls: Family<Labels, Counter>,
    pub(super) questions: Counter,
    pub(super) refused: Family<Labels, Counter>,
    seconds: Histogram,
    active: Gauge,
    clients: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("cofferdam");
        let (runs, calls) = <(Family<Labels, Counter>, Family<Labels, Counter>)>::default();
        let (questions, refused) = <(Counter, Family<Labels, Counter>)>::default();
        let seconds = Histogram::new(exponential_buckets(0.005, 3.0, 10));
        let (active, clients) = <(Gauge, Gauge)>::default();
        registry.register("runs", "Runs that have ended, by outcome", runs.clone());
        registry.register("calls", "Calls of runs that have ended, by state", calls.clone());
        registry.register(
            "questions",
            "Questions put to clients by input_required",
            questions.clone(),
        );
        registry.register("refused", "Requests that were refused, by reason", refused.clone());
        registry.register("run_seconds", "Time from request to end of run", seconds.clone());
        registry.register("runs_active", "Runs under way or waiting", active.clone());
        registry.register("clients", "Clients that are remembered", clients.clone());
        Self { registry, runs, calls, questions, refused, seconds, active, clients }
    }
}

impl Metrics {
    /// A run has ended.
    pub(super) fn ended(&self, ended: &Ended, took: Duration) {
        let outcome = match ended {
            Ended::Script(report) => {
                for entry in report.ledger.entries() {
                    let state = entry.state.as_str().to_owned();
                    self.calls.get_or_create(&vec![("state", state)]).inc();
                }
                outcome(&report.outcome)
            }
            Ended::Call(answer) if answer.is_ok() => "completed".to_owned(),
            Ended::Call(_) => "threw".to_owned(),
            Ended::Diverged(_) => "diverged".to_owned(),
            Ended::Dropped => "cancelled".to_owned(),
        };
        self.runs.get_or_create(&vec![("outcome", outcome)]).inc();
        self.seconds.observe(took.as_secs_f64());
    }

    /// A request was refused.
    pub(super) fn refuse(&self, reason: &'static str) {
        self.refused.get_or_create(&vec![("reason", reason.to_owned())]).inc();
    }

    /// The figures as text.
    pub(super) fn text(&self, shared: &Shared) -> String {
        let size = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.active.set(size(shared.runs.active()));
        self.clients.set(size(shared.clients.count()));
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

fn outcome(outcome: &Outcome) -> String {
    report::outcome_name(outcome)
}
