//! Ranking by meaning, with vectors that somebody else makes.

use std::collections::HashMap;
use std::sync::Arc;

use crate::index::Index;
use crate::query::{Hit, Query, ranked};
use crate::tool::Tool;

/// Text of a tool that is made a vector of, in bytes.
const TEXT_BYTES: usize = 1500;

/// Makes vectors of texts, so that texts that mean something similar get similar ones.
#[async_trait::async_trait]
pub trait Embedder: Send + Sync {
    /// A vector for each text, all of the same length. Their length does not matter otherwise, and
    /// neither does their size.
    ///
    /// # Errors
    /// Whatever there is to say. Then the keywords alone decide.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Why there are no vectors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// They could not be made.
    #[error("the embedder failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// They are not a vector for each text, all of the same length and of finite numbers.
    #[error("the embedder gave {got} vectors that can be used for {texts} texts")]
    Malformed {
        /// How many texts it got.
        texts: usize,
        /// How many good vectors it gave.
        got: usize,
    },
}

/// The vectors of tools, by the text that they were made of: a tool that stays as it is, or comes
/// again, has one already.
#[derive(Debug, Default)]
pub(crate) struct Vectors(HashMap<String, Arc<[f32]>>);

impl Vectors {
    /// The texts that have no vector yet, each once.
    pub(crate) fn missing(&self, index: &Index) -> Vec<String> {
        let mut texts: Vec<String> = index
            .tools()
            .map(|tool| text(tool))
            .filter(|text| !self.0.contains_key(text))
            .collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    pub(crate) fn add(&mut self, texts: Vec<String>, vectors: Vec<Arc<[f32]>>) {
        self.0.extend(texts.into_iter().zip(vectors));
    }

    /// Forgets what no tool has any more, if that is most of it.
    pub(crate) fn keep(&mut self, index: &Index) {
        if self.0.len() > 2 * index.len() {
            let texts: std::collections::HashSet<String> =
                index.tools().map(|tool| text(tool)).collect();
            self.0.retain(|text, _| texts.contains(text));
        }
    }

    /// The tools that are nearest to a vector.
    pub(crate) fn nearest(&self, index: &Index, query: &Query, to: &[f32]) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (server, part) in &index.servers {
            if !query.admits_server(server) {
                continue;
            }
            for tool in part.tools.iter().filter(|tool| query.admits(tool)) {
                if let Some(vector) = self.0.get(&text(tool))
                    && vector.len() == to.len()
                {
                    let score = vector.iter().zip(to).map(|(a, b)| a * b).sum();
                    hits.push(Hit { tool: tool.clone(), score });
                }
            }
        }
        ranked(query, hits)
    }
}

/// Vectors of length 1, if there is a good one for each text.
pub(crate) fn checked(texts: usize, vectors: Vec<Vec<f32>>) -> Result<Vec<Arc<[f32]>>, EmbedError> {
    let size = vectors.first().map_or(0, Vec::len);
    let good: Vec<Arc<[f32]>> =
        vectors.into_iter().filter(|vector| vector.len() == size).filter_map(unit).collect();
    if good.len() == texts {
        Ok(good)
    } else {
        Err(EmbedError::Malformed { texts, got: good.len() })
    }
}

fn unit(vector: Vec<f32>) -> Option<Arc<[f32]>> {
    let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
    let is_good = length.is_finite() && length > 0.0;
    is_good.then(|| vector.into_iter().map(|part| part / length).collect())
}

/// What a vector is made of.
pub(crate) fn text(tool: &Tool) -> String {
    let name = crate::words::words(&tool.name).join(" ");
    let mut text = format!("{}: {name}", tool.server);
    for part in [&tool.title, &tool.description].into_iter().flatten() {
        text.push_str(". ");
        text.push_str(part);
    }
    text.truncate(text.floor_char_boundary(TEXT_BYTES));
    text
}
