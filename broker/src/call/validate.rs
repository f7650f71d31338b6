//! Station: the arguments fit the limits and the tool's schema.

use serde_json::{Map, Value};

use super::resolve::Target;
use super::{CallLimit, Fault, Kind};
use crate::limits::CallLimits;
use crate::size::size;

/// A call whose arguments fit. Only this file makes one.
pub(super) struct ValidCall {
    target: Target,
    arguments: Map<String, Value>,
    argument_bytes: usize,
}

impl ValidCall {
    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    pub(super) fn arguments(&self) -> &Map<String, Value> {
        &self.arguments
    }

    pub(super) fn argument_bytes(&self) -> usize {
        self.argument_bytes
    }

    pub(super) fn into_parts(self) -> (Target, Map<String, Value>) {
        (self.target, self.arguments)
    }
}

/// Checks the arguments. Their size comes first: it is cheap, and bounds the work of the rest.
pub(super) fn validate(
    target: Target,
    input: Value,
    limits: &CallLimits,
) -> Result<ValidCall, Fault> {
    let input = match input {
        Value::Null => Value::Object(Map::new()),
        other => other,
    };
    let (argument_bytes, limit) = (size(&input), limits.argument_bytes);
    if argument_bytes > limit {
        let message =
            format!("arguments are {argument_bytes} bytes, `argument_bytes` allows {limit}");
        return Err(Fault::limit(CallLimit::ArgumentBytes, message));
    }
    let invalid = |problem: &dyn std::fmt::Display| {
        Fault::new(Kind::InvalidInput, format!("the arguments do not fit the tool: {problem}"))
    };
    target.tool.input.check(&input).map_err(|misfit| invalid(&misfit))?;
    match input {
        Value::Object(arguments) => Ok(ValidCall { target, arguments, argument_bytes }),
        _ => Err(invalid(&"they are not an object")),
    }
}
