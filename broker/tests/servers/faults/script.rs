//! What a server does that fails at random. The end-to-end tests of scripts have it as well.

use serde_json::{Value, json};

pub(crate) fn script() -> Value {
    let echo = json!({ "result": { "content": [], "structuredContent": "$arguments" } });
    let garbage = "}{ not a message ][\n";
    let cut = "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[\n";
    // Most calls go well; what ends the server is rare, since all that are under way fail with it.
    let mut steps = vec![json!([echo]); 300];
    steps.extend(vec![json!([{ "wait": 0.05 }, echo]); 60]);
    // What is never answered in time is rare as well: each costs its run that time.
    steps.extend(vec![json!([{ "wait": 12 }, echo]); 3]);
    steps.extend(vec![json!([{ "wait": 60 }]); 3]);
    steps.extend(vec![json!([{ "raw": cut }]); 4]);
    steps.extend(vec![json!([{ "error": { "code": -32603, "message": "no" } }]); 20]);
    steps.extend(vec![json!([{ "result": { "isError": true, "content": [] } }]); 20]);
    steps.push(json!([{ "exit": 5 }]));
    steps.push(json!([{ "raw": "{\"jsonrpc\":\"2.0\",\"id\":$id,\"res" }, { "exit": 6 }]));
    let mut of_stdio = vec![json!([{ "raw": garbage }, echo]); 20];
    of_stdio.extend(vec![json!([echo, echo]); 10]);
    of_stdio.extend(vec![json!([{ "as": 123_456_789 }, echo]); 2]);
    let all = [steps, of_stdio].concat();
    json!({ "on": { "t": [{ "random": all }], "dies": [{ "exit": 7 }], "hangs": [{ "wait": 60 }] } })
}
