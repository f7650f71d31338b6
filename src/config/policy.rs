//! The rules of `policy`, read so that each mistake has its line.

use super::{
    error::{Fault, Problem},
    json::{Member, Node, Value},
    members::Members,
};
use crate::nearest::nearest;
use broker::{Action, AnnotationsAre, ArgumentIs, Pattern, Policy, Rule, ValueIs};

pub(super) fn read(node: &Node) -> Result<Policy, Fault> {
    let rules = node.list("`policy`", "a list of rules")?;
    rules.iter().enumerate().map(|(index, node)| rule(node, index + 1)).collect()
}

fn rule(node: &Node, number: usize) -> Result<Rule, Fault> {
    let what = format!("rule {number} of `policy`");
    let keys = ["action", "tools", "servers", "annotations", "arguments", "labels", "reason"];
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
    if let Some(node) = members.get("arguments") {
        let what = name("arguments");
        for member in node.object(&what)? {
            rule = rule.argument(argument(member, &what)?);
        }
    }
    if let Some(node) = members.get("labels") {
        rule.labels = patterns(node, &name("labels"))?;
    }
    if let Some(node) = members.get("reason") {
        rule = rule.reason(node.string(&name("reason"))?);
    }
    Ok(rule)
}

pub(super) fn action(node: &Node, what: &str) -> Result<Action, Fault> {
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
pub(super) fn patterns(node: &Node, what: &str) -> Result<Vec<Pattern>, Fault> {
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

/// A condition: a pointer, and tests of what is there.
fn argument(member: &Member, what: &str) -> Result<ArgumentIs, Fault> {
    let node = &member.value;
    let what = format!("`{}` in {what}", member.key);
    let keys = ["equals", "oneOf", "glob", "regex", "under", "min", "max", "present"];
    let members = Members::of(node, &what, &keys)?;
    let mut tests = Vec::new();
    for key in keys {
        let Some(node) = members.get(key) else { continue };
        let what = format!("`{key}` of {what}");
        tests.push(match key {
            "equals" => ValueIs::Equals(node.to_json()),
            "oneOf" => {
                let all = node.list(&what, "a list of values")?;
                ValueIs::OneOf(all.iter().map(Node::to_json).collect())
            }
            "glob" => {
                let glob = node.string(&what)?.parse();
                ValueIs::Glob(glob.map_err(|error| node.bad_value(&what, error))?)
            }
            "regex" => {
                let regex = node.string(&what)?.parse();
                ValueIs::Regex(regex.map_err(|error| node.bad_value(&what, error))?)
            }
            "under" => ValueIs::Under(node.string(&what)?.to_owned()),
            "min" => ValueIs::Min(number(node, &what)?),
            "max" => ValueIs::Max(number(node, &what)?),
            _ => ValueIs::Present(match node.value {
                Value::Bool(present) => present,
                _ => return Err(node.wrong_type(&what, "true or false")),
            }),
        });
    }
    ArgumentIs::new(&member.key, tests)
        .map_err(|error| member.at.fault(Problem::BadValue { what, problem: error.to_string() }))
}

fn number(node: &Node, what: &str) -> Result<f64, Fault> {
    match &node.value {
        Value::Number(text) => text.parse().map_err(|_| node.bad_value(what, "not a number")),
        _ => Err(node.wrong_type(what, "a number")),
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
