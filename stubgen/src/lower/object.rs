//! The keywords of objects.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{Lowering, list};
use crate::jsdoc::Doc;
use crate::reason::Reason;
use crate::ty::{Literal, Object, Others, Property, Type};

impl<'a> Lowering<'a> {
    /// What the schema says of objects; [`Type::Never`] if it admits none.
    pub(super) fn object(&mut self, map: &'a Map<String, Value>) -> Result<Type, Reason> {
        let required: Vec<&str> = list(map, "required").iter().filter_map(Value::as_str).collect();
        self.count(required.len())?;
        let needed: HashSet<&str> = required.iter().copied().collect();
        let mut properties = Vec::new();
        if let Some(Value::Object(named)) = map.get("properties") {
            for (name, schema) in named {
                properties.push(self.property(name, schema, !needed.contains(name.as_str()))?);
            }
        }
        let others = self.others(map)?;
        let known: HashSet<String> = properties.iter().map(|known| known.name.clone()).collect();
        let mut added = HashSet::new();
        for name in required {
            if !known.contains(name) && added.insert(name) {
                let ty = match &others {
                    Others::Unsaid => Type::Unknown,
                    Others::Nothing => Type::Never,
                    Others::Each(ty) => (**ty).clone(),
                };
                let name = name.to_owned();
                properties.push(Property { name, optional: false, ty, doc: Doc::default() });
            }
        }
        let mut object = Object { properties, others };
        if let Some(names) = map.get("propertyNames") {
            let names = self.schema(names)?;
            let names = self.both(names, Type::String)?;
            if let Some(names) = allowed_names(names) {
                self.count(names.len())?;
                restrict(&mut object, &names);
            }
        }
        let impossible = |property: &Property| !property.optional && property.ty == Type::Never;
        if object.properties.iter().any(impossible) {
            return Ok(Type::Never);
        }
        Ok(Type::Object(object))
    }

    fn property(
        &mut self,
        name: &str,
        schema: &'a Value,
        optional: bool,
    ) -> Result<Property, Reason> {
        let ty = self.guarded(schema)?;
        let limit = self.options.description_chars;
        let mut doc = schema.as_object().map(|map| Doc::of_schema(map, limit)).unwrap_or_default();
        if matches!(ty, Type::Named(_))
            && !schema.as_object().is_some_and(|map| map.contains_key("$ref"))
        {
            // The named type carries the comment.
            doc = Doc::default();
        } else if doc.is_empty()
            && !matches!(ty, Type::Named(_))
            && let Some(reference) = schema.get("$ref").and_then(Value::as_str)
            && let Value::Object(target) = self.document.resolve(schema, reference)?
        {
            // The target has no name under which its comment would stand.
            doc = Doc::of_schema(target, limit);
        }
        let doc = doc.beside(&ty);
        Ok(Property { name: name.to_owned(), optional, ty, doc })
    }

    /// What may stand under names that `properties` does not list.
    fn others(&mut self, map: &'a Map<String, Value>) -> Result<Others, Reason> {
        let additional = match map.get("additionalProperties") {
            None => None,
            Some(schema) => Some(self.guarded(schema)?),
        };
        let mut patterns = Vec::new();
        if let Some(Value::Object(schemas)) = map.get("patternProperties") {
            for schema in schemas.values() {
                patterns.push(self.guarded(schema)?);
            }
        }
        if patterns.is_empty() {
            return Ok(match additional {
                None => Others::Unsaid,
                Some(Type::Never) => Others::Nothing,
                Some(ty) => Others::Each(Box::new(ty)),
            });
        }
        patterns.push(additional.unwrap_or(Type::Unknown));
        Ok(match Type::union(patterns) {
            Type::Never => Others::Nothing,
            ty => Others::Each(Box::new(ty)),
        })
    }
}

/// The names that `propertyNames` admits, if it lists them.
fn allowed_names(names: Type) -> Option<Vec<String>> {
    names
        .members()
        .into_iter()
        .map(|member| match member {
            Type::Literal(Literal::String(name)) => Some(name),
            _ => None,
        })
        .collect()
}

/// Leaves only properties with these names, each of which may be there.
fn restrict(object: &mut Object, names: &[String]) {
    let others = std::mem::replace(&mut object.others, Others::Nothing);
    let allowed: HashSet<&str> = names.iter().map(String::as_str).collect();
    for property in &mut object.properties {
        if !allowed.contains(property.name.as_str()) {
            property.ty = Type::Never;
        }
    }
    object.properties.retain(|property| property.ty != Type::Never || !property.optional);
    let ty = match others {
        Others::Nothing => return,
        Others::Unsaid => Type::Unknown,
        Others::Each(ty) => *ty,
    };
    let known: HashSet<String> =
        object.properties.iter().map(|property| property.name.clone()).collect();
    for name in names {
        if !known.contains(name) {
            object.properties.push(Property {
                name: name.clone(),
                optional: true,
                ty: ty.clone(),
                doc: Doc::default(),
            });
        }
    }
}
