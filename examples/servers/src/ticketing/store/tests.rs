//! Tests of the ticket store.

use super::*;

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("tickets.db")).unwrap();
    (folder, store)
}

#[test]
fn issues_stay_in_the_file() {
    let (folder, store) = store();
    let id = store.create("Error: disk full", Some("since noon"), Priority::High).unwrap();
    drop(store);

    let issues = Store::open(&folder.path().join("tickets.db")).unwrap().list(None).unwrap();
    assert_eq!(issues.len(), 1);
    assert_eq!(issues[0].issue_id, id.to_string());
    assert_eq!(issues[0].body.as_deref(), Some("since noon"));
    assert_eq!((issues[0].priority.as_str(), issues[0].state.as_str()), ("high", "open"));
}

#[test]
fn closed_issues_are_listed_as_such() {
    let (_folder, store) = store();
    let first = store.create("one", None, Priority::Low).unwrap();
    store.create("two", None, Priority::Medium).unwrap();
    store.close(first).unwrap();
    store.close(first).unwrap();

    let titles = |state| -> Vec<String> {
        store.list(state).unwrap().into_iter().map(|issue| issue.title).collect()
    };
    assert_eq!(titles(Some(State::Closed)), ["one"]);
    assert_eq!(titles(Some(State::Open)), ["two"]);
    assert_eq!(titles(None), ["one", "two"]);
}

#[test]
fn bad_titles_are_refused_and_nothing_is_filed() {
    let (_folder, store) = store();
    let refused = |title: &str| store.create(title, None, Priority::Low).unwrap_err();
    assert!(matches!(refused(""), Error::EmptyTitle));
    assert!(matches!(refused(" \n "), Error::EmptyTitle));
    assert!(matches!(refused("one\ntwo"), Error::BrokenTitle));
    assert!(matches!(refused(&"é".repeat(201)), Error::LongTitle { chars: 201 }));
    assert!(store.list(None).unwrap().is_empty());
    store.create(&"é".repeat(200), None, Priority::Low).unwrap();
}

#[test]
fn unknown_issues_cannot_be_closed() {
    let (_folder, store) = store();
    let id: IssueId = "TICKET-7".parse().unwrap();
    assert!(matches!(store.close(id), Err(Error::NoSuchIssue { .. })));
    assert!(matches!("7".parse::<IssueId>(), Err(Error::BadId { .. })));
}

#[test]
fn titles_are_data_and_never_sql() {
    let (_folder, store) = store();
    let title = "'); DROP TABLE issues; --";
    store.create(title, None, Priority::Low).unwrap();
    assert_eq!(store.list(None).unwrap()[0].title, title);
}
