//! What the program says of its own work: log lines on standard error and, with the feature `otel`,
//! traces for a collector.

use anyhow::Context;
use std::io::IsTerminal;
use tracing_subscriber::{
    EnvFilter, Layer, Registry, layer::SubscriberExt, util::SubscriberInitExt,
};

#[cfg(feature = "otel")]
use super::traces::Traces;

/// The environment variable that turns on log lines.
const VARIABLE: &str = "COFFERDAM_LOG";

type Layers = Vec<Box<dyn Layer<Registry> + Send + Sync>>;

/// What must be ended before the program does.
pub(super) struct Logging {
    #[cfg(feature = "otel")]
    traces: Option<Traces>,
}

impl Logging {
    /// Must be called before there is a tokio runtime.
    pub(super) fn start() -> anyhow::Result<Self> {
        let layers = lines()?.into_iter();
        #[cfg(feature = "otel")]
        let traces = Traces::start()?;
        #[cfg(feature = "otel")]
        let layers = layers.chain(traces.as_ref().map(|traces| traces.layer().boxed()));
        let layers: Layers = layers.collect();
        // Without a subscriber, spans and events cost nothing.
        if !layers.is_empty() {
            tracing_subscriber::registry().with(layers).init();
        }
        Ok(Self {
            #[cfg(feature = "otel")]
            traces,
        })
    }

    /// Sends what is still to be sent. Must be called when the tokio runtime is gone.
    pub(super) fn end(self) {
        #[cfg(feature = "otel")]
        self.traces.into_iter().for_each(Traces::end);
    }
}

fn lines() -> anyhow::Result<Option<Box<dyn Layer<Registry> + Send + Sync>>> {
    let filter = std::env::var(VARIABLE).unwrap_or_default();
    if filter.is_empty() {
        return Ok(None);
    }
    let filter = EnvFilter::try_new(&filter)
        .with_context(|| format!("{VARIABLE} is not a filter such as `debug`"))?;
    // It would log the code of a login and what comes with a token.
    let filter = filter.add_directive("rmcp::transport::auth=off".parse()?);
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    Ok(Some(lines.with_filter(filter).boxed()))
}

/// Whether log lines go to standard error.
pub(super) fn is_on() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|filter| !filter.is_empty())
}
