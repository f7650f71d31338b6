//! Station: reviewers look at the arguments, and at what came back.

use std::sync::Arc;

use serde_json::Value;

use super::validate::{ValidCall, validate};
use super::{Fault, Kind};
use crate::ledger::{Book, CallId};
use crate::limits::CallLimits;
use crate::review::{Review, Reviewed, ReviewedCall, Reviewer, Side};
use crate::size::size;
use crate::transport::Raw;

/// The reviewers of a call and where they are written down.
pub(super) struct Panel<'a> {
    pub(super) reviewers: &'a [Arc<dyn Reviewer>],
    pub(super) book: &'a Book,
    pub(super) call: ReviewedCall,
}

impl<'a> Panel<'a> {
    pub(super) fn new(
        reviewers: &'a [Arc<dyn Reviewer>],
        book: &'a Book,
        (id, server, tool): (CallId, &str, &str),
    ) -> Self {
        let call = ReviewedCall { id, server: server.to_owned(), tool: tool.to_owned() };
        Self { reviewers, book, call }
    }

    /// The arguments as they are left, which must fit like any others.
    pub(super) async fn arguments(
        &self,
        mut call: ValidCall,
        limits: &CallLimits,
    ) -> Result<ValidCall, Fault> {
        self.book.review_again(self.call.id);
        for reviewer in self.reviewers {
            match reviewer.arguments(&self.call, call.arguments()).await {
                Review::Pass => {}
                Review::Change(arguments) => {
                    self.write(reviewer.as_ref(), Side::Arguments, false);
                    let (target, _) = call.into_parts();
                    let changed = validate(target, Value::Object(arguments), limits);
                    call = changed.map_err(|fault| Fault {
                        message: format!(
                            "{}, as `{}` changed them",
                            fault.message,
                            reviewer.name()
                        ),
                        ..fault
                    })?;
                }
                Review::Refuse { reason } => {
                    self.write(reviewer.as_ref(), Side::Arguments, true);
                    let message =
                        format!("refused by the reviewer `{}`: {reason}", reviewer.name());
                    return Err(Fault::new(Kind::Denied, message));
                }
            }
        }
        Ok(call)
    }

    /// The result as it is left.
    pub(super) async fn result(&self, raw: Raw) -> Result<Raw, Fault> {
        let Raw { mut value, mut bytes } = raw;
        if let Some(changed) = self.value(&value).await? {
            bytes = size(&changed);
            value = changed;
        }
        Ok(Raw { value, bytes })
    }

    /// The words of a server that refused the call, as they are left.
    pub(super) async fn fault(&self, fault: Fault) -> Fault {
        if fault.code.is_none() || self.reviewers.is_empty() {
            return fault;
        }
        match self.value(&Value::String(fault.message.clone())).await {
            Ok(None) => fault,
            Ok(Some(Value::String(message))) => Fault { message, ..fault },
            Ok(Some(other)) => Fault { message: other.to_string(), ..fault },
            Err(refused) => refused,
        }
    }

    /// What reviewers put in the place of a value; `None` if it stays.
    async fn value(&self, value: &Value) -> Result<Option<Value>, Fault> {
        let mut changed: Option<Value> = None;
        for reviewer in self.reviewers {
            match reviewer.result(&self.call, changed.as_ref().unwrap_or(value)).await {
                Review::Pass => {}
                Review::Change(value) => {
                    self.write(reviewer.as_ref(), Side::Result, false);
                    changed = Some(value);
                }
                Review::Refuse { reason } => {
                    self.write(reviewer.as_ref(), Side::Result, true);
                    let name = reviewer.name();
                    let message = format!(
                        "the call has taken effect, but its result was refused by the reviewer `{name}`: {reason}"
                    );
                    return Err(Fault::new(Kind::Denied, message));
                }
            }
        }
        Ok(changed)
    }

    fn write(&self, reviewer: &dyn Reviewer, side: Side, refused: bool) {
        let reviewer = reviewer.name().to_owned();
        self.book.reviewed(self.call.id, Reviewed { reviewer, side, refused });
    }
}
