//! Two types to the type of what is in both.
//!
//! `allOf`, `$ref` with siblings, and `anyOf` beside `properties` all say "and". TypeScript has
//! `&` for it, but one object reads better than two joined ones, so what can be merged is. The
//! result may be wider than both together; it is never narrower.

use std::cell::Cell;

use crate::ty::{DefinitionId, Object, Others, Property, Tuple, Type};

/// Unions are multiplied out as long as the result has at most this many structured members.
const PRODUCT: usize = 32;

/// So many parts may be copied in one merge; then types are joined by `&`.
const FUEL: usize = 4000;

/// Merges types; asks `body` what a definition says, which is nothing while it is being made.
pub(crate) struct Merge<'a> {
    body: &'a dyn Fn(DefinitionId) -> Option<&'a Type>,
    /// How many more parts may be copied; without it a small schema could describe a huge type.
    fuel: Cell<usize>,
}

impl<'a> Merge<'a> {
    pub(crate) fn new(body: &'a dyn Fn(DefinitionId) -> Option<&'a Type>) -> Self {
        Self { body, fuel: Cell::new(FUEL) }
    }

    /// The values that are in `left` and in `right`.
    pub(crate) fn both(&self, left: Type, right: Type) -> Type {
        self.meet(left, right, true)
    }

    /// `outermost` tells whether definitions may be opened: below that they stay names, since a
    /// recursive one could be opened for ever.
    fn meet(&self, left: Type, right: Type, outermost: bool) -> Type {
        match (left, right) {
            (Type::Unknown, other) | (other, Type::Unknown) => other,
            (Type::Never, _) | (_, Type::Never) => Type::Never,
            (left, right) if left == right => left,
            (left @ Type::Union(_), right) | (left, right @ Type::Union(_)) => {
                self.multiply(left, right, outermost)
            }
            (Type::Named(id), other) => self.opened(id, other, outermost, false),
            (other, Type::Named(id)) => self.opened(id, other, outermost, true),
            (left @ Type::Intersection(_), right) | (left, right @ Type::Intersection(_)) => {
                self.gathered(left, right)
            }
            (Type::Object(left), Type::Object(right)) => self.objects(left, right),
            (Type::Array(left), Type::Array(right)) => {
                Type::Array(Box::new(self.meet(*left, *right, false)))
            }
            (Type::Array(item), Type::Tuple(tuple)) | (Type::Tuple(tuple), Type::Array(item)) => {
                let any = Tuple { items: Vec::new(), required: 0, rest: Some(item) };
                self.tuples(tuple, any)
            }
            (Type::Tuple(left), Type::Tuple(right)) => self.tuples(left, right),
            (left, right) => primitives(left, right),
        }
    }

    /// Each member of the one with each member of the other.
    fn multiply(&self, left: Type, right: Type, outermost: bool) -> Type {
        let (many, more) = (left.members(), right.members());
        let [size, other_size]: [usize; 2] =
            [&many, &more].map(|side| side.iter().map(Type::size).sum());
        let copies =
            size.saturating_mul(structured(&more)) + other_size.saturating_mul(structured(&many));
        if structured(&many) * structured(&more) > PRODUCT || !self.affords(copies) {
            return joined(Type::union(many), Type::union(more));
        }
        let mut members = Vec::new();
        for left in &many {
            for right in &more {
                members.push(match (left, right) {
                    // The common case, without copies of what is dropped at once.
                    (Type::Literal(a), Type::Literal(b)) if a != b => continue,
                    _ => self.meet(left.clone(), right.clone(), outermost),
                });
            }
        }
        Type::union(members)
    }

    /// The parts of both, those that can be merged merged.
    fn gathered(&self, left: Type, right: Type) -> Type {
        let (Type::Intersection(mut parts), mut more) = (joined(left, right), Vec::new()) else {
            return Type::Never;
        };
        let mut solid = Type::Unknown;
        parts.retain(|part| {
            let stays = matches!(part, Type::Named(_) | Type::Union(_));
            if !stays {
                more.push(part.clone());
            }
            stays
        });
        for part in more {
            solid = self.meet(solid, part, false);
        }
        match solid {
            Type::Never => return Type::Never,
            Type::Unknown => {}
            other => parts.push(other),
        }
        match parts.pop() {
            Some(only) if parts.is_empty() => only,
            Some(last) => {
                parts.push(last);
                Type::Intersection(parts)
            }
            None => Type::Unknown,
        }
    }

    /// A definition with something else, as its own body if that says more than both names.
    fn opened(&self, id: DefinitionId, other: Type, outermost: bool, flipped: bool) -> Type {
        let body = (self.body)(id).filter(|body| outermost && self.affords(body.size()));
        let Some(body) = body else {
            let name = Type::Named(id);
            return if flipped { joined(other, name) } else { joined(name, other) };
        };
        let result = if flipped {
            self.meet(other, body.clone(), outermost)
        } else {
            self.meet(body.clone(), other, outermost)
        };
        if result == *body { Type::Named(id) } else { result }
    }

    /// Pays for `copies` parts, if there is enough left.
    fn affords(&self, copies: usize) -> bool {
        let left = self.fuel.get().checked_sub(copies);
        self.fuel.set(left.unwrap_or(0));
        left.is_some()
    }

    fn objects(&self, left: Object, right: Object) -> Type {
        let mut properties: Vec<Property> = Vec::new();
        let mut rest = right.properties;
        for mut property in left.properties {
            let twin = rest.iter().position(|other| other.name == property.name);
            let (ty, optional) = match twin {
                Some(at) => {
                    let twin = rest.remove(at);
                    if property.doc.is_empty() {
                        property.doc = twin.doc;
                    }
                    (
                        Some(self.meet(property.ty, twin.ty, false)),
                        property.optional && twin.optional,
                    )
                }
                None => (self.among_others(property.ty, &right.others), property.optional),
            };
            match ty {
                Some(ty) if ty != Type::Never || optional => {
                    properties.push(Property { ty, optional, ..property });
                }
                None if optional => {}
                _ => return Type::Never,
            }
        }
        for property in rest {
            match self.among_others(property.ty, &left.others) {
                Some(ty) if ty != Type::Never || property.optional => {
                    properties.push(Property { ty, ..property });
                }
                None if property.optional => {}
                _ => return Type::Never,
            }
        }
        let others = match (left.others, right.others) {
            (Others::Nothing, _) | (_, Others::Nothing) => Others::Nothing,
            (Others::Unsaid, Others::Unsaid) => Others::Unsaid,
            (Others::Unsaid, said) | (said, Others::Unsaid) => said,
            (Others::Each(left), Others::Each(right)) => match self.meet(*left, *right, false) {
                Type::Never => Others::Nothing,
                both => Others::Each(Box::new(both)),
            },
        };
        Type::Object(Object { properties, others })
    }

    /// The type of a property in an object that does not name it; none where it cannot be.
    fn among_others(&self, ty: Type, others: &Others) -> Option<Type> {
        match others {
            Others::Unsaid => Some(ty),
            Others::Nothing => None,
            Others::Each(each) => Some(self.meet(ty, (**each).clone(), false)),
        }
    }

    fn tuples(&self, left: Tuple, right: Tuple) -> Type {
        let length = left.items.len().max(right.items.len());
        let required = left.required.max(right.required);
        let mut items = Vec::new();
        let mut rest = match (left.rest.clone(), right.rest.clone()) {
            (Some(left), Some(right)) => Some(self.meet(*left, *right, false)),
            _ => None,
        };
        for at in 0..length {
            let here = |tuple: &Tuple| {
                tuple.items.get(at).cloned().or_else(|| tuple.rest.as_deref().cloned())
            };
            let item = match (here(&left), here(&right)) {
                (Some(left), Some(right)) => self.meet(left, right, false),
                _ => Type::Never,
            };
            if item == Type::Never {
                rest = None;
                break;
            }
            items.push(item);
        }
        if required > items.len() {
            return Type::Never;
        }
        let rest = rest.filter(|rest| *rest != Type::Never).map(Box::new);
        Type::Tuple(Tuple { items, required, rest })
    }
}

/// `left & right`, where nothing better can be said.
fn joined(left: Type, right: Type) -> Type {
    let mut members = Vec::new();
    for side in [left, right] {
        match side {
            Type::Intersection(inner) => {
                for member in inner {
                    if !members.contains(&member) {
                        members.push(member);
                    }
                }
            }
            other if members.contains(&other) => {}
            other => members.push(other),
        }
    }
    Type::Intersection(members)
}

/// Types without parts: the narrower one if one holds the other.
fn primitives(left: Type, right: Type) -> Type {
    let holds = |wide: &Type, narrow: &Type| {
        Type::union([wide.clone(), narrow.clone()]) == *wide && wide != narrow
    };
    if holds(&left, &right) {
        right
    } else if holds(&right, &left) {
        left
    } else {
        Type::Never
    }
}

/// How many members have parts of their own.
fn structured(members: &[Type]) -> usize {
    let parts = members.iter().filter(|member| {
        matches!(
            member,
            Type::Object(_)
                | Type::Array(_)
                | Type::Tuple(_)
                | Type::Named(_)
                | Type::Intersection(_)
        )
    });
    parts.count().max(1)
}
