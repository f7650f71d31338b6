//! Ranking by keywords: BM25 over fields, and what a word of a query may stand for.

use std::sync::Arc;

use crate::document::{FIELDS, PerField};
use crate::index::{Index, Part, Posting};
use crate::kin::{kin, long_form};
use crate::query::{Hit, Query, best};
use crate::tool::Tool;
use crate::words::{is_empty, stem, words};

/// Words of a query that are looked for; the others are left out.
const QUERY_WORDS: usize = 24;

/// What a word is worth in each field: server, name, title, summary, description, parameters, about.
const WEIGHTS: PerField<f32> = [1.5, 3.0, 2.0, 1.5, 0.6, 0.6, 0.2];

/// How much the length of a field matters, as BM25's `b`. A name is meant to be short as it is.
const LENGTH: PerField<f32> = [0.0, 0.3, 0.3, 0.5, 0.75, 0.75, 0.75];

/// BM25's `k1`: how soon further mentions of a word add nothing.
const SATURATION: f32 = 1.2;

/// What a word counts that stands for another: as its beginning, as a part, in its place, or by
/// mistake.
const BEGINNING: f32 = 0.5;
const WITHIN: f32 = 0.3;
const KIN: f32 = 0.75;
const ONE_ERROR: f32 = 0.8;
const TWO_ERRORS: f32 = 0.6;

/// What a tool gets besides if it is called exactly what the query says: more than words can give.
const NAMED: f32 = 1000.0;

/// One word of a query, as all that it may stand for.
#[derive(Debug, Default)]
struct Term {
    variants: Vec<Variant>,
}

#[derive(Debug)]
struct Variant {
    stem: String,
    /// What a tool gets that has it.
    worth: f32,
}

impl Index {
    /// The tools that fit the query's words best. A query without words finds all tools, by server
    /// and name.
    pub fn keywords(&self, query: &Query) -> Vec<Hit> {
        let terms = self.terms(query.head());
        let averages = self.averages();
        let exact = query.head().trim();
        let mut found: Vec<(f32, &Arc<Tool>)> = Vec::new();
        for (server, part) in &self.servers {
            if !query.admits_server(server) {
                continue;
            }
            let scores = part.scores(&terms, &averages);
            for (tool, score) in part.tools.iter().zip(scores) {
                if (score > 0.0 || terms.is_empty()) && query.admits(tool) {
                    let is_named = tool.function == exact || tool.name == exact;
                    found.push((if is_named { score + NAMED } else { score }, tool));
                }
            }
        }
        best(query, found)
    }

    fn terms(&self, text: &str) -> Vec<Term> {
        let mut query_words = words(text);
        if query_words.iter().any(|word| !is_empty(word)) {
            query_words.retain(|word| !is_empty(word));
        }
        query_words.truncate(QUERY_WORDS);
        let mut terms: Vec<Term> = Vec::new();
        for (at, word) in query_words.iter().enumerate() {
            let long = long_form(word).map(words).unwrap_or_default();
            let mut term = self.term(word);
            // "data base" for `database`: what two words are together, if a tool has that.
            let pair = query_words.get(at + 1).map(|next| format!("{word}{next}"));
            if let Some(pair) = pair.filter(|pair| self.vocabulary.tools(&stem(pair)) > 0) {
                let worth = self.rarity(&stem(&pair));
                term.variants.push(Variant { stem: stem(&pair).into_owned(), worth });
            }
            terms.push(term);
            terms.extend(long.iter().map(|word| self.term(word)));
        }
        terms
    }

    fn term(&self, word: &str) -> Term {
        let own = stem(word).into_owned();
        let mut variants: Vec<Variant> = Vec::new();
        let is_known = self.vocabulary.tools(&own) > 0;
        // "Show" in a question is worth no more than the "get" that most tools say: it is chance
        // which of them somebody used.
        let group = std::iter::once(&own).chain(kin(&own)).map(|stem| self.rarity_if_known(stem));
        let most = group.fold(f32::MAX, f32::min);
        let mut add = |stem: &str, part: f32| {
            let worth = self.rarity(stem).min(most) * part;
            variants.push(Variant { stem: stem.to_owned(), worth });
        };
        if is_known {
            add(&own, 1.0);
        }
        for other in kin(&own) {
            add(other, KIN);
        }
        let is_part = own.chars().count() > 2;
        if is_part {
            for longer in self.vocabulary.beginning_with(&own) {
                add(longer, BEGINNING * own.len() as f32 / longer.len() as f32);
            }
        }
        if is_part && !is_known {
            for longer in self.vocabulary.containing(&own) {
                add(longer, WITHIN * own.len() as f32 / longer.len() as f32);
            }
        }
        if !is_known {
            for (other, errors) in self.vocabulary.near(&own) {
                add(other, if errors > 1 { TWO_ERRORS } else { ONE_ERROR });
            }
        }
        Term { variants }
    }

    fn rarity_if_known(&self, stem: &str) -> f32 {
        if self.vocabulary.tools(stem) > 0 { self.rarity(stem) } else { f32::MAX }
    }

    /// BM25's inverse document frequency: what a word is worth that few tools have.
    fn rarity(&self, stem: &str) -> f32 {
        let (all, with) = (self.len() as f32, self.vocabulary.tools(stem) as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }
}

impl Part {
    /// What each tool gets. Of all that a word may stand for, the best counts.
    fn scores(&self, terms: &[Term], averages: &PerField<f32>) -> Vec<f32> {
        let mut scores = vec![0.0; self.tools.len()];
        let mut best = vec![0.0_f32; self.tools.len()];
        let mut touched = Vec::new();
        for term in terms {
            for variant in &term.variants {
                for posting in self.words.get(variant.stem.as_str()).into_iter().flatten() {
                    let at = posting.tool as usize;
                    let (Some(best), Some(lengths)) = (best.get_mut(at), self.lengths.get(at))
                    else {
                        continue;
                    };
                    if *best == 0.0 {
                        touched.push(at);
                    }
                    *best = best.max(variant.worth * frequency(posting, lengths, averages));
                }
            }
            for at in touched.drain(..) {
                if let (Some(score), Some(best)) = (scores.get_mut(at), best.get_mut(at)) {
                    *score += std::mem::take(best);
                }
            }
        }
        scores
    }
}

/// BM25F: mentions in all fields, by their weight and the field's length, up to a bound.
fn frequency(posting: &Posting, lengths: &PerField<u16>, averages: &PerField<f32>) -> f32 {
    let mut frequency = 0.0;
    let counts = posting.counts.iter().zip(lengths).zip(averages);
    for (((count, length), average), (weight, matters)) in
        counts.zip(WEIGHTS.iter().zip(&LENGTH)).take(FIELDS)
    {
        if *count > 0 {
            let relative = f32::from(*length) / average.max(1.0);
            frequency += weight * f32::from(*count) / (1.0 - matters + matters * relative);
        }
    }
    frequency * (SATURATION + 1.0) / (frequency + SATURATION)
}
