//! Named types of all tools: equal ones are one, different ones have different names.
//!
//! Two definitions are equal if everything that can be reached from them is. This is decided by
//! comparing a canonical form, not a hash of it, so no schema can pass itself off as another.

use std::collections::{HashMap, HashSet};

use crate::jsdoc::Doc;
use crate::lower::Definition;
use crate::name::{hash, pascal, suffixed};
use crate::ty::{DefinitionId, Type};

/// The named types of all tools so far.
#[derive(Default)]
pub(crate) struct Shared {
    types: Vec<SharedType>,
    /// Definitions without the names in them, each with a number.
    skeletons: HashMap<Skeleton, usize>,
    /// A hash of each skeleton, only for suffixes.
    hashes: Vec<String>,
    by_form: HashMap<Form, usize>,
    taken: HashSet<String>,
}

/// A named type; the names in its body are places in the list of shared types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SharedType {
    pub(crate) name: String,
    pub(crate) doc: Doc,
    pub(crate) body: Type,
}

type Form = Vec<(usize, Vec<usize>)>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Skeleton {
    name: String,
    doc: Doc,
    body: Type,
}

impl Shared {
    /// Adds what `roots` need of a tool's definitions; rewrites the names in them.
    pub(crate) fn add(&mut self, definitions: &[Definition], roots: &mut [&mut Type]) {
        let mut reachable = Vec::new();
        for root in roots.iter() {
            root.each_name(&mut |id| reachable.push(id));
        }
        let reachable = closure(definitions, reachable);
        let numbers: HashMap<DefinitionId, usize> = reachable
            .iter()
            .filter_map(|id| Some((*id, self.number(definitions.get(id.0)?))))
            .collect();
        let mut places: HashMap<DefinitionId, DefinitionId> = HashMap::new();
        let mut added = Vec::new();
        for id in reachable {
            let Some(found) = definitions.get(id.0) else { continue };
            let form = form(definitions, &numbers, id);
            let next = self.types.len();
            let place = match self.by_form.get(&form) {
                Some(place) => *place,
                None => {
                    let name = self.name(&found.hint, &form);
                    let body = found.body.clone().unwrap_or(Type::Unknown);
                    self.types.push(SharedType { name, doc: found.doc.clone(), body });
                    self.by_form.insert(form, next);
                    added.push(next);
                    next
                }
            };
            places.insert(id, DefinitionId(place));
        }
        for place in added {
            if let Some(ty) = self.types.get_mut(place) {
                ty.body.rename(&places);
            }
        }
        for root in roots {
            root.rename(&places);
        }
    }

    fn get(&self, id: DefinitionId) -> Option<&SharedType> {
        self.types.get(id.0)
    }

    pub(crate) fn into_types(self) -> Vec<SharedType> {
        self.types
    }

    /// All named types that `ty` needs, in the order in which they were added.
    pub(crate) fn needed(&self, types: &[&Type]) -> Vec<&SharedType> {
        let mut open = Vec::new();
        types.iter().for_each(|ty| ty.each_name(&mut |id| open.push(id)));
        let mut found: HashSet<DefinitionId> = HashSet::new();
        while let Some(id) = open.pop() {
            if found.insert(id)
                && let Some(shared) = self.get(id)
            {
                shared.body.each_name(&mut |id| open.push(id));
            }
        }
        let mut found: Vec<DefinitionId> = found.into_iter().collect();
        found.sort();
        found.into_iter().filter_map(|id| self.get(id)).collect()
    }

    /// The number of a definition's skeleton.
    fn number(&mut self, definition: &Definition) -> usize {
        let skeleton = skeleton(definition);
        if let Some(number) = self.skeletons.get(&skeleton) {
            return *number;
        }
        let number = self.hashes.len();
        self.hashes.push(hash(&format!("{skeleton:?}")));
        self.skeletons.insert(skeleton, number);
        number
    }

    /// A new name; if the plain one is taken, what the form stands for decides on the suffix.
    fn name(&mut self, hint: &str, form: &Form) -> String {
        let name = pascal(hint);
        if self.taken.insert(name.clone()) {
            return name;
        }
        let seed: Vec<&str> = form
            .iter()
            .filter_map(|(number, _)| self.hashes.get(*number))
            .map(String::as_str)
            .collect();
        suffixed(&name, &seed.concat(), &mut self.taken)
    }
}

/// The definition and all that it reaches: for each the number of its skeleton, and which others
/// it names, counted in the order in which they are met.
fn form(
    definitions: &[Definition],
    numbers: &HashMap<DefinitionId, usize>,
    id: DefinitionId,
) -> Form {
    let order = closure(definitions, vec![id]);
    let met: HashMap<DefinitionId, usize> =
        order.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let part = |id: DefinitionId| {
        let mut named = Vec::new();
        if let Some(body) = definitions.get(id.0).and_then(|found| found.body.as_ref()) {
            body.each_name(&mut |id| named.extend(met.get(&id)));
        }
        (numbers.get(&id).copied().unwrap_or(usize::MAX), named)
    };
    order.into_iter().map(part).collect()
}

/// A definition with all names in it made equal.
fn skeleton(definition: &Definition) -> Skeleton {
    let mut body = definition.body.clone().unwrap_or(Type::Unknown);
    body.rename(&HashMap::new());
    Skeleton { name: pascal(&definition.hint), doc: definition.doc.clone(), body }
}

/// `first` and all that can be reached from there, breadth first.
fn closure(definitions: &[Definition], first: Vec<DefinitionId>) -> Vec<DefinitionId> {
    let mut order = Vec::new();
    let mut seen = HashSet::new();
    let mut level = first;
    while !level.is_empty() {
        let mut next = Vec::new();
        for id in level {
            if seen.insert(id) {
                order.push(id);
                if let Some(body) = definitions.get(id.0).and_then(|found| found.body.as_ref()) {
                    body.each_name(&mut |id| next.push(id));
                }
            }
        }
        level = next;
    }
    order
}
