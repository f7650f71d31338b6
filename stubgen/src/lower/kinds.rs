//! The kinds of JSON values that a schema's `type` admits.

use serde_json::{Map, Value};

/// Which kinds of values may be there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds {
    pub(super) object: bool,
    pub(super) array: bool,
    pub(super) string: bool,
    pub(super) number: bool,
    pub(super) boolean: bool,
    pub(super) null: bool,
}

impl Kinds {
    const ALL: Self =
        Self { object: true, array: true, string: true, number: true, boolean: true, null: true };

    /// Reads `type`; what is not understood admits everything.
    pub(super) fn of(map: &Map<String, Value>) -> Self {
        let mut kinds = Self::default();
        let names = match map.get("type") {
            Some(Value::Array(names)) => names.as_slice(),
            Some(name) => std::slice::from_ref(name),
            None => return Self::ALL,
        };
        for name in names {
            match name.as_str() {
                Some("object") => kinds.object = true,
                Some("array") => kinds.array = true,
                Some("string") => kinds.string = true,
                Some("number" | "integer") => kinds.number = true,
                Some("boolean") => kinds.boolean = true,
                Some("null") => kinds.null = true,
                _ => return Self::ALL,
            }
        }
        kinds
    }

    pub(super) fn are_all(self) -> bool {
        self == Self::ALL
    }

    pub(super) fn admit(self, value: &Value) -> bool {
        match value {
            Value::Object(_) => self.object,
            Value::Array(_) => self.array,
            Value::String(_) => self.string,
            Value::Number(_) => self.number,
            Value::Bool(_) => self.boolean,
            Value::Null => self.null,
        }
    }
}
