//! Parses attributes, macro invocations and pragmas.

use super::*;

impl Parser<'_> {
    /// Whether an attribute starts at the cursor: `{!` or `!name`.
    pub(super) fn attribute_begins(&mut self) -> bool {
        let (token, next) = (self.peek(), self.nth(1));
        match token.kind {
            TokenKind::Sign(Sign::OpenBrace) => {
                next.kind == TokenKind::Sign(Sign::Not) && next.start == token.end
            }
            TokenKind::Sign(Sign::Not) => next.kind == TokenKind::Ident,
            _ => false,
        }
    }

    pub(super) fn attribute(&mut self) -> Attribute {
        let start = self.here();
        let braces = self.is(Sign::OpenBrace);
        let (words, arguments) = if braces {
            self.bracketed(true, |p| {
                p.bump();
                p.attribute_body()
            })
        } else {
            self.bump();
            self.attribute_body()
        };
        Attribute { words, arguments, braces, span: self.since(start) }
    }

    fn attribute_body(&mut self) -> (Vec<Name>, Vec<AttributeArg>) {
        let mut words = vec![self.name("the name of an attribute")];
        let mut arguments = Vec::new();
        while !self.recovering && self.attribute_word(&words[0].text) {
            let token = self.bump();
            words.push(Name { text: self.token_text(token).to_string(), span: self.token_span(token) });
        }
        while self.eat(Sign::Semicolon) || self.eat(Sign::Comma) {}
        while !self.recovering && !self.attribute_ends() {
            arguments.push(self.attribute_argument());
            if self.recovering || !(self.eat(Sign::Semicolon) || self.eat(Sign::Comma)) {
                break;
            }
            while self.eat(Sign::Semicolon) || self.eat(Sign::Comma) {}
        }
        (words, arguments)
    }

    /// Whether a word at the cursor belongs to the name: `for` in `parallel for`, the target of `sched`.
    fn attribute_word(&mut self, first: &str) -> bool {
        let token = self.peek();
        match token.kind {
            TokenKind::Keyword(_) => true,
            TokenKind::Ident => {
                first == "sched"
                    && ["cpu", "gpu", "auto"].contains(&self.token_text(token))
                    && self.nth(1).kind != TokenKind::Sign(Sign::Equal)
            }
            _ => false,
        }
    }

    fn attribute_ends(&mut self) -> bool {
        match self.brackets.is_empty() {
            true => matches!(self.peek().kind, TokenKind::Newline | TokenKind::End),
            false => matches!(self.peek().kind, TokenKind::Sign(Sign::CloseBrace) | TokenKind::End),
        }
    }

    fn attribute_argument(&mut self) -> AttributeArg {
        let keyed = self.peek().kind == TokenKind::Ident && self.nth(1).kind == TokenKind::Sign(Sign::Equal);
        let key = keyed.then(|| {
            let name = self.name("a parameter");
            self.bump();
            self.join_line();
            name
        });
        AttributeArg { key, value: self.expr() }
    }

    /// `#pragma name(arguments)`.
    pub(super) fn pragma(&mut self) -> StmtKind {
        let hash = self.bump();
        let span = self.token_span(hash);
        if !self.eat_word("pragma") || self.peek().kind != TokenKind::Ident {
            self.fail(messages::unknown_pragma(span));
            return StmtKind::Invalid;
        }
        let name = self.name("the name of a pragma");
        let mut arguments = None;
        if self.is(Sign::OpenParen) {
            let open = self.here();
            match self.matching[self.at] {
                Some(close) => {
                    let inner = open.end as usize..self.tokens[close as usize].start as usize;
                    arguments = Some(self.text[inner].trim().to_string());
                    self.at = close as usize + 1;
                }
                None => {
                    self.fail(messages::unclosed_bracket(open, open, "(", ")", false, "the end of the line"))
                }
            }
        }
        StmtKind::Pragma { name, arguments }
    }
}
