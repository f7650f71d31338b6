//! What is typed, as an answer.

use cofferdam::{
    Decision, PendingCall, Scope,
    broker::{ArgumentIs, Rule, ValueIs},
};
use serde_json::json;

/// An answer to one call.
#[derive(Debug)]
pub(super) enum Answer {
    Decision(Decision),
    /// One with conditions, which has to be shown first.
    Where(Decision),
    ShowAll,
    Back,
}

/// An answer to a list of calls.
#[derive(Debug)]
pub(super) enum ToAll {
    Decision(Decision),
    /// This one of the list, counted from 0.
    LookAt(usize),
}

/// Reads an answer to a call; `None` if it is none.
///
/// # Errors
/// What is wrong with the conditions.
pub(super) fn to_one(line: &str, call: &PendingCall) -> Result<Option<Answer>, String> {
    let (word, rest) = first_word(line);
    let scope = match word.as_str() {
        "y" | "yes" if rest.is_empty() => Scope::Once,
        "r" | "run" => Scope::Run,
        "s" | "session" => Scope::Session,
        "v" | "view" => return Ok(Some(Answer::ShowAll)),
        "b" | "back" => return Ok(Some(Answer::Back)),
        _ => return Ok(refusal(&word, rest).map(Answer::Decision)),
    };
    if rest.is_empty() {
        return Ok(Some(Answer::Decision(Decision::Allow(scope))));
    }
    let arguments = match rest.starts_with('{') {
        true => as_in_a_rule(rest)?,
        false => as_here(rest, call)?,
    };
    if let Some(other) = arguments.iter().find(|condition| !condition.holds(&call.arguments)) {
        return Err(format!("this call itself does not meet the condition: {other}"));
    }
    Ok(Some(Answer::Where(Decision::AllowWhere { scope, arguments })))
}

/// Reads an answer to so many calls; `None` if it is none.
pub(super) fn to_all(line: &str, calls: usize) -> Option<ToAll> {
    let (word, rest) = first_word(line);
    if let Ok(number) = word.parse::<usize>() {
        let index = number.checked_sub(1).filter(|index| *index < calls && rest.is_empty())?;
        return Some(ToAll::LookAt(index));
    }
    if matches!(word.as_str(), "y" | "yes") && rest.is_empty() {
        return Some(ToAll::Decision(Decision::Allow(Scope::Once)));
    }
    refusal(&word, rest).map(ToAll::Decision)
}

/// Whether a line says yes and nothing else.
pub(super) fn is_yes(line: &str) -> bool {
    let (word, rest) = first_word(line);
    matches!(word.as_str(), "y" | "yes") && rest.is_empty()
}

fn first_word(line: &str) -> (String, &str) {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (word.to_lowercase(), rest.trim())
}

fn refusal(word: &str, rest: &str) -> Option<Decision> {
    let or = |default: &str| if rest.is_empty() { default } else { rest }.to_owned();
    match word {
        "n" | "no" => Some(Decision::Deny { reason: or("the user said no") }),
        "x" | "stop" => Some(Decision::Stop { reason: or("the user stopped the run") }),
        _ => None,
    }
}

/// Conditions as the policy has them.
fn as_in_a_rule(text: &str) -> Result<Vec<ArgumentIs>, String> {
    let wrong = |error: serde_json::Error| format!("these are no conditions: {error}");
    let arguments: serde_json::Value = serde_json::from_str(text).map_err(wrong)?;
    let rule = json!({ "action": "allow", "arguments": arguments });
    let rule: Rule = serde_json::from_value(rule).map_err(wrong)?;
    match rule.arguments.is_empty() {
        true => Err("there is no condition in it".to_owned()),
        false => Ok(rule.arguments),
    }
}

/// The named arguments as they are in the call.
fn as_here(names: &str, call: &PendingCall) -> Result<Vec<ArgumentIs>, String> {
    let names = names.split([' ', ',', '\t']).filter(|name| !name.is_empty());
    let condition = |name: &str| {
        let value =
            call.arguments.get(name).ok_or_else(|| format!("there is no argument `{name}`"))?;
        let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        ArgumentIs::new(&pointer, [ValueIs::Equals(value.clone())])
            .map_err(|error| error.to_string())
    };
    names.map(condition).collect()
}
