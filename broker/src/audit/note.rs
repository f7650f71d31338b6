//! What a line says.

use serde::Serialize;
use serde_json::Value;

use crate::run::RunId;

/// A line before it has its place in the chain.
#[derive(Debug, Serialize)]
pub(super) struct Note {
    pub(super) time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<RunId>,
    #[serde(flatten)]
    pub(super) what: What,
}

/// Arguments: their digest, and themselves if they are wanted.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Arguments {
    #[serde(rename = "argument_bytes")]
    pub(crate) bytes: usize,
    #[serde(rename = "arguments_digest")]
    pub(crate) digest: String,
    #[serde(rename = "arguments", skip_serializing_if = "Option::is_none")]
    pub(crate) full: Option<Value>,
}

/// The kinds of lines.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum What {
    RunOpened {
        #[serde(skip_serializing_if = "Option::is_none")]
        label: Option<String>,
        process: u32,
    },
    /// The call may be made, and why.
    CallDecided {
        call: u64,
        server: String,
        tool: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
        decision: String,
        #[serde(flatten)]
        arguments: Arguments,
    },
    /// The call goes to the server now.
    CallSent {
        call: u64,
        server: String,
        tool: String,
        #[serde(flatten)]
        arguments: Arguments,
    },
    /// The call was never made.
    CallRefused {
        call: u64,
        server: String,
        tool: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
        kind: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        #[serde(flatten)]
        arguments: Option<Arguments>,
    },
    /// What became of a call that was made.
    CallSettled {
        call: u64,
        server: String,
        tool: String,
        state: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        result_bytes: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        result_digest: Option<String>,
        duration_ms: u64,
    },
    RunClosed {
        outcome: String,
        calls: usize,
    },
    /// A program that died while it wrote left part of a line, which was cut off.
    Repaired {
        cut_bytes: u64,
    },
    /// Lines could not be written. None of them was a call that was sent.
    Lost {
        lines: u64,
    },
}

impl Note {
    pub(super) fn now(run: Option<RunId>, what: What) -> Self {
        let time = humantime::format_rfc3339_millis(std::time::SystemTime::now()).to_string();
        Self { time, run, what }
    }

    pub(super) fn to_json(&self) -> String {
        // Nothing in it can fail to be JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}
