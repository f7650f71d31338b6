//! A search among 10,000 tools: the index, a query, and a change of one server.
//!
//! The tools are those of real servers, their lists repeated under other server names, where
//! `COFFERDAM_TOOL_LISTS` names a folder of such lists; otherwise made up.

#![allow(missing_docs, reason = "criterion's macros write public functions")]
#![allow(clippy::unwrap_used, reason = "a bench that panics has said why")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use discovery::{Query, Tool};
use serde_json::json;

const TOOLS: usize = 10_000;

criterion_group!(benches, search);
criterion_main!(benches);

fn search(criterion: &mut Criterion) {
    let lists = repeated();
    let mut group = criterion.benchmark_group("10,000 tools");
    group.sample_size(10);
    group.bench_function("index", |bencher| bencher.iter(|| support::index(black_box(&lists))));
    let mut index = support::index(&lists);
    let (server, tools) = lists.iter().max_by_key(|(_, tools)| tools.len()).unwrap();
    group.bench_function(format!("one server's {} tools again", tools.len()), |bencher| {
        bencher.iter_batched(
            || tools.clone(),
            |tools| index.update_server(server, tools),
            BatchSize::SmallInput,
        );
    });
    group.sample_size(50);
    for text in ["create issue", "serach repositries", "who may read this confluence page and why"]
    {
        group.bench_function(format!("keywords: {text}"), |bencher| {
            bencher.iter(|| index.keywords(&Query::new(black_box(text))));
        });
    }
    group.sample_size(10);
    group.bench_function("pattern: ^github.*(issue|comment)", |bencher| {
        bencher.iter(|| index.pattern(&Query::new(black_box("^github.*(issue|comment)"))));
    });
    group.finish();
}

/// All lists, again and again under other server names, until there are enough tools.
fn repeated() -> Vec<(String, Vec<Tool>)> {
    let mut lists = support::real_lists();
    if lists.is_empty() {
        lists.push(("made-up".to_owned(), (0..50).map(made_up).collect()));
    }
    let mut count = 0;
    let mut repeated = Vec::new();
    for round in 0.. {
        for (server, tools) in &lists {
            let server = format!("{server}{round}");
            let renamed = |tool: &Tool| Tool { server: server.clone(), ..tool.clone() };
            let tools: Vec<Tool> = tools.iter().take(TOOLS - count).map(renamed).collect();
            count += tools.len();
            repeated.push((server, tools));
            if count == TOOLS {
                return repeated;
            }
        }
    }
    repeated
}

fn made_up(at: usize) -> Tool {
    let schema = json!({ "type": "object", "properties": { "query": { "type": "string" } } });
    let value = json!({
        "name": format!("find_records_{at}"),
        "description": format!("Finds records of kind {at} that match all of the filters."),
        "inputSchema": schema,
    });
    support::tool("made-up", &value)
}
