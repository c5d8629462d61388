//! Parses types, annotations and type arguments.

use super::*;
use crate::syntax::operators;
use crate::syntax::walk::for_each_type_child;

impl Parser<'_> {
    /// A type with its modifiers.
    pub(super) fn type_expr(&mut self) -> TypeExpr {
        self.deeper(|p, span| p.invalid_type(span), |p| p.type_here())
    }

    fn invalid_type(&mut self, span: Span) -> TypeExpr {
        TypeExpr { id: self.fresh(), span, kind: TypeExprKind::Invalid, modifiers: Vec::new() }
    }

    fn type_node(&mut self, start: Span, kind: TypeExprKind, modifiers: Vec<Modifier>) -> TypeExpr {
        let ty = TypeExpr { id: self.fresh(), span: self.since(start), kind, modifiers };
        let mut height = 0;
        for_each_type_child(&ty, &mut |node| {
            height = height.max(match node {
                Node::Expr(e) => self.height(e.id),
                Node::Type(t) => self.height(t.id),
            });
        });
        self.set_height(ty.id, height + 1);
        ty
    }

    fn type_here(&mut self) -> TypeExpr {
        let token = self.peek();
        let start = self.token_span(token);
        let kind = match token.kind {
            TokenKind::Sign(Sign::Unspecified) => {
                self.bump();
                TypeExprKind::Unspecified
            }
            TokenKind::Sign(Sign::Caret) => {
                self.bump();
                TypeExprKind::Pointer(Box::new(self.type_expr()))
            }
            TokenKind::Sign(Sign::OpenBracket) => self.bracketed(false, |p| p.alternatives()),
            TokenKind::Ident | TokenKind::Keyword(Keyword::Function) => return self.named_type(),
            _ => {
                self.fail_expected("a type");
                return self.invalid_type(start);
            }
        };
        let modifiers = self.modifiers();
        self.type_node(start, kind, modifiers)
    }

    fn named_type(&mut self) -> TypeExpr {
        let token = self.bump();
        let span = self.token_span(token);
        let name = Name { text: self.token_text(token).to_string(), span };
        let rank = self.rank();
        let open = self.here();
        let args = if self.is(Sign::OpenBracket) && !self.recovering { self.type_args() } else { Vec::new() };
        if args.is_empty()
            && !self.recovering
            && self.previous().is_some_and(|t| t.kind == TokenKind::Sign(Sign::CloseBracket))
        {
            self.report(messages::array_of(open, &name.text));
        }
        let mut modifiers = self.modifiers();
        let mut sizes = Vec::new();
        if !self.recovering && self.is(Sign::OpenParen) {
            self.bracketed(true, |p| p.comma_list(Sign::CloseParen, |p| sizes.push(p.size())));
            modifiers.extend(self.modifiers());
        }
        self.type_node(span, TypeExprKind::Named { name, rank, args, sizes }, modifiers)
    }

    fn size(&mut self) -> SizeExpr {
        if self.eat(Sign::Colon) { SizeExpr::Any } else { SizeExpr::Expr(self.expr()) }
    }

    pub(super) fn is_rank(&self, index: usize) -> bool {
        let (inner, close) = (index + 1, index + 2);
        let of = |k: usize| self.tokens.get(k).map(|t| t.kind);
        of(index) == Some(TokenKind::Sign(Sign::OpenBrace))
            && matches!(of(inner), Some(TokenKind::Int(_) | TokenKind::Ident | TokenKind::Sign(Sign::Colon)))
            && of(close) == Some(TokenKind::Sign(Sign::CloseBrace))
    }

    /// `{4}`, `{N}` or `{:}`, if present.
    pub(super) fn rank(&mut self) -> Option<RankExpr> {
        self.peek();
        if self.recovering || !self.is_rank(self.at) {
            return None;
        }
        self.bump();
        let token = self.bump();
        self.bump();
        Some(match token.kind {
            TokenKind::Int(value) => RankExpr::Number(u32::try_from(value).unwrap_or(u32::MAX)),
            TokenKind::Ident => RankExpr::Param(Name {
                text: self.token_text(token).to_string(),
                span: self.token_span(token),
            }),
            _ => RankExpr::Any,
        })
    }

    // Modifiers and annotations.

    fn modifiers(&mut self) -> Vec<Modifier> {
        let mut modifiers = Vec::new();
        while !self.recovering && self.is(Sign::Apostrophe) && !self.context.quoted {
            self.bump();
            let name = self.name("the name of a modifier, such as `const`");
            let mut args = Vec::new();
            if ["hwtex_nearest", "hwtex_linear"].contains(&name.text.as_str()) && self.is(Sign::OpenParen) {
                self.bracketed(true, |p| p.comma_list(Sign::CloseParen, |p| args.push(p.expr())));
            }
            modifiers.push(Modifier { name, args });
        }
        modifiers
    }

    /// Parses an annotation after its `:`.
    pub(super) fn annotation(&mut self) -> Annotation {
        let start = self.here();
        if self.is(Sign::Apostrophe) {
            let modifiers = self.modifiers();
            return Annotation { ty: None, modifiers, span: self.since(start) };
        }
        let ty = self.type_expr();
        Annotation { span: ty.span, ty: Some(ty), modifiers: Vec::new() }
    }

    /// `: annotation`, if present.
    pub(super) fn optional_annotation(&mut self) -> Option<Annotation> {
        (!self.recovering && self.eat(Sign::Colon)).then(|| self.annotation())
    }

    // Type arguments.

    pub(super) fn type_args(&mut self) -> Vec<TypeArg> {
        let mut args = Vec::new();
        self.bracketed(true, |p| p.comma_list(Sign::CloseBracket, |p| args.push(p.type_arg())));
        args
    }

    fn type_arg(&mut self) -> TypeArg {
        if self.is(Sign::OpenBrace) {
            return self.deeper(
                |_, _| TypeArg::Tuple(Vec::new()),
                |p| {
                    let mut args = Vec::new();
                    p.bracketed(true, |p| p.comma_list(Sign::CloseBrace, |p| args.push(p.type_arg())));
                    TypeArg::Tuple(args)
                },
            );
        }
        let is_type = match self.peek().kind {
            TokenKind::Sign(Sign::Unspecified | Sign::Caret | Sign::OpenBracket) => true,
            TokenKind::Keyword(Keyword::Function) => true,
            TokenKind::Keyword(Keyword::Device | Keyword::Kernel | Keyword::Host) => true,
            TokenKind::Sign(Sign::OpenParen) => self
                .after_matching(self.at)
                .is_some_and(|k| self.tokens[k].kind == TokenKind::Sign(Sign::Arrow)),
            TokenKind::Ident => matches!(
                self.tokens[self.type_extent(self.at)].kind,
                TokenKind::Sign(Sign::Comma | Sign::CloseBracket | Sign::CloseBrace | Sign::Arrow)
            ),
            _ => false,
        };
        if is_type { TypeArg::Type(self.function_or_type()) } else { TypeArg::Const(self.expr()) }
    }

    /// A type argument, of which a function type needs no brackets of its own: `vec[int -> int]`.
    fn function_or_type(&mut self) -> TypeExpr {
        let start = self.here();
        let kind = match self.peek().kind {
            TokenKind::Keyword(Keyword::Device | Keyword::Kernel | Keyword::Host)
            | TokenKind::Sign(Sign::OpenParen) => self.function_type(),
            _ => {
                let first = self.type_expr();
                if self.recovering || !self.is(Sign::Arrow) {
                    return first;
                }
                self.function_results(FunctionKind::Host, vec![(false, first)])
            }
        };
        self.type_node(start, kind, Vec::new())
    }

    /// The index after everything that can belong to the type whose name is at the index.
    fn type_extent(&self, name: usize) -> usize {
        let is = |k: usize, sign: Sign| self.tokens[k].kind == TokenKind::Sign(sign);
        let modifiers = |mut k: usize| {
            while is(k, Sign::Apostrophe) {
                k = self.after(self.after(k));
            }
            k
        };
        let mut k = self.after(name);
        if self.is_rank(k) {
            k = self.after(k + 2);
        }
        if is(k, Sign::OpenBracket) {
            k = self.after_matching(k).unwrap_or(k);
        }
        k = modifiers(k);
        if is(k, Sign::OpenParen) {
            k = self.after_matching(k).unwrap_or(k);
        }
        modifiers(k)
    }

    /// Whether the tokens at the index, the first inside brackets, can only be type arguments.
    pub(super) fn type_argument_at(&self, index: usize) -> bool {
        let mut k = index;
        while self.tokens[k].kind == TokenKind::Sign(Sign::OpenBrace) {
            k = self.after(k);
        }
        let token = self.tokens[k];
        match token.kind {
            TokenKind::Sign(Sign::Unspecified | Sign::Caret) => true,
            TokenKind::Sign(Sign::OpenBracket) => self.bracket_is_type(k),
            TokenKind::Ident => {
                operators::is_type_name(self.token_text(token))
                    && matches!(
                        self.tokens[self.type_extent(k)].kind,
                        TokenKind::Sign(Sign::Comma | Sign::CloseBracket | Sign::CloseBrace | Sign::Arrow)
                    )
                    && self.tokens[self.after(k)].kind != TokenKind::Sign(Sign::OpenParen)
            }
            _ => false,
        }
    }

    // Type classes and function types.

    /// Whether `[` at the index starts a type class `[A|B]`, or a function type of known types.
    pub(super) fn bracket_is_type(&self, index: usize) -> bool {
        let inside = self.inside(index);
        let sign = |k: usize, sign: Sign| self.tokens[k].kind == TokenKind::Sign(sign);
        if inside.iter().any(|&k| sign(k, Sign::Or)) {
            return true;
        }
        let Some(arrow) = inside.iter().position(|&k| sign(k, Sign::Arrow)) else { return false };
        let begins = |k: Option<&usize>| k.is_some_and(|&k| self.known_type_at(k));
        let first = inside.iter().position(|&k| !matches!(self.tokens[k].kind, TokenKind::Keyword(_)));
        begins(first.map(|f| &inside[f])) || begins(inside.get(arrow + 1))
    }

    /// Whether the token starts a type with a predefined name, ignoring parentheses and `...`.
    fn known_type_at(&self, index: usize) -> bool {
        let mut k = index;
        while matches!(self.tokens[k].kind, TokenKind::Sign(Sign::OpenParen | Sign::Ellipsis)) {
            k += 1;
        }
        let token = self.tokens[k];
        match token.kind {
            TokenKind::Sign(Sign::Unspecified | Sign::Caret) => true,
            TokenKind::Sign(Sign::CloseParen) => {
                self.tokens[k + 1].kind == TokenKind::Sign(Sign::CloseBracket)
            }
            TokenKind::Ident => {
                operators::is_type_name(self.token_text(token))
                    && matches!(
                        self.tokens[self.type_extent(k)].kind,
                        TokenKind::Sign(Sign::Comma | Sign::CloseBracket | Sign::CloseParen | Sign::Arrow)
                    )
            }
            _ => false,
        }
    }

    fn alternatives(&mut self) -> TypeExprKind {
        let function = matches!(
            self.peek().kind,
            TokenKind::Keyword(Keyword::Device | Keyword::Kernel | Keyword::Host)
                | TokenKind::Sign(Sign::OpenParen | Sign::Ellipsis)
        );
        if function {
            return self.function_type();
        }
        let first = self.type_expr();
        if !self.recovering && self.is(Sign::Arrow) {
            return self.function_results(FunctionKind::Host, vec![(false, first)]);
        }
        let mut all = vec![first];
        while !self.recovering && self.eat(Sign::Or) {
            all.push(self.type_expr());
        }
        TypeExprKind::Union(all)
    }

    /// `[kind] arguments -> results`.
    fn function_type(&mut self) -> TypeExprKind {
        let kind = self.function_kind().unwrap_or(FunctionKind::Host);
        let params = if self.is(Sign::OpenParen) {
            self.function_type_list()
        } else {
            vec![self.function_type_param()]
        };
        self.function_results(kind, params)
    }

    fn function_type_list(&mut self) -> Vec<(bool, TypeExpr)> {
        let mut params = Vec::new();
        self.bracketed(true, |p| p.comma_list(Sign::CloseParen, |p| params.push(p.function_type_param())));
        params
    }

    fn function_type_param(&mut self) -> (bool, TypeExpr) {
        (self.eat(Sign::Ellipsis), self.type_expr())
    }

    fn function_results(&mut self, kind: FunctionKind, params: Vec<(bool, TypeExpr)>) -> TypeExprKind {
        let results = self.deeper(
            |_, _| Vec::new(),
            |p| {
                if p.recovering || !p.expect(Sign::Arrow) {
                    return Vec::new();
                }
                p.function_result_list()
            },
        );
        TypeExprKind::Function { kind, params, results }
    }

    fn function_result_list(&mut self) -> Vec<TypeExpr> {
        let start = self.here();
        let token = self.peek();
        let nested = match token.kind {
            TokenKind::Keyword(_) | TokenKind::Sign(Sign::Ellipsis) => self.function_type(),
            TokenKind::Sign(Sign::OpenParen) => {
                let list = self.function_type_list();
                if self.recovering || !self.is(Sign::Arrow) {
                    return list.into_iter().map(|(_, ty)| ty).collect();
                }
                self.function_results(FunctionKind::Host, list)
            }
            _ => {
                let ty = self.type_expr();
                if self.recovering || !self.is(Sign::Arrow) {
                    return vec![ty];
                }
                self.function_results(FunctionKind::Host, vec![(false, ty)])
            }
        };
        vec![self.type_node(start, nested, Vec::new())]
    }
}
