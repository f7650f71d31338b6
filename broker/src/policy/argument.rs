//! Conditions on the arguments of a call.
//!
//! ```json
//! { "/path": { "under": "/srv/docs" }, "/mode": { "oneOf": ["r", "rb"] }, "/force": { "present": false } }
//! ```
//!
//! The key is a JSON Pointer (RFC 6901) into the arguments. Every test of a condition must hold. A
//! test of a value that is absent or of another type does not hold: an `allow` rule with it then
//! allows nothing, and a `deny` rule with it denies nothing, so what must never be called is better
//! denied by its name.

pub(super) mod wire;

use std::fmt;
use std::str::FromStr;

use globset::GlobMatcher;
use regex::Regex;
use serde_json::{Map, Value};

use super::pattern::compile;

/// What the value at one place of the arguments must be.
#[derive(Clone, Debug)]
pub struct ArgumentIs {
    pointer: Pointer,
    tests: Vec<ValueIs>,
}

/// A JSON Pointer (RFC 6901) to a part of the arguments; not to all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pointer(String);

/// One test of a value.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ValueIs {
    /// It is this, as JSON: `1` and `1.0` are the same number.
    Equals(Value),
    /// It is one of these.
    OneOf(Vec<Value>),
    /// It is a text that this glob matches as a whole; `*` matches slashes, too.
    Glob(TextGlob),
    /// It is a text in which this regular expression is found. It is not anchored.
    Regex(TextRegex),
    /// It is a path below this folder, or the folder itself, by its text: `.` and `..` are worked
    /// out, links are not looked at.
    Under(String),
    /// It is a number, and not less.
    Min(f64),
    /// It is a number, and not more.
    Max(f64),
    /// It is there, or it is not; null is there.
    Present(bool),
}

/// A glob for texts.
#[derive(Clone, Debug)]
pub struct TextGlob {
    text: String,
    glob: GlobMatcher,
}

/// A regular expression for texts; its time is linear in the text's length.
#[derive(Clone, Debug)]
pub struct TextRegex(Regex);

/// A condition that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// The key is not a JSON Pointer.
    #[error("`{text}` is not a JSON Pointer: it begins with `/`, as in `/path` or `/list/0`")]
    Pointer {
        /// The key.
        text: String,
    },
    /// The glob is none.
    #[error("`{text}` is not a pattern: {problem}")]
    Glob {
        /// The glob.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The regular expression is none, or too large.
    #[error("`{text}` is not a regular expression: {problem}")]
    Regex {
        /// The expression.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// There is nothing to test.
    #[error("there is no test for `{pointer}`")]
    Empty {
        /// The place.
        pointer: String,
    },
}

impl ArgumentIs {
    /// A condition of these tests, which must all hold.
    ///
    /// # Errors
    /// [`ConditionError`] if the pointer is none, or there is no test.
    pub fn new(
        pointer: &str,
        tests: impl IntoIterator<Item = ValueIs>,
    ) -> Result<Self, ConditionError> {
        let pointer: Pointer = pointer.parse()?;
        let tests: Vec<_> = tests.into_iter().collect();
        match tests.is_empty() {
            true => Err(ConditionError::Empty { pointer: pointer.0 }),
            false => Ok(Self { pointer, tests }),
        }
    }

    /// The tests.
    pub fn tests(&self) -> &[ValueIs] {
        &self.tests
    }

    /// Whether arguments meet the condition.
    pub fn holds(&self, arguments: &Map<String, Value>) -> bool {
        let value = self.pointer.find(arguments);
        self.tests.iter().all(|test| test.holds(value))
    }

    /// Whether no value at all passes every test.
    pub(super) fn contradicts_itself(&self) -> bool {
        let absent = self.tests.iter().any(|test| matches!(test, ValueIs::Present(false)));
        let wanted = self.tests.iter().any(|test| !matches!(test, ValueIs::Present(false)));
        let min = self.tests.iter().filter_map(|test| match test {
            ValueIs::Min(min) => Some(*min),
            _ => None,
        });
        let max = self.tests.iter().filter_map(|test| match test {
            ValueIs::Max(max) => Some(*max),
            _ => None,
        });
        let (min, max) = (min.fold(f64::MIN, f64::max), max.fold(f64::MAX, f64::min));
        let none =
            self.tests.iter().any(|test| matches!(test, ValueIs::OneOf(all) if all.is_empty()));
        (absent && wanted) || min > max || none
    }
}

impl ValueIs {
    fn holds(&self, value: Option<&Value>) -> bool {
        let text = value.and_then(Value::as_str);
        let number = value.and_then(Value::as_f64);
        match self {
            Self::Present(present) => value.is_some() == *present,
            Self::Equals(wanted) => value.is_some_and(|value| same(value, wanted)),
            Self::OneOf(all) => value.is_some_and(|value| all.iter().any(|one| same(value, one))),
            Self::Glob(glob) => text.is_some_and(|text| glob.glob.is_match(text)),
            Self::Regex(regex) => text.is_some_and(|text| regex.0.is_match(text)),
            Self::Under(folder) => text.is_some_and(|text| is_under(text, folder)),
            Self::Min(min) => number.is_some_and(|number| number >= *min),
            Self::Max(max) => number.is_some_and(|number| number <= *max),
        }
    }
}

/// JSON has one kind of number.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) if a != b => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// Whether a path leads below a folder. Both must be absolute, or both relative.
fn is_under(path: &str, folder: &str) -> bool {
    let (Some(path), Some(folder)) = (steps(path), steps(folder)) else { return false };
    path.len() >= folder.len() && path.iter().zip(&folder).all(|(a, b)| a == b)
}

/// The names on the way, after a mark for the root; `None` if the way leads out of where it began,
/// or holds what a system may read as something else.
fn steps(path: &str) -> Option<Vec<&str>> {
    if path.contains(['\0', '\\']) {
        return None;
    }
    let mut steps = Vec::new();
    let (root, rest) = match path.strip_prefix('/') {
        Some(rest) => ("/", rest),
        None => (".", path),
    };
    for name in rest.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(steps.pop()?),
            name => steps.push(name),
        }
    }
    steps.insert(0, root);
    Some(steps)
}

impl Pointer {
    fn find<'a>(&self, arguments: &'a Map<String, Value>) -> Option<&'a Value> {
        let text = self.0.strip_prefix('/')?;
        let (name, rest) = text.split_at(text.find('/').unwrap_or(text.len()));
        arguments.get(&name.replace("~1", "/").replace("~0", "~"))?.pointer(rest)
    }
}

impl FromStr for Pointer {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let escapes_are_fine = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
        match text.starts_with('/') && escapes_are_fine {
            true => Ok(Self(text.to_owned())),
            false => Err(ConditionError::Pointer { text: text.to_owned() }),
        }
    }
}

impl FromStr for TextGlob {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let wrong = |problem| ConditionError::Glob { text: text.to_owned(), problem };
        Ok(Self { text: text.to_owned(), glob: compile(text).map_err(wrong)? })
    }
}

impl FromStr for TextRegex {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let wrong = |error: regex::Error| {
            // The library draws the place over several lines; its last one says what is wrong.
            let problem = error.to_string();
            let problem = problem.lines().last().unwrap_or_default();
            let problem = problem.strip_prefix("error: ").unwrap_or(problem).to_owned();
            ConditionError::Regex { text: text.to_owned(), problem }
        };
        Ok(Self(Regex::new(text).map_err(wrong)?))
    }
}

/// As rules show it: `/path under /srv`.
impl fmt::Display for ArgumentIs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pointer.0)?;
        for (index, test) in self.tests.iter().enumerate() {
            write!(f, "{}{test}", if index == 0 { " " } else { " and " })?;
        }
        Ok(())
    }
}

impl fmt::Display for ValueIs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equals(value) => write!(f, "= {value}"),
            Self::OneOf(all) => {
                let all: Vec<_> = all.iter().map(Value::to_string).collect();
                write!(f, "one of {}", all.join(", "))
            }
            Self::Glob(glob) => write!(f, "like {}", glob.text),
            Self::Regex(regex) => write!(f, "matches {}", regex.0),
            Self::Under(folder) => write!(f, "under {folder}"),
            Self::Min(min) => write!(f, ">= {min}"),
            Self::Max(max) => write!(f, "<= {max}"),
            Self::Present(true) => f.write_str("present"),
            Self::Present(false) => f.write_str("absent"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_judged_by_where_it_leads() {
        for (path, folder, under) in [
            ("/srv/docs/a", "/srv/docs", true),
            ("/srv/docs", "/srv/docs/", true),
            ("/srv/docs/../docs/a", "/srv/docs", true),
            ("/srv//docs/./a", "/srv/docs", true),
            ("/srv/docs/../secret", "/srv/docs", false),
            ("/srv/docs/../../etc", "/srv/docs", false),
            ("/srv/docs-2/a", "/srv/docs", false),
            ("/../srv/docs/a", "/srv/docs", false),
            ("srv/docs/a", "/srv/docs", false),
            ("docs/a", "docs", true),
            ("./docs/a", "docs", true),
            ("a/../../docs", "docs", false),
            ("/srv/docs/a\\..\\..\\x", "/srv/docs", false),
            ("/srv/docs/a\0", "/srv/docs", false),
            ("", "docs", false),
            ("/anything", "/", true),
        ] {
            assert_eq!(is_under(path, folder), under, "{path} under {folder}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for pointer in ["", "path", "/a~2", "/a~", "#/a"] {
            assert!(matches!(pointer.parse::<Pointer>(), Err(ConditionError::Pointer { .. })));
        }
        let arguments = serde_json::json!({ "a/b": { "~": [7] }, "": 1 });
        let arguments = arguments.as_object().unwrap();
        let find = |text: &str| text.parse::<Pointer>().unwrap().find(arguments).cloned();
        assert_eq!(find("/a~1b/~0/0"), Some(7.into()));
        assert_eq!((find("/"), find("/a"), find("/a~1b/~0/1")), (Some(1.into()), None, None));
        let error = "a(b".parse::<TextRegex>().unwrap_err().to_string();
        assert_eq!(error, "`a(b` is not a regular expression: unclosed group");
        assert!("a[".parse::<TextGlob>().is_err());
        assert!(ArgumentIs::new("/a", []).is_err());
    }
}
