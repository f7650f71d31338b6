//! What a search promises, whatever the tools and the query are.

#![allow(clippy::unwrap_used, reason = "a test that panics has said why")]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use discovery::{
    EmbedError, Embedder, Finder, Hit, Index, Query, Ranking, SelectError, Tool, ToolSelector,
    by_server,
};
use futures::executor::block_on;
use proptest::prelude::*;
use serde_json::json;

fn tool(server: &str, name: &str, description: &str) -> Tool {
    let value = json!({
        "name": name,
        "description": description,
        "inputSchema": { "properties": { "color": { "enum": ["crimson", "teal"] } } },
        "annotations": { "readOnlyHint": name.starts_with("get") },
    });
    support::tool(server, &value)
}

fn index() -> Index {
    let mut index = Index::default();
    index.update_server(
        "files",
        [
            tool("files", "get_file", "Reads a file."),
            tool("files", "delete_file", "Deletes a file. Mentions a ticket."),
            tool("files", "getMe", ""),
        ],
    );
    index.update_server(
        "tickets",
        [
            tool("tickets", "get_ticket", "Reads a ticket."),
            tool("tickets", "createPullRequest", "Opens a request."),
        ],
    );
    index
}

fn names(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.tool.name.as_str()).collect()
}

fn found(index: &Index, text: &str) -> Vec<String> {
    names(&index.keywords(&Query::new(text))).into_iter().map(str::to_owned).collect()
}

#[test]
fn names_weigh_more_than_descriptions() {
    let mut index = Index::default();
    index.update_server(
        "s",
        [tool("s", "a", "About mail, and only mail."), tool("s", "get_mail", "")],
    );
    assert_eq!(found(&index, "mail"), ["get_mail", "a"]);
}

#[test]
fn words_of_names_are_found_however_they_are_put_together() {
    for text in ["create pull request", "pullrequest", "CREATE_PULL_REQUEST", "pull-req", "prs"] {
        assert_eq!(found(&index(), text)[0], "createPullRequest", "{text}");
    }
    assert_eq!(found(&index(), "getme")[0], "getMe");
}

#[test]
fn values_of_parameters_are_found() {
    assert_eq!(found(&index(), "crimson").len(), 5);
}

#[test]
fn filters_hold_for_every_kind_of_search() {
    let index = index();
    let by_keywords = |query: &Query| index.keywords(query);
    let by_pattern = |query: &Query| index.pattern(query).unwrap();
    let finder = Finder::default().embedder(Arc::new(Lengths));
    let by_meaning = |query: &Query| block_on(finder.find(&index, query, Ranking::Meaning)).hits;
    type Search<'a> = &'a dyn Fn(&Query) -> Vec<Hit>;
    for search in [&by_keywords as Search<'_>, &by_pattern, &by_meaning] {
        let hits = search(&Query::new("get").server("tickets").read_only());
        assert_eq!(names(&hits), ["get_ticket"]);
        assert_eq!(search(&Query::new("file").limit(2)).len(), 2);
        assert_eq!(search(&Query::new("file").limit(0)).len(), 0);
        assert_eq!(search(&Query::new("file").server("nobody")).len(), 0);
    }
}

#[test]
fn no_words_find_all_tools_in_their_order() {
    assert_eq!(found(&index(), " ?! ").len(), 5);
    assert_eq!(found(&index(), "")[0], "delete_file");
    assert_eq!(found(&index(), "zzzzzz").len(), 0);
}

#[test]
fn hits_are_grouped_by_server_and_keep_their_order() {
    let index = index();
    let hits = index.keywords(&Query::new("ticket"));
    let groups = by_server(&hits);
    let servers: Vec<&str> = groups.iter().map(|group| group.server).collect();
    assert_eq!(servers, ["tickets", "files"]);
    assert_eq!(groups[0].hits[0].tool.name, "get_ticket");
}

/// A vector by the length of the text.
struct Lengths;

#[async_trait::async_trait]
impl Embedder for Lengths {
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| vec![1.0, text.len() as f32 / 100.0]).collect())
    }
}

/// Gives these places, or fails.
struct Choice(Option<Vec<usize>>);

#[async_trait::async_trait]
impl ToolSelector for Choice {
    async fn select(&self, _: &str, _: &[Hit]) -> Result<Vec<usize>, SelectError> {
        self.0.clone().ok_or_else(|| SelectError("no model today".into()))
    }
}

#[test]
fn a_selector_chooses_among_what_was_found() {
    let index = index();
    let query = Query::new("file");
    let ranked = index.keywords(&query);
    let chosen = |places: Option<Vec<usize>>| {
        let finder = Finder::default().selector(Arc::new(Choice(places)));
        block_on(finder.find(&index, &query, Ranking::Best))
    };
    assert_eq!(chosen(Some(vec![1, 99, 1])).hits, [ranked[1].clone()]);
    // Nothing that can be used: the list as it was.
    assert_eq!(chosen(Some(vec![99])).hits, ranked);
    assert_eq!(chosen(Some(vec![])).hits, ranked);
    let failed = chosen(None);
    assert_eq!(failed.hits, ranked);
    assert!(failed.unselected.is_some());
}

/// Vectors that cannot be used.
struct Odd(Vec<Vec<f32>>);

#[async_trait::async_trait]
impl Embedder for Odd {
    async fn embed(&self, _: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(self.0.clone())
    }
}

#[test]
fn keywords_decide_when_vectors_are_no_good() {
    let index = index();
    for vectors in [vec![], vec![vec![]; 5], vec![vec![f32::NAN]; 5], vec![vec![0.0]; 5]] {
        let finder = Finder::default().embedder(Arc::new(Odd(vectors)));
        let found = block_on(finder.find(&index, &Query::new("ticket"), Ranking::Best));
        assert_eq!(found.hits, index.keywords(&Query::new("ticket")));
        assert!(matches!(found.unembedded, Some(EmbedError::Malformed { .. })));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_can_be_looked_for(text in any::<String>(), about in any::<String>()) {
        let mut index = index();
        index.update_server("odd", [tool("odd", &text, &about)]);
        let hits = index.keywords(&Query::new(&text));
        prop_assert!(hits.iter().all(|hit| hit.score.is_finite()));
        prop_assert_eq!(&hits, &index.keywords(&Query::new(&text)));
        let _ = index.pattern(&Query::new(text));
    }

    /// However an index came about, it finds the same as one that was made at once.
    #[test]
    fn changes_give_what_a_new_index_would(
        steps in proptest::collection::vec((0..4_usize, 0..6_usize), 1..12),
        text in "(get|delete|file|ticket|tikcet|fil) ?(issue|7)?",
    ) {
        let mut changed = Index::default();
        let mut last = BTreeMap::new();
        for (server, count) in steps {
            let server = format!("server{server}");
            let named = |at| tool(&server, &format!("get_file{at}"), &format!("A ticket, {count}."));
            let tools: Vec<Tool> = (0..count).map(named).collect();
            changed.update_server(&server, tools.clone());
            last.insert(server, tools);
        }
        let fresh = support::index(&last.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(changed.len(), fresh.len());
        let query = Query::new(text).limit(100);
        prop_assert_eq!(changed.keywords(&query), fresh.keywords(&query));
    }
}
