//! A host with a tool of its own, an MCP server, and somebody who decides; it runs three scripts at once.
//! `cargo run --example embed -- PROGRAM` takes the server's program, by default the demo's `logging`.

use cofferdam::{Approver, Decision, LocalTool, PendingCall, Policy, Sandbox, Scope, ServerConfig};
use serde_json::{Value, json};
use std::{error::Error, sync::Arc};

const SCRIPTS: [&str; 3] = [
    // Allowed by the policy. A day of log entries never passes through a model.
    r#"const { entries } = await logging_getLogs({ level: "error", since: 0 });
       const kinds = new Set(entries.map((entry) => entry.message));
       return { errors: entries.length, kinds: kinds.size };"#,
    // The approver is asked, and says yes.
    r#"const { name } = await team_onCall({ day: "monday" });
       console.log(`${name} is on call`);"#,
    // The approver is asked, and says no.
    r#"try { await team_page({ who: "Ada", text: "wake up" }); }
       catch (error) { return error.message; }"#,
];

/// Decides about the calls that the policy leaves open. A real one asks a person.
struct Supervisor;

#[async_trait::async_trait]
impl Approver for Supervisor {
    async fn approve(&self, call: &PendingCall) -> Decision {
        match call.annotations.read_only {
            Some(true) if call.trusted => Decision::Allow(Scope::Run),
            _ => Decision::Deny { reason: format!("nobody may use {} today", call.tool) },
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Each script runs in a process of its own: this program, started again.
    cofferdam::worker::run_if_requested();
    tokio::runtime::Runtime::new()?.block_on(host())
}

#[expect(clippy::print_stdout, reason = "the example is to be watched")]
async fn host() -> Result<(), Box<dyn Error>> {
    let logging = match (std::env::args().nth(1), std::env::var("COFFERDAM_BIN_DIR")) {
        (Some(program), _) => program,
        (None, Ok(folder)) => format!("{folder}/logging"),
        (None, Err(_)) => "target/debug/logging".to_owned(),
    };
    let on_call = LocalTool::new("onCall", |input: Value| async move {
        match input["day"].as_str() {
            Some("saturday" | "sunday") => Err("nobody works at the weekend".to_owned()),
            _ => Ok(json!({ "name": "Ada" })),
        }
    })
    .description("Who is on call on a day.")
    .input_schema(json!({ "type": "object", "properties": { "day": { "type": "string" } } }))
    .output_schema(json!({ "type": "object", "properties": { "name": { "type": "string" } } }))
    .annotations(json!({ "readOnlyHint": true }));
    let page = LocalTool::new("page", |_| async { Ok(json!("paged")) });

    let sandbox = Sandbox::builder()
        .server("logging", ServerConfig::stdio(logging, [] as [&str; 0]))
        .tools("team", vec![on_call, page])
        .policy(Policy::default().allow("logging_*")?)
        .approver(Arc::new(Supervisor))
        .build()
        .await?;
    println!("A model reads:\n\n{}", sandbox.declarations().text());

    let reports = futures::future::join_all(SCRIPTS.map(|script| sandbox.run(script))).await;
    for report in reports {
        println!("{}", report.to_model_text(16 * 1024).trim_end());
    }
    sandbox.shutdown().await;
    Ok(())
}
