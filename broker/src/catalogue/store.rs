//! The catalogue as it is now.
//!
//! Whoever reads it gets a snapshot that never changes. A server's list is replaced as a whole, so
//! nobody sees half of a new one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};

use super::{Catalogue, Listing, Usable};

/// Where the current catalogue is.
#[derive(Default)]
pub(crate) struct Store(RwLock<Arc<Catalogue>>);

/// How the list of a server differs from the one before.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
    pub(crate) changed: Vec<String>,
    /// Whether other tools than before are listed and cannot be called.
    rejected: bool,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Store {
    /// The catalogue at this moment.
    pub(crate) fn current(&self) -> Arc<Catalogue> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the list of one server.
    pub(crate) fn replace(&self, server: &str, listing: Listing) -> Changes {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let next = current.with(server, listing);
        let changes = changes(&current, &next, server);
        // The same snapshot for the same content: whoever keeps something of it can tell cheaply.
        if !changes.is_empty() {
            *current = Arc::new(next);
        }
        changes
    }
}

fn changes(before: &Catalogue, after: &Catalogue, server: &str) -> Changes {
    fn by_name<'a>(
        catalogue: &'a Catalogue,
        server: &'a str,
    ) -> BTreeMap<&'a str, &'a Arc<Usable>> {
        catalogue.of(server).map(|usable| (usable.tool.name.as_str(), usable)).collect()
    }
    let (old, new) = (by_name(before, server), by_name(after, server));
    let (was, is): (BTreeSet<_>, BTreeSet<_>) = (old.keys().collect(), new.keys().collect());
    let owned = |names: Vec<&&&str>| names.into_iter().map(|name| (**name).to_owned()).collect();
    let changed = new
        .iter()
        .filter(|(name, usable)| old.get(*name).is_some_and(|before| !Arc::ptr_eq(before, usable)));
    let rejected = |catalogue: &Catalogue| -> Vec<_> {
        catalogue.rejected.iter().filter(|bad| bad.server == server).cloned().collect()
    };
    Changes {
        added: owned(is.difference(&was).collect()),
        removed: owned(was.difference(&is).collect()),
        changed: changed.map(|(name, _)| (*name).to_owned()).collect(),
        rejected: rejected(before) != rejected(after),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::catalogue::{Rules, decode};

    fn listing(store: &Store, server: &str, tools: &[(&str, &str)]) -> Listing {
        let known = store.current();
        let rules = Rules { server, pins: &BTreeMap::new(), headers: false, known: &known };
        let entry = |(name, text): &(&str, &str)| -> Value {
            json!({ "name": name, "description": text, "inputSchema": {} })
        };
        let tools = tools.iter().map(|tool| decode(&rules, entry(tool)).unwrap()).collect();
        Listing { tools, ..Listing::default() }
    }

    #[test]
    fn a_list_is_replaced_as_a_whole_and_the_others_stay() {
        let store = Store::default();
        store.replace("other", listing(&store, "other", &[("a", "")]));
        store.replace("s", listing(&store, "s", &[("gone", ""), ("kept", ""), ("other", "one")]));
        let before = store.current();
        let changes = store
            .replace("s", listing(&store, "s", &[("kept", ""), ("new", ""), ("other", "two")]));
        assert_eq!((changes.added, changes.removed), (vec!["new".into()], vec!["gone".into()]));
        assert_eq!(changes.changed, ["other"]);
        let after = store.current();
        let names: Vec<_> =
            after.tools().map(|tool| format!("{}/{}", tool.server, tool.name)).collect();
        assert_eq!(names, ["other/a", "s/kept", "s/new", "s/other"]);
        assert_eq!(before.tools().len(), 4, "a snapshot never changes");
        let same = listing(&store, "s", &[("kept", ""), ("new", ""), ("other", "two")]);
        assert!(store.replace("s", same).is_empty());
        assert!(Arc::ptr_eq(&after, &store.current()));
    }
}
