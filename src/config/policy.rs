//! The rules of `policy`, read so that each mistake has its line.

use super::{
    error::{Fault, Problem},
    json::{Node, Value},
    members::Members,
};
use crate::nearest::nearest;
use broker::{Action, AnnotationsAre, Pattern, Policy, Rule};

pub(super) fn read(node: &Node) -> Result<Policy, Fault> {
    let rules = node.list("`policy`", "a list of rules")?;
    rules.iter().enumerate().map(|(index, node)| rule(node, index + 1)).collect()
}

fn rule(node: &Node, number: usize) -> Result<Rule, Fault> {
    let what = format!("rule {number} of `policy`");
    let keys = ["action", "tools", "servers", "annotations", "reason"];
    let members = Members::of(node, &what, &keys)?;
    let name = |key: &str| format!("`{key}` of {what}");
    let Some(action_node) = members.get("action") else {
        let missing = "`action`: \"allow\", \"ask\" or \"deny\"".to_owned();
        return Err(node.at.fault(Problem::Missing { what, missing }));
    };
    let mut rule = Rule::new(action(action_node, &name("action"))?);
    if let Some(node) = members.get("tools") {
        rule.tools = patterns(node, &name("tools"))?;
    }
    if let Some(node) = members.get("servers") {
        rule.servers = patterns(node, &name("servers"))?;
    }
    if let Some(node) = members.get("annotations") {
        rule.annotations = Some(annotations(node, &name("annotations"))?);
    }
    if let Some(node) = members.get("reason") {
        rule = rule.reason(node.string(&name("reason"))?);
    }
    Ok(rule)
}

fn action(node: &Node, what: &str) -> Result<Action, Fault> {
    match node.string(what)? {
        "allow" => Ok(Action::Allow),
        "ask" => Ok(Action::Ask),
        "deny" => Ok(Action::Deny),
        other => {
            let hint = match nearest(other, ["allow", "ask", "deny"]) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => "possible are `allow`, `ask`, `deny`".to_owned(),
            };
            Err(node.bad_value(what, format!("`{other}` is not an action; {hint}")))
        }
    }
}

/// One pattern or a list of them. An empty list would match everything, which nobody means.
fn patterns(node: &Node, what: &str) -> Result<Vec<Pattern>, Fault> {
    let pattern = |node: &Node| -> Result<Pattern, Fault> {
        node.string(what)?.parse().map_err(|error| node.bad_value(what, error))
    };
    match &node.value {
        Value::String(_) => Ok(vec![pattern(node)?]),
        Value::List(items) if items.is_empty() => {
            Err(node.bad_value(what, "the list is empty; to match everything leave the key out"))
        }
        Value::List(items) => items.iter().map(pattern).collect(),
        _ => Err(node.wrong_type(what, "a pattern or a list of patterns")),
    }
}

fn annotations(node: &Node, what: &str) -> Result<AnnotationsAre, Fault> {
    let members = Members::of(node, what, &["readOnly", "destructive", "idempotent", "openWorld"])?;
    let hint = |key: &str| match members.get(key).map(|node| (node, &node.value)) {
        None => Ok(None),
        Some((_, Value::Bool(value))) => Ok(Some(*value)),
        Some((node, _)) => Err(node.wrong_type(&format!("`{key}` in {what}"), "true or false")),
    };
    let mut are = AnnotationsAre::default();
    are.read_only = hint("readOnly")?;
    are.destructive = hint("destructive")?;
    are.idempotent = hint("idempotent")?;
    are.open_world = hint("openWorld")?;
    Ok(are)
}
