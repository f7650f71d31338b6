//! The tools of the protocol, and what each of them does.

use super::{
    Shared, answer,
    arguments::{Answer, No, WaitArguments, read},
    client::Who,
    demand,
    follow::{self, Heard, Listener, Way},
    http::Identity,
    job::Job,
    live::{Live, Resume, Start},
    questions::Answers,
    runs::{Runs, new_id},
    search,
    session::Session,
    tools,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, Implementation, JsonObject, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};

/// What a request comes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    Stdio,
    Http,
}

/// Answers the requests of one connection.
#[derive(Clone)]
pub(super) struct Handler {
    pub(super) shared: Arc<Shared>,
    carrier: Carrier,
    session: Arc<Session>,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let us = Implementation::new("cofferdam", env!("CARGO_PKG_VERSION"));
        let instructions = tools::instructions(self.shared.demand.is_some());
        ServerConfig::new(capabilities).with_server_info(us).with_instructions(instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.shared.tools.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let CallToolRequestParams { name, arguments, input_responses, request_state, .. } = request;
        let arguments = arguments.unwrap_or_default();
        let who = self.who(&context);
        let answers = input_responses.unwrap_or_default();
        if self.get_tool(&name).is_none() {
            return Err(ErrorData::invalid_params(format!("there is no tool `{name}`"), None));
        }
        let answer = match name.as_ref() {
            tools::SEARCH => search::search(&self.shared, arguments).await,
            tools::DETAILS => search::details(&self.shared, arguments),
            tools::CANCEL => self.cancel(arguments, &who).await,
            tools::SERVERS => demand::search(&self.shared, arguments),
            tools::DISABLE => demand::disable(&self.shared, arguments, &who).await,
            _ => {
                let mut listener = Listener::new(&context);
                let live = match request_state {
                    Some(state) => self.go_on(&state, answers, &who, &listener),
                    None => self.begin(&name, arguments, &who, &listener),
                };
                match live {
                    Ok(live) => {
                        let owns = name.as_ref() != tools::WAIT;
                        Ok(self.listen(&live, &mut listener, owns, &who).await)
                    }
                    Err(result) => Err(result),
                }
            }
        };
        Ok(answer.unwrap_or_else(|No(why)| answer::error(why).into()))
    }
}

impl Handler {
    pub(super) fn new(shared: Arc<Shared>, carrier: Carrier) -> Self {
        let session = Arc::new(Session::new(&shared));
        Self { shared, carrier, session }
    }

    /// Who makes a request.
    fn who(&self, context: &RequestContext<RoleServer>) -> Who {
        let parts = context.extensions.get::<axum::http::request::Parts>();
        let owner = parts.and_then(|parts| parts.extensions.get::<Identity>());
        let owner = owner.map_or_else(|| "local".to_owned(), |identity| identity.0.clone());
        let session = match self.carrier {
            Carrier::Stdio => Some("stdio".to_owned()),
            Carrier::Http => parts
                .filter(|_| !follow::is_modern(context))
                .and_then(|parts| parts.headers.get("mcp-session-id")?.to_str().ok())
                .map(str::to_owned),
        };
        Who { owner, session }
    }

    async fn cancel(&self, arguments: JsonObject, who: &Who) -> Answer {
        let live = self.find(arguments, who)?;
        live.cancel.cancel();
        live.has_ended().await;
        let ended = live.ended();
        let budget = self.shared.options.budget;
        let mut result = ended.map_or_else(
            || answer::error("the run did not end"),
            |ended| answer::ended(&live, &ended, budget),
        );
        // That it was cancelled is what was wanted.
        result.is_error = Some(false);
        Ok(result.into())
    }

    fn find(&self, arguments: JsonObject, who: &Who) -> Result<Arc<Live>, No> {
        let WaitArguments { run_id } = read(arguments)?;
        self.shared.runs.find(&run_id, &who.owner).ok_or_else(|| {
            No::new(
                "there is no such run here: it may have ended too long ago, or at another instance",
            )
        })
    }

    /// Begins what a request asks for, or finds it.
    fn begin(
        &self,
        tool: &str,
        arguments: JsonObject,
        who: &Who,
        listener: &Listener,
    ) -> Result<Arc<Live>, No> {
        if tool == tools::WAIT {
            return self.find(arguments, who);
        }
        let job = Job::read(tool, arguments, &self.shared)?;
        let resume = Resume { job, record: Default::default(), granted: Vec::new() };
        self.start(new_id(), 0, resume, BTreeMap::new(), who, listener)
    }

    pub(super) fn start(
        &self,
        id: String,
        round: u32,
        resume: Resume,
        answers: BTreeMap<String, Value>,
        who: &Who,
        listener: &Listener,
    ) -> Result<Arc<Live>, No> {
        let shared = &self.shared;
        if shared.draining.is_cancelled() {
            shared.metrics.refuse("draining");
            return Err(No::new("this server is shutting down; nothing was run"));
        }
        let client = shared.clients.of(who);
        let line = client.stand_in_line().map_err(|crowded| {
            shared.metrics.refuse("runs_waiting");
            No::new(crowded.to_string())
        })?;
        let Resume { job, record, granted } = resume;
        let start = Start {
            id,
            who: who.clone(),
            session: self.session.begins(who),
            job,
            can_ask: listener.way != Way::None,
            answer_time: shared.options.answer_time,
            // There is no other instance on the other end of a pipe, and none without a common key.
            past_bytes: match (self.carrier, listener.way, &shared.options.state_key) {
                (Carrier::Http, Way::InputRequired, Some(_)) => shared.options.state_bytes,
                _ => 0,
            },
            record: (round > 0).then_some(record),
            granted,
            answers: Answers::new(answers),
            round,
        };
        Ok(Runs::start(shared, &client, line, start))
    }

    /// Listens to a run until there is something to answer. A request that `owns` its run takes it
    /// along when it is given up.
    async fn listen(
        &self,
        live: &Arc<Live>,
        listener: &mut Listener,
        owns: bool,
        who: &Who,
    ) -> CallToolResponse {
        let options = &self.shared.options;
        let mut guard = Guard { live, is_on: owns };
        let heard = listener.follow(live, options.soft_limit).await;
        let result = match heard {
            Heard::GivenUp => answer::error("the request was cancelled"),
            Heard::Ended(ended) => answer::ended(live, &ended, options.budget),
            Heard::GoesOn => answer::goes_on(live, options.budget),
            Heard::Asks(held) => {
                guard.is_on = false;
                return self.ask(live, held, who);
            }
        };
        guard.is_on &= listener.ct.is_cancelled();
        result.into()
    }
}

/// Cancels a run whose request is gone.
struct Guard<'a> {
    live: &'a Live,
    is_on: bool,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if self.is_on {
            self.live.cancel.cancel();
        }
    }
}
