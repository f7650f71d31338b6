//! What looks like a secret. In doubt it is one: a variable in its place costs a moment, a copied
//! secret may cost more.

use url::Url;

/// Parts of names whose values are secret.
const WORDS: [&str; 15] = [
    "token",
    "key",
    "secret",
    "password",
    "passwd",
    "pwd",
    "auth",
    "credential",
    "cookie",
    "session",
    "private",
    "pat",
    "dsn",
    "connection",
    "signature",
];
/// Headers that only say what a client is or wants.
const PLAIN_HEADERS: [&str; 5] =
    ["accept", "accept-language", "content-type", "user-agent", "mcp-protocol-version"];
/// So many letters and digits without a break are no word.
const LONG: usize = 16;

/// Whether the value of this name is a secret.
pub(super) fn is(key: &str, value: &str) -> bool {
    if value.is_empty() || matches!(value, "true" | "false") || value.parse::<f64>().is_ok() {
        return false;
    }
    let is_named_so = words(key).any(|word| WORDS.contains(&word.as_str()));
    // A file that holds a secret is not one.
    let is_path = value.starts_with(['/', '.', '~']) && !value.contains(char::is_whitespace);
    (is_named_so && !is_path) || looks_random(value) || in_url(value)
}

pub(super) fn is_plain_header(name: &str) -> bool {
    PLAIN_HEADERS.contains(&name.to_ascii_lowercase().as_str())
}

/// Whether a URL has a user, or a query that may hold a secret.
pub(super) fn in_url(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let is_web = !url.cannot_be_a_base() && url.has_host();
    let query = |(key, value): (_, std::borrow::Cow<'_, str>)| -> bool {
        let key: std::borrow::Cow<'_, str> = key;
        words(&key).any(|word| WORDS.contains(&word.as_str())) || looks_random(&value)
    };
    let in_path = url.path_segments().is_some_and(|mut parts| parts.any(looks_random));
    is_web
        && (url.password().is_some()
            || !url.username().is_empty()
            || url.query_pairs().any(query)
            || in_path)
}

fn looks_random(value: &str) -> bool {
    value.split(|char: char| !char.is_ascii_alphanumeric()).any(|run| {
        let has = |test: fn(&char) -> bool| run.chars().any(|char| test(&char));
        run.len() >= LONG && has(char::is_ascii_digit) && has(char::is_ascii_alphabetic)
    })
}

/// The variables of the environment that stand for secrets.
#[derive(Default)]
pub(super) struct Variables(Vec<Variable>);

struct Variable {
    name: String,
    /// What it stands for. It is never shown.
    secret: String,
    from: String,
}

impl Variables {
    /// The variable for a secret that these words are about: the same for the same, another one for
    /// another one.
    pub(super) fn stand_for(
        &mut self,
        secret: &str,
        about: &[&str],
        server: &str,
        from: String,
    ) -> String {
        let short = variable(about);
        let long = variable(&[&[server], about].concat());
        let numbered = (2..).map(|number| format!("{long}_{number}"));
        for name in [short, long.clone()].into_iter().chain(numbered) {
            match self.0.iter().find(|known| known.name == name) {
                Some(known) if known.secret == secret => return name,
                Some(_) => {}
                None => {
                    self.0.push(Variable { name: name.clone(), secret: secret.to_owned(), from });
                    return name;
                }
            }
        }
        long
    }

    /// Each name, and where the secret was found.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|known| (known.name.as_str(), known.from.as_str()))
    }
}

fn variable(about: &[&str]) -> String {
    let words: Vec<String> = about.iter().flat_map(|text| words(text)).collect();
    let name = words.join("_").to_ascii_uppercase();
    match name.starts_with(|char: char| char.is_ascii_alphabetic()) {
        true => name,
        false => format!("SECRET_{name}"),
    }
}

/// The words of a name in lower case: `apiKey`, `API_KEY` and `api-key` have the same.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for char in name.chars() {
        let starts = !char.is_ascii_alphanumeric() || (was_lower && char.is_ascii_uppercase());
        if starts {
            words.push(String::new());
        }
        was_lower = char.is_ascii_lowercase() || char.is_ascii_digit();
        if let Some(word) = words.last_mut().filter(|_| char.is_ascii_alphanumeric()) {
            word.push(char.to_ascii_lowercase());
        }
    }
    words.into_iter().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_secret_is_taken_for_one() {
        let table = [
            ("GITHUB_TOKEN", "ghp_x", true),
            ("apiKey", "abc", true),
            ("x", "3f786850e387550fdab836ed7e6dc881de23001b", true),
            ("DATABASE_URL", "postgres://me:pw@db.example/x", true),
            ("", "https://x.example/mcp?api_key=1", true),
            ("", "https://x.example/s/3f786850e387550fdab8/mcp", true),
            ("GOOGLE_APPLICATION_CREDENTIALS", "/home/me/key.json", false),
            ("LOG_LEVEL", "debug", false),
            ("KEY_COUNT", "12", false),
            ("", "@modelcontextprotocol/server-filesystem", false),
            ("", "-y", false),
            ("", "/srv/data", false),
            ("BASE", "https://x.example/mcp", false),
            ("monkey", "banana", false),
        ];
        for (key, value, expected) in table {
            assert_eq!(is(key, value), expected, "{key}={value}");
        }
    }

    #[test]
    fn each_secret_has_a_variable_of_its_own() {
        let mut variables = Variables::default();
        let mut name =
            |secret: &str, server| variables.stand_for(secret, &["TOKEN"], server, String::new());
        assert_eq!(name("a", "x"), "TOKEN");
        assert_eq!(name("a", "y"), "TOKEN");
        assert_eq!(name("b", "x"), "X_TOKEN");
        assert_eq!(name("c", "x"), "X_TOKEN_2");
        assert_eq!(name("b", "x"), "X_TOKEN");
    }

    #[test]
    fn variables_have_names_that_a_shell_takes() {
        for (about, expected) in [
            (&["GITHUB_TOKEN"][..], "GITHUB_TOKEN"),
            (&["my server", "Authorization"], "MY_SERVER_AUTHORIZATION"),
            (&["é", "apiKey"], "API_KEY"),
            (&["7"], "SECRET_7"),
            (&[], "SECRET_"),
        ] {
            assert_eq!(variable(about), expected);
        }
    }
}
