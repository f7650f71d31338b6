//! `${env:NAME}` in the strings of the servers' part.

use super::error::Problem;
use std::ffi::OsString;

/// `text` with each variable replaced by its value, and `$${` by `${`. What a variable holds is
/// not looked at again.
pub(super) fn expand(
    text: &str,
    what: &str,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Result<String, Problem> {
    let what = || what.to_owned();
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        if let Some(before) = before.strip_suffix('$') {
            expanded.push_str(before);
            expanded.push_str("${");
            rest = after;
            continue;
        }
        expanded.push_str(before);
        let name = after.strip_prefix("env:").and_then(|after| after.split_once('}'));
        let Some((name, after)) = name.filter(|(name, _)| is_name(name)) else {
            return Err(Problem::NotAVariable { what: what() });
        };
        let value = variable(name)
            .ok_or_else(|| Problem::UnsetVariable { name: name.to_owned(), what: what() })?;
        let value = value
            .into_string()
            .map_err(|_| Problem::VariableNotText { name: name.to_owned(), what: what() })?;
        expanded.push_str(&value);
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|char| char.is_ascii_alphanumeric() || char == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand_with(text: &str) -> Result<String, Problem> {
        expand(text, "it", &|name| match name {
            "A" => Some("1".into()),
            "NESTED" => Some("${env:A}".into()),
            _ => None,
        })
    }

    #[test]
    fn variables_are_replaced_once() {
        assert_eq!(expand_with("x${env:A}y${env:A}").unwrap(), "x1y1");
        assert_eq!(expand_with("${env:NESTED}").unwrap(), "${env:A}");
        assert_eq!(expand_with("$A $ {} $").unwrap(), "$A $ {} $");
    }

    #[test]
    fn a_doubled_dollar_is_the_character() {
        assert_eq!(expand_with("$${env:A} ${env:A}").unwrap(), "${env:A} 1");
    }

    #[test]
    fn what_is_unset_is_named_and_what_is_odd_is_not_shown() {
        let unset = Problem::UnsetVariable { name: "B".into(), what: "it".into() };
        assert_eq!(expand_with("${env:B}"), Err(unset));
        for odd in ["${A}", "pa${ssword", "${env:}", "${env:A", "${env:A B}"] {
            assert_eq!(expand_with(odd), Err(Problem::NotAVariable { what: "it".into() }), "{odd}");
        }
    }
}
