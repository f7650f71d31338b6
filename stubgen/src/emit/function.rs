//! The functions: declared, or as stubs with bodies.

use swc_common::{DUMMY_SP, SyntaxContext};
use swc_ecma_ast::{
    BindingIdent, CallExpr, Callee, Decl, Expr, ExprOrSpread, FnDecl, Function, FunctionBody, Lit,
    MemberExpr, MemberProp, Param, Pat, ReturnStmt, Stmt, TsType, TsTypeLit,
    TsTypeParamInstantiation,
};

use super::node::{annotation, identifier, reference, string};
use super::{Emit, Style};
use crate::jsdoc::Doc;
use crate::ty::Type;

/// The signature of one tool's function.
pub(crate) struct Signature<'a> {
    pub(crate) identifier: &'a str,
    pub(crate) input: &'a Type,
    /// The input may be left out.
    pub(crate) optional: bool,
    /// What the promise holds; none for a `ToolResult`.
    pub(crate) output: Option<&'a Type>,
}

impl Emit<'_> {
    /// `declare function …;`, or `export async function … { … }`.
    pub(crate) fn function(mut self, signature: &Signature<'_>, doc: &Doc) -> String {
        let span = self.commented(doc);
        let mut function = self.signature(signature);
        if self.style == Style::Stub {
            function.is_async = true;
            function.body = Some(self.body(signature));
        } else {
            function.span = span;
        }
        let declaration = FnDecl {
            ident: identifier(signature.identifier),
            declare: self.style != Style::Stub,
            function: Box::new(function),
        };
        self.printer.print(&self.statement(Decl::Fn(declaration), span), &self.comments)
    }

    /// `{ return mcp.callTool<…>("…", input); }`
    fn body(&mut self, signature: &Signature<'_>) -> FunctionBody {
        let callee = MemberExpr {
            span: DUMMY_SP,
            obj: Box::new(Expr::Ident(identifier("mcp"))),
            prop: MemberProp::Ident("callTool".into()),
        };
        let name = Expr::Lit(Lit::Str(string(signature.identifier)));
        let args = [name, Expr::Ident(identifier("input"))];
        let args = args.map(|expr| ExprOrSpread { spread: None, expr: Box::new(expr) });
        let output = Box::new(self.output(signature));
        let call = CallExpr {
            span: DUMMY_SP,
            ctxt: SyntaxContext::empty(),
            callee: Callee::Expr(Box::new(Expr::Member(callee))),
            args: args.into(),
            type_args: Some(Box::new(TsTypeParamInstantiation {
                span: DUMMY_SP,
                params: vec![output],
            })),
        };
        let arg = Some(Box::new(Expr::Call(call)));
        FunctionBody {
            span: DUMMY_SP,
            stmts: vec![Stmt::Return(ReturnStmt { span: DUMMY_SP, arg })],
        }
    }

    fn output(&mut self, signature: &Signature<'_>) -> TsType {
        match signature.output {
            Some(ty) => self.ty(ty),
            None => reference("ToolResult", Vec::new()),
        }
    }

    fn signature(&mut self, signature: &Signature<'_>) -> Function {
        let mut id = identifier("input");
        id.optional = signature.optional;
        let ty = if *signature.input == Type::any_object() {
            // Nothing is known that could be passed: `{}` says so in the fewest tokens.
            TsType::TsTypeLit(TsTypeLit { span: DUMMY_SP, members: Vec::new() })
        } else {
            self.ty(signature.input)
        };
        let input = BindingIdent { id, type_ann: Some(annotation(ty)) };
        let output = self.output(signature);
        Function {
            params: vec![Param { span: DUMMY_SP, decorators: Vec::new(), pat: Pat::Ident(input) }],
            decorators: Vec::new(),
            span: DUMMY_SP,
            ctxt: SyntaxContext::empty(),
            body: None,
            is_generator: false,
            is_async: false,
            type_params: None,
            return_type: Some(annotation(reference("Promise", vec![output]))),
            this_param: None,
        }
    }
}
