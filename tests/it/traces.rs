//! The traces that the program exports: what a collector gets, and what not.

use crate::place::Place;
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{KeyValue, any_value::Value as Any},
    trace::v1::{Span, status::StatusCode},
};
use prost::Message;
use serde_json::json;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    sync::{Arc, Mutex},
};

/// A collector that keeps what it gets.
struct Collector {
    endpoint: String,
    got: Arc<Mutex<Vec<Request>>>,
}

struct Request {
    head: String,
    body: Vec<u8>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let got: Arc<Mutex<Vec<Request>>> = Arc::default();
        let keep = Arc::clone(&got);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut head, mut length) = (String::new(), 0);
                while !head.ends_with("\r\n\r\n") {
                    let from = head.len();
                    assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
                    let line = head[from..].to_ascii_lowercase();
                    if let Some(value) = line.strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                keep.lock().unwrap().push(Request { head, body });
                let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        Self { endpoint, got }
    }
}

fn attribute<'a>(of: &'a [KeyValue], key: &str) -> Option<&'a Any> {
    of.iter().find(|it| it.key == key)?.value.as_ref()?.value.as_ref()
}

fn text<'a>(of: &'a [KeyValue], key: &str) -> Option<&'a str> {
    match attribute(of, key)? {
        Any::StringValue(text) => Some(text),
        _ => None,
    }
}

fn failed(span: &Span) -> bool {
    span.status.as_ref().is_some_and(|status| status.code() == StatusCode::Error)
}

const SCRIPT: &str = "
await good_echo({ text: 'the argument that nobody else shall see' });
await good_fails({}).catch(() => 0);
await good_nothing_of_the_kind({});
";

#[test]
fn a_collector_gets_a_span_of_the_run_and_of_each_call() {
    let collector = Collector::start();
    let place = Place::new(&json!({}));
    place.script("script.ts", SCRIPT);
    let mut command = place.command(&["run", "script.ts", "--label", "nightly"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint);
    command.env("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20of-the-collector");
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(!said.contains("traces"), "{said}");

    let got = collector.got.lock().unwrap();
    let mut spans = Vec::new();
    for Request { head, body } in got.iter() {
        assert!(head.starts_with("POST /v1/traces "), "{head}");
        assert!(head.to_lowercase().contains("authorization: bearer of-the-collector"), "{head}");
        let bytes = String::from_utf8_lossy(body);
        assert!(!bytes.contains("nobody else"), "an argument or a result is in it");
        for resource in ExportTraceServiceRequest::decode(&**body).unwrap().resource_spans {
            let about = resource.resource.unwrap().attributes;
            assert_eq!(text(&about, "service.name"), Some("cofferdam"));
            spans.extend(resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
        }
    }
    let of = |name: &str| {
        let mut found = spans.iter().filter(|span| span.name == name);
        let span = found.next().unwrap_or_else(|| panic!("no {name} in {spans:#?}"));
        assert!(found.next().is_none(), "two of {name}");
        span
    };
    let run = of("run");
    assert!(failed(run));
    assert_eq!(text(&run.attributes, "label"), Some("nightly"));
    assert_eq!(text(&run.attributes, "outcome"), Some("threw"));
    assert_eq!(attribute(&run.attributes, "calls"), Some(&Any::IntValue(2)));

    let (echo, fails) = (of("tools/call echo"), of("tools/call fails"));
    for call in [echo, fails] {
        assert_eq!(call.parent_span_id, run.span_id);
        assert_eq!(call.trace_id, run.trace_id);
        assert_eq!(text(&call.attributes, "server"), Some("good"));
        assert_eq!(text(&call.attributes, "decision"), Some("rule: allow good_*"));
    }
    assert!(!failed(echo));
    assert_eq!(text(&echo.attributes, "state"), Some("succeeded"));
    assert!(failed(fails));
    assert_eq!(text(&fails.attributes, "error.type"), Some("execution"));
}

#[test]
fn traces_are_exported_if_they_are_wanted_and_a_collector_that_is_away_changes_no_result() {
    let collector = Collector::start();
    let (away, here) = ("http://127.0.0.1:9", collector.endpoint.as_str());
    let place = Place::new(&json!({}));
    place.script("script.ts", "return 6 * 7;");
    let play = |variables: &[(&str, &str)]| {
        let mut command = place.command(&["run", "script.ts"]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let [printed, said] =
            [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
        (output.status.code(), printed, said)
    };
    const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
    for off in [
        &[][..],
        &[(ENDPOINT, "")],
        &[(ENDPOINT, here), ("OTEL_SDK_DISABLED", "true")],
        &[(ENDPOINT, here), ("OTEL_TRACES_EXPORTER", "none")],
    ] {
        let (code, printed, said) = play(off);
        assert_eq!((code, printed.as_str()), (Some(0), "Returned: 42\n"), "{off:?}: {said}");
        assert!(collector.got.lock().unwrap().is_empty(), "{off:?}");
    }

    let (code, printed, said) = play(&[(ENDPOINT, away)]);
    assert_eq!((code, printed.as_str()), (Some(0), "Returned: 42\n"), "{said}");
    assert!(said.contains("warning: traces were not exported to http://127.0.0.1:9: "), "{said}");

    let (code, _, said) = play(&[(ENDPOINT, here), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]);
    assert_eq!(code, Some(2));
    assert!(said.contains("OTEL_EXPORTER_OTLP_PROTOCOL is `grpc`"), "{said}");
}
