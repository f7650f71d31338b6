use std::time::Duration;

use broker::CallLimits;

use super::{Notes, noting};
use crate::broker;

fn runs(process: &str) -> bool {
    // A process that nobody has waited for is dead all the same.
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}

async fn ends(process: &str) {
    for _ in 0..200 {
        if !runs(process) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{process} is still there");
}

#[tokio::test]
async fn shutdown_lets_a_server_end_by_itself() {
    let notes = Notes::new("shutdown");
    let broker = broker(noting("good", &notes), CallLimits::default()).await;
    broker.shutdown().await;
    assert!(notes.text().contains("end of input"));
}

#[tokio::test]
async fn nothing_survives_shutdown() {
    let notes = Notes::new("stubborn");
    let broker = broker(noting("stubborn", &notes), CallLimits::default()).await;
    let text = notes.text();
    let processes: Vec<&str> = text.lines().next().unwrap().split(' ').collect();
    assert!(processes.iter().all(|process| runs(process)));
    broker.shutdown().await;
    for process in processes {
        ends(process).await;
    }
}

#[tokio::test]
async fn nothing_survives_the_broker() {
    let notes = Notes::new("dropped-broker");
    let broker = broker(noting("stubborn", &notes), CallLimits::default()).await;
    drop(broker);
    let text = notes.text();
    for process in text.lines().next().unwrap().split(' ') {
        ends(process).await;
    }
}

#[test]
fn nothing_survives_the_runtime() {
    let notes = Notes::new("dropped-runtime");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let broker = runtime.block_on(broker(noting("stubborn", &notes), CallLimits::default()));
    drop(runtime);
    drop(broker);
    let text = notes.text();
    let processes: Vec<&str> = text.lines().next().unwrap().split(' ').collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for process in processes {
        runtime.block_on(ends(process));
    }
}
