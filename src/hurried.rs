//! What a host plugs into the search, given up when it takes too long: what was found without it is
//! good enough, and a search must end.

use discovery::{EmbedError, Embedder, Hit, SelectError, ToolSelector};
use std::{sync::Arc, time::Duration};

/// How long a selector may take to choose.
const CHOICE_TIME: Duration = Duration::from_secs(10);

/// How long an embedder may take for one batch of texts.
const VECTOR_TIME: Duration = Duration::from_secs(30);

/// A selector, or an embedder, that is given up.
pub(crate) struct Hurried<T: ?Sized>(pub(crate) Arc<T>);

/// It was given up.
#[derive(Debug, thiserror::Error)]
#[error("nothing came of it within {} s", .0.as_secs())]
struct Late(Duration);

#[async_trait::async_trait]
impl ToolSelector for Hurried<dyn ToolSelector> {
    async fn select(&self, query: &str, candidates: &[Hit]) -> Result<Vec<usize>, SelectError> {
        let choice = tokio::time::timeout(CHOICE_TIME, self.0.select(query, candidates)).await;
        choice.unwrap_or_else(|_| Err(SelectError(Box::new(Late(CHOICE_TIME)))))
    }
}

#[async_trait::async_trait]
impl Embedder for Hurried<dyn Embedder> {
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vectors = tokio::time::timeout(VECTOR_TIME, self.0.embed(texts)).await;
        vectors.unwrap_or_else(|_| Err(EmbedError::Failed(Box::new(Late(VECTOR_TIME)))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Isolation, LocalTool, Sandbox};
    use discovery::Query;
    use serde_json::Value;
    use std::error::Error;

    /// Never comes back.
    struct Hanging;

    #[async_trait::async_trait]
    impl ToolSelector for Hanging {
        async fn select(&self, _: &str, _: &[Hit]) -> Result<Vec<usize>, SelectError> {
            std::future::pending().await
        }
    }

    #[async_trait::async_trait]
    impl Embedder for Hanging {
        async fn embed(&self, _: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
            std::future::pending().await
        }
    }

    /// What a search finds, why it was not what the host plugged in, and how long it took.
    async fn find(plug: impl FnOnce(Builder) -> Builder) -> (Vec<String>, String, Duration) {
        let tool = |name: &str| LocalTool::new(name, |_| async { Ok(Value::Null) });
        let builder = Sandbox::builder().isolation(Isolation::Thread).warm(0);
        let builder = builder.tools("fs", ["read_file", "write_file"].map(tool).into());
        let sandbox = plug(builder).build().await.unwrap();
        let began = tokio::time::Instant::now();
        let found = sandbox.search(&Query::new("write a file")).await;
        let why = found.unselected.as_ref().and_then(Error::source);
        let why = why.or_else(|| found.unembedded.as_ref().and_then(Error::source));
        let names = found.hits.iter().map(|hit| hit.tool.name.clone()).collect();
        (names, why.map(ToString::to_string).unwrap_or_default(), began.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn what_hangs_leaves_the_list_by_keywords() {
        let selector = find(|builder| builder.selector(Arc::new(Hanging))).await;
        let embedder = find(|builder| builder.embedder(Arc::new(Hanging))).await;
        let ranked = ["write_file", "read_file"].map(str::to_owned).to_vec();
        let late = |time: Duration| {
            (ranked.clone(), format!("nothing came of it within {} s", time.as_secs()), time)
        };
        assert_eq!(selector, late(CHOICE_TIME));
        assert_eq!(embedder, late(VECTOR_TIME));
    }
}
