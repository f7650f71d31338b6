//! Vectors from an embeddings endpoint: OpenAI's, or any that speaks as it does.

use crate::body;
use broker::Secret;
use discovery::{EmbedError, Embedder};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use url::Url;

/// What an answer may take: a model that is slow must not hold up a search for long.
const TIME: Duration = Duration::from_secs(20);

/// The longest answer that is read, in bytes.
const ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// An embedder behind `POST …/embeddings`, as OpenAI's API has it. Many servers of local models
/// speak the same.
///
/// It gets the names and descriptions of all tools once, and each query.
#[derive(Debug)]
pub struct Endpoint {
    url: Url,
    model: String,
    key: Option<Secret>,
    client: reqwest::Client,
}

/// What an endpoint did instead of giving vectors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// It cannot be reached, or not in time.
    #[error("the embeddings endpoint cannot be asked")]
    Unreachable(#[from] reqwest::Error),
    /// It refused.
    #[error("the embeddings endpoint answered {status}")]
    Refused {
        /// The HTTP status.
        status: u16,
    },
    /// Its answer is not what it should be.
    #[error("the embeddings endpoint's answer cannot be read")]
    Unreadable,
}

impl Endpoint {
    /// An endpoint by its whole URL, for example `https://api.openai.com/v1/embeddings`, and the
    /// name of the model there.
    ///
    /// # Errors
    /// [`EndpointError::Unreachable`] if this machine cannot make such requests at all.
    pub fn new(url: Url, model: impl Into<String>) -> Result<Self, EndpointError> {
        let client = reqwest::Client::builder().timeout(TIME).build()?;
        Ok(Self { url, model: model.into(), key: None, client })
    }

    /// Sets the key that is sent as a bearer token.
    #[must_use]
    pub fn key(self, key: Secret) -> Self {
        Self { key: Some(key), ..self }
    }

    async fn ask(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EndpointError> {
        let body = json!({ "model": self.model, "input": texts }).to_string();
        let request = self.client.post(self.url.clone()).body(body);
        let request = request.header("content-type", "application/json");
        let request = match &self.key {
            Some(key) => request.bearer_auth(key.expose()),
            None => request,
        };
        let answer = request.send().await.map_err(reqwest::Error::without_url)?;
        if !answer.status().is_success() {
            return Err(EndpointError::Refused { status: answer.status().as_u16() });
        }
        let bytes = body::whole(answer, ANSWER_BYTES).await;
        let bytes = bytes.map_err(reqwest::Error::without_url)?.ok_or(EndpointError::Unreadable)?;
        let answer: Value =
            serde_json::from_slice(&bytes).map_err(|_| EndpointError::Unreadable)?;
        vectors(&answer).ok_or(EndpointError::Unreadable)
    }
}

/// The vectors in the order of their texts: an answer may have them in any, each with its place.
fn vectors(answer: &Value) -> Option<Vec<Vec<f32>>> {
    let data = answer.get("data")?.as_array()?;
    let mut vectors = Vec::new();
    for (at, entry) in data.iter().enumerate() {
        let place = entry.get("index").map_or(Some(at as u64), Value::as_u64)?;
        let vector = Vec::<f32>::deserialize(entry.get("embedding")?).ok()?;
        vectors.push((place, vector));
    }
    vectors.sort_by_key(|(place, _)| *place);
    let in_order = (0..).zip(&vectors).all(|(at, (place, _))| at == *place);
    in_order.then(|| vectors.into_iter().map(|(_, vector)| vector).collect())
}

#[async_trait::async_trait]
impl Embedder for Endpoint {
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.ask(texts).await.map_err(|error| EmbedError::Failed(Box::new(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use discovery::{Finder, Index, Query, Ranking, Tool};
    use std::sync::Arc;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    /// An endpoint that answers what `answer` makes of each request's body, and the requests' heads.
    async fn endpoint(
        answer: impl Fn(Value) -> (u16, String) + Send + 'static,
    ) -> (Endpoint, Arc<std::sync::Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/embeddings", listener.local_addr().unwrap());
        let heads = Arc::<std::sync::Mutex<Vec<String>>>::default();
        let seen = heads.clone();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut read = Vec::new();
                let (head, body) = loop {
                    let mut buffer = [0; 4096];
                    let count = stream.read(&mut buffer).await.unwrap();
                    read.extend_from_slice(&buffer[..count]);
                    let text = String::from_utf8_lossy(&read).into_owned();
                    if let Some((head, body)) = text.split_once("\r\n\r\n")
                        && let Ok(body) = serde_json::from_str(body)
                    {
                        break (head.to_lowercase(), body);
                    }
                };
                seen.lock().unwrap().push(head);
                let (status, body) = answer(body);
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        let endpoint = Endpoint::new(url.parse().unwrap(), "small").unwrap();
        (endpoint.key(Secret::new("sesame")), heads)
    }

    /// Texts about animals are near each other, whatever the words.
    fn by_subject(body: Value) -> (u16, String) {
        let is_animal = |text: &Value| {
            ["cat", "dog", "pet"].iter().any(|word| text.as_str().unwrap().contains(word))
        };
        assert_eq!(body["model"], "small");
        let texts = body["input"].as_array().unwrap();
        let vector = |(at, text)| {
            let numbers = if is_animal(text) { [1.0, 0.1] } else { [0.1, 1.0] };
            json!({ "index": at, "embedding": numbers })
        };
        // In any order.
        let data: Vec<Value> = texts.iter().enumerate().map(vector).rev().collect();
        (200, json!({ "data": data }).to_string())
    }

    fn index() -> Index {
        let tool = |name: &str| Tool {
            server: "s".into(),
            name: name.into(),
            function: format!("s_{name}"),
            ..Tool::default()
        };
        let mut index = Index::default();
        index.update_server("s", ["feed_cat", "walk_dog", "wash_car"].map(tool));
        index
    }

    #[tokio::test]
    async fn tools_are_found_by_what_they_mean() {
        let (endpoint, heads) = endpoint(by_subject).await;
        let finder = Finder::default().embedder(Arc::new(endpoint));
        for _ in 0..2 {
            let found = finder.find(&index(), &Query::new("my pet").limit(2), Ranking::Best).await;
            let names: Vec<&str> = found.hits.iter().map(|hit| hit.tool.name.as_str()).collect();
            assert_eq!(names, ["feed_cat", "walk_dog"]);
            assert!(found.unembedded.is_none());
        }
        let heads = heads.lock().unwrap();
        // The tools once, and each query.
        assert_eq!(heads.len(), 3);
        assert!(heads[0].starts_with("post /v1/embeddings ") && heads[0].contains("bearer sesame"));
    }

    #[tokio::test]
    async fn keywords_decide_when_the_endpoint_does_not_answer_well() {
        let answers: [(u16, String); 4] = [
            (500, "{}".into()),
            (200, "junk".into()),
            (200, json!({ "data": [{ "embedding": ["x"] }] }).to_string()),
            (200, json!({ "data": [{ "index": 0, "embedding": [1] }] }).to_string()),
        ];
        for answer in answers {
            let (endpoint, _) = endpoint(move |_| answer.clone()).await;
            assert!(!format!("{endpoint:?}").contains("sesame"));
            let finder = Finder::default().embedder(Arc::new(endpoint));
            let found = finder.find(&index(), &Query::new("dog"), Ranking::Best).await;
            assert_eq!(found.hits[0].tool.name, "walk_dog");
            let error = found.unembedded.unwrap();
            assert!(!format!("{error:?}").contains("127.0.0.1"), "{error:?}");
        }
    }
}
