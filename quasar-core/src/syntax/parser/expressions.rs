//! Parses expressions: lambdas, assignments and operators by precedence.

use super::*;
use crate::syntax::operators::{self, Level};

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expr(&mut self) -> Expr {
        self.deeper(|p, span| p.invalid(span), |p| p.expr_here())
    }

    fn expr_here(&mut self) -> Expr {
        if !self.context.no_lambda && self.lambda_begins() {
            return self.lambda();
        }
        if let Some(sign) = self.list_assignment() {
            return self.multiple_assignment(sign);
        }
        let lhs = self.binary(Level::Ternary);
        if self.recovering {
            return lhs;
        }
        match self.peek().kind {
            TokenKind::Sign(sign) if operators::assignment(sign).is_some() => self.assignment(lhs, None),
            _ => lhs,
        }
    }

    // Lambdas.

    pub(super) fn lambda_begins(&mut self) -> bool {
        let token = self.peek();
        match token.kind {
            TokenKind::Keyword(Keyword::Device | Keyword::Kernel) => true,
            TokenKind::Ident => self.nth(1).kind == TokenKind::Sign(Sign::Arrow),
            TokenKind::Sign(Sign::OpenParen) => self
                .after_matching(self.at)
                .is_some_and(|k| self.tokens[k].kind == TokenKind::Sign(Sign::Arrow)),
            _ => false,
        }
    }

    #[inline(never)]
    fn lambda(&mut self) -> Expr {
        let start = self.here();
        let kind = self.function_kind().unwrap_or(FunctionKind::Host);
        let bare = !self.is(Sign::OpenParen);
        let params = if bare { vec![self.bare_param()] } else { self.params() };
        self.lambda_body(start, kind, params, bare)
    }

    fn bare_param(&mut self) -> Param {
        let id = self.fresh();
        let name = self.name("a parameter");
        Param { id, variadic: false, name, annotation: None, default: None }
    }

    fn lambda_body(&mut self, start: Span, kind: FunctionKind, params: Vec<Param>, bare: bool) -> Expr {
        if !self.expect(Sign::Arrow) {
            return self.invalid(start);
        }
        self.join_line();
        let body = self.expr();
        let span = self.since(start);
        self.node(span, ExprKind::Lambda(Box::new(Lambda { kind, params, bare, body })))
    }

    /// `x : T -> body` after `x : T` inside brackets.
    fn typed_lambda(&mut self, parameter: Expr, ty: TypeExpr) -> Expr {
        let ExprKind::Name(text) = parameter.kind else {
            self.fail_expected("`)`");
            return parameter;
        };
        let name = Name { text, span: parameter.span };
        let annotation = Annotation { span: ty.span, ty: Some(ty), modifiers: Vec::new() };
        let param =
            Param { id: parameter.id, variadic: false, name, annotation: Some(annotation), default: None };
        self.lambda_body(parameter.span, FunctionKind::Host, vec![param], false)
    }

    // Assignments.

    /// The assignment sign after `[..]`, when the cursor is at a list of targets.
    fn list_assignment(&mut self) -> Option<Sign> {
        if !self.is(Sign::OpenBracket) {
            return None;
        }
        let after = self.after_matching(self.at)?;
        match self.tokens[after].kind {
            TokenKind::Sign(sign) if operators::assignment(sign).is_some() => Some(sign),
            _ => None,
        }
    }

    #[inline(never)]
    fn multiple_assignment(&mut self, sign: Sign) -> Expr {
        let start = self.here();
        let mut places = Vec::new();
        self.bracketed(true, |p| p.comma_list(Sign::CloseBracket, |p| places.push(p.multiple_target())));
        let span = self.since(start);
        if self.recovering {
            return self.invalid(span);
        }
        let sign_span = self.here();
        if sign != Sign::Equal {
            self.report(messages::compound_multiple(sign_span, sign.text()));
        }
        self.finish_assignment(start, Target::Multiple { span, places }, None)
    }

    fn multiple_target(&mut self) -> Option<(Expr, Option<Annotation>)> {
        if self.eat(Sign::Underscore) {
            return None;
        }
        let place = self.binary(Level::Postfix);
        self.check_target(&place);
        let annotation = self.eat(Sign::Colon).then(|| self.annotation());
        Some((place, annotation))
    }

    /// `place = value` with the cursor at the sign.
    pub(super) fn assignment(&mut self, place: Expr, annotation: Option<Annotation>) -> Expr {
        let start = place.span;
        self.check_target(&place);
        let op = match self.peek().kind {
            TokenKind::Sign(sign) => operators::assignment(sign).flatten(),
            _ => None,
        };
        self.finish_assignment(start, Target::Place { place, annotation }, op)
    }

    fn finish_assignment(&mut self, start: Span, target: Target, op: Option<AssignOp>) -> Expr {
        self.bump();
        self.join_line();
        let mut value = self.expr();
        if self.is(Sign::Colon) && !self.context.ternary && is_numeric(&value) {
            value = self.colon_range(value);
        }
        let span = self.since(start);
        self.node(span, ExprKind::Assign { target: Box::new(target), op, value: Box::new(value) })
    }

    fn check_target(&mut self, place: &Expr) {
        let span = place.span;
        let message = match &place.kind {
            ExprKind::Name(name) if RESERVED.contains(&name.as_str()) => messages::reserved_name(span, name),
            ExprKind::Name(_) | ExprKind::Index { .. } | ExprKind::Member { .. } | ExprKind::Invalid => {
                return;
            }
            ExprKind::Meta { name, .. } => messages::meta_assigned(span, name),
            ExprKind::Call { callee, .. } => match &callee.kind {
                ExprKind::Name(name) => messages::call_assigned(span, name),
                _ => messages::call_assigned(span, "x"),
            },
            ExprKind::Number(_) | ExprKind::Text(_) => messages::not_assignable(span, "a constant"),
            ExprKind::Type(_) => messages::not_assignable(span, "a type"),
            _ => messages::not_assignable(span, "this expression"),
        };
        self.report(message);
    }

    // Operators.

    /// Parses operators that bind at least as tightly as `min`.
    pub(super) fn binary(&mut self, min: Level) -> Expr {
        // The operand is parsed first, so that continuations of it need no stack.
        let lhs = if min == Level::Postfix { self.postfix() } else { self.unary() };
        self.operators(lhs, min)
    }

    fn operators(&mut self, mut lhs: Expr, min: Level) -> Expr {
        let mut pieces = Vec::new();
        while !self.recovering {
            let next = match self.infix_here(&lhs) {
                Some((op, level, width)) if level >= min => {
                    let lhs = self.cut(lhs, &mut pieces);
                    self.infix(lhs, op, level, width)
                }
                Some(_) => break,
                None if self.is(Sign::DotDot)
                    && Level::Range >= min
                    && !matches!(lhs.kind, ExprKind::Range { .. }) =>
                {
                    let lhs = self.chained(std::mem::take(&mut pieces), lhs);
                    self.range(lhs)
                }
                None if self.is(Sign::Question) && min <= Level::Ternary => {
                    let lhs = self.chained(pieces, lhs);
                    return self.ternary(lhs);
                }
                None => break,
            };
            lhs = next;
        }
        self.chained(pieces, lhs)
    }

    /// Before another operator or call after an expression: if the expression is high already, it becomes a piece of a
    /// chain, and its value is carried on.
    pub(super) fn cut(&mut self, e: Expr, pieces: &mut Vec<Expr>) -> Expr {
        let grown =
            matches!(e.kind, ExprKind::Infix { .. } | ExprKind::Prefix { .. } | ExprKind::Call { .. });
        if !grown || self.height(e.id) < MAX_PIECE {
            return e;
        }
        let span = e.span;
        pieces.push(e);
        self.node(span, ExprKind::Carried)
    }

    /// The chain of the pieces and the last one.
    pub(super) fn chained(&mut self, mut pieces: Vec<Expr>, last: Expr) -> Expr {
        if pieces.is_empty() {
            return last;
        }
        let span = last.span;
        pieces.push(last);
        self.node(span, ExprKind::Chain(pieces))
    }

    fn infix(&mut self, lhs: Expr, op: InfixOp, level: Level, width: usize) -> Expr {
        let start = lhs.span;
        (0..width).for_each(|_| {
            self.bump();
        });
        self.join_line();
        let rhs = if level == Level::Power { self.unary() } else { self.binary(level.tighter()) };
        let span = self.since(start);
        self.node(span, ExprKind::Infix { op, lhs: Box::new(lhs), rhs: Box::new(rhs) })
    }

    /// The binary operator at the cursor, with its number of tokens. Operators of other languages are reported and
    /// parsed as what they mean.
    fn infix_here(&mut self, lhs: &Expr) -> Option<(InfixOp, Level, usize)> {
        let token = self.peek();
        let span = self.token_span(token);
        let TokenKind::Sign(sign) = token.kind else {
            return self.word_operator(token);
        };
        let next = self.nth(1);
        let adjacent = next.start == token.end;
        let double = |second| adjacent && next.kind == TokenKind::Sign(second);
        match sign {
            Sign::Less if double(Sign::Minus) && self.is_exchange(lhs) => None,
            Sign::Less if double(Sign::Greater) => {
                self.report(messages::diamond(span.to(self.token_span(next))));
                Some((InfixOp::NotEqual, Level::Equality, 2))
            }
            Sign::Star if double(Sign::Star) => {
                self.report(messages::star_star(span.to(self.token_span(next))));
                Some((InfixOp::Power, Level::Power, 2))
            }
            Sign::Plus | Sign::Minus if double(sign) && self.ends_after(2) => None,
            Sign::TildeEqual if self.context.condition => {
                self.report(messages::tilde_not_equal(span));
                Some((InfixOp::NotEqual, Level::Equality, 1))
            }
            Sign::And => {
                self.report(messages::single_logical(span, "&", "&&", "and"));
                Some((InfixOp::And, Level::And, 1))
            }
            Sign::Or => {
                self.report(messages::single_logical(span, "|", "||", "or"));
                Some((InfixOp::Or, Level::Or, 1))
            }
            _ => operators::infix(sign).map(|(op, level)| (op, level, 1)),
        }
    }

    fn word_operator(&mut self, token: Token) -> Option<(InfixOp, Level, usize)> {
        if token.kind != TokenKind::Ident {
            return None;
        }
        let word = self.token_text(token);
        let (op, level) = match word {
            "and" => (InfixOp::And, Level::And),
            "or" => (InfixOp::Or, Level::Or),
            _ => return None,
        };
        self.report(messages::word_operator(self.token_span(token), word, op.text()));
        Some((op, level, 1))
    }

    fn ends_after(&mut self, n: usize) -> bool {
        matches!(self.nth(n).kind, TokenKind::Newline | TokenKind::End | TokenKind::Sign(Sign::Semicolon))
    }

    /// `i++` and `i--` as statements.
    pub(super) fn increment(&mut self, place: Expr) -> Expr {
        let (token, next) = (self.peek(), self.nth(1));
        let op = match (token.kind, next.kind) {
            (TokenKind::Sign(Sign::Plus), TokenKind::Sign(Sign::Plus)) => AssignOp::Add,
            (TokenKind::Sign(Sign::Minus), TokenKind::Sign(Sign::Minus)) => AssignOp::Subtract,
            _ => return place,
        };
        let span = self.token_span(token).to(self.token_span(next));
        self.report(messages::increment(span, self.token_text(token)));
        self.check_target(&place);
        self.bump();
        self.bump();
        let value = self.node(span, ExprKind::Number(Number::Int(1)));
        let target = Target::Place { place, annotation: None };
        self.node(span, ExprKind::Assign { target: Box::new(target), op: Some(op), value: Box::new(value) })
    }

    fn range(&mut self, from: Expr) -> Expr {
        self.bump();
        self.join_line();
        let second = self.binary(Level::Additive);
        let third = if self.recovering || !self.eat(Sign::DotDot) {
            None
        } else {
            self.join_line();
            Some(self.binary(Level::Additive))
        };
        self.range_node(from, second, third)
    }

    fn range_node(&mut self, from: Expr, second: Expr, third: Option<Expr>) -> Expr {
        let span = self.since(from.span);
        let (step, to) = match third {
            Some(third) => (Some(Box::new(second)), third),
            None => (None, second),
        };
        self.node(span, ExprKind::Range { from: Box::new(from), step, to: Box::new(to) })
    }

    /// `1:n` and `1:s:n`, with the cursor at the colon: reported, and parsed as a range.
    pub(super) fn colon_range(&mut self, from: Expr) -> Expr {
        let span = self.here();
        self.report(messages::colon_range(span));
        self.bump();
        let second = self.binary(Level::Additive);
        let third = (!self.recovering && self.eat(Sign::Colon)).then(|| self.binary(Level::Additive));
        self.range_node(from, second, third)
    }

    #[inline(never)]
    fn ternary(&mut self, condition: Expr) -> Expr {
        let start = condition.span;
        self.bump();
        self.join_line();
        let outer = std::mem::replace(&mut self.context.ternary, true);
        let then = self.expr();
        if self.recovering {
            return then;
        }
        self.context.ternary = outer;
        self.join_line();
        if !self.expect(Sign::Colon) {
            return then;
        }
        self.join_line();
        let otherwise = self.expr();
        let span = self.since(start);
        let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
        self.node(span, ExprKind::Ternary { condition, then, otherwise })
    }

    fn unary(&mut self) -> Expr {
        match self.prefix_here() {
            Some(sign) => self.signs(sign),
            None => self.power(),
        }
    }

    fn signs(&mut self, first: (PrefixOp, Span)) -> Expr {
        let mut signs = vec![first];
        while let Some(sign) = self.prefix_here() {
            signs.push(sign);
        }
        let mut e = self.power();
        let mut pieces = Vec::new();
        for (op, start) in signs.into_iter().rev() {
            e = self.cut(e, &mut pieces);
            let span = self.since(start);
            e = self.node(span, ExprKind::Prefix { op, operand: Box::new(e) });
        }
        self.chained(pieces, e)
    }

    /// The prefix operator at the cursor.
    fn prefix_here(&mut self) -> Option<(PrefixOp, Span)> {
        let token = self.peek();
        let op = match token.kind {
            TokenKind::Sign(Sign::Tilde) => {
                self.report(messages::tilde_not(self.token_span(token)));
                Some(PrefixOp::Not)
            }
            TokenKind::Sign(sign) => operators::prefix(sign),
            TokenKind::Ident if self.token_text(token) == "not" && self.operand_follows() => {
                self.report(messages::word_not(self.token_span(token)));
                Some(PrefixOp::Not)
            }
            _ => None,
        };
        let op = op?;
        self.bump();
        Some((op, self.token_span(token)))
    }

    /// Whether a name or number follows the token at the cursor.
    fn operand_follows(&mut self) -> bool {
        matches!(self.nth(1).kind, TokenKind::Ident | TokenKind::Int(_) | TokenKind::Float(_))
    }

    fn power(&mut self) -> Expr {
        let base = self.postfix();
        if self.recovering {
            return base;
        }
        match self.peek().kind {
            TokenKind::Sign(sign @ (Sign::Caret | Sign::DotCaret)) => {
                let op = if sign == Sign::Caret { InfixOp::Power } else { InfixOp::DotPower };
                self.deeper(|p, span| p.invalid(span), |p| p.infix(base, op, Level::Power, 1))
            }
            _ => base,
        }
    }

    // Exchange.

    /// Whether `<-` at the cursor follows an lvalue directly after `(`, with white space around it.
    fn is_exchange(&mut self, lhs: &Expr) -> bool {
        let place = matches!(lhs.kind, ExprKind::Name(_) | ExprKind::Index { .. } | ExprKind::Member { .. });
        place
            && self.context.exchange == Some(lhs.span.start)
            && self.peek().space_before
            && self.nth(2).space_before
    }

    #[inline(never)]
    fn exchange(&mut self, open: Span, place: Expr) -> Expr {
        self.bump();
        self.bump();
        self.peek();
        let (value, expected) = match self.pair_follows() {
            true => {
                let pair = self.bracketed(true, |p| {
                    let value = p.expr();
                    if !p.recovering {
                        p.expect(Sign::Comma);
                    }
                    let expected = if p.recovering { p.invalid(open) } else { p.expr() };
                    (value, expected)
                });
                (pair.0, Some(Box::new(pair.1)))
            }
            false => (self.expr(), None),
        };
        let span = self.since(open);
        self.node(span, ExprKind::Exchange { place: Box::new(place), value: Box::new(value), expected })
    }

    /// Whether the cursor is at `(a, b)` followed by `)`.
    fn pair_follows(&mut self) -> bool {
        if !self.is(Sign::OpenParen) {
            return false;
        }
        let closes = self
            .after_matching(self.at)
            .is_some_and(|k| self.tokens[k].kind == TokenKind::Sign(Sign::CloseParen));
        closes && self.inside(self.at).iter().any(|&k| self.tokens[k].kind == TokenKind::Sign(Sign::Comma))
    }

    // Parentheses.

    #[inline(never)]
    pub(super) fn paren(&mut self) -> Expr {
        let open = self.here();
        let condition = self.context.condition;
        let (mut parts, sequence, closed) = self.bracketed(false, |p| {
            p.context.condition = condition;
            p.context.exchange = Some(p.peek().start);
            let (first, checked) = p.sequence_part();
            if !p.recovering && p.is(Sign::Less) && p.nth(1).kind == TokenKind::Sign(Sign::Minus) {
                return (vec![p.exchange(open, first)], false, true);
            }
            let mut parts = vec![first];
            let mut sequence = false;
            while !p.recovering && p.eat(Sign::Semicolon) {
                sequence = true;
                if !p.is(Sign::CloseParen) {
                    parts.push(p.sequence_part().0);
                }
            }
            (parts, sequence, checked)
        });
        let span = self.since(open);
        if sequence {
            return self.node(span, ExprKind::Sequence(parts));
        }
        match parts.pop() {
            Some(only) if closed => Expr { span, ..only },
            Some(only) => self.node(span, ExprKind::Paren(Box::new(only))),
            None => self.invalid(span),
        }
    }

    /// `e`, `e : T`, `x : T = e` or `x : T -> e` inside parentheses; also whether it is a type check.
    fn sequence_part(&mut self) -> (Expr, bool) {
        let e = self.expr();
        if self.recovering || !self.is(Sign::Colon) {
            return (e, false);
        }
        if is_numeric(&e) && matches!(self.nth(1).kind, TokenKind::Int(_) | TokenKind::Float(_)) {
            return (self.colon_range(e), false);
        }
        self.bump();
        let annotation = self.annotation();
        if self.recovering {
            return (e, false);
        }
        if self.is(Sign::Equal) {
            return (self.assignment(e, Some(annotation)), false);
        }
        match annotation.ty {
            Some(ty) if self.is(Sign::Arrow) => (self.typed_lambda(e, ty), false),
            Some(ty) => (self.type_check(e, ty), true),
            None => {
                self.fail_expected("`=`");
                (e, false)
            }
        }
    }

    fn type_check(&mut self, value: Expr, ty: TypeExpr) -> Expr {
        let span = self.since(value.span);
        self.node(span, ExprKind::TypeCheck { value: Box::new(value), ty })
    }

    /// After an element of a list: `: T` makes a type check where allowed, or starts a typed lambda.
    pub(super) fn after_element(&mut self, e: Expr, check: bool) -> Expr {
        if self.recovering || !self.is(Sign::Colon) {
            return e;
        }
        let numeric = matches!(self.nth(1).kind, TokenKind::Int(_) | TokenKind::Float(_)) || !check;
        if numeric && is_numeric(&e) || !check && !matches!(e.kind, ExprKind::Name(_)) {
            return self.colon_range(e);
        }
        self.bump();
        let ty = self.type_expr();
        if !self.recovering && self.is(Sign::Arrow) {
            return self.typed_lambda(e, ty);
        }
        if check {
            return self.type_check(e, ty);
        }
        self.fail_expected("`->`");
        e
    }
}

/// Whether `e : ..` can only be meant as a range.
pub(super) fn is_numeric(e: &Expr) -> bool {
    matches!(
        e.kind,
        ExprKind::Number(_) | ExprKind::Infix { .. } | ExprKind::Prefix { .. } | ExprKind::Range { .. }
    )
}
