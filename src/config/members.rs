//! Objects whose keys are known.

use super::{
    error::{Fault, Problem},
    json::{Member, Node},
};
use crate::nearest::nearest;

/// The members of an object, each of them known and there only once.
pub(super) struct Members<'a>(&'a [Member]);

impl<'a> Members<'a> {
    /// `what` is the object in words, for errors.
    pub(super) fn of(node: &'a Node, what: &str, known: &[&str]) -> Result<Self, Fault> {
        let members = node.object(what)?;
        for (index, member) in members.iter().enumerate() {
            let (key, what) = (member.key.clone(), what.to_owned());
            if !known.contains(&member.key.as_str()) {
                return Err(member.at.fault(Problem::UnknownKey {
                    nearest: nearest(&key, known.iter().copied()).map(str::to_owned),
                    known: known.iter().map(|key| (*key).to_owned()).collect(),
                    key,
                    what,
                }));
            }
            if members.iter().take(index).any(|earlier| earlier.key == member.key) {
                return Err(member.at.fault(Problem::DuplicateKey { key, what }));
            }
        }
        Ok(Self(members))
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Node> {
        self.member(key).map(|member| &member.value)
    }

    pub(super) fn member(&self, key: &str) -> Option<&'a Member> {
        self.0.iter().find(|member| member.key == key)
    }
}
