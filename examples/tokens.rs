//! What tools cost a model: makes the tables of `docs/tokens.md` anew. `make tokens`.
//!
//! The tools are those of real servers, where `COFFERDAM_TOOL_LISTS` names a folder of their lists,
//! `<server>.json` with `{"tools": [...]}`. Tokens are those of `o200k_base`, the encoding of OpenAI's
//! models since GPT-4o; other models count differently, but the proportions are much the same.

use cofferdam::{
    Detail, LocalTool, Policy, Sandbox, Session, Window, WorkerProgram, discovery::Query,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, error::Error, path::PathBuf};

/// How many tools there are in each row.
const COUNTS: [usize; 4] = [5, 50, 500, 2_000];

/// Log entries of the task's day, and kinds of errors among them.
const ENTRIES: usize = 400;
const KINDS: usize = 12;

/// A window into which everything goes, and one for which anything is too much.
const ALL: usize = 1_000_000_000;
const NOTHING: usize = 0;

const QUESTION: &str = "File a ticket for each different error of the last day's logs.";

/// What a model writes for the task.
const SCRIPT: &str = r#"const { entries } = await ops_getLogs({ level: "error" });
const first = new Map(entries.toReversed().map((entry) => [entry.message, entry]));
const filed = await Promise.all([...first.values()].map(({ message, timestamp }) =>
  ops_createTicket({ title: `Error: ${message}`, body: `First seen: ${timestamp}` })));
return `filed ${filed.length} tickets of ${entries.length} errors`;"#;

/// A tool as `tools/list` has it, and its server.
type Listed = (String, Value);

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tokens.md");

fn main() -> Result<(), Box<dyn Error>> {
    cofferdam::worker::run_if_requested();
    let tables = tokio::runtime::Runtime::new()?.block_on(tables(&WorkerProgram::ThisProgram))?;
    Ok(std::fs::write(PAGE, renewed(&std::fs::read_to_string(PAGE)?, &tables))?)
}

/// The page with these tables in place of its own.
pub fn renewed(page: &str, tables: &[String]) -> String {
    let (mut text, mut tables, mut is_within) = (String::new(), tables.iter(), false);
    for line in page.split_inclusive('\n') {
        let is_row = line.starts_with('|');
        if is_row && !is_within {
            text.extend(tables.next().map(String::as_str));
        } else if !is_row {
            text.push_str(line);
        }
        is_within = is_row;
    }
    text
}

/// The tables, in the order of the page. Scripts are run by this program.
///
/// # Errors
/// There are no lists of tools, or a call fails.
pub async fn tables(workers: &WorkerProgram) -> Result<[String; 2], Box<dyn Error>> {
    let tokens = Counter(tiktoken_rs::o200k_base()?);
    let lists = lists()?;
    let mut read =
        "| tools | JSON of the tools | all declarations | discovery | a search: five tools in full |\n\
         |---|---|---|---|---|\n"
            .to_owned();
    for count in COUNTS {
        let tools = taken(&lists, count);
        let session = session(&tools, workers).await?;
        let searched = session.search(&Query::new("create issue").limit(5), Detail::Full).await;
        let texts = [
            definitions(&tools),
            session.prompt(Window::new(ALL)).text,
            session.prompt(Window::new(NOTHING)).text,
            searched,
        ];
        read +=
            &format!("| {} | {} |\n", group(count), texts.map(|text| tokens.of(&text)).join(" | "));
        session.sandbox().shutdown().await;
    }
    let mut done =
        "| tools | way | turns | bytes through the model | tokens through it | tokens it reads in all turns |\n\
         |---|---|---|---|---|---|\n"
            .to_owned();
    for count in [50, 500] {
        let mut tools = taken(&lists, count - 2);
        tools.extend(task_tools().into_iter().map(|tool| ("ops".to_owned(), tool)));
        for way in ["direct calls", "code, all declared", "code, after a search"] {
            let session = session(&tools, workers).await?;
            let talk = match way {
                "direct calls" => direct(&session, &tools).await?,
                "code, all declared" => code(&session, Window::new(ALL), false).await,
                _ => code(&session, Window::new(NOTHING), true).await,
            };
            done += &format!("| {} | {way} | {} |\n", group(count), talk.row(&tokens));
            session.sandbox().shutdown().await;
        }
    }
    Ok([read, done])
}

/// Counts tokens.
struct Counter(tiktoken_rs::CoreBPE);

impl Counter {
    fn count(&self, text: &str) -> usize {
        self.0.encode_ordinary(text).len()
    }

    fn of(&self, text: &str) -> String {
        group(self.count(text))
    }
}

/// What passes a model: what it reads or writes, and in which turn.
#[derive(Default)]
struct Talk {
    /// What it has read before its first turn, and then by turns.
    turns: Vec<String>,
}

impl Talk {
    fn turn(&mut self, texts: &[&str]) {
        self.turns.push(texts.concat());
    }

    fn row(&self, tokens: &Counter) -> String {
        let sizes: Vec<usize> = self.turns.iter().map(|turn| tokens.count(turn)).collect();
        let bytes: usize = self.turns.iter().map(String::len).sum();
        // Each turn reads all that came before it; the last entry is its last words.
        let read: usize = (1..sizes.len()).map(|end| sizes.iter().take(end).sum::<usize>()).sum();
        let numbers = [sizes.len() - 1, bytes, sizes.iter().sum(), read];
        numbers.map(group).join(" | ")
    }
}

/// One tool call at a time passes the model, but for those that it can make at once.
async fn direct(session: &Session, tools: &[Listed]) -> Result<Talk, Box<dyn Error>> {
    let mut talk = Talk::default();
    talk.turn(&[&definitions(tools), QUESTION]);
    let input = json!({ "level": "error" });
    let logs = session.sandbox().call("ops_getLogs", input.clone()).await?.result;
    talk.turn(&["ops_getLogs", &input.to_string(), &text_of(&logs)]);
    let entries = logs["structuredContent"]["entries"].as_array().cloned().unwrap_or_default();
    let mut first: BTreeMap<&str, &Value> = BTreeMap::new();
    for entry in entries.iter().rev() {
        first.insert(entry["message"].as_str().unwrap_or_default(), entry);
    }
    let mut calls = String::new();
    for (message, entry) in first {
        let input = json!({
            "title": format!("Error: {message}"),
            "body": format!("First seen: {}", entry["timestamp"].as_str().unwrap_or_default()),
        });
        let filed = session.sandbox().call("ops_createTicket", input.clone()).await?.result;
        calls += &["ops_createTicket", &input.to_string(), &text_of(&filed)].concat();
    }
    talk.turn(&[&calls]);
    talk.turn(&["I have filed 12 tickets of 400 errors."]);
    Ok(talk)
}

/// A script makes the calls.
async fn code(session: &Session, window: Window, search: bool) -> Talk {
    let mut talk = Talk::default();
    let own = json!([
        { "name": "search_tools", "description": "Finds functions for scripts, and gives their declarations.",
          "input_schema": { "type": "object", "properties": { "query": { "type": "string" } }, "required": ["query"] } },
        { "name": "run_code", "description": "Runs a TypeScript script, and gives what it printed and returned.",
          "input_schema": { "type": "object", "properties": { "code": { "type": "string" } }, "required": ["code"] } },
    ]);
    talk.turn(&[&own.to_string(), &session.prompt(window).text, QUESTION]);
    if search {
        let query = Query::new("read logs, create ticket").limit(5);
        let found = session.search(&query, Detail::Full).await;
        talk.turn(&["search_tools", query.text(), &found]);
    }
    let report = session.run(SCRIPT).await;
    let told = report.to_model_text(16 * 1024);
    assert!(report.is_completed(), "{told}");
    talk.turn(&["run_code", &json!({ "code": SCRIPT }).to_string(), &told]);
    talk.turn(&["I have filed 12 tickets of 400 errors."]);
    talk
}

/// What a host shows a model of a result.
fn text_of(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}

/// What a host that declares tools as JSON sends to a model.
fn definitions(tools: &[Listed]) -> String {
    let shown = tools.iter().map(|(server, tool)| {
        json!({
            "name": format!("{server}_{}", tool["name"].as_str().unwrap_or_default()),
            "description": tool["description"],
            "input_schema": tool["inputSchema"],
        })
    });
    Value::Array(shown.collect()).to_string()
}

async fn session(tools: &[Listed], workers: &WorkerProgram) -> Result<Session, Box<dyn Error>> {
    let mut servers: BTreeMap<&str, Vec<LocalTool>> = BTreeMap::new();
    for (server, tool) in tools {
        servers.entry(server).or_default().push(local(tool));
    }
    let policy = Policy::default().allow("ops_*")?;
    let mut builder = Sandbox::builder().policy(policy).worker_program(workers.clone());
    for (server, tools) in servers {
        builder = builder.tools(server, tools);
    }
    Ok(Session::start(builder).await?)
}

fn local(listed: &Value) -> LocalTool {
    let name = listed["name"].as_str().unwrap_or_default().to_owned();
    let answers = name.clone();
    let mut tool = LocalTool::new(name, move |_| {
        let answer = match answers.as_str() {
            "getLogs" => logs(),
            "createTicket" => json!({ "id": "OPS-1234", "state": "open" }),
            _ => Value::Null,
        };
        async { Ok(answer) }
    });
    if let Some(description) = listed["description"].as_str() {
        tool = tool.description(description);
    }
    if listed["inputSchema"].is_object() {
        tool = tool.input_schema(listed["inputSchema"].clone());
    }
    if listed["outputSchema"].is_object() {
        tool = tool.output_schema(listed["outputSchema"].clone());
    }
    tool
}

fn logs() -> Value {
    let entry = |at: usize| {
        let service = ["checkout", "search", "mail"][at % 3];
        json!({
            "timestamp": format!("2026-11-30T{:02}:{:02}:{:02}Z", at / 20 % 24, at * 7 % 60, at * 13 % 60),
            "level": "error",
            "service": service,
            "message": format!("upstream {} did not answer within 3000 ms", at * 5 % KINDS),
            "request": format!("{:016x}", (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        })
    };
    json!({ "entries": (0..ENTRIES).map(entry).collect::<Vec<_>>() })
}

fn task_tools() -> Vec<Value> {
    let text = json!({ "type": "string" });
    vec![
        json!({
            "name": "getLogs",
            "description": "Reads the last day's log entries.",
            "inputSchema": { "type": "object", "properties": { "level": { "enum": ["error", "warn", "info"] } } },
            "outputSchema": { "type": "object", "required": ["entries"], "properties": { "entries": {
                "type": "array",
                "items": { "type": "object", "required": ["timestamp", "level", "message"], "properties": {
                    "timestamp": text, "level": text, "service": text, "message": text, "request": text,
                } },
            } } },
        }),
        json!({
            "name": "createTicket",
            "description": "Creates a ticket.",
            "inputSchema": { "type": "object", "required": ["title"], "properties": { "title": text, "body": text } },
            "outputSchema": { "type": "object", "required": ["id"], "properties": { "id": text, "state": text } },
        }),
    ]
}

/// All tools of the lists.
fn lists() -> Result<Vec<Listed>, Box<dyn Error>> {
    let folder = std::env::var_os("COFFERDAM_TOOL_LISTS").map(PathBuf::from);
    let folder = folder.ok_or("COFFERDAM_TOOL_LISTS names no folder of tool lists")?;
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    let mut tools = Vec::new();
    for path in paths {
        let list: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
        let server = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for tool in list["tools"].as_array().into_iter().flatten() {
            tools.push((server.clone(), tool.clone()));
        }
    }
    Ok(tools)
}

/// So many tools: some from all over the lists, or all of them again and again under other names of
/// their servers.
fn taken(lists: &[Listed], count: usize) -> Vec<Listed> {
    let all = lists.len().max(1);
    if count <= all {
        return (0..count).filter_map(|at| lists.get(at * all / count).cloned()).collect();
    }
    let rounds = (1..).flat_map(|round| lists.iter().map(move |tool| (round, tool)));
    let named =
        |(round, (server, tool)): (usize, &Listed)| (format!("{server}{round}"), tool.clone());
    rounds.map(named).take(count).collect()
}

/// With commas: 12,345.
fn group(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
