//! Unions, simplified while they are built.

use std::collections::HashSet;

use super::{Kind, Literal, Type};

impl Type {
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
