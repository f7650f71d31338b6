//! One entry of `mcpServers`.

use super::{
    error::{Fault, Place, Problem},
    json::{Member, Node},
    members::Members,
    quantity::parse_duration,
    share, variables,
};
use broker::{Secret, ServerConfig, Transport};
use std::{collections::BTreeMap, ffi::OsString};

const KEYS: [&str; 13] = [
    "type", "command", "args", "env", "cwd", "url", "headers", "timeout", "lazy", "calls", "rate",
    "tools", "pins",
];
const OF_PROGRAMS: [&str; 4] = ["command", "args", "env", "cwd"];
const OF_URLS: [&str; 2] = ["url", "headers"];

pub(super) fn read(
    member: &Member,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Result<ServerConfig, Fault> {
    let what = format!("the server `{}`", member.key);
    if member.key.trim().is_empty() {
        let (what, missing) = ("a server".to_owned(), "a name that is not empty".to_owned());
        return Err(member.at.fault(Problem::Missing { what, missing }));
    }
    let members = Members::of(&member.value, &what, &KEYS)?;
    let entry = Entry { at: member.at, what, members, variable };
    let mut config = ServerConfig::new(entry.transport()?);
    if let Some(node) = entry.members.get("timeout") {
        let what = entry.name("timeout");
        let text = match &node.value {
            super::Value::String(_) => entry.string(node, &what)?,
            _ => return Err(node.wrong_type(&what, "a time such as \"30s\"")),
        };
        let time = parse_duration(&text);
        // The text may hold a variable, so the error must not show it.
        config.connect_timeout =
            time.map_err(|_| node.bad_value(&what, "this is not a time such as \"30s\""))?;
    }
    if let Some(node) = entry.members.get("lazy") {
        let super::Value::Bool(lazy) = &node.value else {
            return Err(node.wrong_type(&entry.name("lazy"), "true or false"));
        };
        config.lazy = *lazy;
    }
    config.allowance = share::share(&entry.members, &entry.what)?;
    if let Some(node) = entry.members.get("tools") {
        config.tools = share::tools(node, &entry.what)?;
    }
    if let Some(node) = entry.members.get("pins") {
        config.pins = share::pins(node, &entry.what)?;
    }
    Ok(config)
}

struct Entry<'a> {
    at: Place,
    /// The server in words.
    what: String,
    members: Members<'a>,
    variable: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Entry<'_> {
    fn transport(&self) -> Result<Transport, Fault> {
        if self.is_program()? {
            self.refuse(&OF_URLS, "command", "a server is a program or a URL, not both")?;
            Ok(Transport::Stdio {
                command: self.required("command")?,
                args: self.arguments()?,
                env: self.secrets("env")?,
                cwd: self.optional("cwd")?.map(Into::into),
            })
        } else {
            self.refuse(&OF_PROGRAMS, "url", "a server is a program or a URL, not both")?;
            Ok(Transport::Http { url: self.required("url")?, headers: self.secrets("headers")? })
        }
    }

    /// By `type`, or else by which of `command` and `url` is there.
    fn is_program(&self) -> Result<bool, Fault> {
        let Some(node) = self.members.get("type") else {
            let there = |key| self.members.get(key).is_some();
            if !there("command") && !there("url") {
                let missing = "`command` (a program) or `url` (streamable HTTP)".to_owned();
                let what = self.what.clone();
                return Err(self.at.fault(Problem::Missing { what, missing }));
            }
            return Ok(there("command"));
        };
        match node.string(&self.name("type"))? {
            "stdio" => Ok(true),
            "http" | "streamable-http" => Ok(false),
            kind => {
                let (what, kind) = (self.what.clone(), kind.chars().take(40).collect());
                Err(node.at.fault(Problem::Transport { what, kind }))
            }
        }
    }

    fn refuse(&self, keys: &[&str], other: &str, remedy: &str) -> Result<(), Fault> {
        match keys.iter().find_map(|key| self.members.member(key)) {
            None => Ok(()),
            Some(member) => Err(member.at.fault(Problem::Misplaced {
                key: member.key.clone(),
                what: self.what.clone(),
                other: other.to_owned(),
                remedy: remedy.to_owned(),
            })),
        }
    }

    fn required(&self, key: &str) -> Result<String, Fault> {
        let text = self.optional(key)?;
        text.ok_or_else(|| {
            let (what, missing) = (self.what.clone(), format!("`{key}`"));
            self.at.fault(Problem::Missing { what, missing })
        })
    }

    fn optional(&self, key: &str) -> Result<Option<String>, Fault> {
        let Some(node) = self.members.get(key) else { return Ok(None) };
        let what = self.name(key);
        let text = self.string(node, &what)?;
        if text.is_empty() {
            return Err(node.bad_value(&what, "this must not be empty"));
        }
        Ok(Some(text))
    }

    fn arguments(&self) -> Result<Vec<String>, Fault> {
        let Some(node) = self.members.get("args") else { return Ok(Vec::new()) };
        let items = node.list(&self.name("args"), "a list of strings")?;
        let what = format!("an item in {}", self.name("args"));
        items.iter().map(|item| self.string(item, &what)).collect()
    }

    fn secrets(&self, key: &str) -> Result<BTreeMap<String, Secret>, Fault> {
        let Some(node) = self.members.get(key) else { return Ok(BTreeMap::new()) };
        let mut secrets = BTreeMap::new();
        for member in node.object(&self.name(key))? {
            let what = self.name(&format!("{key}.{}", member.key));
            let value = self.string(&member.value, &what)?;
            if secrets.insert(member.key.clone(), Secret::from(value)).is_some() {
                let (key, what) = (member.key.clone(), self.name(key));
                return Err(member.at.fault(Problem::DuplicateKey { key, what }));
            }
        }
        Ok(secrets)
    }

    fn string(&self, node: &Node, what: &str) -> Result<String, Fault> {
        variables::expand(node.string(what)?, what, self.variable)
            .map_err(|problem| node.at.fault(problem))
    }

    fn name(&self, key: &str) -> String {
        format!("`{key}` of {}", self.what)
    }
}
