//! Parses operands: numbers, names, calls, indices and bracketed expressions.

use super::*;
use crate::syntax::operators;

impl Parser<'_> {
    /// An operand with calls, indices and members.
    pub(super) fn postfix(&mut self) -> Expr {
        let e = self.primary();
        self.calls(e)
    }

    fn calls(&mut self, mut e: Expr) -> Expr {
        let mut pieces = Vec::new();
        while !self.recovering {
            let token = self.peek();
            if matches!(token.kind, TokenKind::Sign(Sign::OpenParen | Sign::OpenBracket | Sign::Dot)) {
                e = self.cut(e, &mut pieces);
            }
            e = match token.kind {
                TokenKind::Sign(Sign::OpenParen) => self.call(e),
                TokenKind::Sign(Sign::OpenBracket) => self.index(e),
                TokenKind::Sign(Sign::OpenBrace) if self.rank_at(self.at, &e) => self.instantiate(e),
                TokenKind::Sign(Sign::Dot) => self.member(e),
                TokenKind::Sign(Sign::Apostrophe) if !self.context.quoted => {
                    self.report(messages::matlab_transpose(self.token_span(token)));
                    self.bump();
                    e
                }
                _ => break,
            };
        }
        self.chained(pieces, e)
    }

    #[inline(never)]
    fn call(&mut self, callee: Expr) -> Expr {
        let start = callee.span;
        let mut args = Vec::new();
        self.bracketed(true, |p| p.comma_list(Sign::CloseParen, |p| args.push(p.call_arg())));
        let span = self.since(start);
        self.node(span, ExprKind::Call { callee: Box::new(callee), args })
    }

    fn call_arg(&mut self) -> CallArg {
        if self.eat(Sign::Ellipsis) {
            return CallArg::Spread(self.expr());
        }
        if self.peek().kind == TokenKind::Ident && self.nth(1).kind == TokenKind::Sign(Sign::ColonEqual) {
            let name = self.name("a parameter");
            self.bump();
            return CallArg::Named(name, self.expr());
        }
        let e = self.expr();
        CallArg::Positional(self.after_element(e, true))
    }

    fn member(&mut self, base: Expr) -> Expr {
        let start = base.span;
        self.bump();
        let token = self.peek();
        let span = self.token_span(token);
        let member = match token.kind {
            TokenKind::Keyword(keyword) => {
                self.bump();
                Name { text: keyword.text().to_string(), span }
            }
            TokenKind::Sign(Sign::Plus | Sign::Minus) => {
                let point = self.token_span(self.tokens[self.at - 1]);
                let sign = self.token_text(token);
                self.fail(messages::dotted_sum(point.to(span), sign));
                return self.invalid(span);
            }
            _ => self.name("a field or method"),
        };
        let span = self.since(start);
        self.node(span, ExprKind::Member { base: Box::new(base), member })
    }

    #[inline(never)]
    fn index(&mut self, base: Expr) -> Expr {
        if self.instantiation_here(&base) {
            return self.instantiate(base);
        }
        let start = base.span;
        let mut indices = Vec::new();
        self.bracketed(true, |p| {
            p.comma_list(Sign::CloseBracket, |p| indices.push(p.index_arg()));
            if !p.recovering && indices.is_empty() {
                p.fail_expected("an index");
            }
        });
        let span = self.since(start);
        self.node(span, ExprKind::Index { base: Box::new(base), indices })
    }

    fn index_arg(&mut self) -> IndexArg {
        let span = self.here();
        if self.is(Sign::Colon) {
            self.bump();
            return IndexArg::All(span);
        }
        if self.eat(Sign::Ellipsis) {
            return IndexArg::Spread(self.expr());
        }
        let e = self.expr();
        if !self.recovering && self.is(Sign::Colon) {
            IndexArg::Expr(self.colon_range(e))
        } else {
            IndexArg::Expr(e)
        }
    }

    // Generic instantiation and types used as values.

    /// Whether `[..]` at the cursor contains type arguments: `(` follows, and the name or the contents indicate it.
    fn instantiation_here(&mut self, base: &Expr) -> bool {
        let called = self
            .after_matching(self.at)
            .is_some_and(|k| self.tokens[k].kind == TokenKind::Sign(Sign::OpenParen));
        let by_name = matches!(&base.kind, ExprKind::Name(name) if operators::takes_type_arguments(name));
        called && (by_name || self.type_argument_at(self.after(self.at)))
    }

    #[inline(never)]
    fn instantiate(&mut self, base: Expr) -> Expr {
        let start = base.span;
        let rank = self.rank();
        let args = if self.is(Sign::OpenBracket) { self.type_args() } else { Vec::new() };
        let span = self.since(start);
        self.node(span, ExprKind::Instantiate { base: Box::new(base), rank, args })
    }

    /// Whether `{4}`, `{N}` or `{:}` at the index belongs to the name before it.
    fn rank_at(&self, index: usize, base: &Expr) -> bool {
        let ExprKind::Name(name) = &base.kind else { return false };
        let token = self.tokens[index];
        (!token.space_before || operators::array_family(name)) && self.is_rank(index)
    }

    /// Whether the name at the cursor starts a type that cannot be an expression: with modifiers, with a rank or
    /// `vec[int]` without a call, or with `:` as a size.
    fn type_begins(&self, name: &str) -> bool {
        let sign = |k: usize| match self.tokens[k].kind {
            TokenKind::Sign(sign) => Some(sign),
            _ => None,
        };
        let modifier = |k: usize| {
            sign(k) == Some(Sign::Apostrophe)
                && !self.context.quoted
                && self.tokens[self.after(k)].kind == TokenKind::Ident
        };
        let mut k = self.after(self.at);
        let mut sure = false;
        if sign(k) == Some(Sign::OpenBrace)
            && (!self.tokens[k].space_before || operators::array_family(name))
            && self.is_rank(k)
        {
            sure = true;
            k = self.after(k + 2);
        }
        if sign(k) == Some(Sign::OpenBracket) {
            sure |= operators::array_family(name) && self.type_argument_at(self.after(k));
            match self.after_matching(k) {
                Some(after) => k = after,
                None => return false,
            }
        }
        if modifier(k) {
            return true;
        }
        if sign(k) != Some(Sign::OpenParen) {
            return sure;
        }
        let all = |&j: &usize| {
            let before = sign(self.before(j));
            let after = sign(self.after(j));
            sign(j) == Some(Sign::Colon)
                && matches!(before, Some(Sign::Comma | Sign::OpenParen))
                && matches!(after, Some(Sign::Comma | Sign::CloseParen))
        };
        self.inside(k).iter().any(all) || self.after_matching(k).is_some_and(modifier)
    }

    #[inline(never)]
    fn type_value(&mut self) -> Expr {
        let ty = self.type_expr();
        let span = ty.span;
        self.node(span, ExprKind::Type(Box::new(ty)))
    }

    // Operands.

    fn primary(&mut self) -> Expr {
        let token = self.peek();
        let span = self.token_span(token);
        let number = match token.kind {
            TokenKind::Int(value) => Number::Int(value),
            TokenKind::Float(value) => Number::Float(value),
            TokenKind::Imaginary(value) => Number::Imaginary(value),
            TokenKind::Ident => return self.name_or_type(token),
            TokenKind::Text => {
                self.bump();
                let text = unquote(self.token_text(token), self.options.rust_comments);
                return self.node(span, ExprKind::Text(text));
            }
            TokenKind::Meta => return self.meta(),
            TokenKind::Sign(sign) => return self.sign_primary(sign, span),
            TokenKind::Keyword(Keyword::Function) if self.function_as_type() => {
                return self.name_or_type(token);
            }
            TokenKind::Keyword(keyword) => {
                self.fail(messages::keyword_in_expression(span, keyword));
                return self.invalid(span);
            }
            TokenKind::Unknown => {
                self.recovering = true;
                return self.invalid(span);
            }
            TokenKind::Newline | TokenKind::End => {
                self.fail_expected("an expression");
                return self.invalid(span);
            }
        };
        self.bump();
        self.node(span, ExprKind::Number(number))
    }

    /// `function` is also the name of the type of all functions, as in `type(f, function)`.
    fn function_as_type(&mut self) -> bool {
        !self.brackets.is_empty()
            && matches!(
                self.nth(1).kind,
                TokenKind::Sign(Sign::Comma | Sign::CloseParen | Sign::CloseBracket)
            )
    }

    fn name_or_type(&mut self, token: Token) -> Expr {
        let text = self.token_text(token);
        if self.type_begins(text) {
            return self.type_value();
        }
        self.bump();
        self.node(self.token_span(token), ExprKind::Name(text.to_string()))
    }

    fn meta(&mut self) -> Expr {
        let token = self.bump();
        let start = self.token_span(token);
        let name = self.token_text(token).to_string();
        let mut selector = None;
        if name == "$args" && self.is(Sign::OpenBracket) {
            selector = Some(self.bracketed(false, |p| p.name("`in` or `out`")));
        }
        let span = self.since(start);
        self.node(span, ExprKind::Meta { name, selector })
    }

    fn sign_primary(&mut self, sign: Sign, span: Span) -> Expr {
        match sign {
            Sign::OpenParen => self.paren(),
            Sign::OpenBracket if self.bracket_is_type(self.at) => self.type_value(),
            Sign::OpenBracket => self.array(),
            Sign::OpenBrace => self.cell(),
            Sign::Backquote => self.legacy_cell(),
            Sign::Unspecified | Sign::Caret => self.type_value(),
            Sign::Underscore => {
                self.report(messages::placeholder(span));
                self.bump();
                self.invalid(span)
            }
            Sign::Apostrophe => {
                self.fail(messages::single_quotes(span));
                self.invalid(span)
            }
            Sign::Greater if self.follows_equal() => {
                let equal = self.token_span(self.tokens[self.at - 1]);
                self.fail(messages::fat_arrow(equal.to(span)));
                self.invalid(span)
            }
            _ => {
                self.fail_expected("an expression");
                self.invalid(span)
            }
        }
    }

    /// Whether `=` directly precedes the cursor, without white space.
    fn follows_equal(&self) -> bool {
        !self.tokens[self.at].space_before
            && self.previous().is_some_and(|token| token.kind == TokenKind::Sign(Sign::Equal))
    }

    fn element(&mut self) -> Element {
        if self.eat(Sign::Ellipsis) {
            return Element::Spread(self.expr());
        }
        let e = self.expr();
        Element::Expr(self.after_element(e, false))
    }

    #[inline(never)]
    fn array(&mut self) -> Expr {
        let start = self.here();
        let mut elements = Vec::new();
        self.bracketed(true, |p| p.comma_list(Sign::CloseBracket, |p| elements.push(p.element())));
        let span = self.since(start);
        self.node(span, ExprKind::Array(elements))
    }

    #[inline(never)]
    fn cell(&mut self) -> Expr {
        let start = self.here();
        let next = self.nth(1);
        if next.kind == TokenKind::Sign(Sign::Not) && next.start == start.end {
            self.fail(messages::attribute_in_expression(start.to(self.token_span(next))));
            return self.invalid(start);
        }
        let object = next.kind == TokenKind::Ident && self.nth(2).kind == TokenKind::Sign(Sign::ColonEqual);
        let mut elements = Vec::new();
        let mut fields = Vec::new();
        self.bracketed(true, |p| {
            p.comma_list(Sign::CloseBrace, |p| {
                if object { fields.push(p.object_field()) } else { elements.push(p.element()) }
            });
        });
        let span = self.since(start);
        self.node(span, if object { ExprKind::Object(fields) } else { ExprKind::Cell(elements) })
    }

    fn object_field(&mut self) -> (Name, Expr) {
        let name = self.name("a field");
        if !self.recovering {
            self.expect(Sign::ColonEqual);
        }
        let span = self.here();
        let value = if self.recovering { self.invalid(span) } else { self.expr() };
        (name, value)
    }

    /// `` `a, b' ``, an old spelling of `{a, b}`.
    #[inline(never)]
    fn legacy_cell(&mut self) -> Expr {
        let start = self.here();
        self.bump();
        let saved = std::mem::replace(&mut self.context, Context { quoted: true, ..Context::default() });
        let mut elements = Vec::new();
        if !self.is(Sign::Apostrophe) {
            self.comma_list(Sign::Acute, |p| elements.push(p.element()));
        }
        if !self.recovering && !self.eat(Sign::Apostrophe) && !self.eat(Sign::Acute) {
            self.fail_expected("`'`");
        }
        if !self.recovering {
            self.context = saved;
        }
        let span = self.since(start);
        self.node(span, ExprKind::Cell(elements))
    }

    // Looking ahead.

    /// The index of the token after `index`, ignoring line ends inside brackets.
    pub(super) fn after(&self, index: usize) -> usize {
        let mut k = (index + 1).min(self.tokens.len() - 1);
        while !self.brackets.is_empty() && self.tokens[k].kind == TokenKind::Newline {
            k += 1;
        }
        k
    }

    fn before(&self, index: usize) -> usize {
        let mut k = index.saturating_sub(1);
        while k > 0 && self.tokens[k].kind == TokenKind::Newline {
            k -= 1;
        }
        k
    }

    /// The index of the token after the bracket that closes the one at `index`.
    pub(super) fn after_matching(&self, index: usize) -> Option<usize> {
        self.matching[index].map(|k| self.after(k as usize))
    }

    /// The indices of the tokens directly inside the bracket at `index`; a nested bracket counts as its first token.
    pub(super) fn inside(&self, index: usize) -> Vec<usize> {
        let Some(end) = self.matching[index] else { return Vec::new() };
        let mut found = Vec::new();
        let mut k = index + 1;
        while k < end as usize {
            if self.tokens[k].kind != TokenKind::Newline {
                found.push(k);
            }
            k = self.matching[k].map_or(k, |m| m as usize) + 1;
        }
        found
    }
}

/// The content of a string literal; `escapes` says whether `\"` is a quote too (a backslash has no other meaning).
fn unquote(quoted: &str, escapes: bool) -> String {
    let inner = quoted.strip_prefix('"').unwrap_or(quoted);
    let mut rest = inner.strip_suffix('"').unwrap_or(inner);
    let mut text = String::with_capacity(rest.len());
    while let Some(c) = rest.chars().next() {
        let (taken, put) = if rest.starts_with("\"\"") || escapes && rest.starts_with("\\\"") {
            (2, "\"")
        } else if escapes && rest.starts_with("\\\\") {
            (2, "\\\\")
        } else {
            (c.len_utf8(), &rest[..c.len_utf8()])
        };
        text.push_str(put);
        rest = &rest[taken..];
    }
    text
}
