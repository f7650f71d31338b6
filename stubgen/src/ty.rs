//! The small language between schemas and TypeScript.
//!
//! A [`Type`] says what TypeScript can say about JSON values and nothing else. It is simplified
//! while it is built: a union is flat, holds no member twice, and is never of one member.

use std::collections::{HashMap, HashSet};

use crate::jsdoc::Doc;

/// A set of JSON values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// Every value.
    Unknown,
    /// No value.
    Never,
    Null,
    Boolean,
    Number,
    String,
    Literal(Literal),
    Array(Box<Type>),
    Tuple(Tuple),
    Object(Object),
    Union(Vec<Type>),
    Intersection(Vec<Type>),
    /// A definition of the same tool, by its place in the tool's list.
    Named(DefinitionId),
}

/// A definition within one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct DefinitionId(pub(crate) usize);

/// One value that has a literal type in TypeScript.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Literal {
    Boolean(bool),
    /// The bits of an `f64`; negative zero is stored as zero.
    Number(u64),
    String(String),
}

/// An array whose first items have types of their own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tuple {
    pub(crate) items: Vec<Type>,
    /// How many of `items` are always there.
    pub(crate) required: usize,
    /// The type of all items after `items`; none when there can be no more.
    pub(crate) rest: Option<Box<Type>>,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Object {
    pub(crate) properties: Vec<Property>,
    pub(crate) others: Others,
}

/// What an object holds besides the properties it names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Others {
    /// The schema does not say: anything may be there, and nothing is printed for it.
    Unsaid,
    /// Nothing.
    Nothing,
    /// Values of this type under any name.
    Each(Box<Type>),
}

/// A named property of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) optional: bool,
    pub(crate) ty: Type,
    pub(crate) doc: Doc,
}

impl Type {
    /// Any object.
    pub(crate) fn any_object() -> Self {
        Self::Object(Object { properties: Vec::new(), others: Others::Unsaid })
    }

    /// Any array.
    pub(crate) fn any_array() -> Self {
        Self::Array(Box::new(Self::Unknown))
    }

    /// The values that are in any of `members`.
    pub(crate) fn union(members: impl IntoIterator<Item = Type>) -> Self {
        let mut flat = Vec::new();
        for member in members {
            match member {
                Self::Union(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.contains(&Self::Unknown) {
            return Self::Unknown;
        }
        let is_wide = |kind: &Kind| flat.iter().any(|member| member.whole_kind() == Some(*kind));
        let wide: Vec<Kind> =
            [Kind::Boolean, Kind::Number, Kind::String].into_iter().filter(is_wide).collect();
        let both = [true, false].map(|value| Self::Literal(Literal::Boolean(value)));
        let boolean = wide.contains(&Kind::Boolean) || both.iter().all(|lit| flat.contains(lit));
        let mut members = Vec::new();
        let mut null = false;
        for member in flat {
            let member = match member {
                Self::Never => continue,
                Self::Null => {
                    null = true;
                    continue;
                }
                Self::Literal(Literal::Boolean(_)) if boolean => Self::Boolean,
                Self::Literal(literal) if wide.contains(&literal.kind()) => continue,
                other => other,
            };
            members.push(member);
        }
        members = distinct(members);
        if null {
            members.push(Self::Null);
        }
        match members.pop() {
            None => Self::Never,
            Some(only) if members.is_empty() => only,
            Some(last) => {
                members.push(last);
                Self::Union(members)
            }
        }
    }

    /// The members of a union; any other type is its own only member.
    pub(crate) fn members(self) -> Vec<Type> {
        match self {
            Self::Union(members) => members,
            Self::Never => Vec::new(),
            other => vec![other],
        }
    }

    /// Whether the type is so short that a name for it would say less than the type itself.
    pub(crate) fn is_trivial(&self) -> bool {
        match self {
            Self::Array(item) => item.is_trivial(),
            Self::Object(object) => object.properties.is_empty(),
            Self::Union(_) | Self::Intersection(_) | Self::Tuple(_) => false,
            _ => true,
        }
    }

    /// How many parts the type has, itself included.
    pub(crate) fn size(&self) -> usize {
        1 + match self {
            Self::Array(item) => item.size(),
            Self::Tuple(tuple) => {
                let rest = tuple.rest.as_ref().map_or(0, |rest| rest.size());
                tuple.items.iter().map(Self::size).sum::<usize>() + rest
            }
            Self::Object(object) => {
                let others = if let Others::Each(ty) = &object.others { ty.size() } else { 0 };
                object.properties.iter().map(|property| property.ty.size()).sum::<usize>() + others
            }
            Self::Union(members) | Self::Intersection(members) => {
                members.iter().map(Self::size).sum()
            }
            _ => 0,
        }
    }

    /// Calls `visit` for every definition that is named in this type, in order.
    pub(crate) fn each_name(&self, visit: &mut dyn FnMut(DefinitionId)) {
        match self {
            Self::Named(id) => visit(*id),
            Self::Array(item) => item.each_name(visit),
            Self::Tuple(tuple) => {
                tuple.items.iter().for_each(|item| item.each_name(visit));
                if let Some(rest) = &tuple.rest {
                    rest.each_name(visit);
                }
            }
            Self::Object(object) => {
                object.properties.iter().for_each(|property| property.ty.each_name(visit));
                if let Others::Each(ty) = &object.others {
                    ty.each_name(visit);
                }
            }
            Self::Union(members) | Self::Intersection(members) => {
                members.iter().for_each(|member| member.each_name(visit));
            }
            _ => {}
        }
    }

    /// Calls `visit` for every definition that this type names with nothing in between.
    pub(crate) fn each_bare_name(&self, visit: &mut dyn FnMut(DefinitionId)) {
        match self {
            Self::Named(id) => visit(*id),
            Self::Union(members) | Self::Intersection(members) => {
                members.iter().for_each(|member| member.each_bare_name(visit));
            }
            _ => {}
        }
    }

    /// Replaces every name by what `places` has for it, or by the first place.
    pub(crate) fn rename(&mut self, places: &HashMap<DefinitionId, DefinitionId>) {
        match self {
            Self::Named(id) => *id = places.get(id).copied().unwrap_or(DefinitionId(0)),
            Self::Array(item) => item.rename(places),
            Self::Tuple(tuple) => {
                tuple.items.iter_mut().for_each(|item| item.rename(places));
                if let Some(rest) = &mut tuple.rest {
                    rest.rename(places);
                }
            }
            Self::Object(object) => {
                object.properties.iter_mut().for_each(|property| property.ty.rename(places));
                if let Others::Each(ty) = &mut object.others {
                    ty.rename(places);
                }
            }
            Self::Union(members) | Self::Intersection(members) => {
                members.iter_mut().for_each(|member| member.rename(places));
            }
            _ => {}
        }
    }

    /// The kind of which this type holds every value.
    fn whole_kind(&self) -> Option<Kind> {
        match self {
            Self::Boolean => Some(Kind::Boolean),
            Self::Number => Some(Kind::Number),
            Self::String => Some(Kind::String),
            _ => None,
        }
    }
}

/// The kinds of JSON values that have literal types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Boolean,
    Number,
    String,
}

impl Literal {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Boolean(_) => Kind::Boolean,
            Self::Number(_) => Kind::Number,
            Self::String(_) => Kind::String,
        }
    }

    pub(crate) fn number(value: f64) -> Self {
        Self::Number(if value == 0.0 { 0 } else { value.to_bits() })
    }
}

/// The members without those that are there already.
fn distinct(members: Vec<Type>) -> Vec<Type> {
    /// Up to so many are compared one by one.
    const FEW: usize = 8;
    if members.len() <= FEW {
        let mut kept: Vec<Type> = Vec::with_capacity(members.len());
        for member in members {
            if !kept.contains(&member) {
                kept.push(member);
            }
        }
        return kept;
    }
    let mut seen = HashSet::with_capacity(members.len());
    let is_new: Vec<bool> = members.iter().map(|member| seen.insert(member)).collect();
    members.into_iter().zip(is_new).filter_map(|(member, new)| new.then_some(member)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Type {
        Type::Literal(Literal::String(value.to_owned()))
    }

    #[test]
    fn unions_are_flat_and_hold_no_member_twice() {
        let inner = Type::union([text("a"), Type::Null]);
        let ty = Type::union([inner, text("a"), text("b"), Type::Never]);
        assert_eq!(ty, Type::Union(vec![text("a"), text("b"), Type::Null]));
    }

    #[test]
    fn a_whole_kind_absorbs_its_literals() {
        assert_eq!(Type::union([text("a"), Type::String]), Type::String);
        let both = [true, false].map(|value| Type::Literal(Literal::Boolean(value)));
        assert_eq!(Type::union(both), Type::Boolean);
    }

    #[test]
    fn unknown_absorbs_everything() {
        assert_eq!(Type::union([text("a"), Type::Unknown]), Type::Unknown);
    }

    #[test]
    fn a_union_of_nothing_is_never() {
        assert_eq!(Type::union([Type::Never]), Type::Never);
    }
}
