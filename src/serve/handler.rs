//! The tools of the protocol, and what each of them does.

use super::{
    Shared, answer,
    arguments::{Answer, CallArguments, No, RunArguments, ServerArguments, WaitArguments, read},
    client::Who,
    demand,
    follow::{self, Heard, Listener, Way},
    http::Identity,
    live::{Held, Job, Live, Resume, Start},
    questions::Answers,
    runs::{Runs, new_id},
    search,
    session::Session,
    tools,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, Implementation, InputRequests,
        InputRequiredResult, JsonObject, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// What a request comes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    Stdio,
    Http,
}

/// Answers the requests of one connection.
#[derive(Clone)]
pub(super) struct Handler {
    shared: Arc<Shared>,
    carrier: Carrier,
    session: Arc<Session>,
}

/// What a client keeps for us while it answers.
#[derive(Serialize, Deserialize)]
struct Claims {
    run: String,
    round: u32,
    resume: Option<Resume>,
}

const LABEL_CHARS: usize = 200;

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
        let job = match tool {
            tools::WAIT => return self.find(arguments, who),
            tools::ENABLE => {
                let ServerArguments { server } = read(arguments)?;
                demand::admitted(&self.shared, &server)?;
                Job::Enable { server }
            }
            tools::CALL => {
                let CallArguments { name, arguments } = read(arguments)?;
                Job::Call { function: name, input: arguments }
            }
            _ => {
                let RunArguments { script, timeout, label } = read(arguments)?;
                let timeout = timeout.map(|seconds| {
                    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero())
                });
                if timeout == Some(None) {
                    return Err(No::new("`timeout` must be a number of seconds above zero"));
                }
                // The model has chosen it, so it must not be one that somebody else gives meaning to.
                let label = match label {
                    Some(label) => format!("serve:{}", cut(&label)),
                    None => "serve".to_owned(),
                };
                Job::Script { source: script, label: Some(label), timeout: timeout.flatten() }
            }
        };
        let resume = Resume { job, record: Default::default(), granted: Vec::new() };
        self.start(new_id(), 0, resume, BTreeMap::new(), who, listener)
    }

    /// Goes on with a run whose questions are answered: with the one that is here, or with a new one
    /// that repeats what the other has done.
    fn go_on(
        &self,
        state: &str,
        answers: BTreeMap<String, Value>,
        who: &Who,
        listener: &Listener,
    ) -> Result<Arc<Live>, No> {
        let opened = self.shared.seal.open(state, &who.owner);
        let Claims { run, round, resume } = opened.map_err(|error| No::new(error.to_string()))?;
        let here = self.shared.runs.find(&run, &who.owner);
        if let Some(live) =
            here.as_ref().filter(|live| !(live.is_behind(round) && resume.is_some()))
        {
            if live.resume(round, answers) {
                return Ok(Arc::clone(live));
            }
            return Err(No::new(format!(
                "that question was answered already; wait_run with run_id \"{run}\" has the result"
            )));
        }
        // One that waits here for an answer that another instance has had. The new one takes its place.
        here.inspect(|behind| behind.cancel.cancel());
        let Some(resume) = resume else {
            return Err(No::new(
                "the run can only be continued by the instance that began it, which is not this one or \
                 does not have it any more. Calls that it made are not undone.",
            ));
        };
        self.start(run, round, resume, answers, who, listener)
    }

    fn start(
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
            tape_bytes: match (self.carrier, listener.way, &shared.options.state_key) {
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

    fn ask(&self, live: &Live, held: Held, who: &Who) -> CallToolResponse {
        let shared = &self.shared;
        let requests: InputRequests = held
            .questions
            .iter()
            .filter_map(|(key, params)| {
                let request = json!({ "method": "elicitation/create", "params": params });
                Some((key.clone(), serde_json::from_value(request).ok()?))
            })
            .collect();
        let mut claims = Claims { run: live.id.clone(), round: held.round, resume: held.resume };
        let seal = |claims: &Claims, limit| {
            shared.seal.seal(claims, &who.owner, shared.options.answer_time, limit)
        };
        let state = seal(&claims, shared.options.state_bytes).or_else(|| {
            claims.resume = None;
            seal(&claims, usize::MAX)
        });
        shared.metrics.questions.inc_by(requests.len() as u64);
        InputRequiredResult::new(Some(requests), state).into()
    }
}

fn cut(label: &str) -> String {
    label.chars().take(LABEL_CHARS).collect()
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
