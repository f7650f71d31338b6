//! The small nodes of which types are built.

use swc_common::DUMMY_SP;
use swc_ecma_ast::{
    Bool, Ident, Number, Str, TsEntityName, TsKeywordType, TsKeywordTypeKind, TsLit, TsLitType,
    TsType, TsTypeAnn, TsTypeParamInstantiation, TsTypeRef,
};

use crate::ty::Literal;

pub(super) fn identifier(name: &str) -> Ident {
    Ident::new_no_ctxt(name.into(), DUMMY_SP)
}

pub(super) fn string(value: &str) -> Str {
    Str { span: DUMMY_SP, value: value.into(), raw: None }
}

pub(super) fn annotation(ty: TsType) -> Box<TsTypeAnn> {
    Box::new(TsTypeAnn { span: DUMMY_SP, type_ann: Box::new(ty) })
}

pub(super) fn keyword(kind: TsKeywordTypeKind) -> TsType {
    TsType::TsKeywordType(TsKeywordType { span: DUMMY_SP, kind })
}

pub(super) fn reference(name: &str, params: Vec<TsType>) -> TsType {
    let params: Vec<_> = params.into_iter().map(Box::new).collect();
    let type_params =
        (!params.is_empty()).then(|| Box::new(TsTypeParamInstantiation { span: DUMMY_SP, params }));
    TsType::TsTypeRef(TsTypeRef {
        span: DUMMY_SP,
        type_name: TsEntityName::Ident(identifier(name)),
        type_params,
    })
}

pub(super) fn literal_type(literal: &Literal) -> TsType {
    let lit = match literal {
        Literal::Boolean(value) => TsLit::Bool(Bool { span: DUMMY_SP, value: *value }),
        Literal::Number(bits) => {
            TsLit::Number(Number { span: DUMMY_SP, value: f64::from_bits(*bits), raw: None })
        }
        Literal::String(value) => TsLit::Str(string(value)),
    };
    TsType::TsLitType(TsLitType { span: DUMMY_SP, lit })
}
