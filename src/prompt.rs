//! What a model reads before it writes a script, and how that stays the same.
//!
//! Few tools are declared in full. Many would fill the model's context; of those it reads how to
//! find them, and a line for each server. The text is a list of blocks in the order in which they
//! first came: what is new is appended, and nothing before it moves, so that a cache of the prompt
//! holds as far as it can. A block that says something else now takes its old place.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fmt::Write,
};
use stubgen::Declarations;

/// Bytes of text that count as one token. An estimate, as `stubgen` makes it.
const BYTES_PER_TOKEN: usize = 4;

/// Lines about tools that came or went since a server's line was written, before all are written anew.
const NEWS: usize = 40;

/// How much of a model's context the tools may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    tokens: usize,
    percent: f64,
}

impl Window {
    /// A context window of so many tokens, of which declarations may take 3 percent.
    #[must_use]
    pub fn new(tokens: usize) -> Self {
        Self { tokens, percent: 3.0 }
    }

    /// Sets how many percent of the window declarations may take, from 1 to 5; beyond these it is
    /// the nearest of them.
    #[must_use]
    pub fn percent(self, percent: f64) -> Self {
        // What is no number at all is the default.
        let percent = if percent.is_nan() { 3.0 } else { percent.clamp(1.0, 5.0) };
        Self { percent, ..self }
    }

    /// What declarations may take, in bytes.
    fn bytes(self) -> usize {
        // A window is far below what the conversions could spoil.
        #[expect(clippy::cast_possible_truncation, reason = "it saturates, which is fine")]
        let bytes = (self.tokens as f64 * self.percent / 100.0) as usize * BYTES_PER_TOKEN;
        bytes
    }
}

/// What a model reads before it writes a script.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// The text.
    pub text: String,
    /// Whether all tools are declared in it; otherwise it says how to find them.
    pub is_inlined: bool,
    /// The size of the text in tokens, at 4 bytes for one.
    pub tokens: usize,
}

/// The prompt in the making, with what it said before.
#[derive(Debug, Default)]
pub(crate) struct Page {
    declared: Blocks,
    overview: Overview,
}

impl Page {
    /// The prompt for the tools as they are now.
    pub(crate) fn prompt(
        &mut self,
        window: Window,
        declarations: &Declarations,
        servers: &[String],
    ) -> Prompt {
        let is_inlined = declarations.text().len() <= window.bytes();
        let text = if is_inlined {
            let blocks = self.declared.follow(declared(declarations));
            [HEAD, "\n", INLINED, "\n```ts\n", stubgen::GLOBALS, &blocks, "```\n"].concat()
        } else {
            let overview = self.overview.follow(declarations, servers);
            [HEAD, "\n", SEARCHED, "\n```ts\n", stubgen::GLOBALS, "```\n\n", &overview].concat()
        };
        Prompt { tokens: text.len().div_ceil(BYTES_PER_TOKEN), text, is_inlined }
    }
}

const HEAD: &str = "\
You can run TypeScript against tools. A script is the body of an async function: it awaits calls, \
prints with `console.log`, and may `return` a value. Only what it prints and returns comes back to \
you, so filter and sum up in the script, and run independent calls with `Promise.all`. There are \
no imports, no network and no files besides the tools. A failed call throws a `ToolError`.
";

const INLINED: &str = "These are all the functions that a script has:\n";

const SEARCHED: &str = "\
There are too many tools to show. Find those you need first: run a script such as
`return await mcp.searchTools(\"create issue\", { detail: \"full\", limit: 5 })`,
read the declarations that come back, then write the script that does the work. Each tool is a \
global function of the name that the search gives; `mcp.callTool(name, input)` is the same call.
";

/// The declarations, each after the types that it is the first to need.
fn declared(declarations: &Declarations) -> Vec<(String, String)> {
    let mut known: HashSet<&str> = HashSet::new();
    let mut blocks = Vec::new();
    for function in &declarations.functions {
        for ty in &declarations.interfaces {
            if function.interfaces.contains(&ty.name) && known.insert(&ty.name) {
                blocks.push((format!("type {}", ty.name), ty.declaration.clone()));
            }
        }
        blocks.push((function.identifier.clone(), function.declaration.clone()));
    }
    blocks
}

/// Texts with a key each, in the order in which the keys first came.
#[derive(Debug, Default)]
struct Blocks(Vec<(String, String)>);

impl Blocks {
    /// Takes over what is there now, and gives all of it.
    fn follow(&mut self, now: Vec<(String, String)>) -> String {
        let mut new: BTreeMap<&str, &str> =
            now.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
        self.0.retain_mut(|(key, text)| match new.remove(key.as_str()) {
            Some(now) => {
                if text != now {
                    now.clone_into(text);
                }
                true
            }
            None => false,
        });
        let added: HashSet<String> = new.into_keys().map(str::to_owned).collect();
        self.0.extend(now.into_iter().filter(|(key, _)| added.contains(key)));
        self.0.iter().map(|(_, text)| text.as_str()).collect()
    }
}

/// A line for each server, and below what came and went since it was written.
#[derive(Debug, Default)]
struct Overview {
    lines: Vec<String>,
    /// How many of the lines are news.
    news: usize,
    /// What the lines say, by server.
    told: BTreeMap<String, BTreeSet<String>>,
}

impl Overview {
    fn follow(&mut self, declarations: &Declarations, servers: &[String]) -> String {
        let mut now: BTreeMap<String, BTreeSet<String>> =
            servers.iter().map(|server| (server.clone(), BTreeSet::new())).collect();
        for function in &declarations.functions {
            let tools = now.entry(function.server.clone()).or_default();
            tools.insert(function.identifier.clone());
        }
        if self.news > NEWS {
            *self = Self::default();
        }
        let before = self.lines.len();
        for (server, tools) in &now {
            match self.told.get(server).filter(|told| !told.is_empty() || tools.is_empty()) {
                None => self.lines.push(line(server, tools)),
                Some(told) if told != tools => {
                    let new: Vec<&str> = tools.difference(told).map(String::as_str).collect();
                    let gone: Vec<&str> = told.difference(tools).map(String::as_str).collect();
                    self.lines.push(changed(server, &new, &gone));
                }
                Some(_) => {}
            }
        }
        for server in self.told.keys().filter(|server| !now.contains_key(*server)) {
            self.lines.push(format!("- {server} is not there any more\n"));
        }
        if before > 0 {
            self.news += self.lines.len() - before;
        }
        self.told = now;
        format!("The servers:\n{}", self.lines.concat())
    }
}

/// Names that a server's line tells of its tools.
const NAMES: usize = 4;

fn line(server: &str, tools: &BTreeSet<String>) -> String {
    if tools.is_empty() {
        return format!("- {server}: no tools known yet\n");
    }
    let mut line = format!("- {server}: {} {}, such as ", tools.len(), noun(tools.len()));
    // From all over the list: the first ones tend to be about one thing.
    let step = tools.len().div_ceil(NAMES);
    let names: Vec<&str> = tools.iter().step_by(step).take(NAMES).map(String::as_str).collect();
    let _ = writeln!(line, "{}", names.join(", "));
    line
}

fn changed(server: &str, new: &[&str], gone: &[&str]) -> String {
    let mut line = format!("- {server} has changed:");
    for (names, what) in [(new, "new"), (gone, "gone")] {
        if !names.is_empty() {
            let shown: Vec<&str> = names.iter().copied().take(2 * NAMES).collect();
            let _ = write!(line, " {} {what} ({}", names.len(), shown.join(", "));
            line.push_str(if shown.len() < names.len() { ", …)" } else { ")" });
        }
    }
    line.push('\n');
    line
}

fn noun(count: usize) -> &'static str {
    if count == 1 { "tool" } else { "tools" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stubgen::{Annotations, Catalogue, Tool};

    fn declarations(tools: &[(&str, &str)]) -> Declarations {
        let tool = |(server, name): &(&str, &str)| Tool {
            server: (*server).to_owned(),
            name: (*name).to_owned(),
            title: None,
            description: Some(format!("Does {name}.")),
            input_schema: json!({ "type": "object", "properties": { "id": { "type": "string" } } }),
            output_schema: None,
            annotations: Annotations::default(),
        };
        let mut tools: Vec<Tool> = tools.iter().map(tool).collect();
        // As the broker has them.
        tools.sort_by(|a, b| (&a.server, &a.name).cmp(&(&b.server, &b.name)));
        tools.into_iter().collect::<Catalogue>().declare()
    }

    fn texts(window: Window, steps: &[&[(&str, &str)]]) -> Vec<Prompt> {
        let mut page = Page::default();
        let step = |tools: &&[(&str, &str)]| page.prompt(window, &declarations(tools), &[]);
        steps.iter().map(step).collect()
    }

    /// What both begin with, as a part of the first.
    fn kept(before: &Prompt, after: &Prompt) -> f64 {
        let same = before.text.bytes().zip(after.text.bytes()).take_while(|(a, b)| a == b);
        same.count() as f64 / before.text.len() as f64
    }

    const FIRST: &[(&str, &str)] = &[("mail", "send"), ("files", "write"), ("files", "read")];
    const MORE: &[(&str, &str)] =
        &[("mail", "send"), ("files", "write"), ("files", "copy"), ("files", "read"), ("a", "b")];

    #[test]
    fn few_tools_are_declared_and_new_ones_appended() {
        let window = Window::new(200_000);
        let prompts = texts(window, &[FIRST, FIRST, MORE]);
        assert!(prompts[0].is_inlined);
        assert_eq!(prompts[0], prompts[1]);
        let end = "```\n".len() as f64 / prompts[0].text.len() as f64;
        assert!(kept(&prompts[0], &prompts[2]) >= 1.0 - end);
        assert!(prompts[2].text.ends_with(
            "declare function files_copy(input?: { id?: string; }): Promise<ToolResult>;\n```\n"
        ));
    }

    #[test]
    fn many_tools_become_a_line_for_each_server_and_news_are_appended() {
        let prompts = texts(Window::new(0), &[FIRST, FIRST, MORE, &[("a", "b")]]);
        assert!(!prompts[0].is_inlined);
        assert_eq!(prompts[0], prompts[1]);
        assert!(prompts[0].text.ends_with(
            "The servers:\n- files: 2 tools, such as files_read, files_write\n\
             - mail: 1 tool, such as mail_send\n"
        ));
        for later in &prompts[2..] {
            assert_eq!(kept(&prompts[0], later), 1.0);
        }
        assert!(prompts[3].text.ends_with(
            "- a: 1 tool, such as a_b\n- files has changed: 1 new (files_copy)\n\
             - files is not there any more\n- mail is not there any more\n"
        ));
    }

    #[test]
    fn after_much_news_the_overview_is_written_anew() {
        let mut steps: Vec<&[(&str, &str)]> = Vec::new();
        (0..100).for_each(|_| steps.extend([FIRST, MORE]));
        let prompts = texts(Window::new(0), &steps);
        let most = prompts.iter().map(|prompt| prompt.text.lines().count()).max();
        assert!(most < Some(prompts[0].text.lines().count() + NEWS + 8), "{most:?}");
    }

    #[test]
    fn a_changed_tool_stays_where_it_is() {
        let mut blocks = Blocks::default();
        let now = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect()
        };
        assert_eq!(blocks.follow(now(&[("b", "B"), ("c", "C")])), "BC");
        assert_eq!(blocks.follow(now(&[("a", "A"), ("b", "b"), ("c", "C")])), "bCA");
        assert_eq!(blocks.follow(now(&[("a", "A"), ("c", "C")])), "CA");
    }

    #[test]
    fn the_threshold_is_a_share_of_the_window_from_1_to_5_percent() {
        let tokens = |percent| Window::new(100_000).percent(percent).bytes() / BYTES_PER_TOKEN;
        assert_eq!(Window::new(100_000).bytes() / BYTES_PER_TOKEN, 3_000);
        assert_eq!(
            [0.0, 1.0, 2.5, 5.0, 50.0, f64::NAN].map(tokens),
            [1_000, 1_000, 2_500, 5_000, 5_000, 3_000]
        );
    }
}
