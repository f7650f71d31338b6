//! Declarations for 1,000 tools, and what they cost a model beside the JSON they are made of.
//!
//! The tools are those of real servers, their lists repeated under other server names, where
//! `COFFERDAM_TOOL_LISTS` names a folder of such lists; otherwise made up.

#![allow(missing_docs, reason = "criterion's macros write public functions")]
#![allow(clippy::print_stdout, reason = "the table is what the bench is for")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use stubgen::{Catalogue, Tool};
use support::case::tool;

/// So many tools are declared at once.
const TOOLS: usize = 1000;

/// An estimate: the real number depends on the model.
const BYTES_PER_TOKEN: usize = 4;

criterion_group!(benches, declare);
criterion_main!(benches);

fn declare(criterion: &mut Criterion) {
    let lists = lists();
    print_table(&lists);
    let tools = repeated(&lists);
    let mut group = criterion.benchmark_group("declarations");
    group.throughput(Throughput::Elements(TOOLS as u64));
    group.bench_function("1,000 tools, cold", |bencher| {
        let collect = || tools.clone();
        bencher.iter_batched(
            collect,
            |tools| {
                let mut catalogue: Catalogue = black_box(tools).into_iter().collect();
                (catalogue.declare(), catalogue)
            },
            BatchSize::LargeInput,
        );
    });
    let mut catalogue: Catalogue = tools.iter().cloned().collect();
    let declarations = catalogue.declare();
    let mut round = 0;
    let mut changed = |tools: &[Tool]| {
        round += 1;
        let mut tools = tools.to_vec();
        let middle = tools.len() / 2;
        tools[middle].description = Some(format!("Has changed {round} times."));
        tools
    };
    group.bench_function("1,000 tools, one of them changed, all listed again", |bencher| {
        let update = |tools| {
            catalogue.update(black_box(tools));
            catalogue.declare()
        };
        bencher.iter_batched(|| changed(&tools), update, BatchSize::LargeInput);
    });
    let server = tools[TOOLS / 2].server.clone();
    let of_server: Vec<Tool> = tools.iter().filter(|tool| tool.server == server).cloned().collect();
    let count = of_server.len();
    group.bench_function(format!("1,000 tools, one of a server's {count} changed"), |bencher| {
        let update = |tools| {
            catalogue.update_server(&server, black_box(tools));
            catalogue.declare()
        };
        bencher.iter_batched(|| changed(&of_server), update, BatchSize::LargeInput);
    });
    group.bench_function("1,000 tools, within 4,000 tokens", |bencher| {
        bencher.iter(|| black_box(&declarations).within(4000, &[]));
    });
    group.bench_function("1,000 tools, stubs", |bencher| {
        bencher.iter(|| black_box(&declarations).stubs());
    });
    group.finish();
}

fn lists() -> Vec<(String, Vec<Value>)> {
    let real = support::lists::raw_lists();
    if real.is_empty() { vec![("made-up".to_owned(), made_up())] } else { real }
}

/// All lists, again and again under other server names, until there are enough tools.
fn repeated(lists: &[(String, Vec<Value>)]) -> Vec<Tool> {
    let rounds = (1..).flat_map(|round| lists.iter().map(move |list| (round, list)));
    rounds
        .flat_map(|(round, (server, values))| {
            values.iter().map(move |value| tool(&format!("{server}{round}"), value))
        })
        .take(TOOLS)
        .collect()
}

/// What each list costs as JSON and as declarations.
///
/// A host that shows tools as JSON shows name, description and input schema of each; that is the
/// column "shown". What the server sent holds more, such as output schemas.
fn print_table(lists: &[(String, Vec<Value>)]) {
    println!(
        "| server | tools | JSON | shown | declarations | tokens, JSON shown | tokens, declarations |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut total = [0; 4];
    for (server, values) in lists {
        let tools: Vec<Tool> = values.iter().map(|value| tool(server, value)).collect();
        let declared = support::declared(&tools).text().len();
        let sent = values.iter().map(|value| value.to_string().len()).sum();
        let shown = values.iter().map(shown_bytes).sum();
        let row = [values.len(), sent, shown, declared];
        print_row(server, row);
        total = [0, 1, 2, 3].map(|at| total[at] + row[at]);
    }
    print_row("**all**", total);
    let [count, sent, shown, declared] = total;
    let per_tool = |bytes: usize| bytes / count.max(1);
    println!(
        "\nbytes per tool: {} as JSON, {} of it shown, {} as declarations\n",
        per_tool(sent),
        per_tool(shown),
        per_tool(declared)
    );
}

fn print_row(server: &str, [count, sent, shown, declared]: [usize; 4]) {
    let [json, types] = [shown, declared].map(|bytes| bytes.div_ceil(BYTES_PER_TOKEN));
    println!("| {server} | {count} | {sent} | {shown} | {declared} | {json} | {types} |");
}

fn shown_bytes(value: &Value) -> usize {
    let [name, description, schema] = ["name", "description", "inputSchema"].map(|key| &value[key]);
    json!({ "name": name, "description": description, "input_schema": schema }).to_string().len()
}

/// Tools of middling size, some with a type in common.
fn made_up() -> Vec<Value> {
    let tool = |at: usize| {
        json!({
            "name": format!("find_records_{at}"),
            "description": format!("Finds records of kind {at} that match all of the filters."),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "Words to look for.", "minLength": 1 },
                    "limit": { "type": "integer", "default": 10 + at, "minimum": 1, "maximum": 100 },
                    "order": { "enum": ["newest", "oldest", "relevance"] },
                    "filters": { "type": "array", "items": { "$ref": "#/$defs/Filter" } },
                    "cursor": { "type": ["string", "null"] },
                },
                "required": ["query"],
                "$defs": {
                    "Filter": {
                        "type": "object",
                        "properties": {
                            "field": { "type": "string" },
                            "value": { "anyOf": [{ "type": "string" }, { "type": "number" }] },
                        },
                        "required": ["field", "value"],
                    },
                },
            },
            "outputSchema": {
                "type": "object",
                "properties": { "ids": { "type": "array", "items": { "type": "string" } } },
                "required": ["ids"],
            },
        })
    };
    (0..50).map(tool).collect()
}
