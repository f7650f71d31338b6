//! `${…}` in the strings of the servers' part: values that are not written into the file.
//!
//! | written | value |
//! |---|---|
//! | `${env:NAME}` | the environment variable, when the file is read |
//! | `${file:PATH}` | the content of the file; a relative path starts at the configuration's folder |
//! | `${command:PROGRAM ARGUMENT …}` | what the program prints; words as in a shell, and no shell |
//! | `${keychain:SERVICE/ACCOUNT}` | the entry of the system's keychain |
//!
//! All but the first are fetched when the server is reached. `$${` stands for the characters `${`.

use super::error::Problem;
use broker::{CredentialSource, Part};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Where values come from.
pub(super) struct Surroundings<'a> {
    /// The configuration file.
    pub(super) file: &'a Path,
    pub(super) variable: &'a dyn Fn(&str) -> Option<OsString>,
}

/// The parts of a text. What a variable holds is not looked at again.
pub(super) fn parts(
    text: &str,
    what: &str,
    surroundings: &Surroundings<'_>,
) -> Result<Vec<Part>, Problem> {
    let mut parts = Parts(Vec::new());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        if let Some(before) = before.strip_suffix('$') {
            parts.text(before);
            parts.text("${");
            rest = after;
            continue;
        }
        parts.text(before);
        let not_understood = || Problem::NotAVariable { what: what.to_owned() };
        let (reference, after) = after.split_once('}').ok_or_else(not_understood)?;
        let (kind, name) = reference.split_once(':').ok_or_else(not_understood)?;
        let name = name.trim();
        let source = match kind {
            "env" if is_name(name) => {
                parts.text(&surroundings.value(name, what)?);
                None
            }
            "file" if !name.is_empty() => {
                Some(CredentialSource::File(surroundings.path(name, what)?))
            }
            "command" => Some(command(name).ok_or_else(|| Problem::BadValue {
                what: what.to_owned(),
                problem: "`${command:…}` needs a program, and its quotes must match".to_owned(),
            })?),
            "keychain" => Some(keychain(name).ok_or_else(|| {
                Problem::BadValue {
                    what: what.to_owned(),
                    problem: "`${keychain:…}` needs a service and an account, with a slash between"
                        .to_owned(),
                }
            })?),
            _ => return Err(not_understood()),
        };
        parts.0.extend(source.map(Part::From));
        rest = after;
    }
    parts.text(rest);
    Ok(parts.0)
}

struct Parts(Vec<Part>);

impl Parts {
    fn text(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(Part::Text(before)) => before.push_str(text),
            _ => self.0.push(Part::Text(text.to_owned())),
        }
    }
}

impl Surroundings<'_> {
    fn value(&self, name: &str, what: &str) -> Result<String, Problem> {
        let (name_text, what) = (|| name.to_owned(), || what.to_owned());
        let value = (self.variable)(name)
            .ok_or_else(|| Problem::UnsetVariable { name: name_text(), what: what() })?;
        value
            .into_string()
            .map_err(|_| Problem::VariableNotText { name: name_text(), what: what() })
    }

    /// A path as people write it: `~` is the home directory.
    pub(super) fn path(&self, path: &str, what: &str) -> Result<PathBuf, Problem> {
        if let Some(rest) = path.strip_prefix("~/") {
            return Ok(Path::new(&self.value("HOME", what)?).join(rest));
        }
        Ok(self.file.parent().unwrap_or(Path::new("")).join(path))
    }
}

fn command(words: &str) -> Option<CredentialSource> {
    let mut words = shlex::split(words)?.into_iter();
    let program = words.next().filter(|program| !program.is_empty())?;
    Some(CredentialSource::Command { program, args: words.collect() })
}

/// Services may have slashes, as URLs do; the account is what follows the last one.
fn keychain(entry: &str) -> Option<CredentialSource> {
    let (service, account) = entry.rsplit_once('/')?;
    let (service, account) = (service.trim().to_owned(), account.trim().to_owned());
    if service.is_empty() || account.is_empty() {
        return None;
    }
    Some(CredentialSource::Keychain { service, account })
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|char| char.is_ascii_alphanumeric() || char == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Part>, Problem> {
        let variable = |name: &str| match name {
            "A" => Some("1".into()),
            "HOME" => Some("/home/me".into()),
            "NESTED" => Some("${env:A}".into()),
            _ => None,
        };
        let file = Path::new("/etc/cofferdam/config.json");
        parts(text, "it", &Surroundings { file, variable: &variable })
    }

    fn text(text: &str) -> Result<String, Problem> {
        match &read(text)?[..] {
            [Part::Text(text)] => Ok(text.clone()),
            parts => panic!("{parts:?}"),
        }
    }

    fn source(text: &str) -> CredentialSource {
        match read(text).as_deref() {
            Ok([Part::Text(empty), Part::From(source), Part::Text(end)]) => {
                assert_eq!((empty.as_str(), end.as_str()), ("", ""));
                source.clone()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn variables_are_replaced_once() {
        assert_eq!(text("x${env:A}y${env:A}").unwrap(), "x1y1");
        assert_eq!(text("${env:NESTED}").unwrap(), "${env:A}");
        assert_eq!(text("$A $ {} $").unwrap(), "$A $ {} $");
    }

    #[test]
    fn a_doubled_dollar_is_the_character() {
        assert_eq!(text("$${env:A} ${env:A}").unwrap(), "${env:A} 1");
    }

    #[test]
    fn what_is_kept_elsewhere_is_named_and_not_fetched() {
        let file = |path: &str| CredentialSource::File(path.into());
        assert_eq!(source("${file:/run/secrets/token}"), file("/run/secrets/token"));
        assert_eq!(source("${file:token}"), file("/etc/cofferdam/token"));
        assert_eq!(source("${file:~/token}"), file("/home/me/token"));
        let command = |program: &str, args: &[&str]| CredentialSource::Command {
            program: program.into(),
            args: args.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(
            source("${command:pass show 'my token'}"),
            command("pass", &["show", "my token"])
        );
        assert_eq!(source("${command:echo $A;b}"), command("echo", &["$A;b"]));
        let keychain = |service: &str, account: &str| CredentialSource::Keychain {
            service: service.into(),
            account: account.into(),
        };
        assert_eq!(source("${keychain:tickets/me}"), keychain("tickets", "me"));
        assert_eq!(source("${keychain:https://x.example/me}"), keychain("https://x.example", "me"));
        let mixed = read("Bearer ${file:/t}.").unwrap();
        let expected =
            [Part::Text("Bearer ".into()), Part::From(file("/t")), Part::Text(".".into())];
        assert_eq!(mixed, expected);
    }

    #[test]
    fn what_is_unset_is_named_and_what_is_odd_is_not_shown() {
        let unset = Problem::UnsetVariable { name: "B".into(), what: "it".into() };
        assert_eq!(text("${env:B}"), Err(unset));
        for odd in ["${A}", "pa${ssword", "${env:}", "${env:A", "${env:A B}", "${file:}", "${x:y}"]
        {
            assert_eq!(read(odd), Err(Problem::NotAVariable { what: "it".into() }), "{odd}");
        }
        for odd in
            ["${command:}", "${command:a 'b}", "${keychain:a}", "${keychain:/b}", "${keychain:a/}"]
        {
            let error = read(odd).unwrap_err().to_string();
            assert!(error.starts_with("it: `${"), "{odd}: {error}");
        }
    }
}
