//! Arguments and results that are too large for what they are for.

use async_trait::async_trait;
use serde_json::{Map, Value};

use super::{Review, ReviewedCall, Reviewer};
use crate::size::size;

/// Refuses what is larger than it should be; the limits of [`CallLimits`](crate::CallLimits) hold
/// besides. The default lets everything pass.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Size {
    /// Arguments of one call as JSON text, in bytes.
    pub argument_bytes: Option<usize>,
    /// Result of one call as JSON text, in bytes.
    pub result_bytes: Option<usize>,
}

impl Size {
    /// Sets the most that arguments may have.
    #[must_use]
    pub fn arguments(mut self, bytes: usize) -> Self {
        self.argument_bytes = Some(bytes);
        self
    }

    /// Sets the most that a result may have.
    #[must_use]
    pub fn results(mut self, bytes: usize) -> Self {
        self.result_bytes = Some(bytes);
        self
    }
}

#[async_trait]
impl Reviewer for Size {
    fn name(&self) -> &str {
        "size"
    }

    async fn arguments(
        &self,
        _: &ReviewedCall,
        arguments: &Map<String, Value>,
    ) -> Review<Map<String, Value>> {
        // What surrounds the members: `{}`, and commas and colons.
        let bytes =
            |(name, value): (&String, &Value)| size(&Value::from(name.as_str())) + size(value) + 2;
        let all =
            arguments.iter().map(bytes).sum::<usize>() + 1 + usize::from(arguments.is_empty());
        too_large(self.argument_bytes, all)
    }

    async fn result(&self, _: &ReviewedCall, result: &Value) -> Review<Value> {
        too_large(self.result_bytes, size(result))
    }
}

fn too_large<T>(limit: Option<usize>, bytes: usize) -> Review<T> {
    match limit {
        Some(limit) if bytes > limit => {
            Review::Refuse { reason: format!("{bytes} bytes, {limit} are allowed") }
        }
        _ => Review::Pass,
    }
}
