//! What it costs to know what a call carries, in a run that has read 10 MB.

#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark that cannot go on fails")]

use broker::{Action, Broker, DataFlow, FlowRule, LocalTool, Policy, Request, Rule, Run};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use std::hint::black_box;

/// About so many bytes of records, as a server of logs has them.
fn records(bytes: usize) -> Value {
    let mut seed = 7u64;
    let mut word = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:x}", seed >> 20)
    };
    let rows = (0..bytes / 130).map(|n| {
        json!({ "id": n, "host": word(), "message": format!("{} {} took {}", word(), word(), word()), "trace": word() + &word() })
    });
    json!({ "rows": rows.collect::<Vec<_>>() })
}

fn any() -> Vec<broker::Pattern> {
    vec!["*".parse().unwrap()]
}

async fn run(watched: bool, data: &Value) -> Run {
    let data = data.clone();
    let read = LocalTool::with_whole_result("read", move |_| std::future::ready(Ok(data.clone())));
    let post = LocalTool::with_whole_result("post", |_| std::future::ready(Ok(json!({}))));
    let mut builder = Broker::builder()
        .policy(Policy::default().rule(Rule::new(Action::Allow)))
        .local("mail", vec![read])
        .local("web", vec![post]);
    if watched {
        let rule = FlowRule::new(any(), any(), Action::Allow);
        builder = builder.data_flow(DataFlow::default().rule(rule));
    }
    let run = builder.connect().await.unwrap().open_run();
    run.call(Request::new("mail", "read", Value::Null)).await.unwrap();
    run
}

fn calls(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let data = records(10_000_000);
    let text = data["rows"].to_string();
    let mut group = criterion.benchmark_group("10 MB read, a call of another server");
    group.sample_size(20);
    for watched in [false, true] {
        let run = runtime.block_on(run(watched, &data));
        for (name, bytes) in [("100 B", 100), ("1 KB", 1_000), ("100 KB", 100_000)] {
            for (kind, body) in [
                ("copied", text[1_000..1_000 + bytes].to_owned()),
                ("own", "a fixed text ".repeat(bytes / 13)),
            ] {
                let watch = if watched { "watched" } else { "not watched" };
                group.bench_function(format!("{watch}, {kind} {name}"), |bencher| {
                    bencher.iter(|| {
                        let request = Request::new("web", "post", json!({ "body": body }));
                        runtime.block_on(run.call(request)).unwrap()
                    });
                });
            }
        }
    }
    group.finish();
    let mut group = criterion.benchmark_group("reading 10 MB");
    group.sample_size(10);
    for watched in [false, true] {
        let watch = if watched { "watched" } else { "not watched" };
        group.bench_function(watch, |bencher| {
            bencher.iter(|| black_box(runtime.block_on(run(watched, &data))));
        });
    }
    group.finish();
}

criterion_group!(benches, calls);
criterion_main!(benches);
