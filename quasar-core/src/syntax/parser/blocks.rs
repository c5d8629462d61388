//! Parses blocks: their headers and endings.

use super::*;

/// The most unclosed blocks that are reported.
const MAX_UNCLOSED: u32 = 3;

/// The words that may follow the block of a keyword: continuations first, the long ending last, then `end` if allowed.
pub(super) fn endings(keyword: Keyword) -> &'static [Keyword] {
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

impl Parser<'_> {
    /// Parses statements up to a word in `enders`, or up to one that closes an enclosing block.
    pub(super) fn block(&mut self, enders: &[Keyword]) -> Block {
        let mut block = Vec::new();
        self.block_into(&mut block, enders);
        block
    }

    pub(super) fn block_into(&mut self, block: &mut Block, enders: &[Keyword]) {
        loop {
            self.skip_separators();
            self.near_miss();
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

    /// Reports a block keyword that shares its line with another statement, once per line.
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

    /// Parses the end of a block header: the line end, or a brace, which is reported.
    pub(super) fn header_end(&mut self, keyword: Keyword, span: Span) -> bool {
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
            let word = self.token_text(token).to_string();
            let ending = long_ending(keyword).text();
            self.report(messages::header_word(self.token_span(token), &word, keyword.text(), ending));
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

    /// Parses the block after a header, and its ending. Also returns the word that ended it: one of `stops` or an
    /// ending.
    pub(super) fn body(
        &mut self,
        keyword: Keyword,
        span: Span,
        stops: &[Keyword],
    ) -> (Block, Option<Keyword>) {
        let braces = self.header_end(keyword, span);
        self.part(keyword, span, braces, stops)
    }

    /// As [`Self::body`], without a header.
    pub(super) fn part(
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

    /// Skips a block that is nested too deeply, inner blocks included.
    pub(super) fn skip_blocks(&mut self) {
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

    /// Consumes the word that ends or continues a block; `None` if it is missing.
    pub(super) fn block_end(&mut self, keyword: Keyword, span: Span, braces: bool) -> Option<Keyword> {
        let token = self.peek();
        let expected = long_ending(keyword);
        let TokenKind::Keyword(found) = token.kind else {
            if braces && self.eat(Sign::CloseBrace) {
                return self.after_brace(keyword);
            }
            let found = self.describe(token);
            let at = self.token_span(token);
            self.unclosed += 1;
            if self.unclosed <= MAX_UNCLOSED {
                self.report(messages::unclosed_block(span, keyword.text(), expected.text(), at, &found));
            }
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

    /// After a `}` that was used to close a block: continues with an `else`, if there is one.
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

    /// Records the style of block endings in this file, and reports the first mixture.
    pub(super) fn note_ending(&mut self, token: Token) {
        let TokenKind::Keyword(keyword) = token.kind else { return };
        if self.options.mixed_endings {
            return;
        }
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
}
