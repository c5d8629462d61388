//! The blanks between the tokens of a line: by what a sign stands for, otherwise as written.

use crate::syntax::ast::*;
use crate::syntax::change::{self, VisitMut};
use crate::syntax::token::{Sign, Token, TokenKind};
use std::collections::BTreeSet;

/// What decides about blanks.
pub(super) struct Gaps {
    /// The first bytes of prefix operators, also of the `^` of pointers.
    prefixes: BTreeSet<u32>,
    /// For each token: whether it is in a bracket over several lines, whose blanks align columns, or in an attribute.
    kept: Vec<bool>,
}

impl Gaps {
    pub(super) fn of(module: &Module, tokens: &[Token]) -> Gaps {
        let mut prefixes = Prefixes(BTreeSet::new());
        prefixes.block(&mut module.items.clone());
        Gaps { prefixes: prefixes.0, kept: kept(tokens) }
    }

    /// The blanks in front of token `k`, which is not the first of its line; `written` are those of the source.
    pub(super) fn between(&self, tokens: &[Token], k: usize, written: &str) -> String {
        let (before, token) = (tokens[k - 1], tokens[k]);
        let some = !written.is_empty();
        if self.kept[k] && self.kept[k - 1] {
            return written.replace('\t', " ");
        }
        let wanted = match (before.kind, token.kind) {
            (_, TokenKind::Sign(Sign::Comma | Sign::Semicolon)) => false,
            (TokenKind::Sign(Sign::Semicolon), _) => true,
            (TokenKind::Sign(Sign::OpenParen | Sign::OpenBracket), _) => false,
            (_, TokenKind::Sign(Sign::CloseParen | Sign::CloseBracket)) => false,
            // `(x <- v)` needs its blanks as they are.
            (TokenKind::Sign(Sign::Less), TokenKind::Sign(Sign::Minus)) => some,
            (TokenKind::Sign(Sign::Minus), _) if is_arrow_head(tokens, k) => some,
            _ if self.is_prefix(before) => some && self.is_prefix(token),
            _ if is_spaced(tokens, k - 1) || is_spaced(tokens, k) => true,
            _ if self.is_arithmetic(before) => some || blank_before(tokens, k - 1),
            _ if self.is_arithmetic(token) => some || blank_before(tokens, k + 1),
            _ => some,
        };
        if wanted { " ".to_string() } else { String::new() }
    }

    fn is_prefix(&self, token: Token) -> bool {
        self.prefixes.contains(&token.start)
    }

    /// Whether blanks stand on both sides of a token or on none.
    fn is_arithmetic(&self, token: Token) -> bool {
        use Sign::*;
        let TokenKind::Sign(sign) = token.kind else { return false };
        matches!(sign, Plus | Minus | Star | Slash | Caret | DotStar | DotSlash | DotCaret | DotDot)
            && !self.is_prefix(token)
    }
}

/// Whether white space stands before a token on its line.
fn blank_before(tokens: &[Token], k: usize) -> bool {
    let (Some(before), Some(token)) = (k.checked_sub(1).and_then(|k| tokens.get(k)), tokens.get(k)) else {
        return false;
    };
    token.kind == TokenKind::Newline || before.kind == TokenKind::Newline || before.end < token.start
}

/// Whether the token before `k` is the second half of `<-`.
fn is_arrow_head(tokens: &[Token], k: usize) -> bool {
    k >= 2 && tokens[k - 2].kind == TokenKind::Sign(Sign::Less) && tokens[k - 2].end == tokens[k - 1].start
}

/// Whether a sign always has blanks around it.
fn is_spaced(tokens: &[Token], k: usize) -> bool {
    use Sign::*;
    let TokenKind::Sign(sign) = tokens[k].kind else { return false };
    match sign {
        EqualEqual | NotEqual | Less | LessEqual | Greater | GreaterEqual | AndAnd | OrOr | ColonEqual
        | Equal | PlusEqual | MinusEqual | StarEqual | SlashEqual | CaretEqual | DotStarEqual
        | DotSlashEqual | DotCaretEqual | AndEqual | OrEqual | TildeEqual | MaxEqual | MinEqual
        | Question => true,
        // An arrow of a type stands without blanks in brackets; the last one of a line has none behind it.
        Arrow => blank_before(tokens, k) || blank_before(tokens, k + 1),
        Colon => separates(tokens, k),
        _ => false,
    }
}

/// Whether a colon stands between two things: a name and its type, or the branches of `? :`.
fn separates(tokens: &[Token], k: usize) -> bool {
    let ends = |token: &Token| match token.kind {
        TokenKind::Sign(sign) => sign.is_closing() || matches!(sign, Sign::Unspecified | Sign::Underscore),
        TokenKind::Newline | TokenKind::End | TokenKind::Keyword(_) => false,
        _ => true,
    };
    let begins = |token: &Token| match token.kind {
        TokenKind::Sign(sign) => !(sign.is_closing() || matches!(sign, Sign::Comma | Sign::Semicolon)),
        TokenKind::Newline | TokenKind::End => false,
        _ => true,
    };
    k > 0 && ends(&tokens[k - 1]) && tokens.get(k + 1).is_some_and(begins)
}

/// Marks the tokens in brackets over several lines and in attributes.
fn kept(tokens: &[Token]) -> Vec<bool> {
    let mut kept = vec![false; tokens.len()];
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (k, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Newline => open.iter_mut().for_each(|(_, lines)| *lines = true),
            TokenKind::Sign(Sign::OpenBrace) => {
                let next = tokens.get(k + 1);
                let attribute =
                    next.is_some_and(|t| t.kind == TokenKind::Sign(Sign::Not) && t.start == token.end);
                open.push((k, attribute));
            }
            TokenKind::Sign(sign) if sign.closing().is_some() => open.push((k, false)),
            TokenKind::Sign(sign) if sign.is_closing() => {
                if let Some((from, true)) = open.pop() {
                    kept[from..=k].fill(true);
                }
            }
            _ => {}
        }
    }
    kept
}

struct Prefixes(BTreeSet<u32>);

impl VisitMut for Prefixes {
    fn expr(&mut self, e: &mut Expr) {
        if let ExprKind::Prefix { .. } = &e.kind {
            self.0.insert(e.span.start);
        }
        change::expr_parts(self, e);
    }

    fn ty(&mut self, ty: &mut TypeExpr) {
        if let TypeExprKind::Pointer(_) = &ty.kind {
            self.0.insert(ty.span.start);
        }
        change::type_parts(self, ty);
    }
}
