//! What a request wants to have done.

use super::{
    Shared,
    arguments::{CallArguments, No, RunArguments, ServerArguments, read},
    demand, tools,
};
use rmcp::model::JsonObject;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Duration;

/// What a run does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Job {
    /// A script.
    Script { source: String, label: Option<String>, timeout: Option<Duration> },
    /// One call.
    Call { function: String, input: Map<String, Value> },
    /// A server on demand is enabled.
    Enable { server: String },
}

const LABEL_CHARS: usize = 200;

impl Job {
    /// What a tool of ours does with these arguments: one that begins a run.
    ///
    /// # Errors
    /// What is wrong with the arguments, in words for the model.
    pub(super) fn read(tool: &str, arguments: JsonObject, shared: &Shared) -> Result<Self, No> {
        Ok(match tool {
            tools::ENABLE => {
                let ServerArguments { server } = read(arguments)?;
                demand::admitted(shared, &server)?;
                Self::Enable { server }
            }
            tools::CALL => {
                let CallArguments { name, arguments } = read(arguments)?;
                Self::Call { function: name, input: arguments }
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
                Self::Script { source: script, label: Some(label), timeout: timeout.flatten() }
            }
        })
    }
}

fn cut(label: &str) -> String {
    label.chars().take(LABEL_CHARS).collect()
}
