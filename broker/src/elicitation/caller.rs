//! A call for which a server may ask, and its clock, which stands while somebody is asked.

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;

use super::{About, Elicitor};
use crate::ledger::CallId;

/// A call that is with a server.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) server: String,
    pub(crate) tool: String,
    pub(crate) call: CallId,
    pub(crate) line: Option<u32>,
    /// Who answers for this call, if that is not who answers for all.
    pub(crate) elicitor: Option<Option<Arc<dyn Elicitor>>>,
    pub(crate) standing: Standing,
}

impl Caller {
    /// Who answers for this call: `all` if nobody in particular does.
    pub(crate) fn elicitor<'a>(
        &'a self,
        all: Option<&'a Arc<dyn Elicitor>>,
    ) -> Option<&'a Arc<dyn Elicitor>> {
        match &self.elicitor {
            Some(own) => own.as_ref(),
            None => all,
        }
    }

    pub(crate) fn about(&self) -> About {
        About {
            server: self.server.clone(),
            tool: Some(self.tool.clone()),
            call: Some(self.call),
            line: self.line,
        }
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, tool, call, line, .. } = self;
        let mut caller = f.debug_struct("Caller");
        caller.field("server", server).field("tool", tool).field("call", call).field("line", line);
        caller.finish_non_exhaustive()
    }
}

/// Whether the clock of a call stands.
#[derive(Clone)]
pub(crate) struct Standing {
    questions: watch::Sender<usize>,
    tell: Arc<dyn Fn(bool) + Send + Sync>,
}

impl Standing {
    /// `tell` hears when the clock stops and when it goes on.
    pub(crate) fn new(tell: Arc<dyn Fn(bool) + Send + Sync>) -> Self {
        Self { questions: watch::Sender::new(0), tell }
    }

    /// Stops the clock until the guard is dropped.
    pub(crate) fn stand(&self) -> Stood {
        self.questions.send_modify(|questions| {
            *questions += 1;
            if *questions == 1 {
                (self.tell)(true);
            }
        });
        Stood(self.clone())
    }

    /// How many questions are open.
    pub(crate) fn subscribe(&self) -> watch::Receiver<usize> {
        self.questions.subscribe()
    }
}

impl fmt::Debug for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Standing").field(&*self.questions.borrow()).finish()
    }
}

/// A clock that stands.
pub(crate) struct Stood(Standing);

impl Drop for Stood {
    fn drop(&mut self) {
        let Standing { questions, tell } = &self.0;
        questions.send_modify(|questions| {
            *questions = questions.saturating_sub(1);
            if *questions == 0 {
                tell(false);
            }
        });
    }
}
