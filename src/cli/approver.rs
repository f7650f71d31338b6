//! The terminal, and the question whether calls may be made.
//!
//! Calls wait in a queue; whatever waits when the terminal is free is shown together. A thread of its
//! own reads what is typed, so that a question can be withdrawn while it waits; what was typed before
//! a question is there does not answer it.

use super::{
    answer::{self, Answer, ToAll},
    output,
    progress::Progress,
    question,
};
use async_trait::async_trait;
use cofferdam::{
    ApprovalQueue, Approver, Decision, PendingCall,
    broker::{Question, QuestionId},
};
use nix::sys::termios::{FlushArg, tcflush};
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex, mpsc};

/// How long an answer may take to reach the calls that wait beside it, and the next of several calls
/// that are made side by side to come.
const SETTLING: Duration = Duration::from_millis(30);
/// After so many of these pauses what waits is shown, even if still more comes.
const PAUSES: usize = 10;

/// The terminal.
pub(super) struct Terminal {
    pub(super) typed: Mutex<Typed>,
    pub(super) progress: Arc<Progress>,
    queue: ApprovalQueue,
    /// What is on the terminal and waits for an answer.
    shown: std::sync::Mutex<Vec<QuestionId>>,
}

/// Lines that are typed, from the first question on.
pub(super) struct Typed {
    terminal: Option<OwnedFd>,
    reader: Option<Box<dyn BufRead + Send>>,
    lines: Option<Lines>,
}

type Lines = mpsc::UnboundedReceiver<String>;

impl Terminal {
    /// The terminal, if somebody is there to see a question and to answer it. Must be called on a
    /// tokio runtime.
    pub(super) fn open(stdin_is_free: bool, progress: Arc<Progress>) -> Option<Arc<Self>> {
        if !io::stderr().is_terminal() {
            return None;
        }
        let (terminal, reader): (_, Box<dyn BufRead + Send>) =
            if stdin_is_free && io::stdin().is_terminal() {
                (io::stdin().as_fd().try_clone_to_owned(), Box::new(BufReader::new(io::stdin())))
            } else {
                let terminal = File::open("/dev/tty").ok()?;
                (terminal.as_fd().try_clone_to_owned(), Box::new(BufReader::new(terminal)))
            };
        let typed = Typed { terminal: terminal.ok(), reader: Some(reader), lines: None };
        let queue = ApprovalQueue::new();
        let (typed, shown) = (Mutex::new(typed), std::sync::Mutex::default());
        let terminal = Arc::new(Self { typed, progress, queue, shown });
        tokio::spawn(Arc::clone(&terminal).put_questions());
        Some(terminal)
    }

    /// Puts whatever waits, for as long as the program runs.
    async fn put_questions(self: Arc<Self>) {
        loop {
            self.queue.asked().await;
            let mut typed = self.typed.lock().await;
            self.settle().await;
            let _hush = self.progress.hush();
            let lines = typed.new_lines();
            match &*self.queue.open() {
                [] => {}
                [question] => self.put_one(question, lines, "").await,
                questions => self.put_several(questions, lines).await,
            }
        }
    }

    /// Waits until nothing more comes and goes.
    async fn settle(&self) {
        let waiting = || self.queue.open().iter().map(|question| question.id).collect::<Vec<_>>();
        for _ in 0..PAUSES {
            let before = waiting();
            tokio::time::sleep(SETTLING).await;
            if waiting() == before {
                return;
            }
        }
    }

    /// Shows several calls, and takes an answer for all of them or goes on to one.
    async fn put_several(&self, questions: &[Question], lines: &mut Lines) {
        let shown = questions.get(..question::LISTED).unwrap_or(questions);
        output::note(&question::list(shown, questions.len()));
        let choices = question::choices_for_all(shown.len());
        let last = questions.last().map(|question| question.id);
        loop {
            output::prompt(&choices);
            let Some(line) = self.next_line(shown, last, lines).await else { return };
            match answer::to_all(&line, shown.len()) {
                Some(ToAll::Decision(decision)) => return self.answer(shown, &decision),
                Some(ToAll::LookAt(index)) => {
                    if let Some(question) = shown.get(index) {
                        self.put_one(question, lines, question::BACK).await;
                    }
                    return;
                }
                None => {}
            }
        }
    }

    /// Shows a call, and takes an answer to it.
    async fn put_one(&self, question: &Question, lines: &mut Lines, back: &str) {
        let call = &question.call;
        output::note(&question::text(call));
        let mut last = self.queue.open().last().map(|question| question.id);
        let one = std::slice::from_ref(question);
        loop {
            output::prompt(&format!("{}{back}\n> ", question::CHOICES));
            let Some(line) = self.next_line(one, last, lines).await else { return };
            last = self.queue.open().last().map(|question| question.id);
            match answer::to_one(&line, call) {
                Ok(Some(Answer::Decision(decision))) => return self.answer(one, &decision),
                Ok(Some(Answer::ShowAll)) => output::note(&question::in_full(call)),
                Ok(Some(Answer::Back)) if !back.is_empty() => return,
                Ok(Some(Answer::Where(decision))) => {
                    output::prompt(&question::covers(call, &decision));
                    let Some(line) = self.next_line(one, last, lines).await else { return };
                    if answer::is_yes(&line) {
                        return self.answer(one, &decision);
                    }
                }
                Ok(Some(Answer::Back) | None) => {}
                Err(problem) => output::note(&problem),
            }
        }
    }

    fn answer(&self, shown: &[Question], decision: &Decision) {
        self.lock_shown().clear();
        for question in shown {
            self.queue.answer(question.id, decision.clone());
        }
    }

    fn lock_shown(&self) -> std::sync::MutexGuard<'_, Vec<QuestionId>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says so, once, when nothing of what is shown waits for an answer any more.
    fn note_if_settled(&self) {
        let mut shown = self.lock_shown();
        if !shown.is_empty() && !shown.iter().any(|id| self.queue.is_open(*id)) {
            shown.clear();
            output::note("\n(no answer needed any more)");
        }
    }

    /// The next line that is typed; `None` if no answer to these questions is needed any more, or
    /// none can come. `last` is the last question that whoever types may know of.
    async fn next_line(
        &self,
        shown: &[Question],
        mut last: Option<QuestionId>,
        lines: &mut Lines,
    ) -> Option<String> {
        *self.lock_shown() = shown.iter().map(|question| question.id).collect();
        let all_settled = async {
            for question in shown {
                self.queue.settled(question.id).await;
            }
        };
        let mut all_settled = std::pin::pin!(all_settled);
        loop {
            let more = async {
                match last {
                    Some(last) => self.queue.asked_after(last).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = &mut all_settled => {
                    self.note_if_settled();
                    return None;
                }
                line = lines.recv() => {
                    if line.is_none() {
                        let reason = "nobody answered on the terminal".to_owned();
                        self.answer(shown, &Decision::Deny { reason });
                    }
                    return line;
                }
                () = more => {
                    output::prompt(question::MORE);
                    last = None;
                }
            }
        }
    }
}

#[async_trait]
impl Approver for Terminal {
    async fn approve(&self, call: &PendingCall) -> Decision {
        // Said at once, before whatever settled the question can have printed anything.
        let _settled = Settled(self);
        self.queue.approve(call).await
    }
}

/// Looks what is still needed of what is shown when a call waits no more, for whatever reason.
struct Settled<'a>(&'a Terminal);

impl Drop for Settled<'_> {
    fn drop(&mut self) {
        self.0.note_if_settled();
    }
}

impl Typed {
    /// The lines that are typed from now on.
    pub(super) fn new_lines(&mut self) -> &mut Lines {
        if let Some(terminal) = &self.terminal {
            // What is not a terminal any more has nothing to forget.
            let _ = tcflush(terminal, FlushArg::TCIFLUSH);
        }
        let lines = self.lines.get_or_insert_with(|| {
            read_lines(self.reader.take().unwrap_or_else(|| Box::new(io::empty())))
        });
        while lines.try_recv().is_ok() {}
        lines
    }
}

fn read_lines(reader: Box<dyn BufRead + Send>) -> Lines {
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
