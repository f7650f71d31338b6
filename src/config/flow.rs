//! `dataFlow`, and the marks of servers and tools that it is about.

use super::{
    error::{Fault, Problem},
    json::{Member, Node, Value},
    members::Members,
    policy::{action, patterns},
};
use broker::{Action, DataFlow, FlowRule};

/// `servers` is `mcpServers`, whose keys are known to be right.
pub(super) fn read(node: Option<&Node>, servers: &[Member]) -> Result<DataFlow, Fault> {
    let mut flow = DataFlow::default();
    if let Some(node) = node {
        let members = Members::of(node, "`dataFlow`", &["rules", "sensitiveToPublic"])?;
        if let Some(node) = members.get("rules") {
            let rules = node.list("`rules` of `dataFlow`", "a list of rules")?;
            for (index, node) in rules.iter().enumerate() {
                flow = flow.rule(rule(node, index + 1)?);
            }
        }
        if let Some(node) = members.get("sensitiveToPublic") {
            let what = "`sensitiveToPublic` of `dataFlow`";
            flow = match action(node, what)? {
                Action::Allow => {
                    let problem =
                        "this must be \"ask\" or \"deny\"; to allow it leave the marks out";
                    return Err(node.bad_value(what, problem));
                }
                action => flow.sensitive_to_public(action),
            };
        }
    }
    for server in servers {
        flow = marks(flow, server)?;
    }
    Ok(flow)
}

fn rule(node: &Node, number: usize) -> Result<FlowRule, Fault> {
    let what = format!("rule {number} of `dataFlow`");
    let members = Members::of(node, &what, &["from", "to", "action", "reason"])?;
    let name = |key: &str| format!("`{key}` of {what}");
    let needed = |key: &str, expected: &str| {
        members.get(key).ok_or_else(|| {
            let (what, missing) = (what.clone(), format!("`{key}`: {expected}"));
            node.at.fault(Problem::Missing { what, missing })
        })
    };
    let from = patterns(needed("from", "patterns of tools")?, &name("from"))?;
    let to = patterns(needed("to", "patterns of tools")?, &name("to"))?;
    let action = action(needed("action", "\"allow\", \"ask\" or \"deny\"")?, &name("action"))?;
    let rule = FlowRule::new(from, to, action);
    match members.get("reason") {
        Some(node) => Ok(rule.reason(node.string(&name("reason"))?)),
        None => Ok(rule),
    }
}

/// `sensitive` and `public` of a server, and `sensitive` of its tools.
fn marks(mut flow: DataFlow, server: &Member) -> Result<DataFlow, Fault> {
    let what = format!("the server `{}`", server.key);
    for member in server.value.object(&what)? {
        let of_server = |key: &str| format!("`{key}` of {what}");
        match member.key.as_str() {
            "sensitive" if mark(&member.value, &of_server("sensitive"))? => {
                flow = flow.sensitive_server(&server.key);
            }
            "public" if mark(&member.value, &of_server("public"))? => {
                flow = flow.public_server(&server.key);
            }
            "tools" => {
                for tool in member.value.object(&of_server("tools"))? {
                    let what = format!("the tool `{}` of {what}", tool.key);
                    let mut members = tool.value.object(&what)?.iter();
                    if let Some(member) = members.find(|member| member.key == "sensitive")
                        && mark(&member.value, &format!("`sensitive` of {what}"))?
                    {
                        flow = flow.sensitive_tool(&server.key, &tool.key);
                    }
                }
            }
            _ => {}
        }
    }
    Ok(flow)
}

fn mark(node: &Node, what: &str) -> Result<bool, Fault> {
    match node.value {
        Value::Bool(mark) => Ok(mark),
        _ => Err(node.wrong_type(what, "true or false")),
    }
}
