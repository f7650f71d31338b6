//! What a run asks the client: whether a call may be made, and what servers want to know.
//!
//! This is the only place that knows the broker's [`Approver`] and [`Elicitor`]. A question is the
//! parameters of `elicitation/create`; how it gets to the client is `follow`'s business.
//!
//! The key of an approval is made of the tool and the very arguments, so that an answer that comes to
//! another instance finds the call that it was given for, and no other.

use super::{
    job::Job,
    live::{Granted, Live},
    past::digest,
};
use crate::visible::{first_line, visible};
use async_trait::async_trait;
use broker::{
    Approver, Ask, Decision, Elicitation, Elicitor, PendingCall, Reply, Scope, function_name,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio::sync::oneshot;

/// A question that waits for its answer.
pub(super) struct Question {
    /// The parameters of `elicitation/create`.
    pub(super) params: Value,
    /// Whether another instance could ask it as well: nothing of it is at a server yet.
    pub(super) is_portable: bool,
    pub(super) answer: oneshot::Sender<Value>,
}

/// Answers that came before their questions: a run that is repeated asks again.
#[derive(Default)]
pub(super) struct Answers(BTreeMap<String, Value>);

impl Answers {
    pub(super) fn new(answers: impl IntoIterator<Item = (String, Value)>) -> Self {
        Self(answers.into_iter().collect())
    }

    /// Takes an answer to a question of this kind.
    fn take(&mut self, base: &str) -> Option<Value> {
        let key = self.0.keys().find(|key| is_of(key, base))?.clone();
        self.0.remove(&key)
    }
}

/// How much of the arguments is shown.
const ARGUMENT_CHARS: usize = 4_000;
const SUMMARY_CHARS: usize = 200;
/// How much of what the user says is told to the script.
const REASON_CHARS: usize = 500;

#[async_trait]
impl Approver for Live {
    async fn approve(&self, call: &PendingCall) -> Decision {
        let arguments = Value::Object(call.arguments.clone());
        let base =
            format!("approve-{}", digest(&[&call.server, &call.tool, &arguments.to_string()]));
        let digest = self.tool_digest(&call.server, &call.tool);
        let granted = Granted { server: call.server.clone(), tool: call.tool.clone(), digest };
        let (known, can_ask) = {
            let mut state = self.lock();
            // Data that flows was not shown when that was granted.
            let is_granted = state.granted.contains(&granted);
            let known = state.answers.take(&base);
            (
                if is_granted && call.flows.is_empty() { Some(json!(RUN)) } else { known },
                state.can_ask,
            )
        };
        let answer = match known {
            Some(Value::String(_)) => return Decision::Allow(Scope::Run),
            Some(answer) => answer,
            None if !can_ask => return Decision::Deny { reason: self.nobody(call) },
            None => self.ask(&base, self.approval(call, &arguments), true).await,
        };
        let decision = decide(&answer, self.has_session());
        if matches!(decision, Decision::Allow(Scope::Run)) {
            self.lock().granted.push(granted);
        }
        decision
    }
}

#[async_trait]
impl Elicitor for Live {
    async fn elicit(&self, question: &Elicitation) -> Reply {
        if !self.lock().can_ask {
            return Reply::Cancel;
        }
        let message = format!(
            "The server `{}` asks{}:\n{}",
            visible(&question.server),
            question
                .tool
                .as_deref()
                .map(|tool| format!(" for `{}`", visible(tool)))
                .unwrap_or_default(),
            visible(&question.message)
        );
        let params = match &question.ask {
            Ask::Form(form) => {
                json!({ "mode": "form", "message": message, "requestedSchema": form.schema() })
            }
            Ask::Url(url) => {
                let id = format!("{}-{}", self.id, self.lock().asked);
                json!({ "mode": "url", "message": message, "url": url, "elicitationId": id })
            }
            _ => return Reply::Cancel,
        };
        let answer = self.ask("ask", params, false).await;
        match answer.get("action").and_then(Value::as_str) {
            Some("accept") => {
                let content = answer.get("content").and_then(Value::as_object);
                Reply::Accept(content.cloned().unwrap_or_default())
            }
            Some("decline") => Reply::Decline,
            _ => Reply::Cancel,
        }
    }
}

const ONCE: &str = "once";
const RUN: &str = "run";
const SESSION: &str = "session";
const DENY: &str = "deny";

impl Live {
    /// Puts a question, and returns the client's `ElicitResult`, or one that says no if none comes.
    async fn ask(&self, base: &str, params: Value, is_portable: bool) -> Value {
        let (answer, answered) = oneshot::channel();
        let key = self.change(|state| {
            state.asked += 1;
            let key = format!("{base}-{}", state.asked);
            state.questions.insert(key.clone(), Question { params, is_portable, answer });
            key
        });
        let _open = Open { live: self, key };
        match tokio::time::timeout(self.answer_time, answered).await {
            Ok(Ok(answer)) => answer,
            _ => json!({ "action": "cancel" }),
        }
    }

    fn approval(&self, call: &PendingCall, arguments: &Value) -> Value {
        if matches!(self.job, Job::Enable { .. }) {
            return self.enabling(call);
        }
        let function = function_name(&call.server, &call.tool);
        let mut message = format!(
            "A script wants to call `{}` of the server `{}`",
            visible(&call.tool),
            visible(&call.server)
        );
        if let Some(line) = call.line {
            message += &format!(" (line {line})");
        }
        let about = call.title.as_deref().or(call.description.as_deref()).unwrap_or_default();
        if !about.is_empty() {
            message += &format!("\nThe server says of it: {}", first_line(about, SUMMARY_CHARS));
        }
        if let Some(reason) = &call.reason {
            message += &format!("\nAsked because: {}", visible(reason));
        }
        for flow in &call.flows {
            message += &format!("\nData flow: {}", first_line(&flow.to_string(), SUMMARY_CHARS));
        }
        let text = format!("{arguments:#}");
        let shown: String = text.chars().take(ARGUMENT_CHARS).collect();
        message += &format!("\nArguments:\n{}", visible(&shown));
        if shown.len() < text.len() {
            message += &format!("\n[{} more bytes are not shown]", text.len() - shown.len());
        }
        let meaning = format!(
            "{ONCE}: this call. {RUN}: every call of {function} in this run, whatever its arguments."
        );
        self.form(message, vec![ONCE, RUN], meaning)
    }

    /// What is asked about a server that is to be enabled.
    fn enabling(&self, call: &PendingCall) -> Value {
        let mut message = format!(
            "The server `{}` is to be switched on, so that its tools are found; calls of them are \
             judged one by one",
            visible(&call.server)
        );
        // The configuration's words, not the server's.
        if let Some(about) = &call.description {
            message += &format!("\nIt is for: {}", first_line(about, SUMMARY_CHARS));
        }
        if let Some(reason) = &call.reason {
            message += &format!("\nAsked because: {}", visible(reason));
        }
        self.form(message, vec![ONCE], format!("{ONCE}: now."))
    }

    fn form(&self, message: String, mut choices: Vec<&str>, mut meaning: String) -> Value {
        if self.has_session() {
            choices.push(SESSION);
            meaning += &format!(" {SESSION}: always, until this connection ends.");
        }
        choices.push(DENY);
        json!({
            "mode": "form",
            "message": message,
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "decision": {
                        "type": "string",
                        "title": "May it?",
                        "description": meaning,
                        "enum": choices,
                    },
                    "reason": {
                        "type": "string",
                        "title": "If not, why",
                        "description": "The script is told this.",
                    },
                },
                "required": ["decision"],
            },
        })
    }

    fn nobody(&self, call: &PendingCall) -> String {
        let name = match self.job {
            Job::Enable { .. } => format!("{}/{}", call.server, call.tool),
            _ => function_name(&call.server, &call.tool),
        };
        format!(
            "`{name}` needs approval, and this MCP client cannot ask its user (it has no `elicitation` \
             capability); the rule {{ \"action\": \"allow\", \"tools\": \"{name}\" }} under `policy` in the \
             configuration of cofferdam, or `cofferdam serve --allow '{name}'`, allows it"
        )
    }

    /// What a tool is at this moment.
    fn tool_digest(&self, server: &str, tool: &str) -> String {
        let catalogue = self.sandbox.catalogue();
        catalogue.find(server, tool).map(|tool| tool.digest().to_string()).unwrap_or_default()
    }
}

/// Takes a question back when nobody waits for its answer any more.
struct Open<'a> {
    live: &'a Live,
    key: String,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.live.change(|state| state.questions.remove(&self.key));
    }
}

fn is_of(key: &str, base: &str) -> bool {
    key.strip_prefix(base).is_some_and(|rest| rest.starts_with('-'))
}

/// The client's answer to an approval. Everything but a clear yes is a no.
fn decide(answer: &Value, has_session: bool) -> Decision {
    let content = |name: &str| answer.get("content")?.get(name)?.as_str();
    let is_accepted = answer.get("action").and_then(Value::as_str) == Some("accept");
    match content("decision").filter(|_| is_accepted) {
        Some(ONCE) => Decision::Allow(Scope::Once),
        Some(RUN) => Decision::Allow(Scope::Run),
        Some(SESSION) if has_session => Decision::Allow(Scope::Session),
        _ => {
            let said = content("reason").filter(|_| is_accepted).unwrap_or_default().trim();
            let said: String = said.chars().take(REASON_CHARS).collect();
            let reason = if said.is_empty() { "the user did not allow it".into() } else { said };
            Decision::Deny { reason }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(content: Value) -> Decision {
        decide(&json!({ "action": "accept", "content": content }), false)
    }

    #[test]
    fn only_a_clear_yes_is_a_yes() {
        let once = accepted(json!({ "decision": "once" }));
        assert!(matches!(once, Decision::Allow(Scope::Once)));
        let run = accepted(json!({ "decision": "run" }));
        assert!(matches!(run, Decision::Allow(Scope::Run)));
        for no in
            [json!({}), json!({ "decision": "yes" }), json!({ "decision": "session" }), json!([])]
        {
            assert!(matches!(accepted(no.clone()), Decision::Deny { .. }), "{no}");
        }
        let declined = json!({ "action": "decline", "content": { "decision": "once" } });
        assert!(matches!(decide(&declined, true), Decision::Deny { .. }));
        let why = accepted(json!({ "decision": "deny", "reason": "not today" }));
        assert!(matches!(why, Decision::Deny { reason } if reason == "not today"));
    }

    #[test]
    fn an_answer_is_used_once_and_for_its_own_call_only() {
        let mut answers = Answers::new([("approve-ab-1".to_owned(), json!(1))]);
        assert_eq!(answers.take("approve-a"), None);
        assert_eq!(answers.take("approve-ab"), Some(json!(1)));
        assert_eq!(answers.take("approve-ab"), None);
    }
}
