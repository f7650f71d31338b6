//! The search that follows the servers.
//!
//! The index is made when somebody first searches. After that, a server whose tools have changed is
//! read again, and only that one.

use crate::declared::Declared;
use broker::Broker;
use discovery::{Finder, Found, Hit, Index, Parameters, PatternError, Query, Ranking};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};
use stubgen::Declarations;

/// Searches what a broker can call.
pub(crate) struct Search {
    broker: Broker,
    declared: Arc<Declared>,
    finder: Finder,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What the index is of.
    of: Option<Arc<broker::Catalogue>>,
    index: Arc<Index>,
}

impl Search {
    pub(crate) fn new(broker: Broker, declared: Arc<Declared>, finder: Finder) -> Arc<Self> {
        Arc::new(Self { broker, declared, finder, state: Mutex::default() })
    }

    /// The tools that fit best.
    pub(crate) async fn find(self: &Arc<Self>, query: &Query, ranking: Ranking) -> Found {
        self.finder.find(&*self.index().await, query, ranking).await
    }

    /// The tools in which a pattern matches. On a thread that may be busy for a while.
    pub(crate) async fn pattern(self: &Arc<Self>, query: Query) -> Result<Vec<Hit>, PatternError> {
        let index = self.index().await;
        let work = tokio::task::spawn_blocking(move || index.pattern(&query));
        // It fails only when the whole runtime ends.
        work.await.unwrap_or_else(|_| Ok(Vec::new()))
    }

    /// The index of the tools as they are now. To make one of thousands of tools takes a while.
    pub(crate) async fn index(self: &Arc<Self>) -> Arc<Index> {
        let search = Arc::clone(self);
        tokio::task::spawn_blocking(move || search.followed()).await.unwrap_or_default()
    }

    fn followed(&self) -> Arc<Index> {
        // In this order: declarations that are newer only lack what is gone by now.
        let current = self.broker.catalogue();
        let declarations = self.declared.now(&self.broker);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { of, index } = &mut *state;
        let is_known = of.as_ref().is_some_and(|of| Arc::ptr_eq(of, &current));
        if !is_known {
            follow(Arc::make_mut(index), of.as_deref(), &current, &declarations);
            *of = Some(current);
        }
        Arc::clone(index)
    }
}

/// Reads the servers again whose tools, or the names of whose functions, are not what they were.
fn follow(
    index: &mut Index,
    before: Option<&broker::Catalogue>,
    now: &broker::Catalogue,
    declarations: &Declarations,
) {
    let before = by_server(before.into_iter().flat_map(broker::Catalogue::tools));
    let now = by_server(now.tools());
    let gone: Vec<String> =
        index.servers().filter(|name| !now.contains_key(name)).map(str::to_owned).collect();
    gone.iter().for_each(|name| index.remove_server(name));
    for (server, tools) in now {
        let is_same = before.get(server).is_some_and(|before| *before == tools)
            && index.of_server(server).iter().all(|tool| {
                declarations.identifier(server, &tool.name) == Some(tool.function.as_str())
            });
        if !is_same {
            let known = tools.iter().filter_map(|tool| described(tool, declarations));
            index.update_server(server, known);
        }
    }
}

fn by_server<'a>(
    tools: impl Iterator<Item = &'a broker::Tool>,
) -> BTreeMap<&'a str, Vec<&'a broker::Tool>> {
    let mut by_server: BTreeMap<&str, Vec<&broker::Tool>> = BTreeMap::new();
    for tool in tools {
        by_server.entry(&tool.server).or_default().push(tool);
    }
    by_server
}

/// What cannot be declared cannot be called, and is not found.
fn described(tool: &broker::Tool, declarations: &Declarations) -> Option<discovery::Tool> {
    Some(discovery::Tool {
        server: tool.server.clone(),
        name: tool.name.clone(),
        function: declarations.identifier(&tool.server, &tool.name)?.to_owned(),
        title: tool.title.clone(),
        description: tool.description.clone(),
        parameters: Parameters::of(&tool.input_schema),
        read_only: tool.annotations.read_only == Some(true),
    })
}
