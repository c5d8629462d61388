//! Recovers from misspelled keywords and from keywords of other languages.

use super::*;
use crate::message::distance;

/// Keywords of other languages, and their equivalents.
const ALIASES: &[(&str, Keyword)] = &[
    ("elsif", Keyword::ElseIf),
    ("elif", Keyword::ElseIf),
    ("elseIf", Keyword::ElseIf),
    ("func", Keyword::Function),
    ("def", Keyword::Function),
    ("fn", Keyword::Function),
    ("foreach", Keyword::For),
    ("switch", Keyword::Match),
    ("endswitch", Keyword::EndMatch),
    ("endfunc", Keyword::EndFunction),
    ("endclass", Keyword::EndType),
    ("except", Keyword::Catch),
];

impl Parser<'_> {
    /// Reports a word similar to a keyword where no statement can start with a name, and treats it as the keyword.
    pub(super) fn near_miss(&mut self) {
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
        let small = |k: &Keyword| word != k.text() && word.eq_ignore_ascii_case(k.text());
        let same = || Keyword::ALL.iter().copied().find(small);
        let alias = ALIASES.iter().find(|a| a.0 == word).map(|a| a.1).or_else(same);
        let near = |k: &&Keyword| {
            let (k, limit) = (**k, if word.len() > 5 { 2 } else { 1 });
            let fits =
                if k.closes_block() || matches!(k, Keyword::Try | Keyword::Repeat) { alone } else { beside };
            let takes = matches!(k, Keyword::ElseIf | Keyword::Until | Keyword::Catch) && beside;
            let fits =
                fits && (k != Keyword::For || self.tokens[self.at + 2].kind == TokenKind::Sign(Sign::Equal));
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
