//! Words that tools use for one another.
//!
//! Without a model that knows what words mean, "erase" would not find `delete_file`. The verbs of
//! tools are few, and so are the things that all of them have; a table of those is small and costs
//! nothing. It is general on purpose: words of one product do not belong here.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::words::stem;

/// Groups of words of which each finds the others.
const KIN: &[&[&str]] = &[
    &["create", "add", "new", "make", "insert", "append", "register", "open"],
    &["delete", "remove", "erase", "drop", "destroy", "discard", "clear", "purge", "forget"],
    &["get", "read", "fetch", "retrieve", "show", "view", "display", "see", "look", "describe"],
    &["list", "all", "enumerate", "show", "which"],
    &["update", "edit", "change", "modify", "set", "alter", "patch", "replace"],
    &["write", "save", "store", "update"],
    &["search", "find", "query", "lookup", "locate", "look"],
    &["send", "post", "submit", "publish"],
    &["move", "rename", "relocate", "transfer"],
    &["run", "execute", "start", "trigger", "launch", "invoke", "call"],
    &["stop", "cancel", "abort", "close", "end"],
    &["copy", "duplicate", "clone"],
    &["navigate", "go", "visit", "open"],
    &["link", "relate", "connect", "relation"],
    &["click", "press", "tap"],
    &["choose", "select", "pick"],
    &["switch", "checkout", "toggle"],
    &["save", "export", "download"],
    &["attach", "upload", "attachment"],
    &["download", "fetch", "get"],
    &["watch", "follow", "subscribe", "watcher", "subscription"],
    &["comment", "remark", "note"],
    &["answer", "reply", "respond"],
    &["issue", "ticket", "bug"],
    &["folder", "directory"],
    &["picture", "image", "photo", "screenshot"],
    &["user", "person", "people", "member", "who", "account"],
    &["field", "column", "attribute", "property"],
    &["row", "record", "document", "entry"],
    &["label", "tag"],
    &["size", "big", "large", "space"],
    &["history", "log", "commits"],
    &["version", "release", "revision"],
    &["permission", "access", "restriction", "allowed"],
    &["count", "many", "number"],
    &["difference", "diff", "compare", "changed"],
    &["website", "page", "site", "url"],
    &["markdown", "text"],
    &["status", "state"],
    &["newest", "latest", "recent"],
];

/// Short forms and what they stand for.
const SHORT: &[(&str, &str)] = &[
    ("auth", "authentication"),
    ("config", "configuration"),
    ("db", "database"),
    ("dir", "directory"),
    ("doc", "document"),
    ("docs", "documentation"),
    ("env", "environment"),
    ("img", "image"),
    ("info", "information"),
    ("js", "javascript"),
    ("msg", "message"),
    ("org", "organization"),
    ("pr", "pull request"),
    ("prs", "pull request"),
    ("repo", "repository"),
    ("repos", "repository"),
    ("tz", "timezone"),
];

static TABLE: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut table: HashMap<String, Vec<String>> = HashMap::new();
    for group in KIN {
        let stems: Vec<String> = group.iter().map(|word| stem(word).into_owned()).collect();
        for word in &stems {
            let known = table.entry(word.clone()).or_default();
            known.extend(stems.iter().filter(|other| *other != word).cloned());
        }
    }
    for known in table.values_mut() {
        known.sort();
        known.dedup();
    }
    table
});

/// The stems of words that a stem's word may stand for.
pub(crate) fn kin(stem: &str) -> &'static [String] {
    TABLE.get(stem).map(Vec::as_slice).unwrap_or_default()
}

/// What a short form stands for: one word or more. Asked by the word, not by its stem.
pub(crate) fn long_form(word: &str) -> Option<&'static str> {
    SHORT.binary_search_by(|(short, _)| short.cmp(&word)).ok().and_then(|at| Some(SHORT.get(at)?.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kin_find_each_other() {
        assert!(kin(&stem("erasing")).contains(&"delet".to_owned()));
        assert!(kin(&stem("delete")).contains(&stem("erase").into_owned()));
        assert_eq!(kin("xyzzy"), [""; 0]);
    }

    #[test]
    fn short_forms_are_in_order_to_be_found() {
        assert!(SHORT.is_sorted());
        assert_eq!(long_form("pr"), Some("pull request"));
        assert_eq!(long_form("nothing"), None);
    }
}
