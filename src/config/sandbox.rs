//! `sandbox`: what scripts run in, and how many at once.

use super::{
    error::Fault,
    json::{Node, Value},
    members::Members,
};
use crate::Builder;
use runtime::Isolation;

const KEYS: [&str; 8] =
    ["isolation", "strict", "jitless", "namespaces", "reuse", "warm", "at_once", "waiting"];

/// What scripts run in. What the file does not say is as [`Builder`] has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SandboxConfig {
    /// See [`Builder::isolation`].
    pub isolation: Isolation,
    /// See [`Builder::strict`].
    pub strict: bool,
    /// See [`Builder::jitless`].
    pub jitless: bool,
    /// See [`Builder::namespaces`].
    pub namespaces: bool,
    /// See [`Builder::reuse`].
    pub reuse: Option<u32>,
    /// See [`Builder::warm`].
    pub warm: Option<usize>,
    /// See [`Builder::at_once`].
    pub at_once: Option<usize>,
    /// See [`Builder::waiting`].
    pub waiting: Option<usize>,
}

impl SandboxConfig {
    /// A builder with these choices.
    pub fn over(self, builder: Builder) -> Builder {
        let builder = builder
            .isolation(self.isolation)
            .strict(self.strict)
            .jitless(self.jitless)
            .namespaces(self.namespaces);
        let builder = self.reuse.into_iter().fold(builder, Builder::reuse);
        let builder = self.warm.into_iter().fold(builder, Builder::warm);
        let builder = self.at_once.into_iter().fold(builder, Builder::at_once);
        self.waiting.into_iter().fold(builder, Builder::waiting)
    }
}

pub(super) fn read(node: &Node) -> Result<SandboxConfig, Fault> {
    let members = Members::of(node, "`sandbox`", &KEYS)?;
    let flag = |key| members.get(key).map_or(Ok(false), |node| yes_or_no(node, key));
    let number = |key, least| members.get(key).map(|node| count(node, key, least)).transpose();
    let reuse = number("reuse", 1)?;
    Ok(SandboxConfig {
        isolation: members.get("isolation").map(isolation).transpose()?.unwrap_or_default(),
        strict: flag("strict")?,
        jitless: flag("jitless")?,
        namespaces: flag("namespaces")?,
        reuse,
        warm: number("warm", 0)?.map(|workers| workers as usize),
        at_once: number("at_once", 1)?.map(|runs| runs as usize),
        waiting: number("waiting", 0)?.map(|runs| runs as usize),
    })
}

fn isolation(node: &Node) -> Result<Isolation, Fault> {
    let what = name("isolation");
    match node.string(&what)? {
        "process" => Ok(Isolation::Process),
        "thread" => Ok(Isolation::Thread),
        _ => Err(node.bad_value(&what, "this is neither \"process\" nor \"thread\"")),
    }
}

fn yes_or_no(node: &Node, key: &str) -> Result<bool, Fault> {
    match &node.value {
        Value::Bool(value) => Ok(*value),
        _ => Err(node.wrong_type(&name(key), "true or false")),
    }
}

fn count(node: &Node, key: &str, least: u32) -> Result<u32, Fault> {
    let what = name(key);
    let Value::Number(text) = &node.value else {
        return Err(node.wrong_type(&what, "a number"));
    };
    let number = text.parse().ok().filter(|number| *number >= least);
    number
        .ok_or_else(|| node.bad_value(&what, format!("{text} is not a whole number from {least}")))
}

fn name(key: &str) -> String {
    format!("`{key}` in `sandbox`")
}
