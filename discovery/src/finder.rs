//! Keywords, meaning and a selector's choice, joined.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::embed::{EmbedError, Embedder, Vectors, checked};
use crate::index::Index;
use crate::query::{Hit, Query, ranked};
use crate::select::{SelectError, ToolSelector, chosen};

/// Texts that an embedder gets at once.
const BATCH: usize = 128;

/// Candidates of each ranking when rankings are joined, and for a selector.
const CANDIDATES: usize = 30;

/// Reciprocal rank fusion's constant, as its authors have it: how little the first places of a list
/// stand out.
const FUSION: f32 = 60.0;

/// Searches with whatever the host has.
#[derive(Default)]
pub struct Finder {
    embedder: Option<Arc<dyn Embedder>>,
    selector: Option<Arc<dyn ToolSelector>>,
    vectors: Mutex<Vectors>,
}

/// What decides about the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranking {
    /// Keywords, and meaning too if there is an embedder.
    #[default]
    Best,
    /// Keywords alone.
    Keywords,
    /// Meaning alone; keywords if there is no embedder.
    Meaning,
}

/// What a search gave.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Found {
    /// The tools, the best one first.
    pub hits: Vec<Hit>,
    /// Why keywords alone decided, although there is an embedder.
    pub unembedded: Option<EmbedError>,
    /// Why nothing was chosen, although there is a selector.
    pub unselected: Option<SelectError>,
}

impl Finder {
    /// Adds what knows the meaning of words.
    #[must_use]
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// Adds what chooses among the tools that were found.
    #[must_use]
    pub fn selector(mut self, selector: Arc<dyn ToolSelector>) -> Self {
        self.selector = Some(selector);
        self
    }

    /// The tools that fit best. Never fails: what is missing or broken leaves its part to the rest.
    pub async fn find(&self, index: &Index, query: &Query, ranking: Ranking) -> Found {
        let mut found = Found::default();
        let wanted = query.limit;
        let query = if self.selector.is_some() || self.embedder.is_some() {
            &query.clone().limit(wanted.max(CANDIDATES))
        } else {
            query
        };
        let by_keywords = || index.keywords(query);
        let nearest = match (&self.embedder, ranking) {
            (Some(embedder), Ranking::Best | Ranking::Meaning) => {
                self.nearest(embedder.as_ref(), index, query).await.map(Some)
            }
            _ => Ok(None),
        };
        found.hits = match nearest {
            Ok(Some(nearest)) if ranking == Ranking::Meaning => nearest,
            Ok(Some(nearest)) => fused(query, [by_keywords(), nearest]),
            Ok(None) => by_keywords(),
            Err(error) => {
                found.unembedded = Some(error);
                by_keywords()
            }
        };
        if let Some(selector) = &self.selector
            && !found.hits.is_empty()
        {
            match selector.select(&query.text, &found.hits).await {
                Ok(places) => {
                    let chosen = chosen(&places, &found.hits);
                    if !chosen.is_empty() {
                        found.hits = chosen;
                    }
                }
                Err(error) => found.unselected = Some(error),
            }
        }
        found.hits.truncate(wanted);
        found
    }

    async fn nearest(
        &self,
        embedder: &dyn Embedder,
        index: &Index,
        query: &Query,
    ) -> Result<Vec<Hit>, EmbedError> {
        let missing = self.vectors(|vectors| {
            vectors.keep(index);
            vectors.missing(index)
        });
        for texts in missing.chunks(BATCH) {
            let made = checked(texts.len(), embedder.embed(texts).await?)?;
            self.vectors(|vectors| vectors.add(texts.to_vec(), made));
        }
        let text = [query.head().to_owned()];
        let made = checked(1, embedder.embed(&text).await?)?;
        let to = made.first().map(AsRef::as_ref).unwrap_or_default();
        Ok(self.vectors(|vectors| vectors.nearest(index, query, to)))
    }

    fn vectors<T>(&self, work: impl FnOnce(&mut Vectors) -> T) -> T {
        work(&mut self.vectors.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Joins rankings by reciprocal rank fusion: what is high in one is high, and what is in both is
/// higher. Scores of different rankings cannot be compared, places can.
fn fused(query: &Query, rankings: [Vec<Hit>; 2]) -> Vec<Hit> {
    let mut scores: HashMap<(String, String), Hit> = HashMap::new();
    for hits in rankings {
        for (place, hit) in (1_u16..).zip(hits) {
            let key = (hit.tool.server.clone(), hit.tool.name.clone());
            let joined = scores.entry(key).or_insert(Hit { tool: hit.tool, score: 0.0 });
            joined.score += 1.0 / (FUSION + f32::from(place));
        }
    }
    ranked(query, scores.into_values().collect())
}
