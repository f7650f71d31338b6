//! Named types of all tools: equal ones are one, different ones have different names.
//!
//! Two definitions are equal if everything that can be reached from them is. This is decided by
//! comparing a canonical form, not a hash of it, so no schema can pass itself off as another.
//!
//! The types stay when tools come and go, with the text that was last printed of them.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

use crate::declarations::TypeNames;
use crate::emit::Style;
use crate::jsdoc::Doc;
use crate::lower::Definition;
use crate::name::{self, hash, pascal};
use crate::print::Printer;
use crate::ty::{DefinitionId, Type};

/// The named types of all tools so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    slots: Vec<Slot>,
    /// Definitions without the names in them, each with a number.
    skeletons: HashMap<Skeleton, usize>,
    /// A hash of each skeleton, only for suffixes.
    hashes: Vec<String>,
    by_form: HashMap<Form, DefinitionId>,
}

#[derive(Clone, Debug)]
struct Slot {
    ty: Arc<SharedType>,
    /// Other types that it names itself.
    names: Vec<DefinitionId>,
    printed: Option<Printed>,
}

/// A named type; the names in its body are places in the list of shared types.
#[derive(Debug)]
pub(crate) struct SharedType {
    /// What it is called if no different type would be called the same.
    plain: String,
    /// Says in short what the type is, for a suffix.
    content: String,
    pub(crate) doc: Doc,
    pub(crate) body: Type,
}

/// A declaration, and the names of which it was printed: with the same it would be the same.
#[derive(Clone, Debug)]
pub(crate) struct Printed {
    own: String,
    others: Vec<String>,
    pub(crate) declaration: String,
}

type Form = Vec<(usize, Vec<usize>)>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Skeleton {
    name: String,
    doc: Doc,
    body: Type,
}

impl Printed {
    /// Prints with these names, unless that is what was printed last.
    pub(crate) fn update<'a>(
        last: &'a mut Option<Self>,
        own: &str,
        others: &[DefinitionId],
        names: &TypeNames,
        print: impl FnOnce() -> String,
    ) -> &'a str {
        let is_same = |last: &Self| {
            last.own == own && last.others.iter().eq(others.iter().map(|id| names.get(*id)))
        };
        let printed = match last.take() {
            Some(printed) if is_same(&printed) => printed,
            _ => Self {
                own: own.to_owned(),
                others: others.iter().map(|id| names.get(*id).to_owned()).collect(),
                declaration: print(),
            },
        };
        &last.insert(printed).declaration
    }
}

impl Shared {
    /// Adds what `roots` need of a tool's definitions, and rewrites the names in them. Returns
    /// what they need, in the order in which they need it.
    pub(crate) fn add(
        &mut self,
        definitions: &[Definition],
        roots: &mut [&mut Type],
    ) -> Vec<DefinitionId> {
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
        let mut needed = Vec::new();
        let mut added = Vec::new();
        for id in reachable {
            let Some(found) = definitions.get(id.0) else { continue };
            let form = form(definitions, &numbers, id);
            let place = match self.by_form.get(&form) {
                Some(place) => *place,
                None => {
                    let next = DefinitionId(self.slots.len() + added.len());
                    added.push((found, self.content(&form)));
                    self.by_form.insert(form, next);
                    next
                }
            };
            places.insert(id, place);
            // Two definitions of a tool may be equal.
            if !needed.contains(&place) {
                needed.push(place);
            }
        }
        for (definition, content) in added {
            let mut body = definition.body.clone().unwrap_or(Type::Unknown);
            body.rename(&places);
            let names = names_in(&[&body]);
            let (plain, doc) = (pascal(&definition.hint), definition.doc.clone());
            let ty = Arc::new(SharedType { plain, content, doc, body });
            self.slots.push(Slot { ty, names, printed: None });
        }
        for root in roots {
            root.rename(&places);
        }
        needed
    }

    /// How many types there are, needed or not.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn get(&self, id: DefinitionId) -> Option<&Arc<SharedType>> {
        self.slots.get(id.0).map(|slot| &slot.ty)
    }

    /// Names for these types, no other being there.
    pub(crate) fn names(&self, ids: &[DefinitionId]) -> TypeNames {
        let types: Vec<(DefinitionId, &Arc<SharedType>)> =
            ids.iter().filter_map(|id| Some((*id, self.get(*id)?))).collect();
        let wishes: Vec<(&str, &str)> =
            types.iter().map(|(_, ty)| (ty.plain.as_str(), ty.content.as_str())).collect();
        types.iter().map(|(id, _)| *id).zip(name::types(&wishes)).collect()
    }

    /// The declaration of a type under these names.
    pub(crate) fn declaration(
        &mut self,
        id: DefinitionId,
        names: &TypeNames,
        printer: &Printer,
    ) -> &str {
        let Some(Slot { ty, names: others, printed }) = self.slots.get_mut(id.0) else { return "" };
        let own = names.get(id);
        Printed::update(printed, own, others, names, || {
            names.print_type(own, ty, Style::Declaration, printer)
        })
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

    /// What a form stands for, in hashes: the same whatever other types there are.
    fn content(&self, form: &Form) -> String {
        let mut content = String::new();
        for (number, named) in form {
            let hash = self.hashes.get(*number).map_or("", String::as_str);
            let _ = write!(content, "{hash}{named:?}");
        }
        content
    }
}

/// The definitions that types name themselves, each once.
pub(crate) fn names_in(types: &[&Type]) -> Vec<DefinitionId> {
    let (mut names, mut seen) = (Vec::new(), HashSet::new());
    for ty in types {
        ty.each_name(&mut |id| {
            if seen.insert(id) {
                names.push(id);
            }
        });
    }
    names
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
