//! AST to text, by `swc_ecma_codegen`.
//!
//! The generator decides every token; the writer below only decides where lines end. It collects
//! the tokens and prints a group in braces on one line when it holds no comment and fits.

use swc_common::comments::SingleThreadedComments;
use swc_common::sync::Lrc;
use swc_common::{BytePos, SourceMap, Span};
use swc_ecma_ast::ModuleItem;
use swc_ecma_codegen::text_writer::WriteJs;
use swc_ecma_codegen::{Config, Emitter, Node};

use crate::jsdoc::{is_invisible, visible};

/// A group in braces stays on one line up to this width, in bytes.
const WIDTH: usize = 120;

/// Prints statements; keeps what they need in common.
#[derive(Default)]
pub(crate) struct Printer {
    map: Lrc<SourceMap>,
}

impl Printer {
    /// Prints one statement with its comments; the text ends with a line end.
    pub(crate) fn print(&self, item: &ModuleItem, comments: &SingleThreadedComments) -> String {
        let mut emitter = Emitter {
            cfg: Config::default(),
            cm: Lrc::clone(&self.map),
            comments: Some(comments),
            wr: Lines::default(),
        };
        match item.emit_with(&mut emitter) {
            Ok(()) => emitter.wr.layout(),
            // The writer collects tokens in memory: it has no error to give.
            Err(_) => String::new(),
        }
    }
}

enum Token {
    Text(String),
    /// A line end where a group is broken, a space where it is not.
    Break,
    /// A line end in any case.
    Line,
    Open,
    Close,
}

/// Collects tokens, then lays them out.
#[derive(Default)]
struct Lines {
    tokens: Vec<Token>,
    after_comment: bool,
}

impl Lines {
    fn text(&mut self, text: &str) -> std::io::Result<()> {
        self.after_comment = false;
        if let Some(Token::Text(last)) = self.tokens.last_mut() {
            last.push_str(text);
        } else {
            self.tokens.push(Token::Text(text.to_owned()));
        }
        Ok(())
    }

    /// For each token whether it opens a group that is printed on one line.
    fn flat_groups(&self) -> Vec<bool> {
        let mut flat = vec![false; self.tokens.len()];
        let mut open: Vec<(usize, usize, bool)> = Vec::new();
        let mut width = 0;
        for (at, token) in self.tokens.iter().enumerate() {
            match token {
                Token::Text(text) => width += text.len(),
                Token::Break => width += 1,
                Token::Line => open.iter_mut().for_each(|group| group.2 = false),
                Token::Open => open.push((at, width, true)),
                Token::Close => {
                    if let Some((start, before, unbroken)) = open.pop() {
                        let fits = unbroken && width - before <= WIDTH;
                        if let Some(slot) = flat.get_mut(start) {
                            *slot = fits;
                        }
                    }
                }
            }
        }
        flat
    }

    fn layout(self) -> String {
        let flat = self.flat_groups();
        let mut out = String::new();
        // Per open group whether it is on one line, and how many of them are not.
        let mut groups: Vec<bool> = Vec::new();
        let mut pending = false;
        for (token, flat) in self.tokens.iter().zip(flat) {
            match token {
                Token::Text(text) => {
                    let on_one_line = groups.last().copied().unwrap_or(false);
                    if pending && out.ends_with('{') && text.starts_with('}') {
                        // Nothing is in the braces.
                    } else if pending && on_one_line {
                        out.push(' ');
                    } else if pending && !out.is_empty() {
                        out.push('\n');
                        let depth = groups.iter().filter(|flat| !**flat).count();
                        out.extend(std::iter::repeat_n("  ", depth));
                    }
                    pending = false;
                    out.push_str(text);
                }
                Token::Break | Token::Line => pending = true,
                Token::Open => {
                    let within = groups.last().copied().unwrap_or(false);
                    groups.push(flat || within);
                }
                Token::Close => {
                    // The line end before the closing brace belongs to the group that it closes.
                    if groups.pop() == Some(true) && pending {
                        if !out.ends_with('{') {
                            out.push(' ');
                        }
                        pending = false;
                    }
                }
            }
        }
        out.push('\n');
        out
    }
}

impl WriteJs for Lines {
    fn increase_indent(&mut self) -> std::io::Result<()> {
        // The generator ends the line and then indents, or the other way round: the group
        // begins before the line end.
        if matches!(self.tokens.last(), Some(Token::Break)) {
            self.tokens.pop();
            self.tokens.push(Token::Open);
            self.tokens.push(Token::Break);
        } else {
            self.tokens.push(Token::Open);
        }
        Ok(())
    }

    fn decrease_indent(&mut self) -> std::io::Result<()> {
        // Likewise a line end before the closing brace is the group's last one.
        self.tokens.push(Token::Close);
        Ok(())
    }

    fn write_line(&mut self) -> std::io::Result<()> {
        self.after_comment = false;
        match self.tokens.as_slice() {
            // The line end that the generator writes after it closed the group.
            [.., Token::Break | Token::Line, Token::Close] => {}
            [.., Token::Text(_), Token::Close] => {
                self.tokens.pop();
                self.tokens.push(Token::Break);
                self.tokens.push(Token::Close);
            }
            [.., Token::Break | Token::Line] | [] => {}
            _ => self.tokens.push(Token::Break),
        }
        Ok(())
    }

    fn write_space(&mut self) -> std::io::Result<()> {
        if self.after_comment {
            self.after_comment = false;
            self.tokens.push(Token::Line);
            return Ok(());
        }
        self.text(" ")
    }

    fn write_comment(&mut self, text: &str) -> std::io::Result<()> {
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.tokens.push(Token::Line);
            }
            self.text(line)?;
        }
        self.after_comment = text == "*/";
        Ok(())
    }

    fn write_str_lit(&mut self, _: Span, text: &str) -> std::io::Result<()> {
        if !text.chars().any(is_invisible) {
            return self.text(text);
        }
        // Within quotes an escape is the same string as the character itself.
        let mut escaped = String::with_capacity(text.len());
        for c in text.chars() {
            if is_invisible(c) { escaped.extend(visible(c)) } else { escaped.push(c) }
        }
        self.text(&escaped)
    }

    fn write_semi(&mut self, _: Option<Span>) -> std::io::Result<()> {
        self.text(";")
    }

    fn write_keyword(&mut self, _: Option<Span>, text: &'static str) -> std::io::Result<()> {
        self.text(text)
    }

    fn write_operator(&mut self, _: Option<Span>, text: &str) -> std::io::Result<()> {
        self.text(text)
    }

    fn write_param(&mut self, text: &str) -> std::io::Result<()> {
        self.text(text)
    }

    fn write_property(&mut self, text: &str) -> std::io::Result<()> {
        self.text(text)
    }

    fn write_lit(&mut self, _: Span, text: &str) -> std::io::Result<()> {
        self.text(text)
    }

    fn write_str(&mut self, text: &str) -> std::io::Result<()> {
        self.text(text)
    }

    fn write_symbol(&mut self, _: Span, text: &str) -> std::io::Result<()> {
        self.text(text)
    }

    fn write_punct(&mut self, _: Option<Span>, text: &'static str, _: bool) -> std::io::Result<()> {
        self.text(text)
    }

    fn care_about_srcmap(&self) -> bool {
        false
    }

    fn add_srcmap(&mut self, _: BytePos) -> std::io::Result<()> {
        Ok(())
    }

    fn commit_pending_semi(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
