//! A server that needs to know something of the user in the middle of a call.
//!
//! The question goes to the host's [`Elicitor`], and the answer goes to the server that asked.
//! Neither passes the script: it cannot answer, and it does not learn what was answered. What a
//! server may ask is looked at before anybody is asked, and the answer before it is sent.

mod caller;
mod desk;
mod form;

use std::fmt;

use async_trait::async_trait;
use serde_json::{Map, Value, json};

pub(crate) use caller::{Caller, Standing};
pub(crate) use desk::Desk;
pub use form::{Field, FieldKind, Form};

use crate::ledger::CallId;

/// The method by which servers ask.
pub(crate) const METHOD: &str = "elicitation/create";
/// How much of a server's message is kept.
const MESSAGE_CHARS: usize = 4_000;
/// No longer than browsers take.
const URL_BYTES: usize = 8_000;

/// Puts a server's questions to the user. The host's: a terminal, a dialog, a chat. The capability
/// is declared to servers only if there is one.
#[async_trait]
pub trait Elicitor: Send + Sync {
    /// Asks the user. The run's clock and the call's stand meanwhile.
    ///
    /// The future is dropped when nobody needs the answer any more: the script gave up, the run
    /// ended, or the server went away.
    async fn elicit(&self, question: &Elicitation) -> Reply;
}

/// A question of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Elicitation {
    /// The server, by the name of the configuration.
    pub server: String,
    /// The tool whose call made the server ask. Absent if several calls are under way and an older
    /// server does not say for which it asks.
    pub tool: Option<String>,
    /// That call's number in its run.
    pub call: Option<CallId>,
    /// The line of the script that made it.
    pub line: Option<u32>,
    /// What the server says. It is a stranger's text.
    pub message: String,
    /// What it wants.
    pub ask: Ask,
}

/// What a server wants of the user.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Ask {
    /// Values for the fields of a form.
    Form(Form),
    /// A visit to a page, where the user deals with the server directly. Show the whole URL, and open
    /// it only if the user says so.
    Url(String),
}

/// The user's answer.
#[derive(Clone, PartialEq)]
pub enum Reply {
    /// Yes: the values of the form's fields; nothing for a URL, where it means "I will go there".
    Accept(Map<String, Value>),
    /// No.
    Decline,
    /// Neither: the question was put away.
    Cancel,
}

/// What the user typed is the user's.
impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Accept(_) => "Accept(***)",
            Self::Decline => "Decline",
            Self::Cancel => "Cancel",
        })
    }
}

/// Why a question is not answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unanswered {
    #[error("the server asks the user something, and there is nobody to ask")]
    Nobody,
    #[error("the server asks somebody something and does not say for which of several callers")]
    Several,
    #[error("the server asks the user something that cannot be asked: {0}")]
    Malformed(String),
    // What was answered is not repeated: a script reads this.
    #[error("the user's answer does not fit what the server asked for")]
    Misfit,
}

/// Who asks, and for which call, as far as it is known.
pub(crate) struct About {
    pub(crate) server: String,
    pub(crate) tool: Option<String>,
    pub(crate) call: Option<CallId>,
    pub(crate) line: Option<u32>,
}

/// Puts a question, the parameters of [`METHOD`], and returns the result for the server.
pub(crate) async fn put(
    elicitor: Option<&dyn Elicitor>,
    about: About,
    params: &Value,
) -> Result<Value, Unanswered> {
    let elicitor = elicitor.ok_or(Unanswered::Nobody)?;
    let malformed = |problem: &str| Unanswered::Malformed(problem.to_owned());
    let message = params.get("message").and_then(Value::as_str);
    let message = message.ok_or_else(|| malformed("it has no `message`"))?;
    let ask = match params.get("mode").map_or(Some("form"), Value::as_str) {
        Some("form") => {
            let schema = params.get("requestedSchema");
            let schema = schema.ok_or_else(|| malformed("it has no `requestedSchema`"))?;
            Ask::Form(Form::read(schema).map_err(Unanswered::Malformed)?)
        }
        Some("url") => Ask::Url(page(params.get("url")).map_err(malformed)?),
        _ => return Err(malformed("its `mode` is neither `form` nor `url`")),
    };
    let About { server, tool, call, line } = about;
    let message = message.chars().take(MESSAGE_CHARS).collect();
    let question = Elicitation { server, tool, call, line, message, ask };
    Ok(match (elicitor.elicit(&question).await, &question.ask) {
        (Reply::Accept(content), Ask::Form(form)) => {
            form.check(&content).map_err(|_| Unanswered::Misfit)?;
            json!({ "action": "accept", "content": content })
        }
        (Reply::Accept(_), Ask::Url(_)) => json!({ "action": "accept" }),
        (Reply::Decline, _) => json!({ "action": "decline" }),
        (Reply::Cancel, _) => json!({ "action": "cancel" }),
    })
}

/// A page that can be shown as what it is.
fn page(url: Option<&Value>) -> Result<String, &'static str> {
    let text = url.and_then(Value::as_str).ok_or("it has no `url`")?;
    let url = url::Url::parse(text).map_err(|_| "its `url` is not a URL")?;
    if !matches!(url.scheme(), "https" | "http") {
        return Err("its `url` is not `https` or `http`");
    }
    if text.len() > URL_BYTES {
        return Err("its `url` is too long");
    }
    // As a browser would read it: a name in another script shows as what it is.
    Ok(url.into())
}

#[cfg(test)]
mod tests;
