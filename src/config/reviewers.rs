//! `reviewers`: who looks at arguments and results.

use super::{
    error::{Fault, Problem},
    json::{Node, Value},
    members::Members,
    policy::patterns,
    quantity::parse_size,
};
use crate::nearest::nearest;
use broker::{Only, Reviewer, Secrets, Size, Treatment, Urls};
use std::{fmt, sync::Arc};

/// The reviewers of a configuration, in order.
#[derive(Clone, Default)]
pub struct Reviewers(pub(super) Vec<Arc<dyn Reviewer>>);

impl fmt::Debug for Reviewers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|reviewer| reviewer.name())).finish()
    }
}

const KINDS: [&str; 3] = ["size", "secrets", "urls"];

pub(super) fn read(node: &Node) -> Result<Reviewers, Fault> {
    let all = node.list("`reviewers`", "a list of reviewers")?;
    let all = all.iter().enumerate().map(|(index, node)| reviewer(node, index + 1));
    Ok(Reviewers(all.collect::<Result<_, _>>()?))
}

fn reviewer(node: &Node, number: usize) -> Result<Arc<dyn Reviewer>, Fault> {
    let what = format!("reviewer {number}");
    let kind = node.object(&what)?.iter().find(|member| member.key == "use");
    let Some(kind) = kind.map(|member| &member.value) else {
        let missing = "`use`: \"size\", \"secrets\" or \"urls\"".to_owned();
        return Err(node.at.fault(Problem::Missing { what, missing }));
    };
    let keys: &[&str] = match kind.string(&format!("`use` of {what}"))? {
        "urls" => &["use", "tools", "allow"],
        _ => &["use", "tools", "arguments", "results"],
    };
    let members = Members::of(node, &what, keys)?;
    let name = |key: &str| format!("`{key}` of {what}");
    let reviewer: Arc<dyn Reviewer> = match kind.string(&name("use"))? {
        "size" => {
            let bytes = |key: &str| members.get(key).map(|node| size(node, &name(key))).transpose();
            let mut limits = Size::default();
            limits.argument_bytes = bytes("arguments")?;
            limits.result_bytes = bytes("results")?;
            Arc::new(limits)
        }
        "secrets" => {
            let mut secrets = Secrets::default();
            if let Some(node) = members.get("arguments") {
                secrets = secrets.arguments(treatment(node, &name("arguments"))?);
            }
            if let Some(node) = members.get("results") {
                secrets = secrets.results(treatment(node, &name("results"))?);
            }
            Arc::new(secrets)
        }
        "urls" => {
            let mut urls = Urls::none();
            if let Some(node) = members.get("allow") {
                for host in node.list(&name("allow"), "a list of hosts")? {
                    let text = host.string(&name("allow"))?;
                    urls =
                        urls.allow(text).map_err(|error| host.bad_value(&name("allow"), error))?;
                }
            }
            Arc::new(urls)
        }
        other => {
            let problem = match nearest(other, KINDS) {
                Some(nearest) => format!("there is no `{other}`; did you mean `{nearest}`?"),
                None => format!("there is no `{other}`; there are `{}`", KINDS.join("`, `")),
            };
            return Err(kind.bad_value(&name("use"), problem));
        }
    };
    Ok(match members.get("tools") {
        Some(node) => Arc::new(Only::tools(patterns(node, &name("tools"))?, reviewer)),
        None => reviewer,
    })
}

fn size(node: &Node, what: &str) -> Result<usize, Fault> {
    match &node.value {
        Value::String(text) | Value::Number(text) => {
            parse_size(text).map_err(|error| node.bad_value(what, error))
        }
        _ => Err(node.wrong_type(what, "a number of bytes or a size such as \"64KiB\"")),
    }
}

fn treatment(node: &Node, what: &str) -> Result<Treatment, Fault> {
    match node.string(what)? {
        "pass" => Ok(Treatment::Pass),
        "mask" => Ok(Treatment::Mask),
        "refuse" => Ok(Treatment::Refuse),
        other => {
            let problem = format!("`{other}` is not one of `pass`, `mask`, `refuse`");
            Err(node.bad_value(what, problem))
        }
    }
}
