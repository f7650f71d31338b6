//! Recordings of whole runs: what a run was and what it saw, beside the calls that the broker writes
//! down.

use crate::{Builder, Report, Sandbox, Script};
use broker::{
    Annotations, LocalTool, Order, Recorder, Recording, Replay, RunOptions, ServerState, Tool,
};
use runtime::{Fixed, Limits};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, path::Path};

/// A run that was recorded: its script, the tools it saw, and the calls it made.
#[derive(Debug)]
pub struct Recorded {
    about: About,
    recording: Recording,
}

/// Why a recording cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It cannot be read, or is none.
    #[error(transparent)]
    Recording(#[from] broker::RecordingError),
    /// It does not say what was run.
    #[error("the recording does not say what was run: {problem}")]
    About {
        /// What is wrong.
        problem: String,
    },
}

/// What the first line of a recording says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    /// The version of the program.
    program: String,
    /// Unix time in milliseconds.
    began: u64,
    /// What the run's random bytes were made of.
    seed: [u8; 32],
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    limits: Limits,
    /// Servers that were not there, and why.
    absent: BTreeMap<String, String>,
    tools: Vec<Described>,
    script: String,
}

/// A tool as its server described it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Described {
    server: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    input_schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    #[serde(skip_serializing_if = "Map::is_empty", default)]
    annotations: Map<String, Value>,
}

impl Recorded {
    /// Reads a recording.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn load(path: &Path) -> Result<Self, Error> {
        let recording = Recording::load(path)?;
        let about = Value::Object(recording.about().clone());
        let about = serde_json::from_value(about)
            .map_err(|error| Error::About { problem: error.to_string() })?;
        Ok(Self { about, recording })
    }

    /// The script that was run.
    pub fn source(&self) -> &str {
        &self.about.script
    }

    /// A sandbox whose tools are those that the run saw, and which can call none of them: all that
    /// is run in it has to be a [`replay`](Self::replay).
    pub fn builder(&self) -> Builder {
        let mut servers: BTreeMap<&str, Vec<LocalTool>> = BTreeMap::new();
        for tool in &self.about.tools {
            servers.entry(&tool.server).or_default().push(tool.stand_in());
        }
        let builder = Sandbox::builder().limits(self.about.limits.clone());
        servers.into_iter().fold(builder, |builder, (name, tools)| builder.tools(name, tools))
    }

    /// A script whose calls the recording answers, and the state of that. Without a source it is the
    /// script that was recorded.
    pub fn replay(self, source: Option<String>, order: Order) -> (Script, Replay) {
        let Self { about, recording } = self;
        let replay = Replay::new(recording, order);
        let mut script = Script::new(source.unwrap_or(about.script));
        script.label = about.label;
        script.fixed = Some(Fixed { unix_ms: about.began, seed: about.seed });
        script.absent = about.absent;
        script.options = RunOptions::default().replay(replay.clone());
        (script, replay)
    }

    /// The calls, to answer those of a dry run.
    pub fn into_recording(self) -> Recording {
        self.recording
    }
}

/// How a run differs from the one that was recorded, apart from times and what it used; `None` if it
/// does not.
pub fn difference(recording: &Recording, report: &Report) -> Option<String> {
    let Some(ended) = recording.ended() else {
        return Some("the recorded run was killed, so it has no report to compare with".into());
    };
    let Ok(ended) = serde_json::from_str(ended) else {
        return Some("the recorded report is nested too deeply to compare with".into());
    };
    let (was, is) = (without_times(ended), without_times(report.to_json()));
    (was != is).then(|| format!("the report differs:{}", broker::differences(&was, &is)))
}

fn without_times(mut report: Value) -> Value {
    if let Some(members) = report.as_object_mut() {
        members.remove("usage");
    }
    let ledger = report.get_mut("ledger").and_then(Value::as_array_mut);
    for entry in ledger.into_iter().flatten().filter_map(Value::as_object_mut) {
        entry.remove("duration_ms");
    }
    report
}

impl Sandbox {
    /// Has a run of this script recorded in a file, with everything that a [`Recorded`] needs to
    /// run it again. Its clock and its randomness are [`Fixed`], so that they are the same then. When
    /// the run has ended, [`Recorder::problem`] says whether the recording is whole.
    ///
    /// # Errors
    /// [`broker::RecorderError`] if the file cannot be written.
    pub async fn record(
        &self,
        script: impl Into<Script>,
        path: &Path,
    ) -> Result<(Script, Recorder), broker::RecorderError> {
        let mut script = script.into();
        self.reach_mentioned(&script.source).await;
        let mut seed = [0; 32];
        for part in seed.chunks_mut(8) {
            // Random by the standard library's seeds; nobody is to be kept from guessing it.
            use std::hash::{BuildHasher, Hasher, RandomState};
            let bytes = RandomState::new().build_hasher().finish().to_le_bytes();
            part.copy_from_slice(&bytes);
        }
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let began = u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(u64::MAX);
        let servers = self.servers();
        let absent = servers.iter().filter_map(|server| match &server.state {
            ServerState::Failed { error } => Some((server.name.clone(), error.to_string())),
            _ => None,
        });
        let about = About {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            began,
            seed,
            label: script.label.clone(),
            limits: script.limits.clone().unwrap_or_else(|| self.limits().clone()),
            absent: absent.collect(),
            tools: self.catalogue().tools().map(Described::of).collect(),
            script: script.source.clone(),
        };
        let about = match serde_json::to_value(about) {
            Ok(Value::Object(about)) => about,
            _ => Map::new(),
        };
        script.fixed = Some(Fixed { unix_ms: began, seed });
        let recorder = Recorder::create(path, about)?;
        script.options = RunOptions::default().record(recorder.clone());
        script.recorder = Some(recorder.clone());
        Ok((script, recorder))
    }
}

impl Described {
    fn of(tool: &Tool) -> Self {
        let Annotations { read_only, destructive, idempotent, open_world, .. } = tool.annotations;
        let hints = [
            ("readOnlyHint", read_only),
            ("destructiveHint", destructive),
            ("idempotentHint", idempotent),
            ("openWorldHint", open_world),
        ];
        let hint = |(name, hint): (&str, Option<bool>)| Some((name.to_owned(), hint?.into()));
        Self {
            server: tool.server.clone(),
            name: tool.name.clone(),
            title: tool.title.clone(),
            description: tool.description.clone(),
            input_schema: tool.input_schema.clone(),
            output_schema: tool.output_schema.clone(),
            annotations: hints.into_iter().filter_map(hint).collect(),
        }
    }

    /// The tool as it was, without anything behind it.
    fn stand_in(&self) -> LocalTool {
        let nothing = |_| async { Err("a recording cannot be called".to_owned()) };
        let mut tool = LocalTool::new(self.name.clone(), nothing);
        tool = tool.input_schema(self.input_schema.clone());
        if let Some(description) = &self.description {
            tool = tool.description(description.clone());
        }
        if let Some(schema) = &self.output_schema {
            tool = tool.output_schema(schema.clone());
        }
        if let Some(title) = &self.title {
            tool = tool.member("title", json!(title));
        }
        if !self.annotations.is_empty() {
            tool = tool.annotations(Value::Object(self.annotations.clone()));
        }
        tool
    }
}
