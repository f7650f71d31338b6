//! A host's small model chooses among what was found.

use crate::query::Hit;

/// Chooses the tools that fit, for example by asking a small model.
#[async_trait::async_trait]
pub trait ToolSelector: Send + Sync {
    /// The places of those of the candidates that fit, the best one first. What names no candidate,
    /// or one again, is left out. If nothing is left, the list stays as it was.
    ///
    /// # Errors
    /// Whatever there is to say. The list stays as it was.
    async fn select(&self, query: &str, candidates: &[Hit]) -> Result<Vec<usize>, SelectError>;
}

/// Why nothing was chosen.
#[derive(Debug, thiserror::Error)]
#[error("the selector failed")]
pub struct SelectError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// The candidates in the order in which they were chosen.
pub(crate) fn chosen(places: &[usize], candidates: &[Hit]) -> Vec<Hit> {
    let mut taken = vec![false; candidates.len()];
    let mut chosen = Vec::new();
    for place in places {
        if let (Some(hit), Some(taken)) = (candidates.get(*place), taken.get_mut(*place))
            && !std::mem::replace(taken, true)
        {
            chosen.push(hit.clone());
        }
    }
    chosen
}
