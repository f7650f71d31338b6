//! Generated text, read back by a parser that did not write it.

use swc_common::sync::Lrc;
use swc_common::{FileName, SourceMap};
use swc_ecma_ast::{Decl, EsVersion, Module, ModuleItem, Stmt};
use swc_ecma_parser::{Syntax, TsSyntax, parse_file_as_module};

/// Parses TypeScript; panics where it does not parse.
pub(crate) fn parse(text: &str) -> Module {
    let map: Lrc<SourceMap> = Lrc::default();
    let file = map.new_source_file(Lrc::new(FileName::Anon), text.to_owned());
    let syntax = Syntax::Typescript(TsSyntax::default());
    let mut recovered = Vec::new();
    let module = parse_file_as_module(&file, syntax, EsVersion::EsNext, None, &mut recovered);
    let module = module.unwrap_or_else(|error| panic!("{error:?} in:\n{text}"));
    assert!(recovered.is_empty(), "{recovered:?} in:\n{text}");
    module
}

/// The names that the statements declare, in order; panics on any other statement.
pub(crate) fn declared_names(text: &str) -> Vec<String> {
    let name = |item: ModuleItem| match item {
        ModuleItem::Stmt(Stmt::Decl(Decl::Fn(function))) => function.ident.sym.to_string(),
        ModuleItem::Stmt(Stmt::Decl(Decl::TsInterface(interface))) => interface.id.sym.to_string(),
        ModuleItem::Stmt(Stmt::Decl(Decl::TsTypeAlias(alias))) => alias.id.sym.to_string(),
        other => panic!("unexpected statement: {other:?} in:\n{text}"),
    };
    parse(text).body.into_iter().map(name).collect()
}
