//! On whose behalf runs are made.
//!
//! A host with one user needs none of this: its broker has one approver, one elicitor, and grants that
//! last as long as it does. A host that serves several at once gives each of them a [`Principal`], so
//! that the questions of a run reach those who started it, and what one of them has granted does not
//! count for another.

use std::fmt;
use std::sync::Arc;

use crate::approval::{Approver, Grant, GrantId, Grants};
use crate::elicitation::Elicitor;

/// Who is asked about the calls of a run, and whose grants cover them. Cheap to clone.
#[derive(Clone)]
pub struct Principal {
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) elicitor: Option<Arc<dyn Elicitor>>,
    pub(crate) grants: Arc<Grants>,
}

/// Approvals that last for a session. Principals that share them count as one and the same client.
#[derive(Clone)]
pub struct SessionGrants(Arc<Grants>);

impl Default for SessionGrants {
    fn default() -> Self {
        Self(Arc::new(Grants::of_session()))
    }
}

impl SessionGrants {
    /// The grants that hold now, the oldest first: those of the session, and those of its runs that
    /// are under way, which end with their run.
    pub fn list(&self) -> Vec<Grant> {
        self.0.list()
    }

    /// Ends one of these. Returns whether it was there. Calls that it covered and that have not been
    /// sent yet are asked about.
    pub fn revoke(&self, grant: GrantId) -> bool {
        self.0.revoke(grant)
    }
}

impl Principal {
    /// Somebody who has granted this and can be asked nothing.
    pub fn new(grants: &SessionGrants) -> Self {
        Self { approver: None, elicitor: None, grants: Arc::clone(&grants.0) }
    }

    /// Sets who is asked about calls. Default: nobody, so that calls the policy does not allow are
    /// denied.
    #[must_use]
    pub fn approver(self, approver: Arc<dyn Approver>) -> Self {
        Self { approver: Some(approver), ..self }
    }

    /// Sets who answers questions of servers. Default: nobody. Servers are told that somebody can be
    /// asked only if [`Builder::elicitor`](crate::Builder::elicitor) was set as well.
    #[must_use]
    pub fn elicitor(self, elicitor: Arc<dyn Elicitor>) -> Self {
        Self { elicitor: Some(elicitor), ..self }
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Principal").finish_non_exhaustive()
    }
}

impl fmt::Debug for SessionGrants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionGrants").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;
    use serde_json::json;

    use super::*;
    use crate::{Broker, Decision, Kind, LocalTool, PendingCall, Request, RunOptions, Scope};

    /// Allows for the session, and remembers how often it was asked.
    #[derive(Default)]
    struct Yes(Mutex<usize>);

    #[async_trait]
    impl Approver for Yes {
        async fn approve(&self, _: &PendingCall) -> Decision {
            *self.0.lock().unwrap() += 1;
            Decision::Allow(Scope::Session)
        }
    }

    #[tokio::test]
    async fn what_one_has_granted_does_not_count_for_another() {
        let tool = LocalTool::new("t", |_| async { Ok(json!(1)) });
        let broker = Broker::builder().local("s", vec![tool]).connect().await.unwrap();
        let call = async |principal: Option<&Principal>| {
            let run = match principal {
                Some(principal) => {
                    broker.open_run_with(RunOptions::default().principal(principal.clone()))
                }
                None => broker.open_run(),
            };
            run.call(Request::new("s", "t", json!({}))).await.map_err(|error| error.kind)
        };
        let (asked, grants) = (Arc::new(Yes::default()), SessionGrants::default());
        let one = Principal::new(&grants).approver(asked.clone());
        assert!(call(Some(&one)).await.is_ok() && call(Some(&one)).await.is_ok());
        assert_eq!(*asked.0.lock().unwrap(), 1);
        let same_without_approver = Principal::new(&grants);
        assert!(call(Some(&same_without_approver)).await.is_ok());
        let other = Principal::new(&SessionGrants::default());
        assert_eq!(call(Some(&other)).await.err(), Some(Kind::Denied));
        assert_eq!(call(None).await.err(), Some(Kind::Denied));
        let listed: Vec<String> = grants.list().iter().map(ToString::to_string).collect();
        assert_eq!(listed, ["g1: s/t for the session"]);
        assert!(broker.grants().is_empty());
        assert!(grants.revoke(grants.list()[0].id));
        assert_eq!(call(Some(&same_without_approver)).await.err(), Some(Kind::Denied));
    }

    #[tokio::test]
    async fn calls_that_were_made_elsewhere_are_in_the_ledger() {
        let broker = Broker::builder().connect().await.unwrap();
        let run = broker.open_run();
        run.record_earlier("s", "a", Some(1), Ok(&json!(1)));
        run.record_earlier("s", "b", None, Err((Kind::Denied, "no".to_owned())));
        run.record_earlier("s", "c", None, Err((Kind::Timeout, "late".to_owned())));
        let ledger = run.close();
        let states: Vec<_> = ledger.entries().iter().map(|entry| entry.state.as_str()).collect();
        assert_eq!(states, ["succeeded", "refused", "failed"]);
    }
}
