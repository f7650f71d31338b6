//! `Type` to swc AST.
//!
//! Precedence is settled here, once: what TypeScript reads differently without parentheses gets
//! a parenthesized node of its own.

mod function;
mod node;

use swc_common::comments::{Comment, CommentKind, Comments, SingleThreadedComments};
use swc_common::{BytePos, DUMMY_SP, Span};
use swc_ecma_ast::{
    BindingIdent, Decl, ExportDecl, Expr, Lit, ModuleDecl, ModuleItem, Stmt, TsArrayType,
    TsFnParam, TsIndexSignature, TsInterfaceBody, TsInterfaceDecl, TsIntersectionType,
    TsKeywordTypeKind, TsOptionalType, TsParenthesizedType, TsPropertySignature, TsRestType,
    TsTupleElement, TsTupleType, TsType, TsTypeAliasDecl, TsTypeElement, TsTypeLit,
    TsUnionOrIntersectionType, TsUnionType,
};

pub(crate) use function::Signature;
use node::{annotation, identifier, keyword, literal_type, reference, string};

use crate::jsdoc::Doc;
use crate::name::is_plain_key;
use crate::print::Printer;
use crate::shared::names_in;
use crate::ty::{DefinitionId, Object, Others, Property, Tuple, Type};

/// What every object has without having it itself.
const INHERITED: &[&str] = &[
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Declarations with comments.
    Declaration,
    /// Declarations without comments.
    Signature,
    /// Exported functions with bodies, with comments.
    Stub,
}

/// Prints declarations; asks `names` what a definition is called.
pub(crate) struct Emit<'a> {
    names: &'a dyn Fn(DefinitionId) -> &'a str,
    style: Style,
    printer: &'a Printer,
    comments: SingleThreadedComments,
    /// Comments hang at positions, so each commented node gets one of its own.
    next_position: u32,
}

impl<'a> Emit<'a> {
    pub(crate) fn new(
        names: &'a dyn Fn(DefinitionId) -> &'a str,
        style: Style,
        printer: &'a Printer,
    ) -> Self {
        Self {
            names,
            style,
            printer,
            comments: SingleThreadedComments::default(),
            next_position: 1,
        }
    }

    /// `interface … { … }` for an object, `type … = …;` for anything else.
    pub(crate) fn definition(mut self, name: &str, ty: &Type, doc: &Doc) -> String {
        let outer = self.commented(doc);
        let span = if self.style == Style::Stub { DUMMY_SP } else { outer };
        let id = identifier(name);
        let declaration = match ty {
            Type::Object(object) => Decl::TsInterface(Box::new(TsInterfaceDecl {
                span,
                id,
                declare: false,
                type_params: None,
                extends: Vec::new(),
                body: TsInterfaceBody { span: DUMMY_SP, body: self.elements(object) },
            })),
            other => Decl::TsTypeAlias(Box::new(TsTypeAliasDecl {
                span,
                declare: false,
                id,
                type_params: None,
                type_ann: Box::new(self.ty(other)),
            })),
        };
        self.printer.print(&self.statement(declaration, outer), &self.comments)
    }

    /// A statement; a stub is exported, and the comment stands before `export`.
    fn statement(&self, decl: Decl, span: Span) -> ModuleItem {
        if self.style == Style::Stub {
            ModuleItem::ModuleDecl(ModuleDecl::ExportDecl(ExportDecl { span, decl }))
        } else {
            ModuleItem::Stmt(Stmt::Decl(decl))
        }
    }

    fn ty(&mut self, ty: &Type) -> TsType {
        match ty {
            Type::Unknown => keyword(TsKeywordTypeKind::TsUnknownKeyword),
            Type::Never => keyword(TsKeywordTypeKind::TsNeverKeyword),
            Type::Null => keyword(TsKeywordTypeKind::TsNullKeyword),
            Type::Boolean => keyword(TsKeywordTypeKind::TsBooleanKeyword),
            Type::Number => keyword(TsKeywordTypeKind::TsNumberKeyword),
            Type::String => keyword(TsKeywordTypeKind::TsStringKeyword),
            Type::Literal(literal) => literal_type(literal),
            Type::Array(item) => TsType::TsArrayType(TsArrayType {
                span: DUMMY_SP,
                elem_type: Box::new(self.operand(item)),
            }),
            Type::Tuple(tuple) => self.tuple(tuple),
            Type::Object(object) => self.object(object),
            Type::Union(members) => {
                let types = members.iter().map(|member| Box::new(self.ty(member))).collect();
                let union = TsUnionType { span: DUMMY_SP, types };
                TsType::TsUnionOrIntersectionType(TsUnionOrIntersectionType::TsUnionType(union))
            }
            Type::Intersection(members) => {
                let types = members.iter().map(|member| Box::new(self.operand(member))).collect();
                let both = TsIntersectionType { span: DUMMY_SP, types };
                TsType::TsUnionOrIntersectionType(TsUnionOrIntersectionType::TsIntersectionType(
                    both,
                ))
            }
            Type::Named(id) => reference((self.names)(*id), Vec::new()),
        }
    }

    /// A type where only one that binds tightly can stand: before `[]`, between `&`.
    fn operand(&mut self, ty: &Type) -> TsType {
        let inner = self.ty(ty);
        if matches!(ty, Type::Union(_) | Type::Intersection(_)) {
            let type_ann = Box::new(inner);
            TsType::TsParenthesizedType(TsParenthesizedType { span: DUMMY_SP, type_ann })
        } else {
            inner
        }
    }

    fn tuple(&mut self, tuple: &Tuple) -> TsType {
        let mut elements = Vec::new();
        for (at, item) in tuple.items.iter().enumerate() {
            elements.push(if at < tuple.required {
                self.ty(item)
            } else {
                let type_ann = Box::new(self.operand(item));
                TsType::TsOptionalType(TsOptionalType { span: DUMMY_SP, type_ann })
            });
        }
        if let Some(rest) = &tuple.rest {
            let elem_type = Box::new(self.operand(rest));
            let array = TsType::TsArrayType(TsArrayType { span: DUMMY_SP, elem_type });
            let type_ann = Box::new(array);
            elements.push(TsType::TsRestType(TsRestType { span: DUMMY_SP, type_ann }));
        }
        let elem_types = elements
            .into_iter()
            .map(|ty| TsTupleElement { span: DUMMY_SP, label: None, ty: Box::new(ty) })
            .collect();
        TsType::TsTupleType(TsTupleType { span: DUMMY_SP, elem_types })
    }

    fn object(&mut self, object: &Object) -> TsType {
        if object.properties.is_empty() {
            let value = match &object.others {
                Others::Nothing => Some(TsKeywordTypeKind::TsNeverKeyword),
                Others::Each(ty) if **ty != Type::Unknown => None,
                _ => Some(TsKeywordTypeKind::TsUnknownKeyword),
            };
            if let Some(value) = value {
                let key = keyword(TsKeywordTypeKind::TsStringKeyword);
                return reference("Record", vec![key, keyword(value)]);
            }
            // Behind an alias such as `Record` a type must not name itself.
            if let Others::Each(ty) = &object.others
                && names_in(&[ty]).is_empty()
            {
                let key = keyword(TsKeywordTypeKind::TsStringKeyword);
                return reference("Record", vec![key, self.ty(ty)]);
            }
        }
        TsType::TsTypeLit(TsTypeLit { span: DUMMY_SP, members: self.elements(object) })
    }

    fn elements(&mut self, object: &Object) -> Vec<TsTypeElement> {
        let mut elements: Vec<TsTypeElement> =
            object.properties.iter().map(|property| self.property(property)).collect();
        if let Others::Each(ty) = &object.others {
            elements.push(self.index_signature(&object.properties, ty));
        }
        elements
    }

    fn property(&mut self, property: &Property) -> TsTypeElement {
        let span = self.commented(&property.doc);
        // An object without such a property inherits one, and TypeScript compares that.
        let inherited = property.optional && INHERITED.contains(&property.name.as_str());
        let ty = if inherited { &Type::Unknown } else { &property.ty };
        let key = if is_plain_key(&property.name) {
            Expr::Ident(identifier(&property.name))
        } else {
            Expr::Lit(Lit::Str(string(&property.name)))
        };
        TsTypeElement::TsPropertySignature(TsPropertySignature {
            span,
            readonly: false,
            key: Box::new(key),
            computed: false,
            optional: property.optional,
            type_ann: Some(annotation(self.ty(ty))),
        })
    }

    /// TypeScript wants every property to be assignable to the index signature, so its type is
    /// wider than what the schema allows under other names.
    fn index_signature(&mut self, properties: &[Property], others: &Type) -> TsTypeElement {
        let named = properties.iter().map(|property| {
            let inherited = property.optional && INHERITED.contains(&property.name.as_str());
            if inherited { Type::Unknown } else { property.ty.clone() }
        });
        let value = Type::union(std::iter::once(others.clone()).chain(named));
        let mut ty = self.ty(&value);
        let missing = properties.iter().any(|property| property.optional);
        if missing && value != Type::Unknown {
            let undefined = keyword(TsKeywordTypeKind::TsUndefinedKeyword);
            let types = match ty {
                TsType::TsUnionOrIntersectionType(TsUnionOrIntersectionType::TsUnionType(
                    mut union,
                )) => {
                    union.types.push(Box::new(undefined));
                    union.types
                }
                other => vec![Box::new(other), Box::new(undefined)],
            };
            let union = TsUnionType { span: DUMMY_SP, types };
            ty = TsType::TsUnionOrIntersectionType(TsUnionOrIntersectionType::TsUnionType(union));
        }
        let key = BindingIdent {
            id: identifier("key"),
            type_ann: Some(annotation(keyword(TsKeywordTypeKind::TsStringKeyword))),
        };
        TsTypeElement::TsIndexSignature(TsIndexSignature {
            params: vec![TsFnParam::Ident(key)],
            type_ann: Some(annotation(ty)),
            readonly: false,
            is_static: false,
            span: DUMMY_SP,
        })
    }

    /// A span at which the comment for `doc` hangs; none if there is nothing to say.
    fn commented(&mut self, doc: &Doc) -> Span {
        let text = if self.style == Style::Signature { None } else { doc.comment() };
        let Some(text) = text else { return DUMMY_SP };
        // Wide enough apart that the end of one node is not the start of another.
        let low = BytePos(self.next_position);
        self.next_position += 4;
        let comment =
            Comment { kind: CommentKind::Block, span: DUMMY_SP, text: text.as_str().into() };
        self.comments.add_leading(low, comment);
        Span::new(low, BytePos(low.0 + 2))
    }
}
