//! What the tools take, read from what a model wrote.

use rmcp::model::{CallToolResponse, JsonObject};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// Why nothing was done, in words for the model.
pub(super) struct No(pub(super) String);

/// What a request comes to.
pub(super) type Answer = Result<CallToolResponse, No>;

impl No {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunArguments {
    pub(super) script: String,
    pub(super) timeout: Option<f64>,
    pub(super) label: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallArguments {
    pub(super) name: String,
    #[serde(default)]
    pub(super) arguments: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitArguments {
    pub(super) run_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchArguments {
    #[serde(default)]
    pub(super) query: String,
    pub(super) server: Option<String>,
    pub(super) detail: Option<String>,
    pub(super) limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServersArguments {
    #[serde(default)]
    pub(super) query: String,
    pub(super) limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServerArguments {
    pub(super) server: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DetailArguments {
    pub(super) names: Vec<String>,
}

/// Reads arguments. A model that gets them wrong should learn how.
pub(super) fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, No> {
    serde_json::from_value(arguments.into())
        .map_err(|error| No::new(format!("the arguments do not fit: {error}")))
}
