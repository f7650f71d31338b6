use std::sync::Mutex;

use super::*;
use crate::{Event, Events, Kind, State};

/// A host may do all of it on any thread.
#[test]
fn everything_can_be_sent_to_another_thread() {
    fn sent<T: Send>(_: &T) {}
    let builder = Broker::builder();
    sent(&builder.connect());
    let _ = |broker: Broker, run: Run, request: Request| {
        sent(&broker.reach("s"));
        sent(&broker.reach_all());
        sent(&broker.shutdown());
        sent(&run.call(request));
    };
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_in_flight_is_unknown() {
    let (run, reached) = Scene::open().run().await;
    let pending = call(&run, "slow", json!({}));
    assert!(tokio::time::timeout(Duration::from_secs(1), pending).await.is_err());
    assert_eq!((states(&run), count(&reached)), (vec!["unknown"], 1));
    assert!(call(&run, "other", json!({})).await.is_ok(), "its turn at the server is free again");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_before_it_was_sent_is_refused() {
    let scene = Scene::open().limits(CallLimits::default().server_calls(1));
    let (run, reached) = scene.run().await;
    let first = call(&run, "slow", json!({}));
    let queued = tokio::time::timeout(Duration::from_secs(1), call(&run, "slow", json!({})));
    let (first, queued) = tokio::join!(first, queued);
    assert!(first.is_ok() && queued.is_err());
    let refused = run.ledger().entries()[1].state.clone();
    assert!(matches!(refused, State::Refused { kind: Kind::Cancelled, .. }), "{refused:?}");
    assert_eq!(count(&reached), 1);
}

#[tokio::test(start_paused = true)]
async fn a_closed_run_sends_nothing_more_and_forgets_nothing() {
    let scene = Scene::open().limits(CallLimits::default().server_calls(1));
    let (run, reached) = scene.run().await;
    let began = tokio::time::Instant::now();
    let close = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        run.close()
    };
    let (flying, waiting, ledger) =
        tokio::join!(call(&run, "slow", json!({})), call(&run, "slow", json!({})), close);
    let states = |ledger: &crate::Ledger| -> Vec<_> {
        ledger.entries().iter().map(|entry| entry.state.as_str()).collect()
    };
    assert_eq!(states(&ledger), ["unknown", "refused"]);
    let given_up = [flying, waiting].map(|outcome| outcome.unwrap_err().kind);
    assert_eq!(given_up, [Kind::Cancelled; 2]);
    assert_eq!(began.elapsed().as_secs(), 1, "nobody waits for the rest");
    let error = fault(&run, "other", json!({})).await;
    assert_eq!((error.kind, error.message.as_str()), (Kind::Cancelled, "the run has ended"));
    assert_eq!(states(&run.ledger()), ["unknown", "refused"]);
    assert_eq!(count(&reached), 1);
}

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Events for Heard {
    fn on_event(&self, event: &Event) {
        self.0.lock().unwrap().push(match event {
            Event::ServerConnecting { server } => format!("connecting {server}"),
            Event::ServerConnected { server, tools, .. } => format!("{server} has {tools}"),
            Event::CallProposed { id, tool, .. } => format!("{id} {tool}"),
            Event::CallDecided { id, .. } => format!("{id} decided"),
            Event::CallSent { id, .. } => format!("{id} sent"),
            Event::CallFinished { id, state, .. } => format!("{id} {state}"),
            Event::RunStarted { .. } => "run started".to_owned(),
            other => format!("{other:?}"),
        });
    }
}

#[tokio::test(start_paused = true)]
async fn every_start_has_its_end_among_the_events() {
    let heard = Arc::new(Heard::default());
    let events: Arc<dyn Events> = Arc::<Heard>::clone(&heard);
    let run = Scene::open().builder.events(events).connect().await.unwrap().open_run();
    call(&run, "other", json!({})).await.unwrap();
    fault(&run, "fails", json!({})).await;
    let pending = call(&run, "slow", json!({}));
    assert!(tokio::time::timeout(Duration::from_secs(1), pending).await.is_err());
    assert_eq!(
        *heard.0.lock().unwrap(),
        [
            "connecting s",
            "s has 9",
            "run started",
            "#1 other",
            "#1 decided",
            "#1 sent",
            "#1 succeeded",
            "#2 fails",
            "#2 decided",
            "#2 sent",
            "#2 failed",
            "#3 slow",
            "#3 decided",
            "#3 sent",
            "#3 unknown",
        ]
    );
}

#[tokio::test]
async fn names_must_be_there_and_be_different() {
    let twice = Broker::builder().local("s", vec![]).local("s", vec![]);
    let error = twice.connect().await.map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "two servers are named `s`");
    let unnamed = Broker::builder().local("", vec![]);
    assert_eq!(unnamed.connect().await.map(|_| ()), Err(crate::Error::EmptyName));
}
