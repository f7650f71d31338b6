//! Tests that look at a whole process, its threads, children and descriptors, and therefore each
//! have one of their own.
//!
//! They are marked as ignored, so that they do not run beside others; one test starts this program
//! again for each of them.

mod leftovers;
mod pool;
mod walls;
pub(crate) mod kills;

use std::{collections::BTreeMap, fs, process::Command, time::Duration};

#[test]
fn tests_that_need_a_process_of_their_own_pass() {
    let program = std::env::current_exe().expect("this program");
    let list = Command::new(&program).args(["--list", "--ignored", "--format", "terse"]).output();
    let list = String::from_utf8(list.expect("it starts").stdout).expect("names");
    let names = list.lines().filter_map(|line| line.strip_suffix(": test"));
    let names: Vec<_> = names.filter(|name| name.starts_with("alone::")).collect();
    assert!(names.len() > 5, "{list}");
    for name in names {
        // Others leave files in the usual place while this one looks.
        let temporary = tempfile::tempdir().expect("a folder");
        let status = Command::new(&program)
            .args(["--exact", name, "--ignored", "--nocapture"])
            .env("TMPDIR", temporary.path())
            .status();
        assert!(status.expect("it starts").success(), "{name} failed");
    }
}

/// What a process holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Held {
    descriptors: usize,
    threads: BTreeMap<String, usize>,
    children: usize,
}

impl Held {
    /// As it is now.
    fn now() -> Self {
        let descriptors = fs::read_dir("/proc/self/fd").expect("/proc").count();
        let mut threads = BTreeMap::new();
        for task in fs::read_dir("/proc/self/task").expect("/proc").flatten() {
            let name = fs::read_to_string(task.path().join("comm")).unwrap_or_default();
            *threads.entry(name.trim().to_owned()).or_default() += 1;
        }
        Self { descriptors, threads, children: children().len() }
    }

    /// Whether there is nothing that `other` did not have. A first run starts threads that stay.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.descriptors <= other.descriptors + 4
            && self.children <= other.children
            && self.threads.values().sum::<usize>() <= other.threads.values().sum::<usize>() + 4
    }

    /// When nothing changes any more: what a run has left is collected behind its back.
    pub(crate) fn settled() -> Self {
        let mut last = Self::now();
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(100));
            let now = Self::now();
            if now == last {
                return now;
            }
            last = now;
        }
        last
    }
}

/// The children of this process, zombies included.
pub(crate) fn children() -> Vec<u32> {
    children_of(std::process::id())
}

fn children_of(parent: u32) -> Vec<u32> {
    let parent = parent.to_string();
    let processes = fs::read_dir("/proc").expect("/proc").flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid: &u32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
            fields.split_whitespace().nth(1) == Some(parent.as_str())
        })
        .collect()
}

pub(crate) fn kill(process: u32) {
    let status = Command::new("kill").args(["-9", &process.to_string()]).status();
    assert!(status.expect("kill runs").success());
}
