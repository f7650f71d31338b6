//! What is asked, and what is found.

use std::sync::Arc;

use crate::tool::Tool;

/// A query longer than this is cut: one word of it costs as much as any other.
const QUERY_BYTES: usize = 1000;

/// What is looked for, and among which tools.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Query {
    pub(crate) text: String,
    pub(crate) servers: Vec<String>,
    pub(crate) read_only: bool,
    pub(crate) limit: usize,
}

/// A tool that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The tool.
    pub tool: Arc<Tool>,
    /// How well it fits, above others of the same list. Means nothing by itself.
    pub score: f32,
}

/// Tools of one server that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<'a> {
    /// The server's name.
    pub server: &'a str,
    /// The tools, the best one first.
    pub hits: Vec<&'a Hit>,
}

impl Query {
    /// How many tools are found if nothing else is said.
    pub const LIMIT: usize = 10;

    /// Looks for keywords or a regular expression, among all tools.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), servers: Vec::new(), read_only: false, limit: Self::LIMIT }
    }

    /// Looks among the tools of this server; of several, if it is said again.
    pub fn server(mut self, name: impl Into<String>) -> Self {
        self.servers.push(name.into());
        self
    }

    /// Looks among the tools that say that they change nothing.
    pub fn read_only(self) -> Self {
        Self { read_only: true, ..self }
    }

    /// Sets how many tools are found at most. Default: [`Query::LIMIT`].
    pub fn limit(self, tools: usize) -> Self {
        Self { limit: tools, ..self }
    }

    /// What is looked for.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What of the text is read for keywords.
    pub(crate) fn head(&self) -> &str {
        self.text.get(..self.text.floor_char_boundary(QUERY_BYTES)).unwrap_or_default()
    }

    pub(crate) fn admits_server(&self, name: &str) -> bool {
        self.servers.is_empty() || self.servers.iter().any(|server| server == name)
    }

    pub(crate) fn admits(&self, tool: &Tool) -> bool {
        tool.read_only || !self.read_only
    }
}

/// The best hits first, equal ones by server and name; no more than the query wants.
pub(crate) fn ranked(query: &Query, hits: Vec<Hit>) -> Vec<Hit> {
    best(query, hits.iter().map(|hit| (hit.score, &hit.tool)).collect())
}

/// The same of tools with their scores.
pub(crate) fn best(query: &Query, mut found: Vec<(f32, &Arc<Tool>)>) -> Vec<Hit> {
    let order = |(a, first): &(f32, &Arc<Tool>), (b, second): &(f32, &Arc<Tool>)| {
        b.total_cmp(a)
            .then_with(|| (&first.server, &first.name).cmp(&(&second.server, &second.name)))
    };
    if found.len() > query.limit && query.limit > 0 {
        found.select_nth_unstable_by(query.limit - 1, order);
    }
    found.truncate(query.limit);
    found.sort_by(order);
    found.into_iter().map(|(score, tool)| Hit { tool: Arc::clone(tool), score }).collect()
}

/// Hits by server: the server of the best hit first, and the hits of each in their order.
pub fn by_server(hits: &[Hit]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for hit in hits {
        let server = hit.tool.server.as_str();
        match groups.iter_mut().find(|group| group.server == server) {
            Some(group) => group.hits.push(hit),
            None => groups.push(Group { server, hits: vec![hit] }),
        }
    }
    groups
}
