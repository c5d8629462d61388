//! Parses simple and compound statements, labels and declarations.

use super::blocks::endings;
use super::*;
use crate::syntax::operators;

const GRANULARITIES: &[&str] = &["warp", "block", "grid", "multi_grid", "host"];

impl Parser<'_> {
    // Statements.

    pub(super) fn statement(&mut self, out: &mut Block) {
        let start = self.here();
        let at = self.at;
        if let Some(label) = self.label(out) {
            let mut inner = Vec::new();
            self.statement(&mut inner);
            let body = inner.pop();
            out.append(&mut inner);
            if let Some(body) = body {
                self.add(out, start, StmtKind::Labelled { label, body: Box::new(body) });
            }
            return;
        }
        let kind = self.statement_kind(out);
        let subject = match &kind {
            StmtKind::Expr(Expr { kind: ExprKind::Name(name), .. }) => Some(name.clone()),
            _ => None,
        };
        self.add(out, start, kind);
        self.end_of_statement(subject);
        if self.at == at {
            self.at += 1; // always make progress
        }
    }

    fn add(&mut self, out: &mut Block, start: Span, kind: StmtKind) {
        let id = self.fresh();
        let span = self.since(start);
        out.push(Stmt { id, span, kind });
    }

    fn statement_kind(&mut self, out: &mut Block) -> StmtKind {
        let token = self.peek();
        let span = self.token_span(token);
        match token.kind {
            TokenKind::Keyword(keyword) => self.keyword_statement(keyword, span, out),
            TokenKind::Ident => self.word_statement(token),
            TokenKind::Sign(Sign::Hash) => self.pragma(),
            TokenKind::Sign(_) if self.attribute_begins() => StmtKind::Attribute(self.attribute()),
            TokenKind::Sign(sign @ (Sign::CloseParen | Sign::CloseBracket | Sign::CloseBrace)) => {
                self.fail(messages::unmatched_bracket(span, sign.text()));
                StmtKind::Invalid
            }
            TokenKind::Sign(sign @ (Sign::Plus | Sign::Minus))
                if self.nth(1).kind == TokenKind::Sign(sign) =>
            {
                self.report(messages::increment(span, sign.text()));
                self.recovering = true;
                StmtKind::Invalid
            }
            TokenKind::Sign(sign)
                if sign != Sign::Caret
                    && sign != Sign::Minus
                    && sign != Sign::Plus
                    && operators::infix(sign).is_some() =>
            {
                self.fail(messages::leading_operator(span, sign.text()));
                StmtKind::Invalid
            }
            _ => self.expression_statement(),
        }
    }

    fn keyword_statement(&mut self, keyword: Keyword, span: Span, out: &mut Block) -> StmtKind {
        match keyword {
            Keyword::Function | Keyword::Macro => self.function(),
            Keyword::Reduction => self.reduction(),
            Keyword::Import => {
                self.import(true);
                StmtKind::Invalid
            }
            Keyword::If => self.if_statement(),
            Keyword::For => self.for_statement(),
            Keyword::While => self.while_statement(),
            Keyword::Repeat => self.repeat_statement(),
            Keyword::Match => self.match_statement(),
            Keyword::Try => self.try_statement(),
            Keyword::Break | Keyword::Continue => {
                self.bump();
                let label = (!self.at_end_of_statement()).then(|| self.name("the label of a loop"));
                if keyword == Keyword::Break { StmtKind::Break(label) } else { StmtKind::Continue(label) }
            }
            Keyword::SyncThreads => self.syncthreads(),
            Keyword::Device | Keyword::Kernel => self.expression_statement(),
            _ => {
                let _ = out;
                self.fail(messages::keyword_in_expression(span, keyword));
                StmtKind::Invalid
            }
        }
    }

    /// A statement that begins with a name, which may be a contextual keyword.
    fn word_statement(&mut self, token: Token) -> StmtKind {
        let next = self.nth(1);
        let names = next.kind == TokenKind::Ident;
        match self.token_text(token) {
            "type" if names => self.type_definition(),
            "symbolic" if names => {
                self.bump();
                let mut all = Vec::new();
                self.comma_list(Sign::Semicolon, |p| {
                    p.join_line();
                    all.push(p.name("a name"));
                });
                StmtKind::Symbolic(all)
            }
            "print" if self.list_follows(next, true) => self.print_list(),
            "print" if next.kind == TokenKind::Sign(Sign::Ellipsis) => self.print_list(),
            "error" if self.list_follows(next, false) => {
                self.bump();
                StmtKind::Error(self.expression_list())
            }
            "return" if !matches!(next.kind, TokenKind::Sign(sign) if operators::assignment(sign).is_some()) =>
            {
                self.report(messages::return_statement(self.token_span(token)));
                self.recovering = true;
                StmtKind::Invalid
            }
            _ => self.expression_statement(),
        }
    }

    /// The list of `print`. With `...` in it, `print "x", ...args` is the call `print("x", ...args)`.
    fn print_list(&mut self) -> StmtKind {
        let token = self.bump();
        let start = self.token_span(token);
        let (mut plain, mut args) = (Vec::new(), Vec::new());
        if !self.at_end_of_statement() {
            self.comma_list(Sign::Semicolon, |p| {
                p.join_line();
                if p.eat(Sign::Ellipsis) {
                    args.extend(plain.drain(..).map(CallArg::Positional));
                    args.push(CallArg::Spread(p.expr()));
                } else if args.is_empty() {
                    plain.push(p.expr());
                } else {
                    args.push(CallArg::Positional(p.expr()));
                }
            });
        }
        if args.is_empty() {
            return StmtKind::Print(plain);
        }
        let callee = self.node(start, ExprKind::Name("print".to_string()));
        let span = self.since(start);
        StmtKind::Expr(self.node(span, ExprKind::Call { callee: Box::new(callee), args }))
    }

    /// Whether a list without parentheses follows `print` or `error` at the cursor.
    fn list_follows(&mut self, next: Token, empty: bool) -> bool {
        match next.kind {
            TokenKind::Newline | TokenKind::End | TokenKind::Sign(Sign::Semicolon) => empty,
            TokenKind::Sign(Sign::OpenParen) => match self.after_matching(self.at + 1) {
                Some(after) => {
                    let ends = matches!(
                        self.tokens[after].kind,
                        TokenKind::Newline | TokenKind::End | TokenKind::Sign(Sign::Semicolon)
                    );
                    !ends || self.is_no_list(self.at + 1)
                }
                None => false,
            },
            TokenKind::Sign(Sign::OpenBracket) => empty || next.space_before,
            TokenKind::Sign(Sign::Plus | Sign::Minus | Sign::Caret) => empty,
            TokenKind::Sign(
                Sign::Not | Sign::OpenBrace | Sign::Unspecified | Sign::Backquote | Sign::Apostrophe,
            ) => true,
            TokenKind::Sign(Sign::Tilde | Sign::Underscore) => true,
            TokenKind::Sign(_) => false,
            _ => true,
        }
    }

    /// Whether the parentheses at `index` contain a sequence or an exchange, which an argument list cannot be.
    fn is_no_list(&self, index: usize) -> bool {
        self.inside(index).iter().any(|&k| match self.tokens[k].kind {
            TokenKind::Sign(Sign::Semicolon) => true,
            TokenKind::Sign(Sign::Less) => {
                let Some(&[less, minus, next]) = self.tokens.get(k..k + 3) else { return false };
                let joined = minus.kind == TokenKind::Sign(Sign::Minus) && !minus.space_before;
                joined && less.space_before && next.space_before
            }
            _ => false,
        })
    }

    fn expression_list(&mut self) -> Vec<Expr> {
        let mut list = Vec::new();
        if !self.at_end_of_statement() {
            self.comma_list(Sign::Semicolon, |p| {
                p.join_line();
                list.push(p.expr());
            });
        }
        list
    }

    fn expression_statement(&mut self) -> StmtKind {
        let mut e = self.expr();
        if self.recovering {
            return StmtKind::Expr(e);
        }
        e = self.increment(e);
        if !self.is(Sign::Colon) {
            return StmtKind::Expr(e);
        }
        if super::expressions::is_numeric(&e) {
            return StmtKind::Expr(self.colon_range(e));
        }
        if let ExprKind::Name(name) = &e.kind
            && matches!(self.nth(1).kind, TokenKind::Newline | TokenKind::End)
        {
            self.fail(messages::label_without_loop(e.span, name));
            return StmtKind::Invalid;
        }
        self.declaration(e)
    }

    /// `x : T` or `x : T = e` with the cursor at the colon.
    fn declaration(&mut self, place: Expr) -> StmtKind {
        let start = place.span;
        self.bump();
        let annotation = self.annotation();
        if self.recovering {
            return StmtKind::Invalid;
        }
        if self.is(Sign::Equal) {
            return StmtKind::Expr(self.assignment(place, Some(annotation)));
        }
        let ExprKind::Name(text) = place.kind else {
            self.report(messages::declaration_of_place(start));
            return StmtKind::Invalid;
        };
        if RESERVED.contains(&text.as_str()) {
            self.report(messages::reserved_name(start, &text));
        }
        let span = self.since(start);
        let name = Name { text, span: start };
        StmtKind::Expr(self.node(span, ExprKind::Declare { name, annotation }))
    }

    /// Ends a statement, or reports what follows it instead.
    pub(super) fn end_of_statement(&mut self, subject: Option<String>) {
        let token = self.peek();
        let line_start = self.previous().is_none_or(|t| t.kind == TokenKind::Newline);
        if token.kind == TokenKind::Unknown {
            self.recovering = true;
        } else if !self.recovering && !line_start && !self.at_end_of_statement() {
            let closed =
                self.previous().is_some_and(|t| matches!(t.kind, TokenKind::Keyword(k) if k.closes_block()));
            let span = self.token_span(token);
            let found = self.describe(token);
            let message = match (token.kind, subject) {
                (TokenKind::Sign(Sign::Comma), Some(_)) if self.line_has_equal() => {
                    messages::tuple_assignment(span)
                }
                (
                    TokenKind::Ident | TokenKind::Int(_) | TokenKind::Float(_) | TokenKind::Text,
                    Some(callee),
                ) => messages::call_without_parentheses(span, &found, &callee),
                (TokenKind::Keyword(keyword), _) if keyword.begins_line() && !closed => {
                    messages::one_line_block(span, keyword.text())
                }
                (TokenKind::Sign(Sign::Hash), _) => messages::foreign_comment(span, "#"),
                _ => messages::expected_end_of_statement(span, &found),
            };
            let message = self.with_habit(message, token);
            self.fail(message);
        }
        self.recover();
    }

    /// The message with the help for a habit of other languages, unless it has help already.
    fn with_habit(&self, message: Message, token: Token) -> Message {
        let before = self.previous().map_or("", |token| self.token_text(token));
        let last = self.tokens[self.at + 1..].first().is_none_or(|next| next.kind == TokenKind::Newline);
        match messages::habit(before, self.token_text(token), last) {
            Some(help) if message.help.is_empty() => message.help(help),
            _ => message,
        }
    }

    pub(super) fn line_has_equal(&self) -> bool {
        let rest = self.tokens[self.at..].iter().take_while(|t| t.kind != TokenKind::Newline);
        rest.into_iter().any(|t| t.kind == TokenKind::Sign(Sign::Equal))
    }

    // Simple statements.

    /// `name:` before a loop. Attributes between label and loop become separate statements.
    fn label(&mut self, out: &mut Block) -> Option<Name> {
        let token = self.peek();
        let colon =
            self.nth(1).kind == TokenKind::Sign(Sign::Colon) && self.nth(2).kind == TokenKind::Newline;
        if token.kind != TokenKind::Ident || !colon {
            return None;
        }
        let back = self.at;
        let name = self.name("a label");
        self.bump();
        let count = out.len();
        loop {
            self.skip_separators();
            if !self.attribute_begins() {
                break;
            }
            let start = self.here();
            let attribute = self.attribute();
            self.add(out, start, StmtKind::Attribute(attribute));
            self.end_of_statement(None);
        }
        if matches!(self.peek().kind, TokenKind::Keyword(Keyword::For | Keyword::While | Keyword::Repeat)) {
            return Some(name);
        }
        out.truncate(count);
        self.at = back;
        None
    }

    fn syncthreads(&mut self) -> StmtKind {
        self.bump();
        if self.at_end_of_statement() {
            return StmtKind::SyncThreads(None);
        }
        let paren = self.is(Sign::OpenParen);
        let name = if paren {
            self.bracketed(false, |p| if p.is(Sign::CloseParen) { None } else { Some(p.granularity()) })
        } else {
            Some(self.granularity())
        };
        StmtKind::SyncThreads(name)
    }

    fn granularity(&mut self) -> Name {
        const WHAT: &str = "`warp`, `block`, `grid`, `multi_grid` or `host`";
        let token = self.peek();
        if token.kind == TokenKind::Ident && !GRANULARITIES.contains(&self.token_text(token)) {
            self.fail_expected(WHAT);
        }
        self.name(WHAT)
    }

    // Compound statements.

    fn condition(&mut self) -> Expr {
        self.context.condition = true;
        let e = self.expr();
        self.context.condition = false;
        if matches!(e.kind, ExprKind::Assign { op: None, .. }) {
            self.report(messages::assignment_as_condition(e.span));
        }
        e
    }

    fn if_statement(&mut self) -> StmtKind {
        let (keyword, span) = self.opener();
        let mut branches = Vec::new();
        let condition = self.condition();
        let (body, mut end) = self.body(keyword, span, endings(keyword));
        branches.push((condition, body));
        let mut otherwise = None;
        loop {
            match end {
                Some(Keyword::ElseIf) => {}
                Some(Keyword::Else) if self.is_keyword(Keyword::If) => {
                    let word = self.here();
                    self.report(messages::else_if(word));
                    self.bump();
                }
                Some(Keyword::Else) => {
                    let (body, last) = self.body(keyword, span, endings(keyword));
                    otherwise = Some(body);
                    end = last;
                    if !matches!(end, Some(Keyword::Else | Keyword::ElseIf)) {
                        break;
                    }
                    let word = self.previous().map_or(span, |t| self.token_span(t));
                    self.report(messages::wrong_ending(word, self.text_of(word), span, "else", "endif"));
                    continue;
                }
                _ => break,
            }
            let condition = self.condition();
            let (body, next) = self.body(keyword, span, endings(keyword));
            branches.push((condition, body));
            end = next;
        }
        StmtKind::If { branches, otherwise }
    }

    fn text_of(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    fn for_statement(&mut self) -> StmtKind {
        let (keyword, span) = self.opener();
        if self.is(Sign::OpenParen) {
            return self.c_for(keyword, span);
        }
        let variable = self.name("the loop variable");
        let token = self.peek();
        if !self.recovering
            && token.kind == TokenKind::Ident
            && ["in", "from", "of"].contains(&self.token_text(token))
        {
            self.report(messages::for_in(self.token_span(token), self.token_text(token)));
            self.bump();
        } else if !self.recovering {
            self.expect(Sign::Equal);
        }
        let sequence = if self.recovering {
            self.invalid(span)
        } else {
            self.join_line();
            let sequence = self.expr();
            let range = self.is(Sign::Colon) && self.nth(1).kind != TokenKind::Newline;
            if !self.recovering && range { self.colon_range(sequence) } else { sequence }
        };
        let (body, _) = self.body(keyword, span, endings(keyword));
        StmtKind::For { variable, sequence, body }
    }

    /// `for (i = 0; i < n; i++)`: reported; the body is still parsed.
    fn c_for(&mut self, keyword: Keyword, span: Span) -> StmtKind {
        let at = self.here();
        self.report(messages::c_for(at));
        match self.after_matching(self.at) {
            Some(after) => self.at = after,
            None => self.recovering = true,
        }
        let variable = Name { text: String::new(), span: at };
        let sequence = self.invalid(at);
        let (body, _) = self.body(keyword, span, endings(keyword));
        StmtKind::For { variable, sequence, body }
    }

    fn while_statement(&mut self) -> StmtKind {
        let (keyword, span) = self.opener();
        let condition = self.condition();
        let (body, _) = self.body(keyword, span, endings(keyword));
        StmtKind::While { condition, body }
    }

    fn repeat_statement(&mut self) -> StmtKind {
        let (keyword, span) = self.opener();
        let (body, end) = self.body(keyword, span, endings(keyword));
        let until = match end {
            Some(Keyword::Until) if !self.at_end_of_statement() => self.condition(),
            Some(Keyword::Until) => {
                self.fail_expected("a condition");
                self.invalid(span)
            }
            _ => self.invalid(span),
        };
        StmtKind::Repeat { body, until }
    }

    fn try_statement(&mut self) -> StmtKind {
        let (keyword, span) = self.opener();
        let (body, mut end) = self.body(keyword, span, endings(keyword));
        let mut catches = Vec::new();
        while end == Some(Keyword::Catch) {
            if self.is(Sign::OpenParen) {
                self.fail_expected_as("the name of the error", "write `catch e`, or `catch e : type`");
            }
            let named = !self.recovering && !self.at_end_of_statement();
            let variable = named.then(|| self.name("the name of the error"));
            let ty = (!self.recovering && self.eat(Sign::Colon)).then(|| self.type_expr());
            let (body, next) = self.body(keyword, span, endings(keyword));
            catches.push(Catch { variable, ty, body });
            end = next;
        }
        if catches.is_empty() && end.is_some() {
            self.report(messages::catch_missing(span));
        }
        StmtKind::Try { body, catches }
    }

    fn match_statement(&mut self) -> StmtKind {
        let (keyword, span) = self.opener();
        let subject = self.expr();
        if !self.recovering && !self.eat_word("with") {
            self.fail_expected_as("`with`", "write `match x with`; each arm begins with `|`: `| 1 -> ..`");
        }
        let braces = self.header_end(keyword, span);
        self.open.push(Open { keyword, span, braces });
        let arms = if self.nesting >= MAX_NESTING {
            self.report(messages::nested_too_deeply(span));
            self.skip_blocks();
            Vec::new()
        } else {
            self.nesting += 1;
            let arms = self.match_arms(braces);
            self.nesting -= 1;
            arms
        };
        self.block_end(keyword, span, braces);
        self.open.pop();
        StmtKind::Match { subject, arms }
    }

    fn match_arms(&mut self, braces: bool) -> Vec<MatchArm> {
        let mut arms: Vec<MatchArm> = Vec::new();
        loop {
            self.skip_separators();
            let token = self.peek();
            match token.kind {
                TokenKind::Sign(Sign::Or) => arms.push(self.match_arm()),
                TokenKind::Sign(Sign::CloseBrace) if braces => return arms,
                TokenKind::End => return arms,
                TokenKind::Keyword(k) if k.closes_block() => return arms,
                _ => {
                    let help = "an arm is written `| value -> ..`, the one for all others `| _ -> ..`";
                    self.fail_expected_as("`|` and a pattern", help);
                    self.recover();
                    let stray = self.block(endings(Keyword::Match));
                    if let Some(arm) = arms.last_mut() {
                        arm.body.extend(stray);
                    }
                }
            }
        }
    }

    fn match_arm(&mut self) -> MatchArm {
        let start = self.here();
        self.bump();
        let patterns = self.patterns();
        if !self.recovering && self.is(Sign::Comma) {
            let span = self.here();
            self.fail(messages::comma_patterns(span));
        }
        let arrow = !self.recovering && self.expect(Sign::Arrow);
        let span = self.since(start);
        if !arrow {
            self.recover();
        }
        let body = self.block(endings(Keyword::Match));
        MatchArm { patterns, body, span }
    }

    fn patterns(&mut self) -> Vec<Expr> {
        if self.is(Sign::Underscore) {
            self.bump();
            return Vec::new();
        }
        let list = self.is(Sign::OpenParen)
            && self
                .after_matching(self.at)
                .is_some_and(|k| self.tokens[k].kind == TokenKind::Sign(Sign::Arrow));
        if list {
            let mut all = Vec::new();
            self.bracketed(true, |p| p.comma_list(Sign::CloseParen, |p| all.push(p.expr())));
            return all;
        }
        self.context.no_lambda = true;
        let pattern = self.binary(operators::Level::Ternary);
        self.context.no_lambda = false;
        vec![pattern]
    }
}
