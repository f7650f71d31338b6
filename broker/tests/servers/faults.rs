//! A thousand calls to a server that fails at random, and what the ledgers say of them.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use broker::{Action, Broker, CallLimits, Kind, Policy, Request, Rule, State};
use serde_json::{Value, json};

use crate::scripted::{By, Scripted};

mod script;

const RUNS: usize = 16;
const CALLS: usize = 63;
/// Enough for a busy machine: where most calls are too late, nothing else happens to them.
const TOOL_TIMEOUT: Duration = Duration::from_secs(10);

/// One call as the caller saw it.
struct Seen {
    number: usize,
    state: State,
    value: Option<Value>,
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_is_accounted_for_over_stdio() {
    account(By::Stdio).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_is_accounted_for_over_http() {
    account(By::Http).await;
}

async fn account(by: By) {
    let server = Scripted::new(by, &script::script());
    let broker = Broker::builder()
        .server("s", server.config())
        .policy(Policy::default().rule(Rule::new(Action::Allow)))
        .limits(CallLimits::default().tool_timeout(TOOL_TIMEOUT))
        .connect()
        .await
        .unwrap();
    let runs = (0..RUNS).map(|run| tokio::spawn(make(broker.clone(), run)));
    let mut seen = Vec::new();
    for run in futures::future::join_all(runs).await {
        seen.extend(run.unwrap());
    }
    broker.shutdown().await;
    assert!(seen.len() >= RUNS * CALLS, "{}", seen.len());
    compare(&seen, &server.log());
}

/// Makes the calls of one run, four at a time; of every tenth the caller loses patience, sooner or
/// later.
async fn make(broker: Broker, index: usize) -> Vec<Seen> {
    let run = broker.open_run();
    let mut seen = Vec::new();
    let mut number = index * 10_000;
    let mut sent = 0;
    // A call is only too late if the server lives so long, which it does when the others have ended.
    let mut must_be_late = index == 0;
    while sent < CALLS || must_be_late {
        let hangs = sent >= CALLS;
        let batch: Vec<_> = (0..if hangs { 1 } else { 4.min(CALLS - sent) })
            .map(|offset| number + offset)
            .collect();
        number += batch.len();
        let first = run.ledger().entries().len();
        let calls = batch.iter().map(|number| {
            // Some ends are not left to chance.
            let tool = match number % 10_000 {
                _ if hangs => "hangs",
                21 if index < 3 => "dies",
                _ => "t",
            };
            let call = run.call(Request::new("s", tool, json!({ "n": number })));
            let patience = match number % 40 {
                7 => 2,
                17 => 20,
                27 => 60,
                37 => 200,
                _ => 60_000,
            };
            tokio::time::timeout(Duration::from_millis(patience), call)
        });
        let outcomes = futures::future::join_all(calls).await;
        let ledger = run.ledger();
        for (offset, (outcome, number)) in outcomes.into_iter().zip(batch).enumerate() {
            let state = ledger.entries()[first + offset].state.clone();
            let is_refused = matches!(state, State::Refused { .. });
            sent += usize::from(!is_refused);
            let value = match outcome {
                Ok(Ok(answer)) => Some(answer.result),
                Ok(Err(error)) => {
                    must_be_late &= error.kind != Kind::Timeout;
                    agrees(&state, error.kind);
                    None
                }
                Err(_) => {
                    assert!(matches!(state, State::Unknown | State::Refused { .. }), "{state:?}");
                    None
                }
            };
            seen.push(Seen { number, state, value });
            if is_refused {
                // The server is being left alone for a while.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    run.close();
    seen
}

/// What the caller was told is what stands in the ledger.
fn agrees(state: &State, kind: Kind) {
    match state {
        State::Refused { kind: noted, .. } | State::Failed { kind: noted, .. } => {
            assert_eq!(*noted, kind);
        }
        other => panic!("{kind} is {other:?} in the ledger"),
    }
}

fn compare(seen: &[Seen], log: &[Value]) {
    let mut got: HashMap<u64, (String, String)> = HashMap::new();
    let mut answered = HashSet::new();
    for entry in log {
        let key = (entry["process"].to_string(), entry["id"].to_string());
        if entry["got"] == "tools/call" {
            let number = entry["arguments"]["n"].as_u64().unwrap();
            assert!(got.insert(number, key).is_none(), "call {number} was sent twice");
        } else if entry["answered"] == "tools/call" {
            answered.insert(key);
        }
    }
    let mut count: HashMap<String, usize> = HashMap::new();
    for Seen { number, state, value } in seen {
        let key = got.remove(&(*number as u64));
        let was_answered = key.as_ref().is_some_and(|key| answered.contains(key));
        let name = match state {
            State::Refused { .. } => {
                assert!(key.is_none(), "call {number} is refused, and the server got it");
                "refused".to_owned()
            }
            State::Succeeded => {
                let value = value.as_ref().unwrap();
                assert_eq!(value["structuredContent"]["n"], *number, "another call's answer");
                assert!(was_answered, "call {number} succeeded without an answer");
                "succeeded".to_owned()
            }
            State::Failed { kind: Kind::Execution, .. } => {
                assert!(was_answered, "call {number}");
                "execution".to_owned()
            }
            State::Failed { kind, .. } => {
                // The server may have died, or been too busy, before it read the request.
                let may_be_unread = matches!(kind, Kind::Timeout | Kind::Unavailable);
                assert!(may_be_unread || key.is_some(), "call {number}: {kind} of nothing");
                kind.to_string()
            }
            State::Unknown => "unknown".to_owned(),
            other => panic!("call {number} ended as {other:?}"),
        };
        *count.entry(name).or_default() += 1;
    }
    assert!(got.is_empty(), "the server got what no ledger has: {got:?}");
    for kind in ["succeeded", "execution", "protocol", "timeout", "unavailable", "unknown"] {
        assert!(count.contains_key(kind), "nothing of {kind} happened: {count:?}");
    }
}
