//! One entry of `mcpServers`.

use super::{
    error::{Fault, Place, Problem},
    json::{Member, Node},
    members::Members,
    quantity::parse_duration,
    share,
    variables::{self, Surroundings},
};
use broker::{Deferred, OAuth, ServerConfig, Template, Transport};
use std::collections::BTreeMap;

const KEYS: [&str; 19] = [
    "type",
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "timeout",
    "lazy",
    "calls",
    "rate",
    "tools",
    "pins",
    "oauth",
    "onDemand",
    "description",
    "idle",
    "sensitive",
    "public",
];
const OF_PROGRAMS: [&str; 4] = ["command", "args", "env", "cwd"];
const OF_URLS: [&str; 3] = ["url", "headers", "oauth"];
const OF_OAUTH: [&str; 6] = [
    "clientId",
    "clientSecret",
    "clientCredentials",
    "clientMetadataUrl",
    "scopes",
    "redirectPort",
];

pub(super) fn read(
    member: &Member,
    surroundings: &Surroundings<'_>,
) -> Result<ServerConfig, Fault> {
    let what = format!("the server `{}`", member.key);
    if member.key.trim().is_empty() {
        let (what, missing) = ("a server".to_owned(), "a name that is not empty".to_owned());
        return Err(member.at.fault(Problem::Missing { what, missing }));
    }
    let members = Members::of(&member.value, &what, &KEYS)?;
    let entry = Entry { at: member.at, what, members, surroundings };
    let mut config = ServerConfig::new(entry.transport()?);
    if let Some(node) = entry.members.get("timeout") {
        let what = entry.name("timeout");
        let text = match &node.value {
            super::Value::String(_) => {
                let too_early = || node.at.fault(Problem::TooEarly { what: what.clone() });
                entry.text(node, &what)?.plain().ok_or_else(too_early)?
            }
            _ => return Err(node.wrong_type(&what, "a time such as \"30s\"")),
        };
        let time = parse_duration(&text);
        // The text may hold a variable, so the error must not show it.
        config.connect_timeout =
            time.map_err(|_| node.bad_value(&what, "this is not a time such as \"30s\""))?;
    }
    config.lazy = entry.flag("lazy")?;
    config.on_demand = entry.flag("onDemand")?;
    if let Some(node) = entry.members.get("description") {
        config.description = Some(node.string(&entry.name("description"))?.to_owned());
    }
    if let Some(node) = entry.members.get("idle") {
        let what = entry.name("idle");
        let time = parse_duration(node.string(&what)?);
        config.idle = Some(time.map_err(|error| node.bad_value(&what, error))?);
    }
    config.allowance = share::share(&entry.members, &entry.what)?;
    if let Some(node) = entry.members.get("tools") {
        config.tools = share::tools(node, &entry.what)?;
    }
    if let Some(node) = entry.members.get("pins") {
        config.pins = share::pins(node, &entry.what)?;
    }
    if let Some(node) = entry.members.get("oauth") {
        config.oauth = entry.oauth(node)?;
    }
    Ok(config)
}

struct Entry<'a> {
    at: Place,
    /// The server in words.
    what: String,
    members: Members<'a>,
    surroundings: &'a Surroundings<'a>,
}

impl Entry<'_> {
    fn flag(&self, key: &str) -> Result<bool, Fault> {
        match self.members.get(key).map(|node| (node, &node.value)) {
            None => Ok(false),
            Some((_, super::Value::Bool(value))) => Ok(*value),
            Some((node, _)) => Err(node.wrong_type(&self.name(key), "true or false")),
        }
    }

    fn transport(&self) -> Result<Transport, Fault> {
        let settings = if self.is_program()? {
            self.refuse(&OF_URLS, "command", "a server is a program or a URL, not both")?;
            Deferred::stdio(
                self.required("command")?,
                self.arguments()?,
                self.texts("env")?,
                self.optional("cwd")?,
            )
        } else {
            self.refuse(&OF_PROGRAMS, "url", "a server is a program or a URL, not both")?;
            Deferred::http(self.required("url")?, self.texts("headers")?)
        };
        Ok(settings.plain().unwrap_or(Transport::Deferred(settings)))
    }

    fn oauth(&self, node: &Node) -> Result<OAuth, Fault> {
        let what = self.name("oauth");
        let members = Members::of(node, &what, &OF_OAUTH)?;
        let text = |key: &str| {
            let what = format!("`{key}` in {what}");
            members.get(key).map(|node| Ok((self.text(node, &what)?, node, what))).transpose()
        };
        let plain = |key: &str| match text(key)? {
            None => Ok(None),
            Some((text, node, what)) => match text.plain() {
                Some(text) => Ok(Some(text)),
                None => Err(node.at.fault(Problem::TooEarly { what })),
            },
        };
        let mut oauth = OAuth::default();
        oauth.client_id = plain("clientId")?;
        oauth.client_metadata_url = plain("clientMetadataUrl")?;
        oauth.client_secret = text("clientSecret")?.map(|(text, ..)| text);
        if let Some(node) = members.get("clientSecret").filter(|_| oauth.client_id.is_none()) {
            let (what, missing) = (what.clone(), "`clientId` beside `clientSecret`".to_owned());
            return Err(node.at.fault(Problem::Missing { what, missing }));
        }
        if let Some(node) = members.get("clientCredentials") {
            let super::Value::Bool(own) = &node.value else {
                let name = format!("`clientCredentials` in {what}");
                return Err(node.wrong_type(&name, "true or false"));
            };
            if *own && oauth.client_secret.is_none() {
                let what = what.clone();
                let missing = "`clientId` and `clientSecret` beside `clientCredentials`".to_owned();
                return Err(node.at.fault(Problem::Missing { what, missing }));
            }
            oauth.client_credentials = *own;
        }
        if let Some(node) = members.get("scopes") {
            let scope = |node: &Node| Ok(node.string(&format!("a scope in {what}"))?.to_owned());
            let scopes = node.list(&format!("`scopes` in {what}"), "a list of strings")?;
            oauth.scopes = scopes.iter().map(scope).collect::<Result<_, _>>()?;
        }
        if let Some(node) = members.get("redirectPort") {
            let wrong = || node.wrong_type(&format!("`redirectPort` in {what}"), "a port");
            let super::Value::Number(number) = &node.value else { return Err(wrong()) };
            oauth.redirect_port = Some(number.parse().map_err(|_| wrong())?);
        }
        Ok(oauth)
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

    fn required(&self, key: &str) -> Result<Template, Fault> {
        let text = self.optional(key)?;
        text.ok_or_else(|| {
            let (what, missing) = (self.what.clone(), format!("`{key}`"));
            self.at.fault(Problem::Missing { what, missing })
        })
    }

    fn optional(&self, key: &str) -> Result<Option<Template>, Fault> {
        let Some(node) = self.members.get(key) else { return Ok(None) };
        let what = self.name(key);
        let text = self.text(node, &what)?;
        if text.plain().is_some_and(|text| text.is_empty()) {
            return Err(node.bad_value(&what, "this must not be empty"));
        }
        Ok(Some(text))
    }

    fn arguments(&self) -> Result<Vec<Template>, Fault> {
        let Some(node) = self.members.get("args") else { return Ok(Vec::new()) };
        let items = node.list(&self.name("args"), "a list of strings")?;
        let what = format!("an item in {}", self.name("args"));
        items.iter().map(|item| self.text(item, &what)).collect()
    }

    fn texts(&self, key: &str) -> Result<BTreeMap<String, Template>, Fault> {
        let Some(node) = self.members.get(key) else { return Ok(BTreeMap::new()) };
        let mut texts = BTreeMap::new();
        for member in node.object(&self.name(key))? {
            let what = self.name(&format!("{key}.{}", member.key));
            let text = self.text(&member.value, &what)?;
            if texts.insert(member.key.clone(), text).is_some() {
                let (key, what) = (member.key.clone(), self.name(key));
                return Err(member.at.fault(Problem::DuplicateKey { key, what }));
            }
        }
        Ok(texts)
    }

    fn text(&self, node: &Node, what: &str) -> Result<Template, Fault> {
        let parts = variables::parts(node.string(what)?, what, self.surroundings)
            .map_err(|problem| node.at.fault(problem))?;
        let file = self.surroundings.file.display();
        let (line, column) = (node.at.line, node.at.column);
        Ok(Template::new(format!("{file}:{line}:{column}: {what}"), parts))
    }

    fn name(&self, key: &str) -> String {
        format!("`{key}` of {}", self.what)
    }
}
