//! How well a search finds what somebody asked for in words of their own.
//!
//! `queries.tsv` has 150 questions to the tools of the real lists, all of them loaded together, with
//! the tools that answer each. The figures of `docs/discovery.md` are these; they must not fall.

#![allow(clippy::unwrap_used, reason = "a test that panics has said why")]

mod support;

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::sync::{Arc, Mutex};

use discovery::{EmbedError, Embedder, Finder, Hit, Index, Query, Ranking};

/// What at least is reached: recall among the first five, and mean reciprocal rank.
const KEYWORDS: (f64, f64) = (0.833, 0.678);
const PATTERN: (f64, f64) = (0.613, 0.480);
const MEANING: (f64, f64) = (0.861, 0.701);
const HYBRID: (f64, f64) = (0.902, 0.733);

struct Question {
    kind: String,
    text: String,
    answers: Vec<String>,
}

fn questions() -> Vec<Question> {
    let lines = include_str!("queries.tsv").lines().filter(|line| !line.starts_with('#'));
    let question = |line: &str| {
        let [kind, text, answers] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        Question {
            kind: kind.into(),
            text: text.into(),
            answers: answers.split(' ').map(str::to_owned).collect(),
        }
    };
    lines.map(question).collect()
}

#[derive(Clone, Copy, Default)]
struct Score {
    questions: usize,
    recall: f64,
    reciprocal: f64,
}

impl Score {
    fn add(&mut self, question: &Question, hits: &[Hit]) {
        let answers = |hit: &Hit| {
            let path = format!("{}/{}", hit.tool.server, hit.tool.name);
            question.answers.contains(&path)
        };
        let among_five = hits.iter().take(5).filter(|hit| answers(hit)).count();
        let first = hits.iter().position(answers);
        self.questions += 1;
        self.recall += among_five as f64 / question.answers.len().min(5) as f64;
        self.reciprocal += first.map_or(0.0, |place| 1.0 / (place + 1) as f64);
    }

    fn means(&self) -> (f64, f64) {
        (self.recall / self.questions as f64, self.reciprocal / self.questions as f64)
    }
}

fn measure(name: &str, find: impl Fn(&str) -> Vec<Hit>) -> (f64, f64) {
    let mut by_kind: BTreeMap<String, Score> = BTreeMap::new();
    let mut all = Score::default();
    for question in questions() {
        let hits = find(&question.text);
        by_kind.entry(question.kind.clone()).or_default().add(&question, &hits);
        all.add(&question, &hits);
    }
    by_kind.insert("all".into(), all);
    for (kind, score) in by_kind {
        let (recall, reciprocal) = score.means();
        let line = format!(
            "{name} {kind}: {} recall@5 {recall:.3} MRR {reciprocal:.3}\n",
            score.questions
        );
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
    all.means()
}

fn assert_reached(name: &str, (recall, reciprocal): (f64, f64), least: (f64, f64)) {
    assert!(recall >= least.0, "{name}: recall {recall:.4}, was {}", least.0);
    assert!(reciprocal >= least.1, "{name}: mean reciprocal rank {reciprocal:.4}, was {}", least.1);
}

fn real() -> Option<Index> {
    let lists = support::real_lists();
    (!lists.is_empty()).then(|| support::index(&lists))
}

#[test]
fn there_are_150_questions() {
    assert_eq!(questions().len(), 150);
}

#[test]
fn keywords_find_what_was_asked_for() {
    let Some(index) = real() else { return };
    let reached = measure("keywords", |text| index.keywords(&Query::new(text)));
    assert_reached("keywords", reached, KEYWORDS);
}

/// As a model does that has only regular expressions: the words of the question, one or the other.
#[test]
fn patterns_find_some_of_it() {
    let Some(index) = real() else { return };
    let reached = measure("pattern", |text| {
        let words: Vec<&str> = text.split_whitespace().filter(|word| word.len() > 3).collect();
        let words = if words.is_empty() { vec![text] } else { words };
        index.pattern(&Query::new(words.join("|").replace(['(', ')', '?', '.'], ""))).unwrap()
    });
    assert_reached("pattern", reached, PATTERN);
}

/// Vectors that all-MiniLM-L6-v2 made of the tools and of the questions, 8 bits a number. `record`
/// writes down what it would be asked; see `docs/discovery.md`.
struct Recorded {
    vectors: HashMap<u64, Vec<f32>>,
    asked: Mutex<Vec<String>>,
}

/// Numbers of a vector.
const SIZE: usize = 384;

impl Recorded {
    fn read() -> Self {
        let bytes = include_bytes!("vectors.bin").as_slice();
        let record = |record: &[u8]| {
            let (key, numbers) = record.split_first_chunk::<8>().unwrap();
            let numbers = numbers.iter().map(|byte| f32::from(byte.cast_signed()));
            (u64::from_le_bytes(*key), numbers.collect())
        };
        let vectors = bytes.chunks_exact(8 + SIZE).map(record).collect();
        Self { vectors, asked: Mutex::default() }
    }
}

#[async_trait::async_trait]
impl Embedder for Recorded {
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.asked.lock().unwrap().extend_from_slice(texts);
        let unknown = || (0..SIZE).map(|_| 1.0).collect();
        let vector = |text: &String| self.vectors.get(&key(text)).cloned().unwrap_or_else(unknown);
        Ok(texts.iter().map(vector).collect())
    }
}

/// FNV-1a.
fn key(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn meaning_and_keywords_together_find_more() {
    let Some(index) = real() else { return };
    let embedder = Arc::new(Recorded::read());
    let finder = Finder::default().embedder(embedder.clone());
    let by = |ranking: Ranking| {
        let (finder, index) = (&finder, &index);
        move |text: &str| {
            let query = Query::new(text);
            futures::executor::block_on(finder.find(index, &query, ranking)).hits
        }
    };
    let meaning = measure("meaning", by(Ranking::Meaning));
    let hybrid = measure("hybrid", by(Ranking::Best));
    if let Some(path) = std::env::var_os("RECORD_EMBEDDED_TEXTS") {
        let asked = embedder.asked.lock().unwrap();
        let lines: Vec<String> =
            asked.iter().map(|text| serde_json::to_string(text).unwrap()).collect();
        std::fs::write(path, lines.join("\n")).unwrap();
        return;
    }
    let asked = embedder.asked.lock().unwrap();
    let unknown = asked.iter().filter(|text| !embedder.vectors.contains_key(&key(text))).count();
    assert_eq!(unknown, 0, "texts have no recorded vector: record them again");
    assert_reached("meaning", meaning, MEANING);
    assert_reached("hybrid", hybrid, HYBRID);
}
