//! Scripts and what becomes of them: `NAME.ts` and `NAME.out`, in both isolations.
//!
//! `tests/scripts/` holds scripts as a model would write them, `tests/attacks/` those of somebody
//! who wants out or wants the host down. After each of them a healthy script runs in the same
//! sandbox.
//!
//! A `.out` file holds the console lines, those of another level than `log` with its name in front,
//! and then `=> ` and the returned value as JSON, or `!! ` and what ended the run, with the error's
//! hint, cause and further errors below. Lines of the script that begin with `//@ ` set limits.

use crate::hosts::{Host, ISOLATIONS, block_on, short};
use cofferdam::{Isolation, Limits, Outcome, Report, Script, ScriptError, runtime::Limit};
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

#[test]
fn scripts_end_as_their_files_say() {
    run_folder("tests/scripts");
}

#[test]
fn attacks_end_as_their_files_say_and_leave_the_host_alive() {
    run_folder("tests/attacks");
}

fn run_folder(folder: &str) {
    let cases = cases(folder);
    assert!(cases.len() > 15, "the folder of the cases is not there");
    let mut wrong = Vec::new();
    block_on(async {
        for isolation in ISOLATIONS {
            let host = Host::new(isolation, short()).await;
            for case in &cases {
                if let Err(difference) = run_case(&host, isolation, case).await {
                    wrong.push(format!("{} in {isolation:?}\n{difference}", case.display()));
                }
            }
        }
    });
    assert!(wrong.is_empty(), "{} wrong\n\n{}", wrong.len(), wrong.join("\n\n"));
}

async fn run_case(host: &Host, isolation: Isolation, case: &Path) -> Result<(), String> {
    let source = fs::read_to_string(case).expect("a readable case");
    let settings = settings(&source);
    if isolation == Isolation::Thread && settings.process_only {
        return Ok(());
    }
    let limits = settings.limits;
    let report = host.sandbox.run(Script::new(source).limits(limits.clone())).await;
    let seen = transcript(&report);
    let expected = fs::read_to_string(case.with_extension("out")).unwrap_or_default();
    if seen.trim_end() != expected.trim_end() {
        return Err(format!("--- expected\n{expected}\n--- seen\n{seen}"));
    }
    // A deadline is a promise, not a speed: nothing outlives its clock by more than a second.
    let second = Duration::from_secs(1);
    let ran = report.usage.wall.saturating_sub(report.usage.waiting);
    if report.usage.cpu > limits.cpu + second || ran > limits.wall + second {
        return Err(format!("the run outlived its clocks: {:?}", report.usage));
    }
    let healthy = host.sandbox.run("return (await demo_echo({ well: true })).well").await;
    match transcript(&healthy).as_str() {
        "=> true" => Ok(()),
        other => Err(format!("the next run was not well: {other}")),
    }
}

struct Settings {
    limits: Limits,
    /// What the script does cannot be survived on a thread of the host; the documentation says so.
    process_only: bool,
}

fn settings(source: &str) -> Settings {
    let mut settings = Settings { limits: short(), process_only: false };
    for line in source.lines().filter_map(|line| line.strip_prefix("//@ ")) {
        let (name, value) = line.split_once(' ').unwrap_or((line, "0"));
        let number: u32 = value.parse().expect("a number");
        let (limits, size) = (&mut settings.limits, number as usize);
        match name {
            "process_only" => settings.process_only = true,
            "cpu_ms" => limits.cpu = Duration::from_millis(number.into()),
            "wall_ms" => limits.wall = Duration::from_millis(number.into()),
            "tool_timeout_ms" => limits.tool_timeout = Duration::from_millis(number.into()),
            "heap_mib" => limits.heap_bytes = size << 20,
            "array_buffer_bytes" => limits.array_buffer_bytes = size,
            "source_bytes" => limits.source_bytes = size,
            "argument_bytes" => limits.argument_bytes = size,
            "result_bytes" => limits.result_bytes = size,
            "calls" => limits.calls = number,
            "calls_in_flight" => limits.calls_in_flight = number,
            "timers" => limits.timers = number,
            "console_bytes" => limits.console_bytes = size,
            "console_lines" => limits.console_lines = number,
            "resident_mib" => limits.resident_bytes = size << 20,
            "value_bytes" => limits.value_bytes = size,
            other => panic!("no setting is called {other}"),
        }
    }
    settings
}

/// The scripts of a folder, in order.
fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut cases: Vec<_> = fs::read_dir(folder)
        .expect("a folder of cases")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "ts"))
        .collect();
    cases.sort();
    cases
}

/// A report as `.out` files have it.
pub(crate) fn transcript(report: &Report) -> String {
    let mut text = String::new();
    for line in &report.console.lines {
        match line.level.as_str() {
            "log" => {}
            level => write!(text, "{level} ").expect("a string takes all"),
        }
        text.push_str(&line.text);
        text.push('\n');
    }
    if report.console.dropped_bytes > 0 {
        writeln!(text, "({} bytes dropped)", report.console.dropped_bytes)
            .expect("a string takes all");
    }
    text + &match &report.outcome {
        Outcome::Completed { value: Some(value) } => format!("=> {value}"),
        Outcome::Completed { value: None } => "=> undefined".to_owned(),
        Outcome::Threw { error } => error_lines(error, "!! "),
        Outcome::SyntaxError { diagnostics } => {
            let lines = diagnostics.iter().map(|diagnostic| {
                let place =
                    diagnostic.position.as_ref().map(|p| format!(" at {}:{}", p.line, p.column));
                format!("!! syntax: {}{}", diagnostic.message, place.unwrap_or_default())
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        Outcome::TimedOut { clock, .. } => format!("!! timed out: {clock}"),
        Outcome::MemoryExceeded { limit: Limit::HeapBytes, .. } => "!! memory exceeded".into(),
        Outcome::MemoryExceeded { limit, .. } => format!("!! memory exceeded: {limit}"),
        Outcome::LimitExceeded { limit, message, .. } => format!("!! limit {limit}: {message}"),
        Outcome::Cancelled => "!! cancelled".into(),
        Outcome::Crashed { message } => format!("!! crashed: {message}"),
    }
}

/// An error on a line, and below it what belongs to it.
fn error_lines(error: &ScriptError, label: &str) -> String {
    let place = error.position.as_ref().map(|p| format!(" at {}:{}", p.line, p.column));
    let kind = error.kind.as_ref().map(|kind| format!(" [{kind}]")).unwrap_or_default();
    let mut text =
        format!("{label}{}{kind}: {}{}", error.name, error.message, place.unwrap_or_default());
    let hint = error.hint.iter().map(|hint| format!("hint: {hint}"));
    let cause = error.cause.iter().map(|cause| error_lines(cause, "cause: "));
    let errors = error.errors.iter().map(|error| error_lines(error, "- "));
    let more = (error.more_errors > 0).then(|| format!("- and {} more", error.more_errors));
    for part in hint.chain(cause).chain(errors).chain(more) {
        write!(text, "\n  {}", part.replace('\n', "\n  ")).expect("a string takes all");
    }
    text
}
