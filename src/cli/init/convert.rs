//! A server in the words of another host, in ours.

use super::{
    hosts::{Host, Surroundings},
    secrets::{self, Variables},
};
use serde_json::{Map, Value};
use std::path::Path;

/// A server for the configuration.
pub(super) struct Server {
    pub(super) config: Value,
    /// Variables of the environment in place of secrets.
    pub(super) variables: Vec<String>,
    /// Keys that were left out.
    pub(super) left_out: Vec<String>,
}

/// What a server is, on a line, without anything that could be secret.
pub(super) fn summary(config: &Value) -> String {
    let text = |key| config.get(key).and_then(Value::as_str).unwrap_or_default();
    match config.get("url") {
        Some(_) => text("url").to_owned(),
        None => format!("the program {}", text("command")),
    }
}

/// Translates a server, or says why it cannot be taken.
pub(super) fn server(
    name: &str,
    described: &Value,
    host: Host,
    file: &Path,
    surroundings: &Surroundings,
    known: &mut Variables,
) -> Result<Server, String> {
    let described = described.as_object().ok_or("it is not described by an object")?;
    if name.is_empty() {
        return Err("it has no name".to_owned());
    }
    if described.get("disabled") == Some(&Value::Bool(true))
        || described.get("enabled") == Some(&Value::Bool(false))
    {
        return Err("it is switched off".to_owned());
    }
    let kind = described.get("type").or_else(|| described.get("transport"));
    if kind.and_then(Value::as_str) == Some("sse") {
        return Err(
            "it speaks HTTP+SSE of 2024, which has been replaced by streamable HTTP".to_owned()
        );
    }
    let mut writer = Writer { name, host, file, surroundings, known, variables: Vec::new() };
    let mut config = Map::new();
    let mut left_out = Vec::new();
    for (key, value) in described {
        match (key.as_str(), value) {
            ("type" | "transport" | "enabled" | "disabled", _) => {}
            ("command" | "cwd" | "url", Value::String(text)) => {
                let text = if key == "url" { writer.url(text) } else { writer.text(text) }?;
                config.insert(key.clone(), text.into());
            }
            ("args", Value::Array(items)) => {
                config.insert(key.clone(), writer.arguments(items)?.into());
            }
            ("env", Value::Object(members)) => {
                config.insert(key.clone(), writer.environment(members)?.into());
            }
            ("headers" | "http_headers", Value::Object(members)) => {
                let headers = writer.headers(members)?;
                extend(&mut config, "headers", headers);
            }
            // Codex: values that are in the environment already.
            ("env_vars", Value::Array(names)) => {
                let named = names.iter().filter_map(Value::as_str);
                extend(&mut config, "env", named.map(|n| (n.to_owned(), reference(n))).collect());
            }
            ("env_http_headers", Value::Object(members)) => {
                let named =
                    members.iter().filter_map(|(k, v)| Some((k.clone(), reference(v.as_str()?))));
                extend(&mut config, "headers", named.collect());
            }
            ("bearer_token_env_var", Value::String(variable)) => {
                let token = Value::from(format!("Bearer ${{env:{variable}}}"));
                extend(
                    &mut config,
                    "headers",
                    Map::from_iter([("Authorization".to_owned(), token)]),
                );
            }
            _ => left_out.push(key.clone()),
        }
    }
    let runs = config.get("command").and_then(Value::as_str).map(Path::new);
    if runs.and_then(Path::file_stem).is_some_and(|program| program == "cofferdam") {
        return Err("it is this program".to_owned());
    }
    match (config.contains_key("command"), config.contains_key("url")) {
        (false, false) => return Err("it has neither `command` nor `url`".to_owned()),
        (true, true) => return Err("it has both `command` and `url`".to_owned()),
        (false, true) => {
            config.insert("type".to_owned(), "http".into());
        }
        (true, false) => {}
    }
    // Programs are looked for, and run, where the host that had them would have done it.
    if host == Host::VsCode && config.contains_key("command") && !config.contains_key("cwd") {
        config.insert("cwd".to_owned(), writer.project().into());
    }
    let variables = writer.variables;
    Ok(Server { config: Value::Object(config), variables, left_out })
}

fn extend(config: &mut Map<String, Value>, key: &str, members: Map<String, Value>) {
    match config.get_mut(key).and_then(Value::as_object_mut) {
        Some(there) => there.extend(members),
        None => {
            config.insert(key.to_owned(), members.into());
        }
    }
}

fn reference(variable: &str) -> Value {
    format!("${{env:{variable}}}").into()
}

/// Writes strings of one server anew.
struct Writer<'a> {
    name: &'a str,
    host: Host,
    file: &'a Path,
    surroundings: &'a Surroundings,
    known: &'a mut Variables,
    variables: Vec<String>,
}

impl Writer<'_> {
    /// The folder that the host's file is about.
    fn project(&self) -> String {
        let folder = &self.surroundings.folder;
        let folder = if self.file.starts_with(folder) { folder } else { &self.surroundings.home };
        folder.display().to_string()
    }

    /// Variables of the host in our words.
    fn text(&mut self, text: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let is_reference = !matches!(self.host, Host::ClaudeDesktop | Host::Codex);
            let Some((inner, after)) = after.split_once('}').filter(|_| is_reference) else {
                out.push_str("$${");
                rest = after;
                continue;
            };
            if out.ends_with('$') {
                return Err("a `$` before `${` would mean something else here".to_owned());
            }
            out.push_str(&self.variable(inner)?);
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }

    fn variable(&mut self, inner: &str) -> Result<String, String> {
        if self.host == Host::Project || self.host == Host::ClaudeCode {
            let (name, default) = match inner.split_once(":-") {
                Some((name, default)) => (name, Some(default)),
                None => (inner.strip_prefix("env:").unwrap_or(inner), None),
            };
            return Ok(match default {
                Some(default) if std::env::var_os(name).is_none() => default.to_owned(),
                _ => format!("${{env:{name}}}"),
            });
        }
        Ok(match inner.split_once(':') {
            Some(("env", name)) => format!("${{env:{name}}}"),
            Some(("input", id)) => self.secret(&[id], inner),
            None if inner == "workspaceFolder" => self.project(),
            None if inner == "userHome" => self.surroundings.home.display().to_string(),
            None if inner == "pathSeparator" || inner == "/" => {
                std::path::MAIN_SEPARATOR.to_string()
            }
            _ => return Err(format!("`${{{inner}}}` means nothing here")),
        })
    }

    /// A reference to a variable that somebody must set.
    fn secret(&mut self, about: &[&str], value: &str) -> String {
        let from = format!("{} in {}", self.name, self.file.display());
        let name = self.known.stand_for(value, about, self.name, from);
        let reference = format!("${{env:{name}}}");
        if !self.variables.contains(&name) {
            self.variables.push(name);
        }
        reference
    }

    fn url(&mut self, text: &str) -> Result<String, String> {
        let written = self.text(text)?;
        if !secrets::in_url(&written) {
            return Ok(written);
        }
        Ok(self.secret(&[self.name, "url"], text))
    }

    fn arguments(&mut self, items: &[Value]) -> Result<Vec<Value>, String> {
        let mut out = Vec::new();
        let mut option = None;
        for item in items {
            let text = item.as_str().ok_or("one of its `args` is not a string")?;
            let written = self.text(text)?;
            let (flag, value) = match written.split_once('=') {
                Some((flag, value)) if flag.starts_with('-') => (Some(flag), value),
                _ => (None, written.as_str()),
            };
            let key =
                flag.or(option.as_deref()).unwrap_or_default().trim_start_matches('-').to_owned();
            out.push(if !value.contains("${") && secrets::is(&key, value) {
                let word = if key.is_empty() { "argument" } else { &key };
                let reference = self.secret(&[self.name, word], value);
                flag.map_or(reference.clone(), |flag| format!("{flag}={reference}")).into()
            } else {
                written.clone().into()
            });
            option = Some(written).filter(|text| text.starts_with('-') && !text.contains('='));
        }
        Ok(out)
    }

    fn environment(&mut self, members: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        let mut out = Map::new();
        for (key, value) in members {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Number(_) | Value::Bool(_) => value.to_string(),
                _ => return Err(format!("`{key}` of its `env` is no text")),
            };
            let written = self.text(&text)?;
            let is_secret = !written.contains("${") && secrets::is(key, &written);
            let written = if is_secret { self.secret(&[key], &written) } else { written };
            out.insert(key.clone(), written.into());
        }
        Ok(out)
    }

    /// Whatever stands in a header may open a door, so none is copied.
    fn headers(&mut self, members: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        let mut out = Map::new();
        for (key, value) in members {
            let text =
                value.as_str().ok_or_else(|| format!("its header `{key}` is not a string"))?;
            let mut written = self.text(text)?;
            if !written.contains("${") && !secrets::is_plain_header(key) {
                let scheme = written.split_once(' ').filter(|(scheme, _)| scheme.len() < 10);
                let scheme = scheme.map(|(scheme, _)| format!("{scheme} ")).unwrap_or_default();
                written = scheme + &self.secret(&[self.name, key], text);
            }
            out.insert(key.clone(), written.into());
        }
        Ok(out)
    }
}
