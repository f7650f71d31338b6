//! The tools of all servers, and where each word is.
//!
//! Each server is a part of its own, so that a change of one costs what that server costs. What
//! depends on all of them, such as how rare a word is, is worked out when it is asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::document::{Document, FIELDS, PerField};
use crate::pattern;
use crate::tool::Tool;
use crate::vocabulary::Vocabulary;
use crate::words::{HashMap, Stems};

/// Tools that can be searched. A clone shares what is the same.
#[derive(Clone, Debug, Default)]
pub struct Index {
    pub(crate) servers: BTreeMap<String, Arc<Part>>,
    pub(crate) vocabulary: Vocabulary,
}

/// The tools of one server.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) tools: Vec<Arc<Tool>>,
    /// What a pattern may match in each tool.
    pub(crate) texts: Vec<Box<str>>,
    /// Which tools have a word.
    pub(crate) words: HashMap<Box<str>, Vec<Posting>>,
    /// How many words each field of each tool has.
    pub(crate) lengths: Vec<PerField<u16>>,
    /// The sums of these.
    totals: PerField<u64>,
}

/// That a tool has a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posting {
    /// Its place in the part.
    pub(crate) tool: u32,
    /// How often, in each field.
    pub(crate) counts: PerField<u8>,
}

impl Index {
    /// Takes these tools for those of the server from now on. They must be of this server; others
    /// are left out.
    pub fn update_server(&mut self, server: &str, tools: impl IntoIterator<Item = Tool>) {
        self.remove_server(server);
        let tools = tools.into_iter().filter(|tool| tool.server == server);
        let part = Part::of(tools.map(Arc::new).collect());
        if part.tools.is_empty() {
            return;
        }
        for (word, postings) in &part.words {
            self.vocabulary.add(word, postings.len());
        }
        self.servers.insert(server.to_owned(), Arc::new(part));
    }

    /// Forgets the tools of a server.
    pub fn remove_server(&mut self, server: &str) {
        let Some(part) = self.servers.remove(server) else { return };
        for (word, postings) in &part.words {
            self.vocabulary.remove(word, postings.len());
        }
    }

    /// All tools, by server.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.servers.values().flat_map(|part| &part.tools)
    }

    /// The tools of a server.
    pub fn of_server(&self, name: &str) -> &[Arc<Tool>] {
        self.servers.get(name).map(|part| part.tools.as_slice()).unwrap_or_default()
    }

    /// The servers that have tools, in the order of their names.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.servers.values().map(|part| part.tools.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// How many words each field has on average.
    pub(crate) fn averages(&self) -> PerField<f32> {
        let tools = self.len().max(1);
        let mut averages = [0.0; FIELDS];
        for part in self.servers.values() {
            for (average, total) in averages.iter_mut().zip(part.totals) {
                *average += total as f32 / tools as f32;
            }
        }
        averages
    }
}

impl Part {
    fn of(tools: Vec<Arc<Tool>>) -> Self {
        let texts = tools.iter().map(|tool| pattern::all_text(tool)).collect();
        let mut part = Self { tools, texts, ..Self::default() };
        let mut stems = Stems::default();
        for (at, tool) in (0..).zip(&part.tools) {
            let document = Document::of(tool, &mut stems);
            for (word, counts) in document.words {
                let posting = Posting { tool: at, counts };
                match part.words.get_mut(word.as_str()) {
                    Some(postings) => postings.push(posting),
                    None => drop(part.words.insert(word.into(), vec![posting])),
                }
            }
            for (total, length) in part.totals.iter_mut().zip(document.lengths) {
                *total += u64::from(length);
            }
            part.lengths.push(document.lengths);
        }
        part
    }
}
