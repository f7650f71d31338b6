//! The README tells the truth: its commands run, its configuration loads, its limits are the
//! program's. (Its Rust is a doc test.)

use cofferdam::{Limits, config::Config};
use std::{
    path::Path,
    process::{Command, Stdio},
};

const README: &str = include_str!("../../README.md");

/// The bodies of the README's code blocks in a language.
fn blocks(language: &str) -> Vec<&'static str> {
    blocks_of(README, language)
}

fn blocks_of<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    let mut blocks = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once(fence.as_str()) {
        let (body, after) = after.split_once("\n```").expect("every block has an end");
        blocks.push(body);
        rest = after;
    }
    blocks
}

#[test]
fn commands_run() {
    let program = Path::new(env!("CARGO_BIN_EXE_cofferdam"));
    let programs = program.parent().expect("it is in a folder");
    for server in ["logging", "ticketing"] {
        let server = programs.join(server);
        assert!(server.exists(), "{} is missing: run `make test`", server.display());
    }
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let lines = blocks("console").into_iter().flat_map(str::lines);
    let commands: Vec<_> = lines.filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(commands.len() > 5, "{commands:?}");
    for command in commands {
        let output = Command::new("bash")
            .args(["-c", command])
            .env("PATH", &path)
            .env("COFFERDAM_BIN_DIR", programs)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::null())
            .output()
            .expect("bash runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}\n{said}");
        assert!(!output.stdout.is_empty(), "{command} printed nothing");
    }
}

#[test]
fn the_demo_script_is_the_one_that_is_shown() {
    let script = std::fs::read_to_string("examples/triage.ts").expect("the demo's script");
    assert!(blocks("ts").iter().any(|block| script.contains(block)));
}

#[test]
fn configuration_loads() {
    let folder = tempfile::tempdir().expect("a folder");
    // The list between the two is what the first is expected to do.
    let [first, _, second] = blocks_of(include_str!("../../docs/data-flow.md"), "json")
        .try_into()
        .expect("three blocks");
    for (number, block) in blocks("json").into_iter().chain([first, second]).enumerate() {
        let file = folder.path().join(format!("{number}.json"));
        std::fs::write(&file, block.replace("${env:TRACKER_TOKEN}", "token")).expect("written");
        Config::load(&file).unwrap_or_else(|error| panic!("{error}\n{block}"));
    }
}

const APPROVAL: &str = include_str!("../../docs/approval.md");

#[test]
fn policies_do_what_their_page_says() {
    for page in [include_str!("../../docs/policy.md"), APPROVAL] {
        let blocks = blocks_of(page, "json");
        assert!(blocks.len() >= 4 && blocks.len().is_multiple_of(2));
        policies_hold(&blocks);
    }
    let blocks = blocks_of(include_str!("../../docs/data-flow.md"), "json");
    policies_hold(&blocks[..2]);
}

/// Each configuration is followed by what its policy is expected to do.
fn policies_hold(blocks: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    for pair in blocks.chunks(2) {
        let (config, calls) = (folder.path().join("config.json"), folder.path().join("calls.json"));
        std::fs::write(&config, pair[0]).expect("written");
        std::fs::write(&calls, pair[1]).expect("written");
        let output = Command::new(env!("CARGO_BIN_EXE_cofferdam"))
            .args(["policy", "test", "--config"])
            .args([&config, &calls])
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{output:?}");
    }
}

/// What a page shows of the terminal is in a snapshot of it.
#[test]
fn the_terminal_shows_what_the_page_on_approval_shows() {
    let snapshots: Vec<_> = std::fs::read_dir("tests/cli")
        .expect("the snapshots")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "snap"))
        .map(|path| std::fs::read_to_string(path).expect("a snapshot"))
        .collect();
    let shown = blocks_of(APPROVAL, "text");
    assert!(shown.len() >= 4);
    for block in shown {
        assert!(snapshots.iter().any(|text| text.contains(block)), "not shown:\n{block}");
    }
}

#[test]
fn limits_are_the_defaults() {
    let Limits {
        cpu,
        wall,
        tool_timeout,
        heap_bytes,
        array_buffer_bytes,
        resident_bytes,
        source_bytes,
        argument_bytes,
        result_bytes,
        calls,
        calls_in_flight,
        timers,
        console_bytes,
        console_lines,
        value_bytes,
    } = Limits::default();
    let kib = |bytes: usize| match bytes {
        bytes if bytes >= 1 << 20 => format!("{} MiB", bytes >> 20),
        bytes => format!("{} KiB", bytes >> 10),
    };
    let rows = [
        ("cpu", format!("{} s", cpu.as_secs())),
        ("wall", format!("{} s", wall.as_secs())),
        ("tool_timeout", format!("{} s", tool_timeout.as_secs())),
        ("heap_bytes", kib(heap_bytes)),
        ("array_buffer_bytes", kib(array_buffer_bytes)),
        ("resident_bytes", kib(resident_bytes)),
        ("source_bytes", kib(source_bytes)),
        ("argument_bytes", kib(argument_bytes)),
        ("result_bytes", kib(result_bytes)),
        ("calls", thousands(calls)),
        ("calls_in_flight", calls_in_flight.to_string()),
        ("timers", thousands(timers)),
        ("console_bytes", kib(console_bytes)),
        ("console_lines", thousands(console_lines)),
        ("value_bytes", kib(value_bytes)),
    ];
    let of_calls = cofferdam::CallLimits::default();
    let minutes = of_calls.approval_wait.as_secs() / 60;
    let of_calls =
        [("approval_wait", format!("{minutes} min")), ("denials", of_calls.denials.to_string())];
    for (name, default) in &of_calls {
        let row = format!("| `{name}` | {default}");
        assert!(APPROVAL.contains(&row), "the table of limits has no `{row}`");
    }
    for (name, default) in rows.into_iter().chain(of_calls) {
        let row = format!("| `{name}` | {default}");
        assert!(README.contains(&row), "the table of limits has no `{row}`");
    }
}

fn thousands(number: u32) -> String {
    match (number / 1000, number % 1000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{thousands},{rest:03}"),
    }
}

/// What docs/ say is shown by a test must name one that exists.
#[test]
fn claims_name_tests_that_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--list", "--format", "terse"])
        .output();
    let list = String::from_utf8(list.expect("it starts").stdout).expect("names");
    let mut named = 0;
    for page in std::fs::read_dir(root.join("docs")).expect("docs/").flatten() {
        let text = std::fs::read_to_string(page.path()).expect("a page");
        for claim in text.split('`').skip(1).step_by(2) {
            if claim.starts_with("tests/") {
                assert!(root.join(claim).exists(), "{}: no {claim}", page.path().display());
                named += 1;
            } else if claim.contains("::") && !claim.contains(char::is_uppercase) {
                let line = format!("{claim}: test\n");
                assert!(list.contains(&line), "{}: no {claim}", page.path().display());
                named += 1;
            }
        }
    }
    assert!(named > 20, "the pages have no claims");
}
