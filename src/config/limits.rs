//! `limits`, by the names of [`Limits`]' fields.

use super::{
    error::Fault,
    json::{Node, Value},
    members::Members,
    quantity::{parse_duration, parse_size},
};
use runtime::Limits;
use std::time::Duration;

const KEYS: [&str; 18] = [
    "cpu",
    "wall",
    "tool_timeout",
    "tool_timeout_max",
    "approval_wait",
    "denials",
    "heap_bytes",
    "array_buffer_bytes",
    "resident_bytes",
    "source_bytes",
    "argument_bytes",
    "result_bytes",
    "calls",
    "calls_in_flight",
    "timers",
    "console_bytes",
    "console_lines",
    "value_bytes",
];

pub(super) fn read(node: &Node) -> Result<Limits, Fault> {
    let members = Members::of(node, "`limits`", &KEYS)?;
    let duration = |key, default| members.get(key).map_or(Ok(default), |node| time(node, key));
    let bytes = |key, default| members.get(key).map_or(Ok(default), |node| size(node, key));
    let number = |key, default| members.get(key).map_or(Ok(default), |node| count(node, key));
    let default = Limits::default();
    Ok(Limits {
        cpu: duration("cpu", default.cpu)?,
        wall: duration("wall", default.wall)?,
        tool_timeout: duration("tool_timeout", default.tool_timeout)?,
        heap_bytes: bytes("heap_bytes", default.heap_bytes)?,
        array_buffer_bytes: bytes("array_buffer_bytes", default.array_buffer_bytes)?,
        resident_bytes: bytes("resident_bytes", default.resident_bytes)?,
        source_bytes: bytes("source_bytes", default.source_bytes)?,
        argument_bytes: bytes("argument_bytes", default.argument_bytes)?,
        result_bytes: bytes("result_bytes", default.result_bytes)?,
        calls: number("calls", default.calls)?,
        calls_in_flight: number("calls_in_flight", default.calls_in_flight)?,
        timers: number("timers", default.timers)?,
        console_bytes: bytes("console_bytes", default.console_bytes)?,
        console_lines: number("console_lines", default.console_lines)?,
        value_bytes: bytes("value_bytes", default.value_bytes)?,
    })
}

/// Those that are the broker's alone: no worker needs to know them.
#[derive(Default)]
pub(super) struct OfBroker {
    pub(super) tool_timeout_max: Option<Duration>,
    pub(super) approval_wait: Option<Duration>,
    pub(super) denials: Option<u32>,
}

pub(super) fn of_broker(node: &Node) -> Result<OfBroker, Fault> {
    let members = Members::of(node, "`limits`", &KEYS)?;
    let duration = |key| members.get(key).map(|node| time(node, key)).transpose();
    Ok(OfBroker {
        tool_timeout_max: duration("tool_timeout_max")?,
        approval_wait: duration("approval_wait")?,
        denials: members.get("denials").map(|node| count(node, "denials")).transpose()?,
    })
}

fn time(node: &Node, key: &str) -> Result<Duration, Fault> {
    let what = name(key);
    match &node.value {
        Value::String(text) => parse_duration(text).map_err(|error| node.bad_value(&what, error)),
        _ => Err(node.wrong_type(&what, "a time such as \"30s\", \"500ms\" or \"2m\"")),
    }
}

pub(super) fn size(node: &Node, key: &str) -> Result<usize, Fault> {
    let what = if key.contains('`') { key.to_owned() } else { name(key) };
    match &node.value {
        Value::String(text) | Value::Number(text) => {
            parse_size(text).map_err(|error| node.bad_value(&what, error))
        }
        _ => Err(node.wrong_type(&what, "a number of bytes or a size such as \"256MiB\"")),
    }
}

fn count(node: &Node, key: &str) -> Result<u32, Fault> {
    let what = name(key);
    match &node.value {
        Value::Number(text) => text.parse().map_err(|_| {
            node.bad_value(&what, format!("{text} is not a whole number from 0 to {}", u32::MAX))
        }),
        _ => Err(node.wrong_type(&what, "a number")),
    }
}

fn name(key: &str) -> String {
    format!("`{key}` in `limits`")
}
