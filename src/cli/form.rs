//! Puts the questions of servers to the user, on the terminal where approvals are asked.
//!
//! What a server says is shown as a stranger's words. A page is named in full and never opened.

use super::{approver::Terminal, output, visible::first_line};
use async_trait::async_trait;
use cofferdam::{
    Elicitation, Elicitor,
    broker::{Ask, Field, FieldKind, Form, Reply},
};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

/// How much of a server's words is shown, in lines and characters of each.
const LINES: usize = 12;
const CHARS: usize = 200;
/// How many options of a choice are listed.
const OPTIONS: usize = 40;

type Lines = UnboundedReceiver<String>;

#[async_trait]
impl Elicitor for Terminal {
    async fn elicit(&self, question: &Elicitation) -> Reply {
        let mut typed = self.typed.lock().await;
        let _hush = self.progress.hush();
        let lines = typed.new_lines();
        output::note(&heading(question));
        let reply = match &question.ask {
            Ask::Url(url) => page(url, lines).await,
            Ask::Form(form) => fill_in(form, lines).await,
            // A kind of question that this program cannot put.
            _ => Some(Reply::Cancel),
        };
        reply.unwrap_or(Reply::Cancel)
    }
}

fn heading(question: &Elicitation) -> String {
    let mut text = format!("\nThe server `{}` asks you something", question.server);
    if let Some(tool) = &question.tool {
        text += &format!(", for the call of {tool}");
    }
    if let Some(line) = question.line {
        text += &format!(" (line {line} of the script)");
    }
    text += ". It says:";
    for line in question.message.lines().filter(|line| !line.trim().is_empty()).take(LINES) {
        text += &format!("\n  | {}", first_line(line, CHARS));
    }
    text
}

/// `None` if nobody is there any more.
async fn page(url: &str, lines: &mut Lines) -> Option<Reply> {
    output::note(&format!("It wants you to visit this page; nothing is opened for you:\n  {url}"));
    choose("  [y] I will go there   [n] no   [c] cancel, neither yes nor no", lines, |word| {
        match word {
            "y" | "yes" => Some(Reply::Accept(Map::new())),
            "n" | "no" => Some(Reply::Decline),
            "c" | "cancel" => Some(Reply::Cancel),
            _ => None,
        }
    })
    .await
}

async fn fill_in(form: &Form, lines: &mut Lines) -> Option<Reply> {
    let choices = "  [a] answer   [n] no   [c] cancel, neither yes nor no";
    let refused = choose(choices, lines, |word| match word {
        "a" | "answer" => Some(None),
        "n" | "no" => Some(Some(Reply::Decline)),
        "c" | "cancel" => Some(Some(Reply::Cancel)),
        _ => None,
    });
    if let Some(reply) = refused.await? {
        return Some(reply);
    }
    loop {
        let mut answer = Map::new();
        for field in form.fields() {
            if let Some(value) = field_value(form, field, lines).await? {
                answer.insert(field.name.clone(), value);
            }
        }
        if let Err(problem) = form.check(&answer) {
            output::note(&format!("this does not fit: {problem}"));
            continue;
        }
        output::note(&format!("This is sent to the server:\n{:#}", json!(answer)));
        let choices = "  [y] send it   [e] enter it again   [n] no   [c] cancel";
        let decided = choose(choices, lines, |word| match word {
            "y" | "yes" => Some(Some(Reply::Accept(answer.clone()))),
            "e" | "again" => Some(None),
            "n" | "no" => Some(Some(Reply::Decline)),
            "c" | "cancel" => Some(Some(Reply::Cancel)),
            _ => None,
        });
        if let Some(reply) = decided.await? {
            return Some(reply);
        }
    }
}

/// Asks until the answer is one.
async fn choose<T>(
    choices: &str,
    lines: &mut Lines,
    read: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    loop {
        output::prompt(&format!("{choices}\n> "));
        let line = lines.recv().await?;
        if let Some(choice) = read(line.trim().to_lowercase().as_str()) {
            return Some(choice);
        }
    }
}

/// Asks for one field until its value fits. `None` inside if it is left out.
#[allow(clippy::option_option, reason = "nobody there, and left out, are different answers")]
async fn field_value(form: &Form, field: &Field, lines: &mut Lines) -> Option<Option<Value>> {
    output::note(&label(field));
    loop {
        output::prompt("> ");
        let line = lines.recv().await?;
        let text = line.trim();
        if text.is_empty() {
            match &field.default {
                Some(default) if form.check_field(&field.name, default).is_ok() => {
                    return Some(Some(default.clone()));
                }
                _ if !field.required => return Some(None),
                _ => output::note("this field needs a value"),
            }
            continue;
        }
        let value = parse(&field.kind, text);
        let checked = value.and_then(|value| form.check_field(&field.name, &value).map(|()| value));
        match checked {
            Ok(value) => return Some(Some(value)),
            Err(problem) => output::note(&problem),
        }
    }
}

fn label(field: &Field) -> String {
    let mut text = format!("\n{}", first_line(&field.name, CHARS));
    if let Some(title) = field.title.as_ref().filter(|title| **title != field.name) {
        text += &format!(" – {}", first_line(title, CHARS));
    }
    text += match &field.kind {
        FieldKind::Integer => ": a whole number",
        FieldKind::Number => ": a number",
        FieldKind::Boolean => ": yes or no",
        FieldKind::Choice(_) => ": one of these",
        FieldKind::Choices(_) => ": some of these, with commas between",
        _ => ": text",
    };
    if let FieldKind::Text { format: Some(format) } = &field.kind {
        text += &format!(" ({})", first_line(format, CHARS));
    }
    if let Some(default) = &field.default {
        text += &format!("; {} if you type nothing", first_line(&default.to_string(), CHARS));
    } else if !field.required {
        text += "; may be left out";
    }
    if let Some(description) = &field.description {
        text += &format!("\n  | {}", first_line(description, CHARS));
    }
    if let FieldKind::Choice(options) | FieldKind::Choices(options) = &field.kind {
        for (number, (value, title)) in options.iter().enumerate().take(OPTIONS) {
            let title = if title == value { "" } else { title };
            let gap = if title.is_empty() { "" } else { " – " };
            let (value, title) = (first_line(value, CHARS), first_line(title, CHARS));
            text += &format!("\n  {}. {value}{gap}{title}", number + 1);
        }
    }
    text
}

fn parse(kind: &FieldKind, text: &str) -> Result<Value, String> {
    match kind {
        FieldKind::Integer => {
            text.parse::<i64>().map(Value::from).map_err(|_| "this is not a whole number".into())
        }
        FieldKind::Number => {
            let number = text.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
            number.map(Value::Number).ok_or_else(|| "this is not a number".into())
        }
        FieldKind::Boolean => match text.to_lowercase().as_str() {
            "y" | "yes" | "true" => Ok(Value::Bool(true)),
            "n" | "no" | "false" => Ok(Value::Bool(false)),
            _ => Err("type yes or no".into()),
        },
        FieldKind::Choice(options) => option(options, text).map(Value::String),
        FieldKind::Choices(options) => {
            text.split(',').map(|part| option(options, part.trim()).map(Value::String)).collect()
        }
        _ => Ok(Value::String(text.to_owned())),
    }
}

/// An option by its value, its title or its number.
fn option(options: &[(String, String)], text: &str) -> Result<String, String> {
    let named = options.iter().find(|(value, title)| value == text || title == text);
    let numbered = || options.get(text.parse::<usize>().ok()?.checked_sub(1)?);
    match named.or_else(numbered) {
        Some((value, _)) => Ok(value.clone()),
        None => Err("this is none of them".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_becomes_what_the_field_takes() {
        let options = vec![("a".to_owned(), "Ah".to_owned()), ("2".to_owned(), "Two".to_owned())];
        let choice = FieldKind::Choice(options.clone());
        let table = [
            (FieldKind::Integer, "7", Some(json!(7))),
            (FieldKind::Integer, "7.5", None),
            (FieldKind::Number, "7.5", Some(json!(7.5))),
            (FieldKind::Number, "inf", None),
            (FieldKind::Boolean, "Yes", Some(json!(true))),
            (FieldKind::Boolean, "perhaps", None),
            (choice.clone(), "Ah", Some(json!("a"))),
            (choice.clone(), "1", Some(json!("a"))),
            // A value goes before a number.
            (choice.clone(), "2", Some(json!("2"))),
            (choice, "3", None),
            (FieldKind::Choices(options), "a, 2", Some(json!(["a", "2"]))),
            (FieldKind::Text { format: None }, "7", Some(json!("7"))),
        ];
        for (kind, text, expected) in table {
            assert_eq!(parse(&kind, text).ok(), expected, "{kind:?} {text}");
        }
    }
}
