//! The small language between schemas and TypeScript.
//!
//! A [`Type`] says what TypeScript can say about JSON values and nothing else. It is simplified
//! while it is built: a union is flat, holds no member twice, and is never of one member.

mod union;

use std::collections::HashMap;

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

impl Tuple {
    /// Whether the type has this size, written as `1..2`, or is narrower.
    pub(crate) fn says(&self, size: &str) -> bool {
        let Some((low, high)) = size.split_once("..") else { return false };
        let has_low = low.parse().is_ok_and(|low: usize| low <= self.required);
        let has_high = high.parse().is_ok_and(|high: usize| high >= self.items.len());
        (low.is_empty() || has_low) && (high.is_empty() || (has_high && self.rest.is_none()))
    }
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

    /// The members of a union; any other type is its own only member.
    pub(crate) fn members(self) -> Vec<Type> {
        match self {
            Self::Union(members) => members,
            Self::Never => Vec::new(),
            other => vec![other],
        }
    }

    /// The tuple that all arrays of this type are, if there is one.
    pub(crate) fn only_tuple(&self) -> Option<&Tuple> {
        match self {
            Self::Tuple(tuple) => Some(tuple),
            Self::Union(members) => {
                let mut tuple = None;
                for member in members {
                    match member {
                        Self::Tuple(found) if tuple.is_none() => tuple = Some(found),
                        Self::Null | Self::Boolean | Self::Number | Self::String => {}
                        Self::Literal(_) | Self::Object(_) => {}
                        _ => return None,
                    }
                }
                tuple
            }
            _ => None,
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
