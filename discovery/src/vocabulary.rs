//! All words of all tools, and which of them a word was probably meant to be.

use crate::words::HashMap;

/// Of so many words a typing error may be one.
const GUESSES: usize = 6;

/// So many words may begin with what was asked for.
const BEGINNINGS: usize = 8;

#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary(HashMap<Box<str>, Word>);

#[derive(Clone, Copy, Debug)]
struct Word {
    /// How many tools have it.
    tools: u32,
    /// Which letters it has, a bit each.
    letters: u32,
    chars: u32,
}

impl Vocabulary {
    /// So many more tools have this word.
    pub(crate) fn add(&mut self, word: &str, tools: usize) {
        let tools = u32::try_from(tools).unwrap_or(u32::MAX);
        match self.0.get_mut(word) {
            Some(known) => known.tools = known.tools.saturating_add(tools),
            None => {
                let chars = u32::try_from(word.chars().count()).unwrap_or(u32::MAX);
                self.0.insert(word.into(), Word { tools, letters: letters(word), chars });
            }
        }
    }

    /// So many tools with this word are gone.
    pub(crate) fn remove(&mut self, word: &str, tools: usize) {
        if let Some(known) = self.0.get_mut(word) {
            known.tools = known.tools.saturating_sub(u32::try_from(tools).unwrap_or(u32::MAX));
            if known.tools == 0 {
                self.0.remove(word);
            }
        }
    }

    /// How many tools have a word.
    pub(crate) fn tools(&self, word: &str) -> usize {
        self.0.get(word).map_or(0, |known| known.tools as usize)
    }

    /// The words that begin with this one and are longer, the shortest first.
    pub(crate) fn beginning_with(&self, start: &str) -> Vec<&str> {
        let longer = |word: &&str| word.len() > start.len() && word.starts_with(start);
        let mut found: Vec<&str> = self.0.keys().map(AsRef::as_ref).filter(longer).collect();
        found.sort_unstable_by_key(|word| (word.len(), *word));
        found.truncate(BEGINNINGS);
        found
    }

    /// The words in which this one is, but not at their beginning, the shortest first.
    pub(crate) fn containing(&self, part: &str) -> Vec<&str> {
        let has = |word: &&str| word.get(1..).is_some_and(|rest| rest.contains(part));
        let mut found: Vec<&str> = self.0.keys().map(AsRef::as_ref).filter(has).collect();
        found.sort_unstable_by_key(|word| (word.len(), *word));
        found.truncate(BEGINNINGS);
        found
    }

    /// The words that are this one but for few letters, the nearest first, each with the number of
    /// letters that differ.
    pub(crate) fn near(&self, word: &str) -> Vec<(&str, usize)> {
        let chars = word.chars().count();
        let errors: u32 = match chars {
            0..3 => return Vec::new(),
            3..6 => 1,
            _ => 2,
        };
        let set = letters(word);
        let mut found: Vec<(usize, u32, &str)> = Vec::new();
        for (other, known) in &self.0 {
            let differ = (set ^ known.letters).count_ones();
            let is_digits = other.bytes().all(|byte| byte.is_ascii_digit());
            if differ > 2 * errors
                || (known.chars as usize).abs_diff(chars) > errors as usize
                || is_digits
            {
                continue;
            }
            let distance = strsim::osa_distance(word, other);
            if distance <= errors as usize {
                found.push((distance, u32::MAX - known.tools, other));
            }
        }
        found.sort_unstable();
        found.truncate(GUESSES);
        found.into_iter().map(|(distance, _, word)| (word, distance)).collect()
    }
}

/// Which letters a word has. Two words differ in no fewer letters than half of the bits in which
/// these differ, which is sooner known.
fn letters(word: &str) -> u32 {
    word.chars().fold(0, |set, char| set | 1 << (u32::from(char) % 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(words: &[&str]) -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        words.iter().for_each(|word| vocabulary.add(word, 1));
        vocabulary
    }

    #[test]
    fn errors_are_one_letter_in_short_words_and_two_in_long_ones() {
        let vocabulary = vocabulary(&["list", "issu", "repositori", "2024"]);
        assert_eq!(vocabulary.near("lsit"), [("list", 1)]);
        assert_eq!(vocabulary.near("isu"), [("issu", 1)]);
        assert_eq!(vocabulary.near("repsitry"), []);
        assert_eq!(vocabulary.near("repositry"), [("repositori", 2)]);
        assert_eq!(vocabulary.near("li"), []);
        assert_eq!(vocabulary.near("2025"), []);
    }

    #[test]
    fn a_word_is_gone_with_the_last_tool_that_has_it() {
        let mut vocabulary = vocabulary(&["list", "list"]);
        vocabulary.remove("list", 1);
        assert_eq!(vocabulary.tools("list"), 1);
        vocabulary.remove("list", 1);
        assert_eq!((vocabulary.tools("list"), vocabulary.near("lisd")), (0, vec![]));
    }
}
