//! Servers on demand: found, enabled and let go of by clients.
//!
//! Clients share the connection to a server and the catalogue, so a server that one of them has enabled
//! is there for all; what each may call is the policy's business. Who has enabled it is counted, so that
//! no client loses a server because another one has done with it.

use super::{
    Shared, answer,
    arguments::{Answer, No, ServerArguments, ServersArguments, read},
    client::Who,
    live::{Ended, Live},
    search::{FOUND_MAX, LISTED},
};
use crate::{Sandbox, lookup::state_name, nearest::nearest, visible::first_line};
use broker::{Principal, ServerStatus};
use discovery::{Index, Query};
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt::Write,
    sync::Arc,
};
use tokio::sync::Mutex;

const ABOUT_CHARS: usize = 160;

/// The servers on demand of a sandbox, and who wants them.
pub(super) struct Demand {
    /// All servers, each as if it were a tool. Their names and descriptions are the configuration's and
    /// never change.
    index: Index,
    names: Vec<String>,
    /// Held while a server is disabled, so that it is not enabled halfway through.
    wishes: Mutex<BTreeMap<String, Wishes>>,
}

/// Who wants a server.
#[derive(Default)]
struct Wishes {
    clients: HashSet<Who>,
    /// Requests under way: some may wait for the user's answer.
    pending: usize,
    /// Whether a client has enabled it.
    is_ours: bool,
    /// Whether the host itself had done so before.
    is_hosts: bool,
}

impl Demand {
    /// `None` if no server is on demand.
    pub(super) fn of(sandbox: &Sandbox) -> Option<Self> {
        let servers = sandbox.servers();
        let on_demand = servers.iter().filter(|server| server.on_demand);
        let names: Vec<String> = on_demand.map(|server| server.name.clone()).collect();
        let mut index = Index::default();
        for ServerStatus { name, description, .. } in servers {
            let (function, server) = (name.clone(), name.clone());
            let tool =
                discovery::Tool { server, name, function, description, ..Default::default() };
            index.update_server(&tool.server.clone(), [tool]);
        }
        (!names.is_empty()).then(|| Self { index, names, wishes: Mutex::default() })
    }

    /// The servers that a query finds, or all: text for the model, and the same with structure.
    fn search(&self, sandbox: &Sandbox, query: &str, limit: usize) -> (String, Value) {
        let mut servers = sandbox.servers();
        if !query.trim().is_empty() {
            let hits = self.index.keywords(&Query::new(query).limit(usize::MAX));
            let places = hits.iter().map(|hit| hit.tool.server.as_str()).zip(0..);
            let places: HashMap<&str, usize> = places.collect();
            servers.retain(|server| places.contains_key(server.name.as_str()));
            servers.sort_by_key(|server| places.get(server.name.as_str()));
        }
        let (mut text, mut entries) = (String::new(), Vec::new());
        for server in servers.iter().take(limit) {
            let (entry, line) = entry(sandbox, server);
            text += &line;
            entries.push(entry);
        }
        if servers.is_empty() {
            text += "No server matches. Try other words, or none to list all.\n";
        } else if servers.len() > entries.len() {
            let more = servers.len() - entries.len();
            let _ = writeln!(text, "[{more} more; ask for a larger `limit`]");
        }
        (text, json!({ "servers": entries, "found": servers.len() }))
    }

    /// Whether a server is one of those on demand.
    ///
    /// # Errors
    /// What is wrong with the name, in words for the model.
    fn admit(&self, sandbox: &Sandbox, server: &str) -> Result<(), String> {
        if self.names.iter().any(|name| name == server) {
            return Ok(());
        }
        if sandbox.servers().iter().any(|known| known.name == server) {
            return Err(format!("the server `{server}` is always on: there is nothing to switch"));
        }
        let near = nearest(server, self.names.iter().map(String::as_str));
        let hint = near.map_or_else(
            || "search_servers lists all".to_owned(),
            |name| format!("did you mean `{name}`?"),
        );
        Err(format!("there is no server `{server}`; {hint}"))
    }

    /// Enables a server for the client of a run, if policy and approval let it.
    pub(super) async fn enable(
        &self,
        live: &Arc<Live>,
        server: &str,
        principal: Principal,
    ) -> Ended {
        self.expect(&live.sandbox, server).await;
        let ended = tokio::select! {
            biased;
            () = live.cancel.cancelled() => Ended::Dropped,
            () = live.session.cancelled() => Ended::Dropped,
            enabled = live.sandbox.enable_of(principal, live.clone(), server) => {
                Ended::Call(Box::new(enabled))
            }
        };
        let mut wishes = self.wishes.lock().await;
        let wishes = wishes.entry(server.to_owned()).or_default();
        wishes.pending = wishes.pending.saturating_sub(1);
        let is_refused = matches!(&ended, Ended::Call(enabled) if enabled.is_err());
        let is_enabled = matches!(&ended, Ended::Call(enabled) if enabled.is_ok());
        // A session that is not over yet lets go of the server later, when this lock is free again.
        let is_in_vain = is_enabled && live.session.is_cancelled();
        // One that was given up may have been halfway there.
        wishes.is_ours |= !is_refused && !wishes.is_hosts;
        if is_enabled && !is_in_vain {
            wishes.clients.insert(live.who.clone());
        }
        wishes.settle(&live.sandbox, server).await;
        if is_in_vain { Ended::Dropped } else { ended }
    }

    /// A client may enable a server soon.
    async fn expect(&self, sandbox: &Sandbox, server: &str) {
        let mut wishes = self.wishes.lock().await;
        let wishes = wishes.entry(server.to_owned()).or_default();
        if wishes.pending == 0 && wishes.clients.is_empty() {
            let is_enabled = |it: &ServerStatus| it.name == server && it.enabled;
            wishes.is_hosts = sandbox.servers().iter().any(is_enabled);
        }
        wishes.pending += 1;
    }

    /// Lets go of a server for a client. It is disabled unless another client wants it.
    async fn let_go(&self, sandbox: &Sandbox, server: &str, who: &Who) {
        let mut wishes = self.wishes.lock().await;
        if let Some(wishes) = wishes.get_mut(server) {
            wishes.clients.remove(who);
            wishes.settle(sandbox, server).await;
        }
    }

    /// Lets go of all servers of a client.
    pub(super) async fn let_go_of_all(&self, sandbox: &Sandbox, who: &Who) {
        for server in &self.names {
            self.let_go(sandbox, server, who).await;
        }
    }
}

impl Wishes {
    /// Disables the server if no client wants it any more.
    async fn settle(&mut self, sandbox: &Sandbox, server: &str) {
        if self.is_ours && self.clients.is_empty() && self.pending == 0 {
            self.is_ours = false;
            sandbox.disable(server).await;
        }
    }
}

/// The servers that a query finds.
pub(super) fn search(shared: &Shared, arguments: JsonObject) -> Answer {
    let ServersArguments { query, limit } = read(arguments)?;
    let limit = limit.unwrap_or(LISTED).clamp(1, FOUND_MAX);
    let (text, structure) = of(shared)?.search(&shared.sandbox, &query, limit);
    Ok(answer::structured(text, structure).into())
}

/// Lets go of a server.
pub(super) async fn disable(shared: &Shared, arguments: JsonObject, who: &Who) -> Answer {
    let ServerArguments { server } = read(arguments)?;
    admitted(shared, &server)?.let_go(&shared.sandbox, &server, who).await;
    let (text, structure) = told(&shared.sandbox, &server);
    Ok(answer::structured(text, structure).into())
}

/// The servers on demand, if this is one of them.
pub(super) fn admitted<'a>(shared: &'a Shared, server: &str) -> Result<&'a Demand, No> {
    let demand = of(shared)?;
    demand.admit(&shared.sandbox, server).map_err(No)?;
    Ok(demand)
}

fn of(shared: &Shared) -> Result<&Demand, No> {
    shared.demand.as_ref().ok_or_else(|| No::new("no server is on demand"))
}

/// What is told of a server: with structure, and as a line.
fn entry(sandbox: &Sandbox, server: &ServerStatus) -> (Value, String) {
    let about = first_line(server.description.as_deref().unwrap_or_default(), ABOUT_CHARS);
    let (name, state) = (&server.name, state_name(&server.state));
    let tools = count(sandbox, name);
    let entry = json!({
        "server": name, "description": about, "state": state, "on_demand": server.on_demand, "tools": tools,
    });
    let about = if about.is_empty() { about } else { format!(": {about}") };
    (entry, format!("{name} ({state}, {tools} tools){about}\n"))
}

/// How many tools of a server can be called now.
pub(super) fn count(sandbox: &Sandbox, server: &str) -> usize {
    sandbox.catalogue().tools().filter(|tool| tool.server == server).count()
}

/// What is known of a server now, for whoever has switched it.
fn told(sandbox: &Sandbox, server: &str) -> (String, Value) {
    let servers = sandbox.servers();
    let state = servers.iter().find(|known| known.name == server);
    let state = state.map_or("off", |known| state_name(&known.state));
    let text = if state == "off" {
        format!("The server `{server}` is off.\n")
    } else {
        format!("The server `{server}` stays on: others use it.\n")
    };
    (text, json!({ "server": server, "state": state }))
}
