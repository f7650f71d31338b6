//! The terminal, and the question whether a call may be made.
//!
//! Questions come one after the other. A thread of its own reads what is typed, so that a question
//! can be withdrawn while it waits; what was typed before a question is there does not answer it.

use super::{output, progress::Progress, sheet, visible::first_line};
use async_trait::async_trait;
use cofferdam::{Approver, Decision, Grant, PendingCall};
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, mpsc};

/// What can be typed.
const CHOICES: &str = "  [y] yes, once   [r] yes, this tool for the whole run   [s] for the session\n  \
     [n] no (what follows the n is told to the script)   [v] show the arguments in full\n";

/// How long an answer may take to reach the calls that wait beside it.
const SETTLING: Duration = Duration::from_millis(20);

/// The terminal.
pub(super) struct Terminal {
    pub(super) typed: Mutex<Typed>,
    pub(super) progress: Arc<Progress>,
}

/// Lines that are typed, from the first question on.
pub(super) struct Typed {
    reader: Option<Box<dyn BufRead + Send>>,
    lines: Option<mpsc::UnboundedReceiver<String>>,
}

impl Terminal {
    /// The terminal, if somebody is there to see a question and to answer it.
    pub(super) fn open(stdin_is_free: bool, progress: Arc<Progress>) -> Option<Self> {
        if !io::stderr().is_terminal() {
            return None;
        }
        let reader: Box<dyn BufRead + Send> = if stdin_is_free && io::stdin().is_terminal() {
            Box::new(BufReader::new(io::stdin()))
        } else {
            Box::new(BufReader::new(File::open("/dev/tty").ok()?))
        };
        let typed = Typed { reader: Some(reader), lines: None };
        Some(Self { typed: Mutex::new(typed), progress })
    }
}

#[async_trait]
impl Approver for Terminal {
    async fn approve(&self, call: &PendingCall) -> Decision {
        let mut typed = self.typed.lock().await;
        // The answer to the question before may cover this call as well.
        tokio::time::sleep(SETTLING).await;
        let _hush = self.progress.hush();
        let lines = typed.lines();
        while lines.try_recv().is_ok() {}
        let mut asked = Asked { is_answered: false };
        output::note(&question(call));
        loop {
            output::prompt(&format!("{CHOICES}> "));
            let Some(line) = lines.recv().await else {
                asked.is_answered = true;
                return Decision::Deny { reason: "nobody answered on the terminal".to_owned() };
            };
            match Answer::parse(&line) {
                Some(Answer::Decision(decision)) => {
                    asked.is_answered = true;
                    return decision;
                }
                Some(Answer::ShowAll) => output::note(&sheet::in_full(&call.arguments)),
                None => {}
            }
        }
    }
}

impl Typed {
    pub(super) fn lines(&mut self) -> &mut mpsc::UnboundedReceiver<String> {
        self.lines.get_or_insert_with(|| {
            read_lines(self.reader.take().unwrap_or_else(|| Box::new(io::empty())))
        })
    }
}

fn read_lines(reader: Box<dyn BufRead + Send>) -> mpsc::UnboundedReceiver<String> {
    let (tell, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in reader.lines().map_while(Result::ok) {
            if tell.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// Says that a question is settled without an answer: the run ended, or a grant covers it.
struct Asked {
    is_answered: bool,
}

impl Drop for Asked {
    fn drop(&mut self) {
        if !self.is_answered {
            output::note("\n(no answer needed any more)");
        }
    }
}

enum Answer {
    Decision(Decision),
    ShowAll,
}

impl Answer {
    fn parse(line: &str) -> Option<Self> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let decision = match word.to_lowercase().as_str() {
            "y" | "yes" => Decision::Allow(Grant::Once),
            "r" | "run" => Decision::Allow(Grant::Run),
            "s" | "session" => Decision::Allow(Grant::Session),
            "n" | "no" => {
                let reason = if rest.is_empty() { "the user said no" } else { rest.trim() };
                Decision::Deny { reason: reason.to_owned() }
            }
            "v" | "view" => return Some(Self::ShowAll),
            _ => return None,
        };
        Some(Self::Decision(decision))
    }
}

fn question(call: &PendingCall) -> String {
    let mut text = format!("\nMay the script call {}/{}?", call.server, call.tool);
    if let Some(title) = call.title.as_deref().or(call.description.as_deref()) {
        text += &format!("\n  {}", first_line(title, 100));
    }
    let line = call.line.map(|line| format!("line {line} of the script, ")).unwrap_or_default();
    text += &format!("\n  {line}call {}", call.id);
    if call.trusted && call.annotations.read_only == Some(true) {
        text += ", changes nothing, says the server";
    }
    if let Some(reason) = &call.reason {
        text += &format!("\n  asked because: {}", first_line(reason, 200));
    }
    text += &format!("\n{}", sheet::shortened(&call.arguments));
    text
}
