//! Between a script's calls and the broker: names to tools, and answers to what a script gets.

use crate::{
    attendant::{Attendant, Attended, Begun, Pass},
    lookup::{Lookup, Lookups},
    model,
    nearest::nearest,
    search::Search,
    shown::{self, Shown},
};
use broker::{
    Answer, Broker, CallLimit, Event, Ledger, Request, RunOptions, ServerState, Stop, ToolError,
};
use futures::future::BoxFuture;
use runtime::{Call, Failure, Fixed, Function, Limit, Line, Reply, ToolHost, WallClock};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
};
use stubgen::Declarations;
use tokio_util::sync::CancellationToken;

/// The host of one run.
pub(crate) struct Bridge {
    broker: Broker,
    run: broker::Run,
    declarations: Arc<Declarations>,
    lookups: Lookups,
    fixed: Option<Fixed>,
    absent: BTreeMap<String, String>,
    attendant: Option<Arc<dyn Attendant>>,
    shown: Shown,
}

impl Bridge {
    pub(crate) fn new(
        broker: &Broker,
        search: &Arc<Search>,
        declarations: Arc<Declarations>,
        options: RunOptions,
    ) -> Self {
        let (fixed, absent, attendant, shown) = Default::default();
        let lookups = Lookups::new(Arc::clone(search), broker.clone(), Arc::clone(&declarations));
        let run = broker.open_run_with(options);
        Self { broker: broker.clone(), run, declarations, lookups, fixed, absent, attendant, shown }
    }

    /// Sets the clock of a run that is recorded or replayed.
    pub(crate) fn fixed(self, fixed: Option<Fixed>) -> Self {
        Self { fixed, ..self }
    }

    /// Sets which servers were not there when the run was recorded.
    pub(crate) fn absent(self, absent: BTreeMap<String, String>) -> Self {
        Self { absent, ..self }
    }

    pub(crate) fn span(&self) -> &tracing::Span {
        self.run.span()
    }

    /// Has somebody follow the run.
    pub(crate) fn attended(self, attendant: Option<Arc<dyn Attendant>>) -> Self {
        Self { attendant, ..self }
    }

    /// What the script has shown.
    pub(crate) fn shown(&self) -> Vec<Value> {
        self.shown.take()
    }

    /// The functions that a script gets.
    pub(crate) fn functions(&self) -> Vec<Function> {
        let function = |declared: &stubgen::Function| Function {
            name: declared.identifier.clone(),
            server: declared.server.clone(),
            tool: declared.tool.clone(),
        };
        self.declarations.functions.iter().map(function).collect()
    }

    /// Ends the run's calls.
    pub(crate) fn close(&self, outcome: &str) -> Ledger {
        self.run.close_as(outcome)
    }

    /// Why the run ended from within, if it did.
    pub(crate) fn stop(&self) -> Option<Stop> {
        self.run.stop()
    }

    /// Has the script ended when the run has ended from within, or must go no further: cancelled, so
    /// that it leaves a report.
    pub(crate) async fn end_with_run(&self, script: CancellationToken) -> Infallible {
        tokio::select! {
            () = self.run.ended() => {}
            () = self.run.halted() => {}
        }
        script.cancel();
        std::future::pending().await
    }

    /// Makes a call by the name of its function, or by `server/tool`.
    pub(crate) async fn request(
        &self,
        function: &str,
        input: Value,
        with: impl FnOnce(Request) -> Request,
    ) -> Result<Answer, ToolError> {
        if let Some(resource) = Resource::of(function) {
            return self.run.call(with(resource.request(&input))).await;
        }
        let (server, tool) = self.tool_of(function);
        let mut result = self.run.call(with(Request::new(server, tool, input))).await;
        if let Err(error) = &mut result
            && error.server.is_empty()
        {
            error.message = self.unknown(function);
        }
        result
    }

    /// Makes the call of a run that is only this one, and ends the run.
    pub(crate) async fn only(
        &self,
        call: impl Future<Output = Result<Answer, ToolError>>,
    ) -> Result<Answer, ToolError> {
        let answer = call.await;
        self.close(if answer.is_ok() { "completed" } else { "failed" });
        answer
    }

    /// Makes a call that is none of a function.
    pub(crate) async fn make(&self, request: Request) -> Result<Answer, ToolError> {
        self.run.call(request).await
    }

    fn unknown(&self, function: &str) -> String {
        match self.hint(function) {
            Some(hint) => format!("there is no function `{function}`; {hint}"),
            None => format!("there is no function `{function}`"),
        }
    }

    /// Why there is no such function: its server is not there, or another name was meant.
    pub(crate) fn hint(&self, function: &str) -> Option<String> {
        let failed = self.broker.states().filter_map(|(name, state)| match state {
            ServerState::Failed { error } => Some((name, error.to_string())),
            ServerState::Off => Some((name, broker::ConnectError::Off.to_string())),
            _ => None,
        });
        let absent = self.absent.iter().map(|(name, error)| (name.as_str(), error.clone()));
        for (name, error) in failed.chain(absent) {
            if function.starts_with(&broker::function_name(name, "")) {
                return Some(format!("the server `{name}` is not available: {error}"));
            }
        }
        let names = self.declarations.functions.iter().map(|known| known.identifier.as_str());
        nearest(function, names).map(|name| format!("did you mean `{name}`?"))
    }

    /// The answer to a call that the attendant knows of.
    async fn attend(&self, call: Call, attended: Attended) -> Result<Reply, Failure> {
        let number = attended.number;
        let outcome = match attended.attendant.pass(number).await {
            Pass::Repeat(outcome) => {
                self.record_earlier(&call, &outcome);
                outcome
            }
            Pass::Make => {
                let attendant = Arc::clone(&attended.attendant);
                attendant.made(&call.function);
                self.answer(call, move |asks| attendant.asks(number, asks)).await
            }
        };
        attended.end(&outcome);
        outcome
    }

    /// Puts a call into the ledger that an earlier part of the run has made.
    fn record_earlier(&self, call: &Call, outcome: &Result<Reply, Failure>) {
        if Lookup::of(&call.function).is_some() {
            return;
        }
        let (server, tool) = self.tool_of(&call.function);
        let read = match outcome {
            Ok(Reply::Value(json) | Reply::Content(json)) => serde_json::from_str(json).ok(),
            Err(_) => None,
        };
        let read = read.unwrap_or(Value::Null);
        let ended = outcome.as_ref().map(|_| &read).map_err(|failure| {
            let kind = broker::Kind::named(&failure.kind);
            (kind.unwrap_or(broker::Kind::Protocol), failure.message.clone())
        });
        self.run.record_earlier(server, tool, call.line, ended);
    }

    /// The server and the tool of a function, or of `server/tool`.
    fn tool_of<'a>(&'a self, function: &'a str) -> (&'a str, &'a str) {
        match self.declarations.function(function) {
            Some(known) => (known.server.as_str(), known.tool.as_str()),
            None => function.split_once('/').unwrap_or(("", function)),
        }
    }

    async fn answer(
        &self,
        call: Call,
        asks: impl Fn(bool) + Send + Sync + 'static,
    ) -> Result<Reply, Failure> {
        let clock = call.wall_clock();
        let Call { function, input, raw, timeout, line, .. } = call;
        // Deeper nesting than this parser takes is an error like any other.
        let input = serde_json::from_str(&input).map_err(|error| {
            Failure::new("invalid_input", format!("the input cannot be read: {error}"))
        })?;
        if let Some(lookup) = Lookup::of(&function) {
            let found = tokio::time::timeout(timeout, self.lookups.answer(lookup, &input)).await;
            let late = |_| {
                let message = format!("nothing was found within {} ms", timeout.as_millis());
                Failure::new("timeout", message)
            };
            return Ok(Reply::Value(found.map_err(late)??.to_string()));
        }
        let stand = stand_while_waiting(clock, asks);
        let with = |request: Request| {
            let request = request.timeout(timeout).waiting(stand);
            line.into_iter().fold(request, Request::line)
        };
        let answer = self.request(&function, input, with).await;
        if self.run.stop().is_some() {
            // The script does not go on from here: it is being ended.
            return std::future::pending().await;
        }
        let answer = answer.map_err(|error| failure(&error))?;
        if let Some(resource) = Resource::of(&function) {
            let list = answer.result.get(resource.member()).unwrap_or(&Value::Null);
            return Ok(Reply::Value(list.to_string()));
        }
        Ok(match answer.structured() {
            _ if raw => Reply::Value(answer.result.to_string()),
            Some(structured) => Reply::Value(structured.to_string()),
            None => Reply::Content(answer.result.to_string()),
        })
    }
}

impl ToolHost for Bridge {
    fn call(&self, call: Call) -> BoxFuture<'_, Result<Reply, Failure>> {
        if call.function == shown::FUNCTION {
            let shown = self.shown.show(&call.input);
            return Box::pin(async { shown.map(|()| Reply::Value("null".into())) });
        }
        let Some(attendant) = &self.attendant else { return Box::pin(self.answer(call, |_| ())) };
        // Here, where calls come in the order in which the script makes them.
        let begun = Begun { function: &call.function, input: &call.input, line: call.line };
        let attended = Attended::enter(attendant, &begun);
        Box::pin(self.attend(call, attended))
    }

    fn fixed(&self) -> Option<Fixed> {
        self.fixed.clone()
    }

    fn time(&self) -> Option<u64> {
        self.run.time()
    }

    fn printed(&self, line: &Line) {
        if let Some(attendant) = &self.attendant {
            // It goes on to a model at once, so it is filtered as a report is.
            let text = model::filter(&line.text, &self.broker.redactor()).into_owned();
            attendant.printed(&Line { text, ..line.clone() });
        }
        let (level, text) = (line.level.as_str(), line.text.clone());
        self.run.tell(&Event::Console { run: self.run.id(), level, text });
    }
}

/// What `mcp` has for resources. No tool's function can have these names: they are no identifiers.
#[derive(Clone, Copy)]
enum Resource {
    Read,
    List,
}

impl Resource {
    fn of(function: &str) -> Option<Self> {
        match function {
            "mcp.readResource" => Some(Self::Read),
            "mcp.listResources" => Some(Self::List),
            _ => None,
        }
    }

    fn request(self, input: &Value) -> Request {
        let text = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default();
        match self {
            Self::Read => Request::read_resource(text("server"), text("uri")),
            Self::List => Request::list_resources(text("server")),
        }
    }

    /// The member of the result that a script gets.
    fn member(self) -> &'static str {
        match self {
            Self::Read => "contents",
            Self::List => "resources",
        }
    }
}

/// Stops the run's clock for as long as somebody is being asked, and tells `asks`.
fn stand_while_waiting(
    clock: Arc<WallClock>,
    asks: impl Fn(bool) + Send + Sync,
) -> impl Fn(bool) + Send + Sync {
    let pause = Mutex::new(None);
    move |waiting| {
        asks(waiting);
        let pause = &mut *pause.lock().unwrap_or_else(PoisonError::into_inner);
        *pause = waiting.then(|| clock.pause());
    }
}

/// The same limit, as a run has it.
fn limit_of(limit: CallLimit) -> Option<Limit> {
    match limit {
        CallLimit::ArgumentBytes => Some(Limit::ArgumentBytes),
        CallLimit::ResultBytes => Some(Limit::ResultBytes),
        _ => None,
    }
}

fn failure(error: &ToolError) -> Failure {
    let mut properties = json!({ "server": error.server, "tool": error.tool });
    let optional = [
        ("code", error.code.map(Value::from)),
        ("content", error.content.clone()),
        ("structuredContent", error.structured_content.clone()),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            properties[name] = value;
        }
    }
    Failure {
        limit: error.limit.and_then(limit_of),
        properties: properties.to_string(),
        ..Failure::new(error.kind.as_str(), error.message.clone())
    }
}
