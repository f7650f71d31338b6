//! References, and what gets a name because something refers to it.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{DEFINITION, Definition, Lowering, State};
use crate::jsdoc::Doc;
use crate::name::pascal;
use crate::reason::Reason;
use crate::schema::{Dynamic, address, percent_decoded};
use crate::ty::{DefinitionId, Type};

impl<'a> Lowering<'a> {
    pub(super) fn references(
        &mut self,
        schema: &'a Value,
        map: &Map<String, Value>,
    ) -> Result<Type, Reason> {
        let mut ty = Type::Unknown;
        if let Some(Value::String(reference)) = map.get("$ref") {
            let target = self.document.resolve(schema, reference)?;
            ty = self.target(target, hint(reference, target), false)?;
        }
        for keyword in ["$dynamicRef", "$recursiveRef"] {
            if let Some(Value::String(reference)) = map.get(keyword)
                && let Dynamic::Fixed(target) = self.document.resolve_dynamic(schema, reference)?
            {
                let found = self.target(target, hint(reference, target), false)?;
                ty = self.both(ty, found)?;
            }
        }
        Ok(ty)
    }

    /// The type of a schema that can be referred to: its name, or itself if a name says less.
    pub(super) fn target(
        &mut self,
        target: &'a Value,
        hint: String,
        root: bool,
    ) -> Result<Type, Reason> {
        let key = address(target);
        match self.states.get_mut(&key) {
            Some(State::Done(ty)) => {
                let ty = ty.clone();
                return Ok(if self.leads_back(&ty) { Type::Unknown } else { ty });
            }
            Some(State::Begun { id, guards, named }) => {
                if self.guards == *guards {
                    // `x` is `x` and something else: the reference itself says nothing.
                    return Ok(Type::Unknown);
                }
                *named = true;
                return Ok(Type::Named(*id));
            }
            None => {}
        }
        self.count(DEFINITION)?;
        let id = DefinitionId(self.definitions.len());
        let doc = target.as_object().map(|map| Doc::of_schema(map, self.options.description_chars));
        let doc = doc.unwrap_or_default();
        self.definitions.push(Definition { hint, doc, body: None });
        self.states.insert(key, State::Begun { id, guards: self.guards, named: false });
        let body = self.schema(target)?;
        let named = matches!(self.states.get(&key), Some(State::Begun { named: true, .. }));
        if root && !named {
            // Nothing refers to it, and nothing will.
            return Ok(body);
        }
        let ty = if named || !body.is_trivial() { Type::Named(id) } else { body.clone() };
        if let Some(definition) = self.definitions.get_mut(id.0) {
            definition.doc = std::mem::take(&mut definition.doc).beside(&body);
            definition.body = Some(body);
        }
        self.states.insert(key, State::Done(ty.clone()));
        Ok(ty)
    }

    /// Whether `ty` is, by way of other names, a type that is being lowered right here. Then it
    /// says nothing about itself, as when the reference were direct.
    fn leads_back(&self, ty: &Type) -> bool {
        let open: HashSet<DefinitionId> = self
            .states
            .values()
            .filter_map(|state| match state {
                State::Begun { id, guards, .. } if *guards == self.guards => Some(*id),
                _ => None,
            })
            .collect();
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        ty.each_bare_name(&mut |id| next.push(id));
        while let Some(id) = next.pop() {
            if open.contains(&id) {
                return true;
            }
            if seen.insert(id)
                && let Some(body) = self.definitions.get(id.0).and_then(|found| found.body.as_ref())
            {
                body.each_bare_name(&mut |id| next.push(id));
            }
        }
        false
    }
}

/// What the target of a reference would like to be called.
fn hint(reference: &str, target: &Value) -> String {
    let (holder, last) = reference.rsplit_once('/').unwrap_or(("", ""));
    let title = target.get("title").and_then(Value::as_str);
    let key = percent_decoded(last).replace("~1", "/").replace("~0", "~");
    if holder.ends_with("/$defs") || holder.ends_with("/definitions") {
        return key;
    }
    let anchor = reference.rsplit_once('#').map_or("", |(_, fragment)| fragment);
    title
        .map(pascal)
        .or_else(|| (!last.is_empty()).then_some(key))
        .unwrap_or_else(|| if anchor.is_empty() { "Root".to_owned() } else { anchor.to_owned() })
}
