//! What is remembered of the results of a run, in bounded memory: fingerprints, not texts.
//!
//! When there is no room, the results that are oldest are forgotten. That they were there is not:
//! what cannot be told any more is treated as if it could be so.

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashTable;
use serde_json::Value;

use super::Source;
use super::found::{Found, Span};
use super::leaves::{self, Leaf};
use super::views;
use super::winnow::{ALWAYS, Grams, Whole, Winnow, letters, mix};

/// Fingerprints that one run may hold. With the table they are in, 9 bytes each in 2^21 places,
/// that is 19 MB; text of about 11 million letters and digits.
pub(crate) const FINGERPRINTS: usize = (1 << 21) / 8 * 7;
/// Results that can have fingerprints: so many that no run has more.
const SOURCES: usize = 1 << SOURCE_BITS;
const SOURCE_BITS: u32 = 24;
/// Different tools that one fingerprint is remembered of.
const TOOLS: usize = 16;

/// The fingerprints of a run's results.
pub(super) struct Held {
    /// Where entries are in the table: nobody outside can make them crowd.
    key: u64,
    most: usize,
    /// Each is 40 bits of a hash and the number of a source.
    table: HashTable<u64>,
    sources: Vec<Remembered>,
    /// All before this one are forgotten.
    oldest: usize,
    /// Tools of whose results something is not remembered, as server and tool.
    forgotten: BTreeSet<(Arc<str>, Arc<str>)>,
}

struct Remembered {
    source: Source,
    fingerprints: usize,
}

impl Held {
    pub(super) fn new(key: u64, most: usize) -> Self {
        let (table, sources, forgotten) = Default::default();
        Self { key, most, table, sources, oldest: 0, forgotten }
    }

    /// Remembers a result.
    pub(super) fn add(&mut self, source: Source, result: &Value) {
        let number = self.sources.len();
        if number >= SOURCES {
            self.forgotten.insert((source.server, source.tool));
            return;
        }
        self.sources.push(Remembered { source, fingerprints: 0 });
        self.take(number, result, 0);
    }

    pub(super) fn forgotten(&self) -> impl Iterator<Item = (&str, &str)> {
        self.forgotten.iter().map(|(server, tool)| (server.as_ref(), tool.as_ref()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Bytes that are taken, without the names of tools.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.table.allocation_size() + self.sources.capacity() * size_of::<Remembered>()
    }

    /// All texts of a value, one after the other, so that what is split in the result and whole in
    /// an argument is found; and the short ones as they are.
    fn take(&mut self, number: usize, value: &Value, depth: usize) {
        let mut whole = Winnow::new();
        leaves::each(value, &mut |leaf| match leaf {
            Leaf::Name(name) => {
                let mut winnow = Winnow::new();
                self.winnow(number, &mut winnow, name);
                self.insert_last(number, winnow);
                self.take_short(number, name);
            }
            Leaf::Text(text) => {
                self.winnow(number, &mut whole, &text);
                self.take_short(number, &text);
                if depth > 0 {
                    return;
                }
                if let Some(value) = leaves::parsed(&text) {
                    self.take(number, &value, depth + 1);
                }
                for text in views::plain_base64(&text) {
                    self.take(number, &Value::String(text), depth + 1);
                }
            }
        });
        self.insert_last(number, whole);
    }

    fn winnow(&mut self, number: usize, winnow: &mut Winnow, text: &str) {
        for (letter, _) in letters(text) {
            if let Some(hash) = winnow.push(letter) {
                self.insert(number, hash);
            }
        }
    }

    fn insert_last(&mut self, number: usize, winnow: Winnow) {
        if let Some(hash) = winnow.finish() {
            self.insert(number, hash);
        }
    }

    /// A short value, or the telling words of a long one.
    fn take_short(&mut self, number: usize, text: &str) {
        let mut take = |text: &str, whole: bool| {
            let mut hash = Whole::default();
            let mut length = 0;
            for (letter, _) in letters(text).take(ALWAYS) {
                hash.push(letter);
                length += 1;
            }
            if length < ALWAYS && leaves::is_telling(text, whole) {
                self.insert(number, hash.hash());
            }
        };
        // Four bytes are a letter at most.
        if text.len() <= ALWAYS * 8 {
            take(text, true);
        }
        for word in
            text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '<' | '>'))
        {
            if word.len() < text.len() && (8..=ALWAYS * 8).contains(&word.len()) {
                take(word, false);
            }
        }
    }

    fn insert(&mut self, number: usize, hash: u64) {
        let Some(tool) = self.sources.get(number).map(|held| held.source.clone()) else { return };
        let same = |entry: &u64| is_of(*entry, hash);
        let mut known = 0;
        for entry in self.table.iter_hash(spread(hash, self.key)).filter(|entry| same(entry)) {
            let is_same_tool =
                self.sources.get(source_of(*entry)).is_some_and(|held| held.source.is_of(&tool));
            if is_same_tool {
                return;
            }
            known += 1;
        }
        if known >= TOOLS || (self.table.len() >= self.most && !self.make_room(number)) {
            self.forgotten.insert((tool.server, tool.tool));
            return;
        }
        let key = self.key;
        let entry = (hash & HASH) | number as u64;
        self.table.insert_unique(spread(hash, key), entry, |entry| spread(*entry, key));
        if let Some(held) = self.sources.get_mut(number) {
            held.fingerprints += 1;
        }
    }

    /// Forgets the oldest results, but not the one that room is made for.
    fn make_room(&mut self, number: usize) -> bool {
        let (mut freed, before) = (0, self.oldest);
        while freed < self.most / 4 && self.oldest < number {
            if let Some(held) = self.sources.get(self.oldest) {
                freed += held.fingerprints;
                let source = &held.source;
                self.forgotten.insert((Arc::clone(&source.server), Arc::clone(&source.tool)));
            }
            self.oldest += 1;
        }
        if freed > 0 {
            let (oldest, key) = (self.oldest, self.key);
            // Into the same table: one that only had places taken out of it would grow.
            let kept: Vec<u64> =
                self.table.drain().filter(|entry| source_of(*entry) >= oldest).collect();
            for entry in kept {
                self.table.insert_unique(spread(entry, key), entry, |entry| spread(*entry, key));
            }
        }
        self.oldest > before && freed > 0
    }

    /// What of a text came from results of other servers: for each result the places, in order.
    pub(super) fn find(&self, text: &str, server: &str) -> Vec<(&Source, Vec<Span>)> {
        self.find_in(&mut letters(text), server)
    }

    /// The same for texts one after the other.
    pub(super) fn find_in(
        &self,
        letters: &mut dyn Iterator<Item = (u32, bool)>,
        server: &str,
    ) -> Vec<(&Source, Vec<Span>)> {
        let mut found = Found::default();
        let mut grams = Grams::new();
        // The short values that may be under way: from where, and their hash so far.
        let mut shorts: Vec<(usize, Whole)> = Vec::new();
        let mut at: usize = 0;
        let mut letters = letters.peekable();
        while let Some((letter, begins)) = letters.next() {
            if begins {
                shorts.retain(|(from, _)| at - from < ALWAYS);
                shorts.push((at, Whole::default()));
            }
            at += 1;
            if let Some(hash) = grams.push(letter) {
                self.look_up(hash, server, &mut |number| found.gram(number, at));
            }
            let ends = letters.peek().is_none_or(|(_, begins)| *begins);
            for (from, hash) in &mut shorts {
                if at - *from < ALWAYS {
                    hash.push(letter);
                    if ends {
                        let (hash, span) = (hash.hash(), (*from, at));
                        self.look_up(hash, server, &mut |number| found.short(number, span));
                    }
                }
            }
        }
        let named =
            |(number, spans): (usize, Vec<Span>)| Some((&self.sources.get(number)?.source, spans));
        found.merged().into_iter().filter_map(named).collect()
    }

    fn look_up(&self, hash: u64, server: &str, take: &mut dyn FnMut(usize)) {
        for entry in
            self.table.iter_hash(spread(hash, self.key)).filter(|entry| is_of(**entry, hash))
        {
            let number = source_of(*entry);
            let source = self.sources.get(number).map(|held| &held.source);
            if source.is_some_and(|source| source.server.as_ref() != server) {
                take(number);
            }
        }
    }
}

const HASH: u64 = !((1 << SOURCE_BITS) - 1);

fn is_of(entry: u64, hash: u64) -> bool {
    entry & HASH == hash & HASH
}

fn source_of(entry: u64) -> usize {
    // 24 bits fit.
    usize::try_from(entry & !HASH).unwrap_or(usize::MAX)
}

/// The table's own hash, of which it uses both ends.
fn spread(hash: u64, key: u64) -> u64 {
    mix(hash >> SOURCE_BITS, key)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::ledger::CallId;

    fn source(call: u64, server: &str) -> Source {
        Source { call: CallId(call), server: server.into(), tool: "read".into() }
    }

    fn random(seed: u64, words: u64) -> String {
        let word = |n: u64| format!("{:x}", super::super::winnow::mix(seed * 1_000_000 + n, 3));
        (0..words).map(word).collect::<Vec<_>>().join(" ")
    }

    fn calls(held: &Held, text: &str) -> Vec<u64> {
        held.find(text, "other").iter().map(|(source, _)| source.call.number()).collect()
    }

    #[test]
    fn a_full_memory_forgets_the_oldest_and_says_whose_they_were() {
        let mut held = Held::new(1, 1000);
        held.add(source(1, "first"), &json!(random(1, 60)));
        held.add(source(2, "second"), &json!(random(2, 60)));
        assert_eq!((calls(&held, &random(1, 60)), held.forgotten().count()), (vec![1], 0));
        held.add(source(3, "third"), &json!(random(3, 600)));
        assert!(held.table.len() <= 1000);
        assert_eq!(calls(&held, &random(1, 60)), [0; 0]);
        assert_eq!(calls(&held, &random(3, 60)), [3]);
        // The third alone is more than there is room for.
        let forgotten: Vec<_> = held.forgotten().map(|(server, _)| server).collect();
        assert_eq!(forgotten, ["first", "second", "third"]);
    }

    #[test]
    fn memory_stays_within_its_bound() {
        // A sixteenth of it, which is as full as the whole would be.
        let mut held = Held::new(1, FINGERPRINTS / 16);
        for call in 0..6 {
            let rows: Vec<_> = (0..8).map(|n| json!(random(call * 100 + n, 1_000))).collect();
            held.add(source(call + 1, "s"), &json!({ "rows": rows }));
        }
        assert!(held.forgotten().count() == 1, "more than fits: {}", held.table.len());
        assert!(held.table.len() > FINGERPRINTS / 32, "{} are held", held.table.len());
        assert!(held.bytes() <= 20_000_000 / 16, "{} bytes", held.bytes());
    }

    #[test]
    fn a_text_of_more_tools_than_are_remembered_is_not_lost_in_silence() {
        let mut held = Held::new(1, 1000);
        for n in 0..20 {
            held.add(source(n + 1, &format!("s{n:02}")), &json!(random(1, 4)));
        }
        assert_eq!(calls(&held, &random(1, 4)).len(), TOOLS);
        assert_eq!(held.forgotten().count(), 20 - TOOLS);
    }

    proptest! {
        #[test]
        fn a_long_enough_copy_is_found_wherever_it_stands(
            seed in 1u64..1000, before in ".{0,60}", after in ".{0,60}", start in 0usize..300,
            length in 28usize..120,
        ) {
            let text = random(seed, 40).replace(' ', "");
            let piece = &text[start..start + length];
            let mut held = Held::new(seed, 10_000);
            held.add(source(1, "s"), &json!({ "a": [1, &before], "b": { "c": text } }));
            let sent = format!("{before} {piece} {after}");
            prop_assert!(calls(&held, &sent) == [1], "{}", sent);
            prop_assert!(held.find(&sent, "s").is_empty(), "its own server knows it already");
        }

        #[test]
        fn nothing_makes_it_panic(text in ".{0,300}", sent in ".{0,300}") {
            let mut held = Held::new(9, 20);
            held.add(source(1, "s"), &json!({ &text: [&text, 1.5, null] }));
            held.find(&sent, "t");
            held.find(&text, "t");
        }
    }
}
