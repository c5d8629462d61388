//! Statements and blocks.

use super::*;
use crate::syntax::operators;

/// The words that may follow the block of a keyword: parts first, the long ending last, then `end` where allowed.
fn endings(keyword: Keyword) -> &'static [Keyword] {
    match keyword {
        Keyword::If => &[Keyword::ElseIf, Keyword::Else, Keyword::EndIf],
        Keyword::For => &[Keyword::EndFor, Keyword::End],
        Keyword::While => &[Keyword::EndWhile, Keyword::End],
        Keyword::Repeat => &[Keyword::Until],
        Keyword::Match => &[Keyword::EndMatch, Keyword::End],
        Keyword::Try => &[Keyword::Catch, Keyword::EndTry, Keyword::End],
        Keyword::Function => &[Keyword::EndFunction, Keyword::End],
        Keyword::Macro => &[Keyword::EndMacro, Keyword::End],
        _ => &[],
    }
}

fn long_ending(keyword: Keyword) -> Keyword {
    endings(keyword).iter().rev().copied().find(|k| *k != Keyword::End).unwrap_or(Keyword::End)
}

const GRANULARITIES: &[&str] = &["warp", "block", "grid", "multi_grid", "host"];

/// Words of other languages and what they are called here.
const ALIASES: &[(&str, Keyword)] = &[
    ("elsif", Keyword::ElseIf),
    ("elif", Keyword::ElseIf),
    ("elseIf", Keyword::ElseIf),
    ("func", Keyword::Function),
    ("def", Keyword::Function),
    ("foreach", Keyword::For),
    ("switch", Keyword::Match),
    ("endswitch", Keyword::EndMatch),
    ("endfunc", Keyword::EndFunction),
    ("endclass", Keyword::EndType),
];

impl Parser<'_> {
    // Blocks.

    /// The statements up to a word in `enders`, or up to one that closes an enclosing block.
    fn block(&mut self, enders: &[Keyword]) -> Block {
        let mut block = Vec::new();
        self.block_into(&mut block, enders);
        block
    }

    pub(super) fn block_into(&mut self, block: &mut Block, enders: &[Keyword]) {
        loop {
            self.skip_separators();
            let token = self.peek();
            let innermost = self.open.last().copied();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Keyword(Keyword::Import) if self.open.is_empty() => return,
                TokenKind::Keyword(keyword) if keyword.closes_block() => {
                    let ending = !matches!(keyword, Keyword::ElseIf | Keyword::Else | Keyword::Catch);
                    let known = self.open.iter().any(|o| endings(o.keyword).contains(&keyword));
                    if enders.contains(&keyword) || known || ending && innermost.is_some() {
                        return;
                    }
                    self.report(messages::stray_ending(self.token_span(token), keyword.text()));
                    self.bump();
                    self.recovering = true;
                    self.recover();
                }
                TokenKind::Sign(Sign::Or) if innermost.is_some_and(|o| o.keyword == Keyword::Match) => return,
                TokenKind::Sign(Sign::CloseBrace) if innermost.is_some_and(|o| o.braces) => return,
                _ => self.statement(block),
            }
        }
    }

    /// The keyword at the cursor, which opens a block.
    pub(super) fn opener(&mut self) -> (Keyword, Span) {
        let token = self.peek();
        if self.previous().is_some_and(|t| t.kind == TokenKind::Sign(Sign::Semicolon)) {
            self.report_one_line(token);
        }
        self.bump();
        let TokenKind::Keyword(keyword) = token.kind else { return (Keyword::End, self.token_span(token)) };
        (keyword, self.token_span(token))
    }

    /// Reports a block word that shares its line with another statement, once a line.
    pub(super) fn own_line(&mut self, token: Token) {
        if self.previous().is_some_and(|t| t.kind != TokenKind::Newline) {
            self.report_one_line(token);
        }
    }

    fn report_one_line(&mut self, token: Token) {
        let line = self.text[..token.start as usize].rfind('\n').map_or(0, |k| k + 1);
        if self.one_line_reported != Some(line) {
            self.one_line_reported = Some(line);
            self.report(messages::one_line_block(self.token_span(token), self.token_text(token)));
        }
    }

    /// What follows the header of a block: the end of the line, or a brace, which is reported.
    fn header_end(&mut self, keyword: Keyword, span: Span) -> bool {
        let token = self.peek();
        if !self.recovering && self.is(Sign::OpenBrace) {
            self.report(messages::brace_block(self.token_span(token), long_ending(keyword).text()));
            self.bump();
            return true;
        }
        if !self.recovering
            && token.kind == TokenKind::Ident
            && ["then", "do"].contains(&self.token_text(token))
        {
            let found = self.describe(token);
            self.report(messages::expected_end_of_statement(self.token_span(token), &found));
            self.bump();
        }
        self.end_of_statement(None);
        if self.eat(Sign::Semicolon) && !self.at_end_of_statement() {
            let opener = Token {
                kind: TokenKind::Keyword(keyword),
                start: span.start,
                end: span.end,
                space_before: true,
            };
            self.report_one_line(opener);
        }
        false
    }

    /// The block after a header, and its end. Also tells which word ended it, the first of `stops` or an ending.
    pub(super) fn body(
        &mut self,
        keyword: Keyword,
        span: Span,
        stops: &[Keyword],
    ) -> (Block, Option<Keyword>) {
        let braces = self.header_end(keyword, span);
        self.part(keyword, span, braces, stops)
    }

    /// Like [`Self::body`] without a header.
    fn part(
        &mut self,
        keyword: Keyword,
        span: Span,
        braces: bool,
        stops: &[Keyword],
    ) -> (Block, Option<Keyword>) {
        self.open.push(Open { keyword, span, braces });
        let block = if self.nesting >= MAX_NESTING {
            self.report(messages::nested_too_deeply(span));
            self.skip_blocks();
            Vec::new()
        } else {
            self.nesting += 1;
            let block = self.block(stops);
            self.nesting -= 1;
            block
        };
        let end = self.block_end(keyword, span, braces);
        self.open.pop();
        (block, end)
    }

    /// Passes over a block that is nested too deeply, inner blocks included.
    fn skip_blocks(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.tokens[self.at].kind {
                TokenKind::End => return,
                TokenKind::Keyword(k) if !endings(k).is_empty() => depth += 1,
                TokenKind::Keyword(Keyword::ElseIf | Keyword::Else | Keyword::Catch) => {}
                TokenKind::Keyword(k) if k.closes_block() => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Takes the word that ends or continues a block; `None` when it is missing.
    fn block_end(&mut self, keyword: Keyword, span: Span, braces: bool) -> Option<Keyword> {
        let token = self.peek();
        let expected = long_ending(keyword);
        let TokenKind::Keyword(found) = token.kind else {
            if braces && self.eat(Sign::CloseBrace) {
                return self.after_brace(keyword);
            }
            let found = self.describe(token);
            let at = self.token_span(token);
            self.report(messages::unclosed_block(span, keyword.text(), expected.text(), at, &found));
            return None;
        };
        if endings(keyword).contains(&found) {
            self.own_line(token);
            self.bump();
            self.note_ending(token);
            return Some(found);
        }
        let enclosing =
            self.open[..self.open.len() - 1].iter().rev().find(|o| endings(o.keyword).contains(&found));
        let at = self.token_span(token);
        let aligned = self.column(at) == self.column(span);
        if let Some(enclosing) = enclosing
            && !(found == Keyword::End && aligned && self.column(enclosing.span) != self.column(span))
        {
            let text = self.describe(token);
            self.report(messages::unclosed_block(span, keyword.text(), expected.text(), at, &text));
            return None;
        }
        self.report(messages::wrong_ending(at, found.text(), span, keyword.text(), expected.text()));
        self.bump();
        Some(expected)
    }

    /// After `}`, which was used to close a block: goes on with `else` where there is one.
    fn after_brace(&mut self, keyword: Keyword) -> Option<Keyword> {
        let back = self.at;
        self.skip_newlines();
        match self.peek().kind {
            TokenKind::Keyword(next) if endings(keyword).contains(&next) => {
                self.bump();
                Some(next)
            }
            _ => {
                self.at = back;
                Some(long_ending(keyword))
            }
        }
    }

    fn column(&self, span: Span) -> usize {
        let before = &self.text[..span.start as usize];
        let line = &before[before.rfind('\n').map_or(0, |k| k + 1)..];
        line.find(|c: char| !c.is_whitespace()).unwrap_or(line.len())
    }

    /// Remembers how blocks are closed in this file, and reports the first mixture.
    pub(super) fn note_ending(&mut self, token: Token) {
        let TokenKind::Keyword(keyword) = token.kind else { return };
        let span = self.token_span(token);
        match keyword {
            Keyword::End => self.short_ending = self.short_ending.or(Some(span)),
            Keyword::EndIf | Keyword::Until | Keyword::ElseIf | Keyword::Else | Keyword::Catch => return,
            _ => self.long_ending = self.long_ending.or(Some((span, keyword.text()))),
        }
        if let (Some((long, text)), Some(short), false) =
            (self.long_ending, self.short_ending, self.mixed_reported)
        {
            self.mixed_reported = true;
            let message = if long > short {
                messages::mixed_endings(long, text, short, "end")
            } else {
                messages::mixed_endings(short, "end", long, text)
            };
            self.report(message);
        }
    }

    // Statements.

    fn statement(&mut self, out: &mut Block) {
        self.near_miss();
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
            self.at += 1; // whatever it was, it is behind us
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
                    p.skip_newlines();
                    all.push(p.name("a name"));
                });
                StmtKind::Symbolic(all)
            }
            "print" if self.list_follows(next, true) => {
                self.bump();
                StmtKind::Print(self.expression_list())
            }
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

    /// Whether `print` or `error` at the cursor is followed by a list without parentheses.
    fn list_follows(&mut self, next: Token, empty: bool) -> bool {
        match next.kind {
            TokenKind::Newline | TokenKind::End | TokenKind::Sign(Sign::Semicolon) => empty,
            TokenKind::Sign(Sign::OpenParen) => match self.after_matching(self.at + 1) {
                Some(after) => !matches!(
                    self.tokens[after].kind,
                    TokenKind::Newline | TokenKind::End | TokenKind::Sign(Sign::Semicolon)
                ),
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

    fn expression_list(&mut self) -> Vec<Expr> {
        let mut list = Vec::new();
        if !self.at_end_of_statement() {
            self.comma_list(Sign::Semicolon, |p| {
                p.skip_newlines();
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
        if ["true", "false", "nullptr"].contains(&text.as_str()) {
            self.report(messages::reserved_name(start, &text));
        }
        let span = self.since(start);
        let name = Name { text, span: start };
        StmtKind::Expr(self.node(span, ExprKind::Declare { name, annotation }))
    }

    /// After a statement: its end, or a message about what stands there instead.
    pub(super) fn end_of_statement(&mut self, subject: Option<String>) {
        if !self.recovering && !self.at_end_of_statement() {
            let token = self.peek();
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
                _ => messages::expected_end_of_statement(span, &found),
            };
            self.fail(message);
        }
        self.recover();
    }

    fn line_has_equal(&self) -> bool {
        let rest = self.tokens[self.at..].iter().take_while(|t| t.kind != TokenKind::Newline);
        rest.into_iter().any(|t| t.kind == TokenKind::Sign(Sign::Equal))
    }

    // Simple statements.

    /// `name:` before a loop. Attributes between label and loop are added as statements of their own.
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
            self.skip_newlines();
            let sequence = self.expr();
            if !self.recovering && self.is(Sign::Colon) { self.colon_range(sequence) } else { sequence }
        };
        let (body, _) = self.body(keyword, span, endings(keyword));
        StmtKind::For { variable, sequence, body }
    }

    /// `for (i = 0; i < n; i++)`: reported; the body is read all the same.
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
            let variable = (!self.at_end_of_statement()).then(|| self.name("the name of the error"));
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
            self.fail_expected("`with`");
        }
        let braces = self.header_end(keyword, span);
        self.open.push(Open { keyword, span, braces });
        let mut arms = Vec::new();
        loop {
            self.skip_separators();
            let token = self.peek();
            match token.kind {
                TokenKind::Sign(Sign::Or) => arms.push(self.match_arm()),
                TokenKind::Sign(Sign::CloseBrace) if braces => break,
                TokenKind::End => break,
                TokenKind::Keyword(k) if k.closes_block() => break,
                _ => {
                    self.fail_expected("`|` and a pattern");
                    self.recover();
                    let stray = self.block(endings(keyword));
                    if let (Some(arm), false) = (arms.last_mut(), stray.is_empty()) {
                        let arm: &mut MatchArm = arm;
                        arm.body.extend(stray);
                    }
                }
            }
        }
        self.block_end(keyword, span, braces);
        self.open.pop();
        StmtKind::Match { subject, arms }
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
        self.nesting += 1;
        let body = if self.nesting > MAX_NESTING { Vec::new() } else { self.block(endings(Keyword::Match)) };
        self.nesting -= 1;
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

    // Misspelt keywords.

    /// A first word that is not quite a keyword, where no statement could begin with a name: reported, and read as
    /// the keyword.
    fn near_miss(&mut self) {
        let token = self.peek();
        if token.kind != TokenKind::Ident {
            return;
        }
        let word = self.token_text(token);
        if ["print", "error", "symbolic", "type", "return"].contains(&word) {
            return;
        }
        let next = self.nth(1);
        let alone =
            matches!(next.kind, TokenKind::Newline | TokenKind::End | TokenKind::Sign(Sign::Semicolon));
        let beside =
            matches!(next.kind, TokenKind::Ident | TokenKind::Int(_) | TokenKind::Float(_) | TokenKind::Text)
                || next.kind == TokenKind::Sign(Sign::OpenBracket)
                    && next.space_before
                    && self.line_has_equal()
                || next.kind == TokenKind::Sign(Sign::OpenParen) && word.starts_with("el");
        let alias = ALIASES.iter().find(|a| a.0 == word).map(|a| a.1);
        let near = |k: &&Keyword| {
            let (k, limit) = (**k, if word.len() > 5 { 2 } else { 1 });
            let fits =
                if k.closes_block() || matches!(k, Keyword::Try | Keyword::Repeat) { alone } else { beside };
            let takes = matches!(k, Keyword::ElseIf | Keyword::Until | Keyword::Catch) && beside;
            (fits || takes) && distance(word, k.text()) <= limit
        };
        let found = match alias {
            Some(keyword) if alone && keyword.closes_block() || beside => Some(keyword),
            _ if word.len() < 3 => None,
            _ => Keyword::ALL.iter().filter(near).min_by_key(|k| distance(word, k.text())).copied(),
        };
        if let Some(keyword) = found {
            self.report(messages::near_keyword(self.token_span(token), word, keyword));
            let at = self.at;
            self.tokens[at].kind = TokenKind::Keyword(keyword);
        }
    }
}

/// How many letters must be put, dropped, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 3 {
        return usize::MAX;
    }
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
