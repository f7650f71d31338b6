//! The keywords of arrays.

use serde_json::{Map, Value};

use super::{Lowering, list};
use crate::reason::Reason;
use crate::ty::{Tuple, Type};

/// An array of so many items at most is written as a tuple, if it must have some.
const TUPLE: usize = 4;

impl<'a> Lowering<'a> {
    /// What the schema says of arrays; [`Type::Never`] if it admits none.
    pub(super) fn array(&mut self, map: &'a Map<String, Value>) -> Result<Type, Reason> {
        let least = count(map, "minItems").unwrap_or(0);
        let most = count(map, "maxItems");
        let (first, rest) = self.items(map)?;
        if most.is_some_and(|most| most < least) {
            return Ok(Type::Never);
        }
        if first.is_empty() {
            return Ok(uniform(rest, least, most));
        }
        let mut rest = Some(rest).filter(|rest| *rest != Type::Never);
        let mut items = first;
        if let Some(impossible) = items.iter().position(|item| *item == Type::Never) {
            items.truncate(impossible);
            rest = None;
        }
        if let Some(most) = most
            && most <= items.len()
        {
            items.truncate(most);
            rest = None;
        }
        if rest.is_none() && least > items.len() {
            return Ok(Type::Never);
        }
        let required = least.min(items.len());
        Ok(Type::Tuple(Tuple { items, required, rest: rest.map(Box::new) }))
    }

    /// The types of the first items, and the type of all after them.
    fn items(&mut self, map: &'a Map<String, Value>) -> Result<(Vec<Type>, Type), Reason> {
        let (first, rest) = match map.get("items") {
            Some(Value::Array(first)) => (first.as_slice(), map.get("additionalItems")),
            other => (list(map, "prefixItems"), other),
        };
        let mut types = Vec::new();
        for item in first {
            types.push(self.guarded(item)?);
        }
        let unevaluated = map.get("unevaluatedItems").filter(|_| !may_evaluate_items(map));
        let rest = match rest.or(unevaluated) {
            Some(schema) => self.guarded(schema)?,
            None => Type::Unknown,
        };
        Ok((types, rest))
    }
}

/// An array whose items are all of one type.
fn uniform(item: Type, least: usize, most: Option<usize>) -> Type {
    let most = if item == Type::Never { Some(0) } else { most };
    match most {
        Some(0) if least > 0 => Type::Never,
        Some(0) => Type::Tuple(Tuple { items: Vec::new(), required: 0, rest: None }),
        Some(most) if least > 0 && most <= TUPLE && repeats_well(&item) => {
            Type::Tuple(Tuple { items: vec![item; most], required: least, rest: None })
        }
        _ => Type::Array(Box::new(item)),
    }
}

/// Whether a type is short enough to be written several times.
fn repeats_well(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Unknown
            | Type::Boolean
            | Type::Number
            | Type::String
            | Type::Named(_)
            | Type::Literal(_)
    )
}

/// Whether keywords are there by which items count as evaluated that are not seen here.
fn may_evaluate_items(map: &Map<String, Value>) -> bool {
    let keywords =
        ["$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "contains"];
    keywords.iter().any(|keyword| map.contains_key(*keyword))
}

/// A size, also where it is written as `2.0`.
fn count(map: &Map<String, Value>, keyword: &str) -> Option<usize> {
    let value = map.get(keyword)?;
    let whole = value.as_u64().or_else(|| {
        let number = value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0)?;
        format!("{number}").parse().ok()
    })?;
    usize::try_from(whole).ok()
}
