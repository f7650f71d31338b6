//! Limits on the command line, over those of the configuration.

use clap::Args;
use cofferdam::{
    Limits,
    config::{Config, parse_duration, parse_size},
};
use std::time::Duration;

/// Each is a field of [`Limits`]; absent means what the configuration says.
#[derive(Args)]
#[command(next_help_heading = "Limits (default: the configuration's)")]
pub(super) struct Given {
    /// Time of the run, without waiting for approval, e.g. 30s [limit `wall`]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,
    /// CPU time of the script [limit `cpu`]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    cpu: Option<Duration>,
    /// Time of one tool call [limit `tool_timeout`]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    tool_timeout: Option<Duration>,
    /// Time in which a call must be approved [limit `approval_wait`]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    approval_wait: Option<Duration>,
    /// Calls that may be denied before the run ends [limit `denials`]
    #[arg(long, value_name = "NUMBER")]
    denials: Option<u32>,
    /// The script's heap, e.g. 256MiB [limit `heap_bytes`]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<usize>,
    /// All living ArrayBuffers together [limit `array_buffer_bytes`]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    array_buffers: Option<usize>,
    /// The whole worker process, while it is one [limit `resident_bytes`]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    resident: Option<usize>,
    /// The script itself [limit `source_bytes`]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    source: Option<usize>,
    /// Arguments of one call [limit `argument_bytes`]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    arguments: Option<usize>,
    /// The result of one call [limit `result_bytes`]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    results: Option<usize>,
    /// Calls of the run [limit `calls`]
    #[arg(long, value_name = "NUMBER")]
    calls: Option<u32>,
    /// Calls under way at once [limit `calls_in_flight`]
    #[arg(long, value_name = "NUMBER")]
    calls_in_flight: Option<u32>,
    /// Living timers [limit `timers`]
    #[arg(long, value_name = "NUMBER")]
    timers: Option<u32>,
    /// Console text that is kept [limit `console_bytes`]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    console: Option<usize>,
    /// Console lines that are kept [limit `console_lines`]
    #[arg(long, value_name = "NUMBER")]
    console_lines: Option<u32>,
    /// The returned value [limit `value_bytes`]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    value: Option<usize>,
}

impl Given {
    /// Puts these limits over those that were configured.
    pub(super) fn put_over(&self, config: &mut Config) {
        config.limits = self.over(&config.limits);
        config.approval_wait = self.approval_wait.or(config.approval_wait);
        config.denials = self.denials.or(config.denials);
    }

    /// These limits, and those of `configured` where none is given.
    fn over(&self, configured: &Limits) -> Limits {
        Limits {
            cpu: self.cpu.unwrap_or(configured.cpu),
            wall: self.timeout.unwrap_or(configured.wall),
            tool_timeout: self.tool_timeout.unwrap_or(configured.tool_timeout),
            heap_bytes: self.memory.unwrap_or(configured.heap_bytes),
            array_buffer_bytes: self.array_buffers.unwrap_or(configured.array_buffer_bytes),
            resident_bytes: self.resident.unwrap_or(configured.resident_bytes),
            source_bytes: self.source.unwrap_or(configured.source_bytes),
            argument_bytes: self.arguments.unwrap_or(configured.argument_bytes),
            result_bytes: self.results.unwrap_or(configured.result_bytes),
            calls: self.calls.unwrap_or(configured.calls),
            calls_in_flight: self.calls_in_flight.unwrap_or(configured.calls_in_flight),
            timers: self.timers.unwrap_or(configured.timers),
            console_bytes: self.console.unwrap_or(configured.console_bytes),
            console_lines: self.console_lines.unwrap_or(configured.console_lines),
            value_bytes: self.value.unwrap_or(configured.value_bytes),
        }
    }
}
