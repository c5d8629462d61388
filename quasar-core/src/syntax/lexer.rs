//! The lexer (language reference §1.1 and §1.2).
//!
//! Line ends are tokens, which the parser skips inside brackets and after operators. Only a trailing `_` joins lines
//! here.

use super::messages;
use super::parser::ParseOptions;
use super::token::{Keyword, Sign, Token, TokenKind};
use crate::message::Sink;
use crate::source::{FileId, Span};

/// Splits a text into tokens; the last one is [`TokenKind::End`].
pub fn lex(file: FileId, text: &str, options: ParseOptions, sink: &mut Sink) -> Vec<Token> {
    join_lines(lex_lines(file, text, options, sink))
}

/// As [`lex`], with the `_` that join lines and the line ends behind them: every character of the text is in a token, a
/// comment or white space between tokens.
pub fn lex_lines(file: FileId, text: &str, options: ParseOptions, sink: &mut Sink) -> Vec<Token> {
    let mut lexer = Lexer { file, text, at: 0, options, tokens: Vec::new(), sink };
    lexer.run();
    lexer.tokens
}

/// The comments of a text, as ranges of bytes; `tokens` are those of [`lex_lines`].
pub fn comments(text: &str, tokens: &[Token]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut from = 0;
    for token in tokens {
        let gap = text.get(from as usize..token.start as usize).unwrap_or_default();
        if let Some(at) = gap.find(['%', '/']) {
            let end = from + gap.trim_end().len() as u32;
            found.push((from + at as u32, end));
        }
        from = token.end;
    }
    found
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    options: ParseOptions,
    tokens: Vec<Token>,
    sink: &'a mut Sink,
}

/// The signs that start with a character, longest first; `__=` is lexed with words.
fn signs(first: char) -> &'static [Sign] {
    match first {
        '.' => &[
            Sign::DotStarEqual,
            Sign::DotSlashEqual,
            Sign::DotCaretEqual,
            Sign::Ellipsis,
            Sign::DotStar,
            Sign::DotSlash,
            Sign::DotCaret,
            Sign::DotDot,
            Sign::Dot,
        ],
        '^' => &[Sign::MaxEqual, Sign::CaretEqual, Sign::Caret],
        '=' => &[Sign::EqualEqual, Sign::Equal],
        '!' => &[Sign::NotEqual, Sign::Not],
        '<' => &[Sign::LessEqual, Sign::Less],
        '>' => &[Sign::GreaterEqual, Sign::Greater],
        '&' => &[Sign::AndAnd, Sign::AndEqual, Sign::And],
        '|' => &[Sign::OrOr, Sign::OrEqual, Sign::Or],
        '?' => &[Sign::Unspecified, Sign::Question],
        '-' => &[Sign::Arrow, Sign::MinusEqual, Sign::Minus],
        ':' => &[Sign::ColonEqual, Sign::Colon],
        '+' => &[Sign::PlusEqual, Sign::Plus],
        '*' => &[Sign::StarEqual, Sign::Star],
        '/' => &[Sign::SlashEqual, Sign::Slash],
        '~' => &[Sign::TildeEqual, Sign::Tilde],
        ';' => &[Sign::Semicolon],
        ',' => &[Sign::Comma],
        '\'' => &[Sign::Apostrophe],
        '`' => &[Sign::Backquote],
        '´' => &[Sign::Acute],
        '(' => &[Sign::OpenParen],
        ')' => &[Sign::CloseParen],
        '[' => &[Sign::OpenBracket],
        ']' => &[Sign::CloseBracket],
        '{' => &[Sign::OpenBrace],
        '}' => &[Sign::CloseBrace],
        '#' => &[Sign::Hash],
        _ => &[],
    }
}

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        while let Some(c) = self.peek() {
            let start = self.at;
            match c {
                '\n' => {
                    self.at += 1;
                    self.push(TokenKind::Newline, start);
                }
                '%' => self.skip_line(),
                '/' if self.rest().starts_with("//") => self.line_comment(),
                '/' if self.rest().starts_with("/*") => self.block_comment(),
                '"' => self.string(),
                '0'..='9' => self.number(),
                '.' if self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number(),
                '$' => self.meta(),
                '_' => self.underscore(),
                c if c.is_whitespace() => self.at += c.len_utf8(),
                c if is_word(c) => self.word(),
                _ => self.sign(c),
            }
        }
        self.push(TokenKind::End, self.at);
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn span(&self, start: usize) -> Span {
        Span { file: self.file, start: start as u32, end: self.at as u32 }
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let before = self.text[..start].chars().next_back();
        let space_before = before.is_none_or(char::is_whitespace)
            || self.tokens.last().is_some_and(|t| {
                (t.end as usize) < start // a comment is in between
            });
        self.tokens.push(Token { kind, start: start as u32, end: self.at as u32, space_before });
    }

    fn eat_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn skip_line(&mut self) {
        self.eat_while(|c| c != '\n');
    }

    fn line_comment(&mut self) {
        let start = self.at;
        if !self.options.rust_comments {
            self.at += 2;
            self.sink.push(messages::foreign_comment(self.span(start), "//"));
        }
        self.skip_line();
    }

    /// `/* .. */`, nested as in Rust. A line end inside still separates statements.
    fn block_comment(&mut self) {
        let start = self.at;
        self.at += 2;
        if !self.options.rust_comments {
            self.sink.push(messages::foreign_comment(self.span(start), "/*"));
        }
        let mut depth = 1;
        while depth > 0 {
            let rest = self.rest();
            let Some(c) = self.peek() else {
                self.at = start + 2;
                self.sink.push(messages::unclosed_comment(self.span(start)));
                self.at = self.text.len();
                return;
            };
            if rest.starts_with("*/") {
                (depth, self.at) = (depth - 1, self.at + 2);
            } else if rest.starts_with("/*") {
                (depth, self.at) = (depth + 1, self.at + 2);
            } else {
                self.at += c.len_utf8();
                if c == '\n' {
                    self.push(TokenKind::Newline, self.at - 1);
                }
            }
        }
    }

    /// A string ends at a quote that is not doubled. In the token form of the macro `\"` does not end it, as in Rust.
    fn string(&mut self) {
        let start = self.at;
        self.at += 1;
        loop {
            let rest = self.rest();
            let escape = self.options.rust_comments && (rest.starts_with("\\\"") || rest.starts_with("\\\\"));
            if escape || rest.starts_with("\"\"") {
                self.at += 2;
            } else if rest.starts_with('"') {
                self.at += 1;
                break;
            } else if rest.is_empty() || rest.starts_with(['\n', '\r']) {
                self.sink.push(messages::unclosed_string(self.span(start)));
                break;
            } else {
                self.at += self.peek().map_or(1, char::len_utf8);
            }
        }
        self.push(TokenKind::Text, start);
    }

    fn meta(&mut self) {
        let start = self.at;
        self.at += 1;
        if self.eat_while(is_word).is_empty() {
            self.sink.push(messages::unknown_character(self.span(start), '$'));
            self.push(TokenKind::Unknown, start);
        } else {
            self.push(TokenKind::Meta, start);
        }
    }

    /// `_`, `__=` or a name that begins with underscores.
    fn underscore(&mut self) {
        let start = self.at;
        let after_place = start > 0 && self.text[..start].ends_with([']', ')', ' ', '\t']);
        if after_place && self.rest().starts_with("__=") && !self.rest().starts_with("__==") {
            self.at += 3;
            self.push(TokenKind::Sign(Sign::MinEqual), start);
            return;
        }
        let word = self.eat_while(is_word);
        if word == "_" {
            self.push(TokenKind::Sign(Sign::Underscore), start);
        } else {
            if !word.starts_with("__") {
                self.sink.push(messages::leading_underscore(self.span(start), word));
            }
            self.push(Keyword::find(word).map_or(TokenKind::Ident, TokenKind::Keyword), start);
        }
    }

    fn word(&mut self) {
        let start = self.at;
        let word = self.eat_while(is_word);
        self.push(Keyword::find(word).map_or(TokenKind::Ident, TokenKind::Keyword), start);
    }

    fn sign(&mut self, c: char) {
        let start = self.at;
        let rest = self.rest();
        if let Some(sign) = signs(c).iter().find(|s| rest.starts_with(s.text())) {
            self.at += sign.text().len();
            self.push(TokenKind::Sign(*sign), start);
        } else {
            self.at += c.len_utf8();
            self.sink.push(messages::unknown_character(self.span(start), c));
            self.push(TokenKind::Unknown, start);
        }
    }

    fn number(&mut self) {
        let start = self.at;
        let run = self.eat_while(|c| c.is_ascii_alphanumeric() || c == '_');
        if let Some(value) = radix(run) {
            match value {
                Some(value) => self.push(TokenKind::Int(value), start),
                None => {
                    self.sink.push(messages::number_too_large(self.span(start)));
                    self.push(TokenKind::Int(0), start);
                }
            }
            return;
        }
        self.at = start;
        let whole = self.eat_while(|c| c.is_ascii_digit());
        let mut float = whole.is_empty();
        let next = self.rest().as_bytes();
        if next.first() == Some(&b'.') && !matches!(next.get(1), Some(b'.' | b'*' | b'/' | b'^')) {
            float = true;
            self.at += 1;
            self.eat_while(|c| c.is_ascii_digit());
        }
        float |= self.exponent();
        let digits = &self.text[start..self.at];
        let suffix = self.at;
        let kind = match self.eat_while(is_word) {
            "" if !float => digits.parse().map_or_else(|_| TokenKind::Float(decimal(digits)), TokenKind::Int),
            "" => TokenKind::Float(decimal(digits)),
            "i" | "j" => TokenKind::Imaginary(decimal(digits)),
            letters => {
                self.sink.push(messages::letters_after_number(
                    Span { file: self.file, start: suffix as u32, end: self.at as u32 },
                    digits,
                    letters,
                ));
                TokenKind::Float(decimal(digits))
            }
        };
        self.push(kind, start);
    }

    /// Consumes an exponent: `e`, an optional sign and digits.
    fn exponent(&mut self) -> bool {
        let bytes = self.rest().as_bytes();
        let sign = usize::from(matches!(bytes.get(1), Some(b'+' | b'-')));
        if !matches!(bytes.first(), Some(b'e' | b'E')) || !bytes.get(1 + sign).is_some_and(u8::is_ascii_digit)
        {
            return false;
        }
        self.at += 1 + sign;
        self.eat_while(|c| c.is_ascii_digit());
        true
    }
}

/// Letters, digits, underscores and Greek letters.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || ('Α'..='ω').contains(&c) && c.is_alphabetic()
}

fn decimal(digits: &str) -> f64 {
    digits.parse().unwrap_or(0.0)
}

/// A number with a radix suffix; `Some(None)` if it overflows.
fn radix(run: &str) -> Option<Option<u64>> {
    let last = run.chars().next_back()?.to_ascii_lowercase();
    let base = match last {
        'b' => 2,
        'o' => 8,
        'h' => 16,
        _ => return None,
    };
    let digits = &run[..run.len() - 1];
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    Some(u64::from_str_radix(digits, base).ok())
}

/// Joins lines: drops a `_` that is the last token of its line, with the line end. A `_` between `[` or `,` and `]` or
/// `,` is a placeholder.
fn join_lines(tokens: Vec<Token>) -> Vec<Token> {
    let is = |t: Option<&Token>, signs: &[Sign]| {
        t.is_some_and(|t| matches!(t.kind, TokenKind::Sign(s) if signs.contains(&s)))
    };
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut k = 0;
    while k < tokens.len() {
        let ends_line = tokens[k].kind == TokenKind::Sign(Sign::Underscore)
            && tokens.get(k + 1).is_some_and(|t| t.kind == TokenKind::Newline);
        let placeholder = ends_line
            && is(
                joined.iter().rev().find(|t| t.kind != TokenKind::Newline),
                &[Sign::OpenBracket, Sign::Comma],
            )
            && is(
                tokens[k + 1..].iter().find(|t| t.kind != TokenKind::Newline),
                &[Sign::CloseBracket, Sign::Comma],
            );
        if ends_line && !placeholder {
            k += 2;
        } else {
            joined.push(tokens[k]);
            k += 1;
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_is_found_before_those_that_begin_it() {
        for sign in Sign::ALL {
            if matches!(sign, Sign::MinEqual | Sign::Underscore) {
                continue;
            }
            let text = sign.text();
            let first = text.chars().next().expect("a character");
            let found = signs(first).iter().find(|s| text.starts_with(s.text()));
            assert_eq!(found, Some(sign));
        }
    }
}
