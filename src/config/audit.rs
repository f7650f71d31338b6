//! `audit`: the file of the audit log, or an object that says more.

use super::{
    error::{Fault, Problem},
    json::{Node, Value},
    limits::size,
    members::Members,
    variables::Surroundings,
};
use broker::Audit;

const WHAT: &str = "`audit`";

pub(super) fn read(node: &Node, surroundings: &Surroundings<'_>) -> Result<Audit, Fault> {
    let path = |node: &Node, what: &str| {
        let text = node.string(what)?;
        if text.is_empty() {
            return Err(node.bad_value(what, "the name of the file is empty"));
        }
        surroundings.path(text, what).map_err(|problem| node.at.fault(problem))
    };
    if matches!(node.value, Value::String(_)) {
        return Ok(Audit::new(path(node, WHAT)?));
    }
    let members =
        Members::of(node, WHAT, &["file", "arguments", "redact", "sync", "rotate_bytes"])?;
    let Some(file) = members.get("file") else {
        let (what, missing) = (WHAT.to_owned(), "`file`".to_owned());
        return Err(node.at.fault(Problem::Missing { what, missing }));
    };
    let mut audit = Audit::new(path(file, "`file` of `audit`")?);
    if let Some(node) = members.get("arguments") {
        let what = "`arguments` of `audit`";
        audit.full = match node.string(what)? {
            "digest" => false,
            "full" => true,
            _ => return Err(node.bad_value(what, "possible are `digest` and `full`")),
        };
    }
    if let Some(node) = members.get("redact") {
        let what = "`redact` of `audit`";
        for node in node.list(what, "a list of JSON pointers")? {
            let pointer = node.string("a pointer in `redact` of `audit`")?;
            if !broker::audit::is_pointer(pointer) {
                let problem = format!("`{pointer}` is no JSON pointer; write for example `/token`");
                return Err(node.bad_value(what, problem));
            }
            audit.redact.push(pointer.to_owned());
        }
    }
    if let Some(node) = members.get("sync") {
        let Value::Bool(sync) = node.value else {
            return Err(node.wrong_type("`sync` of `audit`", "true or false"));
        };
        audit.sync = sync;
    }
    if let Some(node) = members.get("rotate_bytes") {
        let bytes = size(node, "`rotate_bytes` of `audit`")?;
        audit.rotate_bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    }
    Ok(audit)
}
