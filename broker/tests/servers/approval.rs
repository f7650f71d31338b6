//! No call is sent that was not allowed: by a rule, by an answer about that very call, or by a grant
//! that was there. The witness is the server, which writes down each line that it gets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use broker::{
    Allowance, Approver, ArgumentIs, Broker, CallLimits, Decision, Grant, GrantId, PendingCall,
    Policy, Request, Run, Scope, ServerConfig, State, ValueIs,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::PATIENCE;

/// What is to happen, in this order; calls go on beside what comes after them.
#[derive(Clone, Debug)]
enum Step {
    Call(Plan),
    /// Revokes the oldest grant of the run.
    RevokeOfRun,
    /// Revokes the oldest grant of the session.
    RevokeOfSession,
    Pause,
}

#[derive(Clone, Debug)]
struct Plan {
    /// Of which run.
    first_run: bool,
    tool: &'static str,
    /// What rules and conditions look at.
    n: u64,
    answer: Answer,
    /// How long somebody thinks.
    thinks: Duration,
    /// When the caller gives up.
    gives_up: Option<Duration>,
}

#[derive(Clone, Debug)]
enum Answer {
    Allow(Scope),
    AllowFrom(Scope, u64),
    Deny,
    Stop,
    Never,
}

/// By these numbers a rule allows, or denies; between them somebody is asked.
const ALLOWED_BELOW: u64 = 3;
const DENIED_FROM: u64 = 9;

fn policy() -> Policy {
    let rules = json!([
        { "action": "deny", "arguments": { "/n": { "min": DENIED_FROM } } },
        { "action": "allow", "arguments": { "/n": { "max": ALLOWED_BELOW - 1 } } },
    ]);
    serde_json::from_value(rules).unwrap()
}

/// Answers as the call itself says, and writes down what it was shown and what it said.
#[derive(Default)]
struct Witness {
    plans: Mutex<BTreeMap<u64, Plan>>,
    /// By the call: what was shown, as JSON text, and the answer.
    answered: Mutex<BTreeMap<u64, (String, Decision)>>,
}

#[async_trait]
impl Approver for Witness {
    async fn approve(&self, call: &PendingCall) -> Decision {
        let key = call.arguments["key"].as_u64().unwrap();
        let plan = self.plans.lock().unwrap()[&key].clone();
        tokio::time::sleep(plan.thinks).await;
        let decision = match plan.answer {
            Answer::Allow(scope) => Decision::Allow(scope),
            Answer::AllowFrom(scope, least) => {
                let tests = [ValueIs::OneOf((least..DENIED_FROM).map(Value::from).collect())];
                let arguments = vec![ArgumentIs::new("/n", tests).unwrap()];
                Decision::AllowWhere { scope, arguments }
            }
            Answer::Deny => Decision::Deny { reason: "no".to_owned() },
            Answer::Stop => Decision::Stop { reason: "stop".to_owned() },
            Answer::Never => std::future::pending().await,
        };
        let shown = Value::Object(call.arguments.clone()).to_string();
        self.answered.lock().unwrap().insert(key, (shown, decision.clone()));
        decision
    }
}

impl Witness {
    /// Whether somebody said yes for so long to calls of this tool with these arguments.
    fn said_yes(&self, scope: Scope, tool: &str, arguments: &Map<String, Value>) -> bool {
        let (plans, answered) = (self.plans.lock().unwrap(), self.answered.lock().unwrap());
        answered.iter().any(|(key, (_, decision))| {
            plans[key].tool == tool
                && match decision {
                    Decision::Allow(given) => *given == scope,
                    Decision::AllowWhere { scope: given, arguments: conditions } => {
                        *given == scope && conditions.iter().all(|is| is.holds(arguments))
                    }
                    _ => false,
                }
        })
    }
}

fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![Just(Scope::Once), Just(Scope::Run), Just(Scope::Session)]
}

fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        4 => scope().prop_map(Answer::Allow),
        4 => (scope(), 0..DENIED_FROM).prop_map(|(scope, least)| Answer::AllowFrom(scope, least)),
        3 => Just(Answer::Deny),
        1 => Just(Answer::Never),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let tool = prop_oneof![Just("echo"), Just("structured"), Just("fails")];
    // One call in a hundred is answered by ending its run.
    let answer = (answer(), 0..100u8)
        .prop_map(|(answer, roll)| if roll == 0 { Answer::Stop } else { answer });
    let millis = |most| (0..most).prop_map(Duration::from_millis);
    let gives_up = prop_oneof![3 => Just(None), 1 => millis(12u64).prop_map(Some)];
    (any::<bool>(), tool, 0..12u64, answer, millis(8u64), gives_up).prop_map(
        |(first_run, tool, n, answer, thinks, gives_up)| Plan {
            first_run,
            tool,
            n,
            answer,
            thinks,
            gives_up,
        },
    )
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        12 => plan().prop_map(Step::Call),
        2 => Just(Step::RevokeOfRun),
        2 => Just(Step::RevokeOfSession),
        3 => Just(Step::Pause),
    ];
    prop::collection::vec(step, 20..60)
}

/// All that is known when the runs are over.
struct Scene {
    witness: Arc<Witness>,
    runs: [Run; 2],
    /// Every grant that was ever listed.
    grants: Mutex<BTreeMap<GrantId, Grant>>,
    /// By the call: the grants that were revoked before it was made.
    revoked_before: BTreeMap<u64, BTreeSet<GrantId>>,
    /// The lines that the server got.
    wire: Vec<String>,
}

async fn play(steps: &[Step]) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/server.py");
    let server = ServerConfig::stdio("python3", [script, "wire", &notes.to_string_lossy()])
        .connect_timeout(PATIENCE);
    let witness = Arc::new(Witness::default());
    let limits = CallLimits::default()
        .denials(u32::MAX)
        .server_calls(2)
        .approval_wait(Duration::from_millis(100));
    let broker = Broker::builder().server("s", server).policy(policy()).limits(limits);
    let broker = broker.approver(witness.clone()).connect().await.unwrap();
    let runs = [broker.open_run(), broker.open_run()];
    let grants = Mutex::new(BTreeMap::new());
    let note_grants = || {
        let lists = [broker.grants(), runs[0].grants(), runs[1].grants()];
        grants.lock().unwrap().extend(lists.into_iter().flatten().map(|grant| (grant.id, grant)));
    };
    let (mut revoked, mut revoked_before) = (BTreeSet::new(), BTreeMap::new());
    let mut calls = Vec::new();
    for (key, step) in (0u64..).zip(steps) {
        match step {
            Step::Call(plan) => {
                revoked_before.insert(key, revoked.clone());
                witness.plans.lock().unwrap().insert(key, plan.clone());
                let input = json!({ "key": key, "n": plan.n, "text": "ü\u{1}\"\\" });
                let line = u32::try_from(key).unwrap();
                let request = Request::new("s", plan.tool, input).line(line);
                let run = runs[usize::from(!plan.first_run)].clone();
                let gives_up = plan.gives_up;
                calls.push(tokio::spawn(async move {
                    match gives_up {
                        Some(after) => drop(tokio::time::timeout(after, run.call(request)).await),
                        None => drop(run.call(request).await),
                    }
                }));
            }
            Step::RevokeOfRun | Step::RevokeOfSession => {
                note_grants();
                let of_run = matches!(step, Step::RevokeOfRun);
                let list = if of_run { runs[0].grants() } else { broker.grants() };
                if let Some(grant) = list.first() {
                    let was_there =
                        if of_run { runs[0].revoke(grant.id) } else { broker.revoke(grant.id) };
                    if was_there {
                        revoked.insert(grant.id);
                    }
                }
            }
            Step::Pause => tokio::time::sleep(Duration::from_millis(3)).await,
        }
        note_grants();
        tokio::task::yield_now().await;
    }
    // Grants come and go while calls wait; the list is looked at until all are settled.
    while calls.iter().any(|call| !call.is_finished()) {
        note_grants();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    note_grants();
    runs.iter().for_each(|run| drop(run.close()));
    // The server has ended by then, and has written down all that it got.
    broker.shutdown().await;
    let notes = std::fs::read_to_string(&notes).unwrap();
    let wire = notes.lines().filter_map(|line| line.strip_prefix("wire ")).map(str::to_owned);
    let wire = wire.collect();
    Scene { witness, runs, grants, revoked_before, wire }
}

impl Scene {
    fn check(&self) -> Result<(), TestCaseError> {
        let mut sent = BTreeSet::new();
        for line in &self.wire {
            let message: Value = serde_json::from_str(line).unwrap();
            let arguments = &message["params"]["arguments"];
            let key = arguments["key"].as_u64().unwrap();
            prop_assert!(sent.insert(key), "{key} was sent twice");
            self.check_sent(key, arguments, line)?;
        }
        for entry in self.runs.iter().flat_map(|run| run.ledger().entries().to_vec()) {
            let key = u64::from(entry.line.unwrap());
            let is_refused = matches!(entry.state, State::Refused { .. });
            // One that was given up on the way may not have come as far as the server.
            let is_unknown = entry.state == State::Unknown;
            prop_assert!(is_unknown || is_refused != sent.contains(&key), "{entry:?}");
        }
        Ok(())
    }

    /// Checks the reason for which a call was sent, without believing the broker's own.
    fn check_sent(&self, key: u64, arguments: &Value, line: &str) -> Result<(), TestCaseError> {
        let n = arguments["n"].as_u64().unwrap();
        let plan = self.witness.plans.lock().unwrap()[&key].clone();
        let ledgers = self.runs.iter().flat_map(|run| run.ledger().entries().to_vec());
        let entry = ledgers.into_iter().find(|entry| entry.line.map(u64::from) == Some(key));
        let entry = entry.unwrap();
        prop_assert!(n < DENIED_FROM, "{entry:?} was sent though a rule denies it");
        match entry.decision {
            Some(Allowance::Rule(_)) => prop_assert!(n < ALLOWED_BELOW, "{key}"),
            Some(Allowance::Approved { .. }) => {
                let answered = self.witness.answered.lock().unwrap();
                let (shown, decision) = &answered[&key];
                let is_yes = matches!(decision, Decision::Allow(_) | Decision::AllowWhere { .. });
                prop_assert!(is_yes, "{key}");
                prop_assert!(line.contains(shown.as_str()), "what was shown was not sent: {line}");
            }
            Some(Allowance::Granted { id, scope }) => {
                let arguments = arguments.as_object().unwrap();
                prop_assert!(self.witness.said_yes(scope, plan.tool, arguments), "{key}");
                prop_assert!(!self.revoked_before[&key].contains(&id), "{key}: {id} was revoked");
                // A grant that came and went between two looks at the list was not seen.
                if let Some(grant) = self.grants.lock().unwrap().get(&id) {
                    prop_assert_eq!((grant.scope, grant.tool.as_str()), (scope, plan.tool));
                    prop_assert!(grant.arguments.iter().all(|is| is.holds(arguments)), "{grant}");
                }
            }
            None => prop_assert!(false, "{entry:?} was sent and nothing allowed it"),
            Some(other) => prop_assert!(false, "{other:?} is no reason that this test knows"),
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_call_is_sent_that_was_not_allowed(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(4)
            .enable_all()
            .build()
            .unwrap();
        let scene = runtime.block_on(play(&steps));
        scene.check()?;
    }
}
