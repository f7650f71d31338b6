//! All runs of a server: begun, found again, and forgotten.

use super::{
    Options, Shared,
    client::{Client, InLine},
    job::Job,
    live::{Ended, Live, Start},
    seal::random,
};
use crate::{Script, attendant::Begun};
use broker::Principal;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Runs under way, and those whose results are kept.
pub(super) struct Runs {
    all: Mutex<BTreeMap<String, Arc<Live>>>,
    keep: Duration,
    kept: usize,
    /// Counts what may matter to those who wait for an end.
    changed: watch::Sender<u64>,
    closed: CancellationToken,
}

/// How often is looked for what is over.
const SWEEP: Duration = Duration::from_millis(500);
/// A run that is repeated and has not come to where it was by then never will.
const REPEAT_TIME: Duration = Duration::from_secs(30);

impl Runs {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            all: Mutex::default(),
            // An answer that comes twice must find that it was used.
            keep: options.keep.max(options.answer_time),
            kept: options.kept_runs,
            changed: watch::Sender::new(0),
            closed: CancellationToken::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Live>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run, if it is this owner's.
    pub(super) fn find(&self, id: &str, owner: &str) -> Option<Arc<Live>> {
        self.lock().get(id).filter(|live| live.who.owner == owner).cloned()
    }

    /// How many are under way.
    pub(super) fn active(&self) -> usize {
        self.lock().values().filter(|live| live.ended().is_none()).count()
    }

    pub(super) fn cancel_all(&self) {
        self.lock().values().for_each(|live| live.cancel.cancel());
    }

    /// Returns when no run is under way.
    pub(super) async fn all_ended(&self) {
        self.until(|live| live.ended().is_some()).await;
    }

    /// Returns when nobody listens to a run any more.
    pub(super) async fn all_answered(&self) {
        self.until(|live| live.lock().listeners == 0).await;
    }

    async fn until(&self, is_so: impl Fn(&Live) -> bool) {
        let mut changes = self.changed.subscribe();
        while !self.lock().values().all(|live| is_so(live)) {
            // Also without a change that was told: some are not.
            let _ = tokio::time::timeout(SWEEP / 10, changes.changed()).await;
        }
    }

    /// No request is served any more.
    pub(super) fn close(&self) {
        self.closed.cancel();
    }

    pub(super) fn closed(&self) -> CancellationToken {
        self.closed.clone()
    }

    /// Begins a run.
    pub(super) fn start(
        shared: &Arc<Shared>,
        client: &Client,
        line: InLine,
        start: Start,
    ) -> Arc<Live> {
        let live = Arc::new(Live::new(start, shared.sandbox.clone()));
        shared.runs.lock().insert(live.id.clone(), Arc::clone(&live));
        let principal =
            Principal::new(&client.grants).approver(live.clone()).elicitor(live.clone());
        let (shared, running) = (Arc::clone(shared), Arc::clone(&live));
        tokio::spawn(async move {
            let began = Instant::now();
            let ended = drive(&shared, &running, line, principal).await;
            running.end(ended);
            if let Some(ended) = running.ended() {
                shared.metrics.ended(&ended, began.elapsed());
            }
            shared.runs.changed.send_modify(|count| *count += 1);
        });
        live
    }

    fn sweep(&self) {
        let now = Instant::now();
        let mut all = self.lock();
        all.values().filter(|live| live.is_forgotten(now)).for_each(|live| live.cancel.cancel());
        let ended_at = |live: &Live| live.lock().ended.as_ref().map(|(_, at)| *at);
        all.retain(|_, live| ended_at(live).is_none_or(|at| now.duration_since(at) < self.keep));
        let mut ended: Vec<(Instant, String)> =
            all.iter().filter_map(|(id, live)| Some((ended_at(live)?, id.clone()))).collect();
        ended.sort_unstable();
        for (_, id) in ended.iter().take(ended.len().saturating_sub(self.kept)) {
            all.remove(id);
        }
    }
}

/// Lets go of what is over, as long as there is a server.
pub(super) fn sweep(shared: Weak<Shared>) {
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(SWEEP).await;
            let Some(shared) = shared.upgrade() else { return };
            shared.runs.sweep();
        }
    });
}

/// An id that nobody guesses.
pub(super) fn new_id() -> String {
    let mut bytes = [0; 12];
    random(&mut bytes);
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("run_{digits}")
}

async fn drive(shared: &Shared, live: &Arc<Live>, line: InLine, principal: Principal) -> Ended {
    let _turn = tokio::select! {
        biased;
        () = live.cancel.cancelled() => return Ended::Dropped,
        turn = line.turn() => match turn {
            Some(turn) => turn,
            None => return Ended::Dropped,
        },
    };
    let watched = Arc::clone(live);
    let watchdog = async move {
        tokio::time::sleep(REPEAT_TIME).await;
        watched.diverge("it has not made the calls again that it had made before");
        std::future::pending().await
    };
    tokio::select! {
        ended = work(shared, live, principal) => ended,
        ended = watchdog => ended,
    }
}

async fn work(shared: &Shared, live: &Arc<Live>, principal: Principal) -> Ended {
    let sandbox = &shared.sandbox;
    match &live.job {
        Job::Script { source, label, timeout } => {
            let mut limits = sandbox.limits().clone();
            limits.wall = timeout.map_or(limits.wall, |asked| asked.min(limits.wall));
            let script = Script::new(source.as_str()).limits(limits).principal(principal);
            let script = script.cancel(live.cancel.clone()).attended(live.clone());
            let script = label.iter().fold(script, Script::label);
            Ended::Script(Box::new(sandbox.run(script).await))
        }
        Job::Enable { server } => match &shared.demand {
            Some(demand) => demand.enable(live, server, principal).await,
            // It was begun by an instance with another configuration.
            None => Ended::Dropped,
        },
        Job::Call { function, input } => {
            let text = serde_json::to_string(input).unwrap_or_default();
            let begun = Begun { function, input: &text, line: None };
            let called =
                sandbox.call_of(principal, live.clone(), &begun, Value::Object(input.clone()));
            tokio::select! {
                biased;
                () = live.cancel.cancelled() => Ended::Dropped,
                answer = called => Ended::Call(Box::new(answer)),
            }
        }
    }
}
