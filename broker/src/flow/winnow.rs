//! Text to fingerprints: a few hashes of substrings, chosen so that two texts with a long part in
//! common have one in common (Schleimer, Wilkerson and Aiken, *Winnowing*, 2003).
//!
//! Only letters and digits count, in lower case. So a copy is found whatever its case, its
//! white space and its punctuation are, and where it stands.

/// Letters and digits under one fingerprint.
pub(super) const GRAM: usize = 18;
/// Of so many fingerprints in a row one is kept.
const WINDOW: usize = 11;
/// The least that is always found when it was copied: in it is a whole window.
pub(super) const ALWAYS: usize = GRAM + WINDOW - 1;
/// Two finds further apart than this are two.
pub(super) const GAP: usize = WINDOW;
/// What has fewer different characters says nothing: zeros, dashes that were letters, `ababab`.
const VARIETY: usize = 4;
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The letters and digits of a text, lower case; each with whether a word begins there.
pub(super) fn letters(text: &str) -> impl Iterator<Item = (u32, bool)> + '_ {
    let mut inside = false;
    text.chars().flat_map(move |char| {
        let counts = char.is_alphanumeric();
        let begins = counts && !inside;
        inside = counts;
        let lower = counts.then(|| char.to_lowercase()).into_iter().flatten();
        lower.enumerate().map(move |(index, char)| (u32::from(char), begins && index == 0))
    })
}

/// The same in every run, so that a run that is made again finds the same.
const KEY: u64 = 0x6a09_e667_f3bc_c908;

/// Spreads the bits of a hash.
pub(super) fn mix(hash: u64, key: u64) -> u64 {
    let mut mixed = hash ^ key;
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        mixed = (mixed ^ (mixed >> 33)).wrapping_mul(factor);
    }
    mixed ^ (mixed >> 33)
}

/// Hash of a short value as a whole.
#[derive(Clone, Copy, Default)]
pub(super) struct Whole(u64);

impl Whole {
    pub(super) fn push(&mut self, letter: u32) {
        self.0 = self.0.wrapping_mul(BASE).wrapping_add(u64::from(letter) + 1);
    }

    /// Never the same as the hash of a substring: those are mixed with the key as it is.
    pub(super) fn hash(self) -> u64 {
        mix(self.0, !KEY)
    }
}

/// Hashes of all substrings of [`GRAM`] letters, one after the other.
pub(super) struct Grams {
    /// `BASE` to the power of `GRAM`.
    leaving: u64,
    last: [u32; GRAM],
    /// How often a letter is in `last`, by its lowest bits.
    counts: [u8; 64],
    variety: usize,
    length: usize,
    hash: u64,
}

impl Grams {
    pub(super) fn new() -> Self {
        let leaving = (0..GRAM).fold(1u64, |power, _| power.wrapping_mul(BASE));
        let (last, counts) = ([0; GRAM], [0; 64]);
        Self { leaving, last, counts, variety: 0, length: 0, hash: 0 }
    }

    /// The hash of the substring that ends with this letter, if there is one that says something.
    pub(super) fn push(&mut self, letter: u32) -> Option<u64> {
        let bucket = |letter: u32| (letter % 64) as usize;
        let at = self.length % GRAM;
        let place = self.last.get_mut(at)?;
        let old = std::mem::replace(place, letter);
        self.hash = self.hash.wrapping_mul(BASE).wrapping_add(u64::from(letter) + 1);
        if let Some(count) = self.counts.get_mut(bucket(letter)) {
            self.variety += usize::from(*count == 0);
            *count += 1;
        }
        if self.length >= GRAM {
            let left = (u64::from(old) + 1).wrapping_mul(self.leaving);
            self.hash = self.hash.wrapping_sub(left);
            if let Some(count) = self.counts.get_mut(bucket(old)) {
                *count -= 1;
                self.variety -= usize::from(*count == 0);
            }
        }
        self.length += 1;
        (self.length >= GRAM && self.variety >= VARIETY).then(|| mix(self.hash, KEY))
    }
}

/// Chooses which fingerprints of a text are kept.
pub(super) struct Winnow {
    grams: Grams,
    /// The last hashes; the largest number stands for none.
    window: [u64; WINDOW],
    seen: usize,
    /// The smallest in the window, and its place in the text.
    least: (u64, usize),
    emitted: Option<usize>,
}

impl Winnow {
    pub(super) fn new() -> Self {
        let (window, least) = ([u64::MAX; WINDOW], (u64::MAX, 0));
        Self { grams: Grams::new(), window, seen: 0, least, emitted: None }
    }

    /// Takes the next letter; the fingerprint to keep, if a new one is chosen.
    pub(super) fn push(&mut self, letter: u32) -> Option<u64> {
        let hash = self.grams.push(letter).unwrap_or(u64::MAX);
        if self.grams.length < GRAM {
            return None;
        }
        let at = self.seen;
        if let Some(place) = self.window.get_mut(at % WINDOW) {
            *place = hash;
        }
        self.seen += 1;
        if hash <= self.least.0 {
            self.least = (hash, at);
        } else if at >= WINDOW && self.least.1 <= at - WINDOW {
            self.least = (u64::MAX, at);
            // From the oldest, so that of equals the last is kept.
            for place in at + 1 - WINDOW..=at {
                let hash = self.window.get(place % WINDOW).copied().unwrap_or(u64::MAX);
                if hash <= self.least.0 {
                    self.least = (hash, place);
                }
            }
        }
        if self.seen >= WINDOW { self.choose() } else { None }
    }

    /// The text is over. One that is shorter than a window has a fingerprint, too.
    pub(super) fn finish(mut self) -> Option<u64> {
        if (1..WINDOW).contains(&self.seen) { self.choose() } else { None }
    }

    fn choose(&mut self) -> Option<u64> {
        let (hash, at) = self.least;
        if hash == u64::MAX || self.emitted == Some(at) {
            return None;
        }
        self.emitted = Some(at);
        Some(hash)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn kept(text: &str) -> HashSet<u64> {
        let mut winnow = Winnow::new();
        let mut kept: HashSet<u64> =
            letters(text).filter_map(|(letter, _)| winnow.push(letter)).collect();
        kept.extend(winnow.finish());
        kept
    }

    fn all(text: &str) -> HashSet<u64> {
        let mut grams = Grams::new();
        letters(text).filter_map(|(letter, _)| grams.push(letter)).collect()
    }

    #[test]
    fn only_letters_and_digits_count_and_not_their_case() {
        let seen: Vec<_> = letters(" Ab-1 ß").collect();
        assert_eq!(seen, [(97, true), (98, false), (49, true), (223, true)]);
        assert_eq!(all("The quick BROWN fox jumps."), all("the-quick\nbrownfox, jumps"));
    }

    #[test]
    fn what_is_all_the_same_has_no_fingerprint() {
        for text in
            ["0".repeat(100), "00000000-0000-0000-0000-000000000000".into(), "ab".repeat(50)]
        {
            assert!(all(&text).is_empty() && kept(&text).is_empty(), "{text}");
        }
    }

    #[test]
    fn about_a_sixth_is_kept() {
        let text: String = (0..20_000u64).map(|n| format!("{:x}", mix(n, 1))).collect();
        let (kept, all) = (kept(&text).len(), all(&text).len());
        assert!(all / 7 < kept && kept < all / 5, "{kept} of {all}");
    }

    proptest! {
        #[test]
        fn texts_that_share_enough_share_a_fingerprint(
            before in "[a-z ]{0,80}", shared in "[a-z0-9]{28,60}", after in ".{0,80}",
            other in ".{0,80}",
        ) {
            // Short cycles of few letters say nothing, and need not be found.
            prop_assume!(shared.as_bytes().windows(GRAM).all(|gram| {
                gram.iter().map(|byte| byte % 64).collect::<HashSet<_>>().len() >= VARIETY
            }));
            let held = kept(&format!("{before} {shared} {after}"));
            let sent = all(&format!("{other} {} ", shared.to_uppercase()));
            prop_assert!(held.intersection(&sent).next().is_some());
        }
    }
}
