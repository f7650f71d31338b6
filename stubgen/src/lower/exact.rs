//! The type of one value, for `const` and `enum`.

use serde_json::Value;

use crate::jsdoc::Doc;
use crate::ty::{Literal, Object, Others, Property, Tuple, Type};

/// The type that holds `value` alone, or little more.
pub(super) fn exactly(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(value) => Type::Literal(Literal::Boolean(*value)),
        Value::Number(number) => number
            .as_f64()
            .filter(|number| number.is_finite())
            .map_or(Type::Number, |number| Type::Literal(Literal::number(number))),
        Value::String(text) => Type::Literal(Literal::String(text.clone())),
        Value::Array(items) => {
            let items: Vec<Type> = items.iter().map(exactly).collect();
            Type::Tuple(Tuple { required: items.len(), items, rest: None })
        }
        Value::Object(map) => {
            let properties = map.iter().map(|(name, value)| Property {
                name: name.clone(),
                optional: false,
                ty: exactly(value),
                doc: Doc::default(),
            });
            Type::Object(Object { properties: properties.collect(), others: Others::Nothing })
        }
    }
}
