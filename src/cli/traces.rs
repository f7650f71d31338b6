//! Traces for an OpenTelemetry collector: each run a span, its calls spans within it.
//!
//! Where they go is said by the variables of the OpenTelemetry specification; without an endpoint
//! nothing is exported. See <https://opentelemetry.io/docs/specs/otel/protocol/exporter/>.

use super::output;
use anyhow::{Context, bail};
use opentelemetry::{KeyValue, trace::TracerProvider};
use opentelemetry_otlp::SpanExporter as OtlpExporter;
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    resource::{EnvResourceDetector, ResourceBuilder, TelemetryResourceDetector},
    trace::{SdkTracerProvider, SpanData, SpanExporter},
};
use std::{
    env,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use tracing::Subscriber;
use tracing_subscriber::{Layer, filter::filter_fn, registry::LookupSpan};

/// The only protocol that is spoken.
const PROTOCOL: &str = "http/protobuf";

/// The export of traces.
pub(super) struct Traces(SdkTracerProvider);

impl Traces {
    /// Must be called before there is a tokio runtime: the exporter has a thread of its own, on which
    /// it may block.
    pub(super) fn start() -> anyhow::Result<Option<Self>> {
        let endpoint = setting("ENDPOINT").filter(|_| !are_unwanted());
        let Some((name, endpoint)) = endpoint else { return Ok(None) };
        if let Some((name, protocol)) = setting("PROTOCOL").filter(|(_, it)| it != PROTOCOL) {
            bail!(
                "{name} is `{protocol}`: traces are exported by {PROTOCOL} only; set it to that, or OTEL_TRACES_EXPORTER=none"
            );
        }
        let exporter = OtlpExporter::builder().with_http().build();
        let exporter = exporter
            .with_context(|| format!("traces cannot be exported to `{endpoint}` ({name})"))?;
        let exporter = Exporter { exporter, endpoint, has_failed: AtomicBool::new(false) };
        let about = Resource::builder_empty()
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .with_service_name("cofferdam")
            .with_detectors(&[
                Box::new(TelemetryResourceDetector),
                Box::new(EnvResourceDetector::new()),
            ]);
        let about =
            set("OTEL_SERVICE_NAME").into_iter().fold(about, ResourceBuilder::with_service_name);
        let provider = SdkTracerProvider::builder()
            .with_resource(about.build())
            .with_batch_exporter(exporter)
            .build();
        Ok(Some(Self(provider)))
    }

    /// Makes spans of the broker's those of a trace. Log lines are no part of it: they may repeat
    /// what a server said.
    pub(super) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("cofferdam"))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(|it| it.is_span() && it.target().starts_with("broker::")))
    }

    /// Sends the spans that are left.
    pub(super) fn end(self) {
        if let Err(error) = self.0.shutdown() {
            output::warning(&format!("traces were not exported: {error}"));
        }
    }
}

/// Says so when spans get lost, which the OpenTelemetry SDK does not: once, until they get through
/// again.
#[derive(Debug)]
struct Exporter {
    exporter: OtlpExporter,
    endpoint: String,
    has_failed: AtomicBool,
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let exported = self.exporter.export(batch).await;
        let has_failed = self.has_failed.swap(exported.is_err(), Ordering::Relaxed);
        if let Err(error) = &exported
            && !has_failed
        {
            let Self { endpoint, .. } = self;
            output::warning(&format!("traces were not exported to {endpoint}: {error}"));
        }
        exported
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

fn are_unwanted() -> bool {
    let is = |name, value| set(name).is_some_and(|it| it.trim().eq_ignore_ascii_case(value));
    is("OTEL_SDK_DISABLED", "true") || is("OTEL_TRACES_EXPORTER", "none")
}

/// A variable for the exporter of traces, or the one for all exporters, and its name.
fn setting(name: &str) -> Option<(String, String)> {
    ["OTEL_EXPORTER_OTLP_TRACES_", "OTEL_EXPORTER_OTLP_"].iter().find_map(|all| {
        let name = format!("{all}{name}");
        set(&name).map(|value| (name, value))
    })
}

/// An empty variable is none, as the specification says.
fn set(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
