//! Many clients at once. `make soak` runs it.

use super::scene::{Scene, node_of_the_machine};
use serde_json::{Value, json};

#[test]
#[ignore = "takes a minute; `make soak` runs it"]
fn two_hundred_clients_with_five_runs_each_get_what_they_asked_for() {
    let scene = Scene::new();
    let instance = scene.http(
        &["--runs-per-minute", "10000", "--runs-waiting", "1000", "--soft-limit", "10m"],
        &[],
    );
    let mut command = node_of_the_machine("tests/clients/load.mjs");
    let output = command.args([&instance.url("/mcp"), "200", "5"]).output().unwrap();
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    println!("200 clients, 5 runs each: {seen}");
    assert_eq!(seen["outcomes"], json!({ "completed": 1000 }), "{seen:#}");
    assert_eq!(instance.figure("cofferdam_runs_active"), 0.0);
}
