//! One call without a script around it.

use super::Sandbox;
use crate::{
    attendant::{Attendant, Attended, Begun},
    bridge::Bridge,
    model,
};
use broker::{Answer, Principal, Redactor, Request, RunOptions, ToolError};
use serde_json::Value;
use std::{borrow::Cow, sync::Arc};

impl Sandbox {
    /// Makes one call as a script would: through the same policy, approval and limits.
    ///
    /// `function` is the name that a script uses, or `server/tool`. The answer is without the
    /// credentials of the servers.
    ///
    /// # Errors
    /// What the script would have caught.
    pub async fn call(&self, function: &str, input: Value) -> Result<Answer, ToolError> {
        self.reach_mentioned(function).await;
        let bridge =
            Bridge::new(&self.broker, &self.search, self.declarations(), RunOptions::default());
        let mut answer = bridge.only(bridge.request(function, input, |request| request)).await;
        self.filter(&mut answer, |text, redactor| redactor.redact(text));
        answer
    }

    /// The same on behalf of somebody in particular, with somebody who follows it, and as a model may
    /// read it.
    ///
    /// # Errors
    /// What the script would have caught.
    pub(crate) async fn call_of(
        &self,
        principal: Principal,
        attendant: Arc<dyn Attendant>,
        begun: &Begun<'_>,
        input: Value,
    ) -> Result<Answer, ToolError> {
        self.reach_mentioned(begun.function).await;
        let (bridge, attended) = self.begin_of(principal, attendant, begun).await;
        let asking = attended.asking();
        let call = bridge.request(begun.function, input, |request| request.waiting(asking));
        let mut answer = bridge.only(call).await;
        self.filter(&mut answer, model::filter);
        answer
    }

    /// Enables a server that is [on demand](broker::ServerConfig::on_demand) on behalf of somebody in
    /// particular, if policy and approval let it.
    ///
    /// # Errors
    /// Why it is not enabled.
    pub(crate) async fn enable_of(
        &self,
        principal: Principal,
        attendant: Arc<dyn Attendant>,
        server: &str,
    ) -> Result<Answer, ToolError> {
        let request = Request::enable_server(server);
        let function = format!("{}/{}", request.server, request.tool);
        let begun = Begun { function: &function, input: "{}", line: None };
        let (bridge, attended) = self.begin_of(principal, attendant, &begun).await;
        let call = bridge.make(request.waiting(attended.asking()));
        let mut answer = bridge.only(call).await;
        self.filter(&mut answer, model::filter);
        answer
    }

    /// Begins the only call of a run. It is under way as long as the second value lives.
    async fn begin_of(
        &self,
        principal: Principal,
        attendant: Arc<dyn Attendant>,
        begun: &Begun<'_>,
    ) -> (Bridge, Attended) {
        let options = RunOptions::default().principal(principal);
        let bridge = Bridge::new(&self.broker, &self.search, self.declarations(), options);
        let attended = Attended::enter(&attendant, begun);
        attendant.pass(attended.number).await;
        attendant.made(begun.function);
        (bridge, attended)
    }

    /// Puts all text of the answer through `filter`.
    fn filter(
        &self,
        answer: &mut Result<Answer, ToolError>,
        filter: impl for<'a> Fn(&'a str, &Redactor) -> Cow<'a, str>,
    ) {
        let redactor = self.broker.redactor();
        let change = |text: &str| filter(text, &redactor).into_owned();
        let change_json = |value: &mut Value| *value = model::map_json(value.take(), &change);
        match answer {
            Ok(answer) => change_json(&mut answer.result),
            Err(error) => {
                error.message = change(&error.message);
                error.content.iter_mut().for_each(change_json);
                error.structured_content.iter_mut().for_each(change_json);
            }
        }
    }
}
