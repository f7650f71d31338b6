//! Texts and names to words, as the index knows them.
//!
//! A name is taken apart where its writer put words together: `listOrgRepos`, `list_org_repos` and
//! `list.orgRepos` are the same three words. Words are then reduced to their stems, so that
//! "listing" finds "lists".

use std::borrow::Cow;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

/// A map whose hashing is quick, and still not known to who chooses the words.
pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// What is longer is cut here: nobody asks for it, and descriptions are a stranger's text.
const WORD_CHARS: usize = 40;

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Words that say nothing about what is looked for.
const EMPTY: [&str; 58] = [
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "do",
    "does", "for", "from", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me",
    "my", "of", "on", "one", "or", "our", "s", "so", "some", "somebody", "than", "that", "the",
    "their", "them", "this", "to", "tool", "under", "up", "us", "use", "was", "we", "what", "when",
    "where", "with", "you", "your",
];

/// Whether a word, in small letters, says nothing about what is looked for.
pub(crate) fn is_empty(word: &str) -> bool {
    EMPTY.binary_search(&word).is_ok()
}

/// The stem of a word in small letters.
pub(crate) fn stem(word: &str) -> Cow<'_, str> {
    // The stemmer knows English, and only that.
    if word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        ENGLISH.stem(word)
    } else {
        Cow::Borrowed(word)
    }
}

/// Stems that are already known: most words of a list of tools come again and again.
#[derive(Debug, Default)]
pub(crate) struct Stems(HashMap<String, String>);

impl Stems {
    pub(crate) fn of(&mut self, word: String) -> &str {
        self.0.entry(word).or_insert_with_key(|word| stem(word).into_owned())
    }
}

/// The words of a text in small letters, in their order.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut cutter = Cutter::default();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        cutter.take(char, chars.peek().copied());
    }
    cutter.end();
    cutter.words
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Other,
    Lower,
    Upper,
    Digit,
    /// Of a script that writes no spaces: words are pairs of neighbours.
    Unspaced,
}

impl Kind {
    fn of(char: char) -> Self {
        match char {
            '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => {
                Self::Unspaced
            }
            _ if char.is_uppercase() => Self::Upper,
            _ if char.is_numeric() => Self::Digit,
            _ if char.is_alphabetic() => Self::Lower,
            _ => Self::Other,
        }
    }
}

#[derive(Default)]
struct Cutter {
    words: Vec<String>,
    word: String,
    chars: usize,
    last: Kind,
    last_unspaced: Option<char>,
}

impl Cutter {
    fn take(&mut self, char: char, next: Option<char>) {
        let kind = Kind::of(char);
        let begins = match (self.last, kind) {
            (_, Kind::Other | Kind::Unspaced) => true,
            // `HTTPServer` is HTTP and Server.
            (Kind::Upper, Kind::Upper) => next.is_some_and(|next| Kind::of(next) == Kind::Lower),
            (Kind::Upper, Kind::Lower) => false,
            (last, kind) => last != kind,
        };
        if begins {
            self.end();
        }
        self.last = kind;
        match kind {
            Kind::Other => {}
            Kind::Unspaced => self.unspaced(char),
            _ if self.chars < WORD_CHARS => {
                self.word.extend(char.to_lowercase());
                self.chars += 1;
            }
            _ => {}
        }
        if kind != Kind::Unspaced {
            self.last_unspaced = None;
        }
    }

    fn unspaced(&mut self, char: char) {
        if let Some(last) = self.last_unspaced.replace(char) {
            self.words.push([last, char].iter().collect());
        } else {
            self.words.push(char.to_string());
        }
    }

    fn end(&mut self) {
        if !self.word.is_empty() {
            self.words.push(std::mem::take(&mut self.word));
        }
        self.chars = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_where_their_words_meet() {
        for name in ["listOrgRepos", "list_org_repos", "list.org-repos", "LIST ORG/REPOS"] {
            assert_eq!(words(name), ["list", "org", "repos"], "{name}");
        }
        assert_eq!(words("parseHTTPRequestV2"), ["parse", "http", "request", "v", "2"]);
        assert_eq!(words("__x__"), ["x"]);
        assert_eq!(words(" \u{202e}\0 "), [""; 0]);
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for word in ["list", "lists", "listing", "listed"] {
            assert_eq!(stem(word), "list");
        }
        assert_eq!(stem("größe"), "größe");
    }

    #[test]
    fn what_has_no_spaces_becomes_pairs() {
        assert_eq!(words("获取天气 now"), ["获", "获取", "取天", "天气", "now"]);
    }

    #[test]
    fn long_words_are_cut() {
        assert_eq!(words(&"ab".repeat(100))[0].len(), WORD_CHARS);
    }

    #[test]
    fn empty_words_are_in_order_to_be_found() {
        assert!(EMPTY.is_sorted());
        assert!(is_empty("the") && !is_empty("thread"));
    }
}
