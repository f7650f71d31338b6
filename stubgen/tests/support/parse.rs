//! Generated text, read back by a parser that did not write it.

use swc_common::sync::Lrc;
use swc_common::{FileName, SourceMap};
use swc_ecma_ast::{
    BindingIdent, Decl, EsVersion, Module, ModuleItem, Pat, Stmt, TsLit, TsType, TsTypeElement,
    TsUnionOrIntersectionType,
};
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

/// All string literals that stand in the types, with their escapes resolved.
pub(crate) fn strings_in_types(text: &str) -> Vec<String> {
    let mut strings = Vec::new();
    for item in parse(text).body {
        match item {
            ModuleItem::Stmt(Stmt::Decl(Decl::Fn(function))) => {
                for param in function.function.params {
                    if let Pat::Ident(BindingIdent { type_ann: Some(ty), .. }) = param.pat {
                        strings_in(&ty.type_ann, &mut strings);
                    }
                }
                if let Some(ty) = function.function.return_type {
                    strings_in(&ty.type_ann, &mut strings);
                }
            }
            ModuleItem::Stmt(Stmt::Decl(Decl::TsInterface(interface))) => {
                strings_in_members(&interface.body.body, &mut strings);
            }
            ModuleItem::Stmt(Stmt::Decl(Decl::TsTypeAlias(alias))) => {
                strings_in(&alias.type_ann, &mut strings);
            }
            other => panic!("unexpected statement: {other:?}"),
        }
    }
    strings
}

fn strings_in(ty: &TsType, strings: &mut Vec<String>) {
    match ty {
        TsType::TsLitType(literal) => {
            if let TsLit::Str(string) = &literal.lit {
                strings.push(string.value.to_string_lossy().into_owned());
            }
        }
        TsType::TsTypeLit(object) => strings_in_members(&object.members, strings),
        TsType::TsArrayType(array) => strings_in(&array.elem_type, strings),
        TsType::TsParenthesizedType(inner) => strings_in(&inner.type_ann, strings),
        TsType::TsUnionOrIntersectionType(TsUnionOrIntersectionType::TsUnionType(union)) => {
            union.types.iter().for_each(|ty| strings_in(ty, strings));
        }
        TsType::TsTypeRef(reference) => {
            let params = reference.type_params.iter().flat_map(|params| &params.params);
            params.for_each(|ty| strings_in(ty, strings));
        }
        _ => {}
    }
}

fn strings_in_members(members: &[TsTypeElement], strings: &mut Vec<String>) {
    for member in members {
        let ty = match member {
            TsTypeElement::TsPropertySignature(property) => &property.type_ann,
            TsTypeElement::TsIndexSignature(index) => &index.type_ann,
            other => panic!("unexpected member: {other:?}"),
        };
        if let Some(ty) = ty {
            strings_in(&ty.type_ann, strings);
        }
    }
}
