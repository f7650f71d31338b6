//! TypeScript to JavaScript, with positions kept.
//!
//! A script may use `await` and `return` at its top level, so it is read as the body of an async
//! function whose first line is ours: line `n` of the script is line `n + 1` of what is compiled,
//! and every position is moved back by one.
//!
//! Types are replaced by blanks, so that nothing moves. Enums, namespaces and parameter properties
//! cannot be blanked out; a script that has them is printed anew, with a source map.

mod nesting;

use crate::outcome::{Diagnostic, Position};
use std::{cell::RefCell, rc::Rc};
use swc_common::{
    FileName, GLOBALS, SourceMap, Spanned,
    errors::{DiagnosticBuilder, Emitter, Handler},
    sync::Lrc,
};
use swc_ecma_parser::{Parser, StringInput, Syntax, TsSyntax};
use swc_ts_fast_strip::{ErrorCode, Mode, Options, TsError, operate};

/// JavaScript that can be compiled: an expression whose value is the script as an async function.
#[derive(Debug)]
pub(crate) struct Stripped {
    pub(crate) code: String,
    /// From lines of `code`, less the first, to lines of the script; only if they differ.
    pub(crate) source_map: Option<Vec<u8>>,
}

const HEAD: &str = "(async () => {\"use strict\";\n";
const TAIL: &str = "\n})";

/// Deeper text is refused. What a model writes weighs a few hundred, however long it is.
const DEEPEST: usize = 20_000;

/// Text up to this weight is parsed on the stack of whoever asks.
const SHALLOW: usize = 200;

/// Enough for [`DEEPEST`]: at most 1.6 KiB of stack for a unit of weight were measured, and five
/// times that without optimisation. Only what is used of it takes memory.
const DEEP_STACK_BYTES: usize = if cfg!(debug_assertions) { 512 << 20 } else { 64 << 20 };

/// Takes the types out of `source`.
///
/// # Errors
/// What is wrong with the text, if it is not TypeScript.
pub(crate) fn strip(source: &str) -> Result<Stripped, Vec<Diagnostic>> {
    let (weight, line) = nesting::deepest(source);
    let refused = |message: &str| {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let position = Some(Position::within(source, line, 1));
        vec![Diagnostic { message: message.into(), position }]
    };
    if weight > DEEPEST {
        return Err(refused(
            "the script is nested too deeply around here; \
             hold data in variables, and end statements with `;`",
        ));
    }
    if weight <= SHALLOW {
        return parse(source);
    }
    std::thread::scope(|scope| {
        let deep = std::thread::Builder::new().stack_size(DEEP_STACK_BYTES);
        let parser = deep.spawn_scoped(scope, || parse(source));
        match parser.map(|parser| parser.join()) {
            Ok(Ok(result)) => result,
            Ok(Err(_panic)) => Err(refused("the parser failed here")),
            Err(_) => Err(refused("there is not enough memory to parse this")),
        }
    })
}

fn parse(source: &str) -> Result<Stripped, Vec<Diagnostic>> {
    // `#!` may only stand at the very start of a program, where ours would be.
    let body = source.strip_prefix("#!").map(|rest| format!("//{rest}"));
    let wrapped = format!("{HEAD}{}{TAIL}", body.as_deref().unwrap_or(source));
    let stripped = match transform(&wrapped, source, Mode::StripOnly) {
        Err((ErrorCode::UnsupportedSyntax, _)) => transform(&wrapped, source, Mode::Transform),
        result => result,
    };
    let stripped = stripped.map_err(|(_, diagnostics)| diagnostics)?;
    if is_one_function(&wrapped) {
        return Ok(stripped);
    }
    let message = "a bracket is closed that was not opened".to_owned();
    Err(vec![Diagnostic { message, position: None }])
}

/// Whether the function that our first line opens is the one that our last line closes.
///
/// A script could close ours and open another one: what it has in between would run before it is
/// called, and not in strict mode.
fn is_one_function(wrapped: &str) -> bool {
    GLOBALS.set(&Default::default(), || {
        let map = SourceMap::default();
        let file = map.new_source_file(Lrc::new(FileName::Anon), wrapped.to_owned());
        let syntax = Syntax::Typescript(syntax());
        let script = Parser::new(syntax, StringInput::from(&*file), None).parse_script();
        let Ok(script) = script else { return false };
        let [only] = script.body.as_slice() else { return false };
        only.as_expr()
            .and_then(|statement| statement.expr.as_paren())
            .is_some_and(|inside| inside.expr.is_arrow())
    })
}

fn syntax() -> TsSyntax {
    TsSyntax { decorators: true, ..TsSyntax::default() }
}

fn transform(
    wrapped: &str,
    source: &str,
    mode: Mode,
) -> Result<Stripped, (ErrorCode, Vec<Diagnostic>)> {
    let map = Lrc::new(SourceMap::default());
    let found = Rc::new(RefCell::new(Vec::new()));
    let collector = Collector { map: map.clone(), source: source.into(), found: found.clone() };
    let handler = Handler::with_emitter(true, false, Box::new(collector));
    let printed_anew = matches!(mode, Mode::Transform);
    let options = Options {
        module: Some(false),
        parser: syntax(),
        mode,
        source_map: printed_anew,
        ..Options::default()
    };
    let result =
        GLOBALS.set(&Default::default(), || operate(&map, &handler, wrapped.into(), options));
    let output = result.map_err(|error| (error.code, diagnostics(found.take(), error)))?;
    let source_map = output.map.and_then(|map| without_first_line(&map));
    Ok(Stripped { code: output.code, source_map })
}

/// What the parser reported, or at least that it failed.
fn diagnostics(mut found: Vec<Diagnostic>, error: TsError) -> Vec<Diagnostic> {
    if found.is_empty() {
        found.push(Diagnostic { message: error.message, position: None });
    }
    found
}

/// Moves both sides of a source map up by our line.
fn without_first_line(map: &str) -> Option<Vec<u8>> {
    let map = sourcemap::SourceMap::from_slice(map.as_bytes()).ok()?;
    let mut moved = sourcemap::SourceMapBuilder::new(None);
    moved.add_source("script.ts");
    for token in map.tokens() {
        let (Some(to), Some(from)) =
            (token.get_dst_line().checked_sub(1), token.get_src_line().checked_sub(1))
        else {
            continue;
        };
        moved.add(
            to,
            token.get_dst_col(),
            from,
            token.get_src_col(),
            Some("script.ts"),
            None,
            false,
        );
    }
    let mut bytes = Vec::new();
    moved.into_sourcemap().to_writer(&mut bytes).ok()?;
    Some(bytes)
}

/// Takes the parser's reports.
struct Collector {
    map: Lrc<SourceMap>,
    source: String,
    found: Rc<RefCell<Vec<Diagnostic>>>,
}

impl Emitter for Collector {
    fn emit(&mut self, report: &mut DiagnosticBuilder<'_>) {
        let span = report.span.primary_span();
        let position = span.and_then(|span| {
            let file = self.map.lookup_byte_offset(span.span_lo());
            let offset = (file.pos.0 as usize).checked_sub(HEAD.len())?;
            // What is wrong with our last line is that something is missing before it.
            Some(Position::at(&self.source, offset.min(self.source.len())))
        });
        let message = explain(&report.message(), position.as_ref());
        self.found.borrow_mut().push(Diagnostic { message, position });
    }
}

/// Says what to do instead where the parser only says that something is wrong.
fn explain(message: &str, position: Option<&Position>) -> String {
    let line = position.map_or("", |position| position.source_line.trim_start());
    if line.starts_with("import ") || line.starts_with("import{") {
        "imports are not available: every function that the script can call is global already"
            .into()
    } else if line.starts_with("export ") {
        "exports are not available: hand the result back with `return`".into()
    } else if message.starts_with("Expected") && is_after_await(position) {
        "`await` can only be used at the top level and in async functions: \
         write `async` before the function that it is in"
            .into()
    } else {
        message.replace("'<eof>'", "the end of the script")
    }
}

/// Whether what stands right before the place is `await`.
fn is_after_await(position: Option<&Position>) -> bool {
    position.is_some_and(|position| {
        let before = (position.column as usize).saturating_sub(1);
        let line: Vec<u16> = position.source_line.encode_utf16().take(before).collect();
        let line = String::from_utf16_lossy(&line);
        line.strip_suffix(char::is_whitespace)
            .is_some_and(|line| line.trim_end().ends_with("await"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner(source: &str) -> String {
        let code = strip(source).unwrap().code;
        code.strip_prefix(HEAD).unwrap().strip_suffix(TAIL).unwrap().into()
    }

    #[test]
    fn types_become_blanks() {
        assert_eq!(inner("const a: number = 1;\nreturn a!;"), "const a         = 1;\nreturn a ;");
    }

    #[test]
    fn top_level_await_and_return_are_fine() {
        assert_eq!(inner("return await f()"), "return await f()");
    }

    #[test]
    fn a_comment_at_the_end_does_not_swallow_our_last_line() {
        assert_eq!(inner("f() // done"), "f() // done");
    }

    #[test]
    fn a_first_line_for_the_shell_is_passed_over() {
        assert_eq!(inner("#!/usr/bin/env cofferdam\nf()"), "///usr/bin/env cofferdam\nf()");
    }

    #[test]
    fn a_script_cannot_leave_its_function() {
        for source in [
            "}); f(); (async () => {",
            "}), (async () => {",
            "}).call(async () => {",
            "}); function f() {",
            "})\n;`${(async () => {",
            "}); if (1) (async () => {",
            "} /* { */); (async () => {",
        ] {
            assert!(strip(source).is_err(), "{source}");
        }
        assert!(strip("if (a) { b() } else { c(`}${ {} }`) } // }").is_ok());
    }

    #[test]
    fn enums_are_printed_anew_with_a_map() {
        let stripped = strip("enum E { A }\n\nthrow E.A").unwrap();
        let map = sourcemap::SourceMap::from_slice(&stripped.source_map.unwrap()).unwrap();
        let line = stripped.code.lines().position(|line| line.contains("throw")).unwrap();
        // Lines of the code are counted without ours.
        let token = map.lookup_token(u32::try_from(line).unwrap() - 1, 4).unwrap();
        assert_eq!(token.get_src_line(), 2);
    }

    #[test]
    fn errors_are_where_they_are_in_the_script() {
        let diagnostics = strip("const ä = 1;\nconst x: = 2;").unwrap_err();
        let position = diagnostics[0].position.as_ref().unwrap();
        assert_eq!((position.line, position.source_line.as_str()), (2, "const x: = 2;"));
        assert_eq!(position.column, 10);
    }

    #[test]
    fn imports_and_exports_are_refused_with_what_to_do() {
        let message = |source: &str| strip(source).unwrap_err().remove(0).message;
        assert!(message("import fs from 'fs'").starts_with("imports are not available"));
        assert!(message("import { a } from 'fs'").starts_with("imports are not available"));
        assert!(message("export const a = 1").starts_with("exports are not available"));
    }

    #[test]
    fn nesting_up_to_the_bound_is_parsed_and_beyond_it_refused() {
        let ways = [("[", "]"), ("(", ")"), ("()=>{", "}"), ("!", ""), ("a=>", ""), ("1?1:", "")];
        for (open, close) in ways {
            let nested = |levels| format!("{}1{}", open.repeat(levels), close.repeat(levels));
            let (weight, _) = nesting::deepest(&nested(100));
            let fitting = nested((DEEPEST - 10) * 100 / weight);
            assert!(strip(&fitting).is_ok(), "{open} within the bound");
            let message = strip(&nested(100_000)).unwrap_err().remove(0).message;
            assert!(message.contains("nested too deeply"), "{open}: {message}");
        }
    }
}
