use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::json;

use super::files::{Files, old};
use super::*;

/// A log of so many lines, in files of about so many bytes.
fn log_of(folder: &Path, lines: usize, rotate_bytes: u64) -> PathBuf {
    let path = folder.join("audit.jsonl");
    let mut files = Files::open(&path, rotate_bytes, false).unwrap();
    for number in 0..lines {
        files.append(&[json!({ "event": "test", "number": number }).to_string()]).unwrap();
    }
    path
}

fn check(path: &Path) -> Result<Verified, String> {
    verify(path, Expect::default()).map_err(|error| match error {
        Unreadable::Broken { line, problem, .. } => format!("line {line}: {problem}"),
        other => other.to_string(),
    })
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn write(path: &Path, lines: &[String]) {
    fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

#[test]
fn each_kind_of_change_is_found() {
    type Change = fn(&mut Vec<String>);
    let changes: [(&str, Change, &str); 8] = [
        (
            "a word",
            |l| l[2] = l[2].replace("\"number\":2", "\"number\":9"),
            "line 3: this line was changed",
        ),
        (
            "the hash",
            |l| l[4] = format!("{}0000\"}}", &l[4][..l[4].len() - 6]),
            "line 5: this line was changed",
        ),
        (
            "a line taken out",
            |l| drop(l.remove(2)),
            "line 3: this is entry 4, and entry 3 is not before it",
        ),
        ("the first line taken out", |l| drop(l.remove(0)), "line 1: this is entry 2, and entry 1"),
        ("two lines exchanged", |l| l.swap(1, 2), "line 2: this is entry 3"),
        (
            "a line twice",
            |l| l.insert(2, l[1].clone()),
            "line 3: this is entry 2 where entry 3 belongs",
        ),
        (
            "a line of another log",
            |l| l[2] = foreign(),
            "line 3: this line does not follow the one before it",
        ),
        (
            "something else",
            |l| l.insert(1, "{}".into()),
            "line 2: this is not a line of an audit log",
        ),
    ];
    for (what, change, expected) in changes {
        let folder = tempfile::tempdir().unwrap();
        let path = log_of(folder.path(), 5, u64::MAX);
        assert_eq!(check(&path).unwrap().entries, 5);
        let mut all = lines(&path);
        change(&mut all);
        write(&path, &all);
        let found = check(&path).unwrap_err();
        assert!(found.starts_with(expected), "{what}: {found}");
    }
}

/// Entry 3 of a chain that says something else.
fn foreign() -> String {
    let mut tail = super::chain::Tail::default();
    let mut line = String::new();
    for _ in 0..3 {
        (tail, line) = tail.next(r#"{"event":"other"}"#);
    }
    line
}

#[test]
fn missing_lines_at_the_end_are_found_by_a_head_that_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = log_of(folder.path(), 5, u64::MAX);
    let head = Some(check(&path).unwrap().head);
    let expect = Expect { head, ..Expect::default() };
    assert_eq!(verify(&path, expect).unwrap().entries, 5);
    let mut all = lines(&path);
    all.pop();
    write(&path, &all);
    assert_eq!(check(&path).unwrap().entries, 4, "the chain alone cannot tell");
    assert!(matches!(verify(&path, expect), Err(Unreadable::NoHead { .. })));
}

#[test]
fn one_chain_goes_through_all_files_and_a_missing_file_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = log_of(folder.path(), 20, 1000);
    let old = old(&path).unwrap();
    assert!(old.len() > 2, "{old:?}");
    let whole = check(&path).unwrap();
    assert_eq!((whole.entries, whole.files), (20, old.len() + 1));
    for file in old.iter().chain([&path]) {
        assert!(fs::metadata(file).unwrap().len() <= 1000);
    }
    // Between a rename and the next line there is no file that grows.
    let mut files = Files::open(&path, 1000, false).unwrap();
    fs::rename(&path, folder.path().join("audit.jsonl.000099")).unwrap();
    files.append(&[json!({ "event": "test" }).to_string()]).unwrap();
    assert_eq!(check(&path).unwrap().entries, 21);

    fs::remove_file(&old[1]).unwrap();
    assert!(check(&path).unwrap_err().contains("lines are missing"));
    fs::remove_file(&old[0]).unwrap();
    assert!(check(&path).unwrap_err().contains("lines are missing"));
    // Unless it is said that they are.
    let last = lines(&old[2])[0].clone();
    let prev = last.split("\"prev\":\"").nth(1).unwrap()[..64].parse().unwrap();
    let expect = Expect { after: Some(prev), ..Expect::default() };
    assert!(verify(&path, expect).is_ok());
}

#[test]
fn half_a_line_at_the_end_is_cut_off_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = log_of(folder.path(), 2, u64::MAX);
    let half = lines(&path)[1][..30].to_owned();
    fs::write(&path, format!("{}{half}", fs::read_to_string(&path).unwrap())).unwrap();
    assert_eq!(check(&path).unwrap().torn_bytes, 30);
    let mut files = Files::open(&path, u64::MAX, false).unwrap();
    files.append(&[json!({ "event": "after" }).to_string()]).unwrap();
    let mut events = Vec::new();
    let whole = read(&path, Expect::default(), |entry| {
        events.push(entry.text("event").unwrap().to_owned());
    });
    assert_eq!(events, ["test", "test", "repaired", "after"]);
    assert_eq!(whole.unwrap().torn_bytes, 0);
}

#[test]
fn nothing_is_written_after_a_line_that_was_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = log_of(folder.path(), 2, u64::MAX);
    let mut all = lines(&path);
    all[1] = all[1].replace("test", "best");
    write(&path, &all);
    let refused = Log::open(Audit::new(&path)).unwrap_err().to_string();
    assert!(refused.contains("its last line is not what was written"), "{refused}");
}

#[test]
fn only_the_owner_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = log_of(&folder.path().join("new/folder"), 1, u64::MAX);
    for (path, mode) in [(path.as_path(), 0o600), (path.parent().unwrap(), 0o700)] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, mode);
    }
}

#[test]
fn writers_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut files = Files::open(path, 4000, false).unwrap();
                for number in 0..50 {
                    let line = json!({ "event": "test", "writer": writer, "number": number });
                    files.append(&[line.to_string()]).unwrap();
                }
            });
        }
    });
    let mut seen = vec![0; 4];
    let whole = read(&path, Expect::default(), |entry| {
        let number = |name: &str| usize::try_from(entry.members[name].as_u64().unwrap()).unwrap();
        assert_eq!(number("number"), seen[number("writer")], "in the order of its writer");
        seen[number("writer")] += 1;
    });
    assert_eq!((whole.unwrap().entries, seen), (200, vec![50; 4]));
}

#[test]
fn what_is_redacted_is_neither_in_the_arguments_nor_in_their_digest() {
    let mut audit = Audit::new("unused");
    audit.full = true;
    audit.redact = vec!["/token".into(), "/deep/0/key".into(), "/absent".into()];
    let arguments = |token: &str| {
        let value = json!({ "token": token, "deep": [{ "key": [1], "kept": 2 }] });
        audit.arguments(value.as_object().unwrap())
    };
    let (one, other) = (arguments("hunter2"), arguments("hunter3"));
    let expected = json!({ "token": "[redacted]", "deep": [{ "key": "[redacted]", "kept": 2 }] });
    assert_eq!(one.full, Some(expected));
    assert_eq!(one.digest, other.digest);
    audit.full = false;
    assert_eq!(audit.arguments(&serde_json::Map::new()).full, None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any body makes lines that are whole; and whatever byte is changed afterwards, that is found.
    #[test]
    fn no_change_of_a_byte_goes_unseen(
        texts in prop::collection::vec(any::<String>(), 1..6),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let mut files = Files::open(&path, u64::MAX, false).unwrap();
        let bodies: Vec<_> = texts.iter().map(|text| json!({ "event": text }).to_string()).collect();
        files.append(&bodies).unwrap();
        let whole = check(&path).unwrap();
        prop_assert_eq!(whole.entries, texts.len() as u64);
        let mut bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        prop_assume!(bytes[at] != byte);
        bytes[at] = byte;
        fs::write(&path, &bytes).unwrap();
        let expect = Expect { head: Some(whole.head), ..Expect::default() };
        prop_assert!(verify(&path, expect).is_err());
    }
}
