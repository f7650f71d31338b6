//! What a script asks of its host and of no server: which tools and servers there are.
//!
//! These are no calls of a tool, so they are not judged and not in the ledger. They count as calls
//! for the limits of a run, and no run may make more than a fixed number of them: they are the
//! host's time.

use crate::{
    detail::{self, Detail},
    search::Search,
};
use broker::{Broker, Catalogue, ServerState};
use discovery::{Hit, Query, Ranking};
use runtime::Failure;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};
use stubgen::Declarations;

/// Lookups of one run.
const LOOKUPS: u32 = 100;

/// Tools of one search.
const TOOLS: u64 = 50;

/// What is looked up. No tool's function can have these names: they are no identifiers.
#[derive(Clone, Copy)]
pub(crate) enum Lookup {
    Search,
    Describe,
    Servers,
}

/// Answers the lookups of one run.
pub(crate) struct Lookups {
    search: Arc<Search>,
    broker: Broker,
    declarations: Arc<Declarations>,
    made: AtomicU32,
}

impl Lookup {
    pub(crate) fn of(function: &str) -> Option<Self> {
        match function {
            "mcp.searchTools" => Some(Self::Search),
            "mcp.describeTool" => Some(Self::Describe),
            "mcp.listServers" => Some(Self::Servers),
            _ => None,
        }
    }
}

impl Lookups {
    pub(crate) fn new(
        search: Arc<Search>,
        broker: Broker,
        declarations: Arc<Declarations>,
    ) -> Self {
        Self { search, broker, declarations, made: AtomicU32::new(0) }
    }

    /// What a script gets, as JSON.
    pub(crate) async fn answer(&self, lookup: Lookup, input: &Value) -> Result<Value, Failure> {
        if self.made.fetch_add(1, Ordering::Relaxed) >= LOOKUPS {
            return Err(Failure::new(
                "limit",
                format!("a script may search for tools and describe them {LOOKUPS} times"),
            ));
        }
        match lookup {
            Lookup::Search => self.search(input).await,
            Lookup::Describe => self.describe(input).await,
            Lookup::Servers => Ok(self.servers().await),
        }
    }

    async fn search(&self, input: &Value) -> Result<Value, Failure> {
        let (query, detail, is_pattern) =
            options(input).map_err(|wrong| Failure::new("invalid_input", wrong))?;
        let hits = if is_pattern {
            let found = self.search.pattern(query).await;
            found.map_err(|error| Failure::new("invalid_input", error.to_string()))?
        } else {
            self.search.find(&query, Ranking::Best).await.hits
        };
        let catalogue = self.broker.catalogue();
        // A tool that came after the script began has no function in it.
        let known = hits.iter().filter(|hit| self.is_known(hit));
        let objects = known.map(|hit| self.object(&hit.tool, detail, &catalogue));
        Ok(Value::Array(objects.collect()))
    }

    fn is_known(&self, hit: &Hit) -> bool {
        let tool = &hit.tool;
        self.declarations.identifier(&tool.server, &tool.name) == Some(&tool.function)
    }

    fn object(&self, tool: &discovery::Tool, detail: Detail, catalogue: &Catalogue) -> Value {
        Value::Object(detail::object(tool, detail, &self.declarations, catalogue))
    }

    async fn describe(&self, input: &Value) -> Result<Value, Failure> {
        let name = input.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| Failure::new("invalid_input", "a tool's name is a text"))?;
        let index = self.search.index().await;
        let (server, own) = match self.declarations.function(name) {
            Some(known) => (known.server.as_str(), known.tool.as_str()),
            None => name.split_once('/').unwrap_or(("", name)),
        };
        let mut tools = index.of_server(server).iter();
        let Some(tool) = tools.find(|tool| tool.name == own) else {
            let names = self.declarations.functions.iter().map(|known| known.identifier.as_str());
            let hint = crate::nearest::nearest(name, names);
            let hint = hint.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
            return Err(Failure::new(
                "unavailable",
                format!("there is no function `{name}`{hint}"),
            ));
        };
        let mut object =
            detail::object(tool, Detail::Full, &self.declarations, &self.broker.catalogue());
        if let Some(description) = &tool.description {
            object.insert("description".to_owned(), json!(description));
        }
        Ok(Value::Object(object))
    }

    async fn servers(&self) -> Value {
        let index = self.search.index().await;
        let server = |(name, state): (&str, ServerState)| {
            let state = state_name(&state);
            json!({ "name": name, "state": state, "tools": index.of_server(name).len() })
        };
        self.broker.states().map(server).collect()
    }
}

/// The name of a server's state, for scripts and models.
pub(crate) fn state_name(state: &ServerState) -> &'static str {
    match state {
        ServerState::Ready { .. } => "ready",
        ServerState::Off => "off",
        ServerState::Idle => "idle",
        ServerState::Connecting => "connecting",
        _ => "failed",
    }
}

/// Reads what a script wrote. It was not checked by anything before.
fn options(input: &Value) -> Result<(Query, Detail, bool), String> {
    let option = |name: &str| input.get(name).filter(|value| !value.is_null());
    let flag = |name: &str| match option(name) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(format!("`{name}` is true or false")),
    };
    let text = option("query").and_then(Value::as_str).ok_or("the query is a text")?;
    let mut query = Query::new(text);
    match option("server") {
        None => {}
        Some(Value::String(name)) => query = query.server(name),
        Some(Value::Array(names)) if names.iter().all(Value::is_string) => {
            query = names.iter().filter_map(Value::as_str).fold(query, Query::server);
        }
        Some(_) => return Err("`server` is the name of a server, or an array of names".to_owned()),
    }
    if let Some(limit) = option("limit") {
        let limit = limit.as_u64().filter(|limit| (1..=TOOLS).contains(limit));
        let limit = limit.ok_or_else(|| format!("`limit` is a whole number from 1 to {TOOLS}"))?;
        query = query.limit(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    if flag("readOnly")? {
        query = query.read_only();
    }
    let detail = match option("detail") {
        None => Detail::default(),
        Some(detail) => detail
            .as_str()
            .unwrap_or_default()
            .parse()
            .map_err(|error: detail::NoDetail| error.to_string())?,
    };
    Ok((query, detail, flag("regex")?))
}
