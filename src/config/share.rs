//! How much of a server calls may take, and which definitions of its tools were accepted.

use super::{
    error::{Fault, Problem},
    json::{Node, Value},
    members::Members,
    quantity::parse_duration,
};
use broker::{Digest, Rate, Share};
use std::{collections::BTreeMap, time::Duration};

/// Of a tool; `sensitive` is read with the data flow.
const KEYS: [&str; 3] = ["calls", "rate", "sensitive"];
const RATE: &str = "a number of calls and a time, such as \"10/s\" or \"100/5m\"";

/// `calls` and `rate` among the members of a server or of a tool.
pub(super) fn share(members: &Members<'_>, of: &str) -> Result<Share, Fault> {
    let mut share = Share::default();
    if let Some(node) = members.get("calls") {
        share.calls = Some(calls(node, &format!("`calls` of {of}"))?);
    }
    if let Some(node) = members.get("rate") {
        share.rate = Some(rate(node, &format!("`rate` of {of}"))?);
    }
    Ok(share)
}

/// `tools` of a server: a share for each.
pub(super) fn tools(node: &Node, of: &str) -> Result<BTreeMap<String, Share>, Fault> {
    let mut shares = BTreeMap::new();
    let what = format!("`tools` of {of}");
    for member in node.object(&what)? {
        let of = format!("the tool `{}` of {of}", member.key);
        let members = Members::of(&member.value, &of, &KEYS)?;
        if shares.insert(member.key.clone(), share(&members, &of)?).is_some() {
            let (key, what) = (member.key.clone(), what.clone());
            return Err(member.at.fault(Problem::DuplicateKey { key, what }));
        }
    }
    Ok(shares)
}

/// `pins` of a server: a digest for each tool.
pub(super) fn pins(node: &Node, of: &str) -> Result<BTreeMap<String, Digest>, Fault> {
    let mut pins = BTreeMap::new();
    let what = format!("`pins` of {of}");
    for member in node.object(&what)? {
        let name = format!("the pin of the tool `{}` of {of}", member.key);
        let digest = member.value.string(&name)?.parse::<Digest>();
        let digest = digest.map_err(|error| member.value.bad_value(&name, error))?;
        if pins.insert(member.key.clone(), digest).is_some() {
            let (key, what) = (member.key.clone(), what.clone());
            return Err(member.at.fault(Problem::DuplicateKey { key, what }));
        }
    }
    Ok(pins)
}

fn calls(node: &Node, what: &str) -> Result<usize, Fault> {
    let Value::Number(text) = &node.value else {
        return Err(node.wrong_type(what, "a number"));
    };
    let calls = text.parse().ok().filter(|calls| *calls > 0);
    calls.ok_or_else(|| node.bad_value(what, "this is not a whole number from 1"))
}

fn rate(node: &Node, what: &str) -> Result<Rate, Fault> {
    let Value::String(text) = &node.value else { return Err(node.wrong_type(what, RATE)) };
    let read = || {
        let (calls, per) = text.split_once('/')?;
        let calls = calls.trim().parse().ok().filter(|calls| *calls > 0)?;
        let per = per.trim();
        // `10/s` is ten in one second.
        let is_unit = per.chars().all(char::is_alphabetic);
        let per = parse_duration(&if is_unit { format!("1{per}") } else { per.to_owned() }).ok()?;
        (per > Duration::ZERO).then_some(Rate { calls, per })
    };
    read().ok_or_else(|| node.bad_value(what, format!("this is not {RATE}")))
}
