//! A call that the server answers with a question: asked, answered, and sent again, until it is done.
//!
//! The server keeps nothing between the rounds. It gives a state along, which comes back to it byte
//! for byte with the same request under a new id, and goes nowhere else.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{Fault, Kind};
use crate::elicitation::{self, Caller, Elicitor};
use crate::transport::{Connection, Raw, Round, SendError, ToolCall};

/// How often a server may ask in one call.
const ROUNDS: u32 = 10;
/// A server that wants to be asked again without an answer gets this much more time each round.
const PAUSE: Duration = Duration::from_millis(50);

/// Why there is no result.
pub(super) enum Stop {
    Send(SendError),
    Fault(Fault),
}

/// Sends a call until its result is one.
pub(super) async fn converse(
    connection: &dyn Connection,
    elicitor: Option<&dyn Elicitor>,
    caller: &Caller,
    call: ToolCall,
) -> Result<Raw, Stop> {
    let mut next = call.clone();
    for round in 1..=ROUNDS {
        let raw = connection.call(next).await.map_err(Stop::Send)?;
        let Some(wanted) = Wanted::of(&raw.value).map_err(Stop::Fault)? else { return Ok(raw) };
        if wanted.requests.is_empty() {
            tokio::time::sleep(PAUSE * round).await;
        }
        let mut responses = BTreeMap::new();
        for (key, request) in wanted.requests {
            let response = respond(elicitor, caller, &request).await.map_err(Stop::Fault)?;
            responses.insert(key, response);
        }
        next = ToolCall { round: Some(Round { responses, state: wanted.state }), ..call.clone() };
    }
    let message = format!("the server has asked {ROUNDS} times and is still not done");
    Err(Stop::Fault(Fault::new(Kind::Protocol, message)))
}

/// What a server wants before it goes on.
struct Wanted {
    requests: Map<String, Value>,
    state: Option<String>,
}

impl Wanted {
    fn of(result: &Value) -> Result<Option<Self>, Fault> {
        if result.get("resultType").and_then(Value::as_str) != Some("input_required") {
            return Ok(None);
        }
        let odd = |problem: &str| {
            Fault::new(Kind::Protocol, format!("the server asks for something, but {problem}"))
        };
        let requests = match result.get("inputRequests") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(requests)) => requests.clone(),
            Some(_) => return Err(odd("`inputRequests` is not an object")),
        };
        let state = match result.get("requestState") {
            None | Some(Value::Null) => None,
            Some(Value::String(state)) => Some(state.clone()),
            Some(_) => return Err(odd("`requestState` is not a string")),
        };
        if requests.is_empty() && state.is_none() {
            return Err(odd("does not say for what"));
        }
        Ok(Some(Self { requests, state }))
    }
}

async fn respond(
    elicitor: Option<&dyn Elicitor>,
    caller: &Caller,
    request: &Value,
) -> Result<Value, Fault> {
    let refuse = |message: String| Err(Fault::new(Kind::Protocol, message));
    match request.get("method").and_then(Value::as_str) {
        Some(elicitation::METHOD) => {
            let params = request.get("params").unwrap_or(&Value::Null);
            let _stood = caller.standing.stand();
            let answer = elicitation::put(elicitor, caller.about(), params).await;
            answer.or_else(|unanswered| refuse(unanswered.to_string()))
        }
        Some("sampling/createMessage") => {
            refuse("the server wants to use the host's model, which is not offered to it".into())
        }
        Some("roots/list") => {
            refuse("the server wants to know the host's folders, which are not shown to it".into())
        }
        _ => refuse("the server asks for something that is not known here".into()),
    }
}
