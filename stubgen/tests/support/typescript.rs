//! The TypeScript compiler, as a judge of what was generated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A folder of TypeScript files that are checked together.
pub(crate) struct Project {
    compiler: PathBuf,
    folder: PathBuf,
    files: BTreeMap<String, String>,
}

impl Project {
    /// An empty project; none, with a message, if there is no compiler.
    pub(crate) fn new(name: &str) -> Option<Self> {
        let named = std::env::var_os("COFFERDAM_TSC").map(PathBuf::from);
        let compiler = named.or_else(on_path);
        let Some(compiler) = compiler else {
            super::say("NOT TESTED by TypeScript: no tsc on PATH, and COFFERDAM_TSC names none");
            return None;
        };
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let mut project = Self { compiler, folder, files: BTreeMap::new() };
        project.add("globals.d.ts", stubgen::GLOBALS.to_owned());
        Some(project)
    }

    pub(crate) fn add(&mut self, name: &str, text: String) {
        std::fs::write(self.folder.join(name), &text).unwrap();
        self.files.insert(name.to_owned(), text);
    }

    /// What the compiler says, one diagnostic per line, with the line that it is about.
    pub(crate) fn diagnostics(&self) -> Vec<String> {
        let config = r#"{ "compilerOptions": { "strict": true, "noEmit": true, "lib": ["esnext"], "types": [],
            "target": "esnext", "module": "esnext", "moduleDetection": "force" }, "include": ["*.ts"] }"#;
        std::fs::write(self.folder.join("tsconfig.json"), config).unwrap();
        let output = Command::new(&self.compiler)
            .args(["--pretty", "false", "-p", "."])
            .current_dir(&self.folder)
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", self.compiler.display()));
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let told: Vec<String> = told
            .lines()
            .filter(|line| line.contains("error TS"))
            .map(|line| self.quoted(line))
            .collect();
        assert!(output.status.success() || !told.is_empty(), "tsc failed: {output:?}");
        told
    }

    /// A diagnostic, and the source line that it is about.
    fn quoted(&self, diagnostic: &str) -> String {
        let place = diagnostic.split_once("): ").map_or("", |(place, _)| place);
        let (file, place) = place.split_once('(').unwrap_or(("", ""));
        let line: usize = place.split(',').next().unwrap_or("").parse().unwrap_or(0);
        let text = self.files.get(file).and_then(|text| text.lines().nth(line.saturating_sub(1)));
        format!("{diagnostic}\n    {}", text.unwrap_or_default())
    }
}

/// A JSON value as a TypeScript expression on one line.
pub(crate) fn expression(value: &Value) -> String {
    match value {
        // `__proto__: x` would set the prototype.
        Value::Object(map) => {
            let entries: Vec<String> = map
                .iter()
                .map(|(key, value)| {
                    let key = Value::from(key.as_str()).to_string();
                    let key = if key == "\"__proto__\"" { format!("[{key}]") } else { key };
                    format!("{key}: {}", expression(value))
                })
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(expression).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

fn on_path() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join("tsc")).find(|path| path.is_file())
}

/// The type that holds a JSON value alone, on one line.
pub(crate) fn literal_type(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let entries: Vec<String> = map
                .iter()
                .map(|(key, value)| {
                    format!("{}: {}", Value::from(key.as_str()), literal_type(value))
                })
                .collect();
            format!("{{ {} }}", entries.join("; "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(literal_type).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}
