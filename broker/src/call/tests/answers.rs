//! Somebody who is asked, and what they were asked.

use std::collections::VecDeque;
use std::sync::Mutex;

use async_trait::async_trait;

use super::*;
use crate::{Approver, Decision, PendingCall};

pub(super) struct Answers {
    first: Mutex<VecDeque<Decision>>,
    then: Decision,
    after: Duration,
    pub(super) asked: Mutex<Vec<PendingCall>>,
}

impl Answers {
    /// The same to every question, at once.
    pub(super) fn always(decision: Decision) -> Arc<Self> {
        Self::new([], decision, Duration::ZERO)
    }

    /// The same to every question, after a second.
    pub(super) fn slowly(decision: Decision) -> Arc<Self> {
        Self::new([], decision, Duration::from_secs(1))
    }

    /// One after the other, and no at the end.
    pub(super) fn each(decisions: impl IntoIterator<Item = Decision>) -> Arc<Self> {
        Self::new(decisions, Decision::Deny { reason: "no".to_owned() }, Duration::ZERO)
    }

    fn new(
        first: impl IntoIterator<Item = Decision>,
        then: Decision,
        after: Duration,
    ) -> Arc<Self> {
        let (first, asked) = (Mutex::new(first.into_iter().collect()), Mutex::default());
        Arc::new(Self { first, then, after, asked })
    }

    pub(super) fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

#[async_trait]
impl Approver for Answers {
    async fn approve(&self, call: &PendingCall) -> Decision {
        self.asked.lock().unwrap().push(call.clone());
        if !self.after.is_zero() {
            tokio::time::sleep(self.after).await;
        }
        self.first.lock().unwrap().pop_front().unwrap_or_else(|| self.then.clone())
    }
}

/// A broker about whose tools they are asked, and how often these were reached.
pub(super) async fn asking(answers: &Arc<Answers>) -> (Broker, Arc<AtomicUsize>) {
    let scene = Scene::shut();
    let approver: Arc<dyn Approver> = Arc::<Answers>::clone(answers);
    (scene.builder.approver(approver).connect().await.unwrap(), scene.reached)
}
