//! Makes the V8 snapshot that every isolate starts from: deno_core's own code and ours from `js/`.
//!
//! A runtime starts from it in a third of the time, and needs two thirds of the memory.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a build script talks to cargo so")]
#![allow(dead_code, reason = "the snapshot needs the ops' names; their callers are in the crate")]

#[path = "src/isolate/ops.rs"]
mod ops;

use deno_core::ExtensionFileSource;
use deno_core::snapshot::{CreateSnapshotOptions, create_snapshot};
use std::{borrow::Cow, path::PathBuf};

fn main() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("../js");
    println!("cargo:rerun-if-changed=src/isolate/ops.rs");
    println!("cargo:rerun-if-changed={}", folder.display());

    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("js/ is beside this crate")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".js") && !name.starts_with("90"))
        .collect();
    names.sort();
    let files = names.into_iter().map(|name| {
        let source = std::fs::read_to_string(folder.join(&name)).expect("js/ is readable");
        let specifier: &'static str = format!("ext:cofferdam/{name}").leak();
        ExtensionFileSource::new_computed(specifier, ascii(&source).into())
    });

    let mut extension = ops::cofferdam::init();
    extension.js_files = Cow::Owned(files.collect());
    let options = CreateSnapshotOptions {
        cargo_manifest_dir: env!("CARGO_MANIFEST_DIR"),
        startup_snapshot: None,
        skip_op_registration: false,
        extensions: vec![extension],
        extension_transpiler: None,
        with_runtime_cb: None,
    };
    let snapshot = create_snapshot(options, None).expect("the isolate's own code runs");
    let target = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    std::fs::write(target.join("isolate.snapshot"), snapshot.output).expect("OUT_DIR is writable");
}

/// deno_core takes only ASCII. An escape means the same in a string, and nothing in a comment.
fn ascii(source: &str) -> String {
    let escape = |char: char| match char.is_ascii() {
        true => char.to_string(),
        false => char.escape_unicode().to_string(),
    };
    source.chars().map(escape).collect()
}
