//! The parser: recursive descent over tokens. It never fails; it returns a tree for any input.
//!
//! After an error the rest of the statement is skipped silently (`Parser::recover`), so that one error gives one
//! message. Depth is limited twice: [`MAX_NESTING`] bounds the recursion of the parser and [`MAX_HEIGHT`] the height of
//! expressions, over which later phases recurse. Chains such as `a + a + ..` are split into pieces of limited height.

mod attributes;
mod blocks;
mod expressions;
mod items;
mod primary;
mod spelling;
mod statements;
mod types;

use super::ast::*;
use super::lexer::lex;
use super::messages;
use super::token::{Keyword, Sign, Token, TokenKind};
use super::walk::{Node, for_each_child};
use crate::message::{Message, Sink};
use crate::source::{FileId, Span};

/// Reserved names that are lexed as identifiers.
const RESERVED: [&str; 4] = ["true", "false", "nullptr", "type"];

/// The deepest nesting of brackets, operators and blocks.
pub const MAX_NESTING: u32 = 100;
/// The maximal height of an expression tree.
pub const MAX_HEIGHT: u32 = 250;
/// The maximal height of the pieces of a chain, which may itself be arbitrarily long.
const MAX_PIECE: u32 = 100;

/// Syntax extensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// The source is given as tokens in a Rust file: `//` and `/* */` are comments too, and `\"` does not end a string.
    pub rust_comments: bool,
    /// Blocks may be closed in both styles, `end` and `endfor`: the text was written in pieces.
    pub mixed_endings: bool,
}

/// Parses a file. Errors become messages; the tree holds what could be parsed.
pub fn parse(file: FileId, text: &str, ids: &mut NodeIds, sink: &mut Sink) -> Module {
    parse_with(file, text, ParseOptions::default(), ids, sink)
}

/// Parses a file with options.
pub fn parse_with(
    file: FileId,
    text: &str,
    options: ParseOptions,
    ids: &mut NodeIds,
    sink: &mut Sink,
) -> Module {
    Parser::new(file, text, options, ids, sink).module()
}

/// Parses source that is a single expression, such as the argument of `eval`.
pub fn parse_expression(file: FileId, text: &str, ids: &mut NodeIds, sink: &mut Sink) -> Expr {
    let mut parser = Parser::new(file, text, ParseOptions::default(), ids, sink);
    parser.skip_separators();
    let expr = parser.expr();
    parser.expect_end_of_text();
    expr
}

/// Parses source that is a single type, such as the second argument of `type(x, "vec[int]")`.
pub fn parse_type(file: FileId, text: &str, ids: &mut NodeIds, sink: &mut Sink) -> TypeExpr {
    let mut parser = Parser::new(file, text, ParseOptions::default(), ids, sink);
    parser.skip_separators();
    let ty = parser.type_expr();
    parser.expect_end_of_text();
    ty
}

/// A block whose end has not been reached.
#[derive(Clone, Copy, Debug)]
struct Open {
    keyword: Keyword,
    span: Span,
    braces: bool,
}

/// Context flags that hold up to the next bracket.
#[derive(Clone, Copy, Debug, Default)]
struct Context {
    /// `->` does not make a lambda (patterns of `match` and `reduction`).
    no_lambda: bool,
    /// The expression is a condition, in which `~=` must be meant as a comparison.
    condition: bool,
    /// `'` closes a legacy cell and does not start a modifier.
    quoted: bool,
    /// The next `:` belongs to `c ? a : b`.
    ternary: bool,
    /// The first byte of a parenthesised expression, which may become `(place <- value)`.
    exchange: Option<u32>,
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    options: ParseOptions,
    tokens: Vec<Token>,
    /// For each opening bracket, the index of the token that closes it.
    matching: Vec<Option<u32>>,
    at: usize,
    /// The tokens of the open brackets around the cursor; inside brackets line ends are ignored.
    brackets: Vec<usize>,
    nesting: u32,
    context: Context,
    /// An error was reported; further messages are suppressed until the statement ends.
    recovering: bool,
    /// Where to resume if the error was a missing bracket at the end of a line.
    resume: Option<usize>,
    open: Vec<Open>,
    /// How many blocks were unclosed at the end of the file.
    unclosed: u32,
    long_ending: Option<(Span, &'static str)>,
    short_ending: Option<Span>,
    mixed_reported: bool,
    one_line_reported: Option<usize>,
    first_id: usize,
    heights: Vec<u16>,
    ids: &'a mut NodeIds,
    sink: &'a mut Sink,
}

impl<'a> Parser<'a> {
    fn new(
        file: FileId,
        text: &'a str,
        options: ParseOptions,
        ids: &'a mut NodeIds,
        sink: &'a mut Sink,
    ) -> Parser<'a> {
        let tokens = lex(file, text, options, sink);
        let matching = match_brackets(&tokens);
        Parser {
            file,
            text,
            options,
            tokens,
            matching,
            at: 0,
            brackets: Vec::new(),
            nesting: 0,
            context: Context::default(),
            recovering: false,
            resume: None,
            open: Vec::new(),
            unclosed: 0,
            long_ending: None,
            short_ending: None,
            mixed_reported: false,
            one_line_reported: None,
            first_id: ids.len(),
            heights: Vec::new(),
            ids,
            sink,
        }
    }

    // The cursor.

    fn peek(&mut self) -> Token {
        if !self.brackets.is_empty() {
            self.skip_newlines();
        }
        self.tokens[self.at]
    }

    /// The token `n` positions ahead, ignoring line ends inside brackets.
    fn nth(&mut self, n: usize) -> Token {
        self.peek();
        let inside = !self.brackets.is_empty();
        let rest = &self.tokens[self.at..];
        let last = self.tokens[self.tokens.len() - 1];
        rest.iter().filter(|t| !inside || t.kind != TokenKind::Newline).nth(n).copied().unwrap_or(last)
    }

    fn bump(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn skip_newlines(&mut self) {
        while self.tokens[self.at].kind == TokenKind::Newline {
            self.at += 1;
        }
    }

    /// After an operator: continues in the next line, unless a statement must start there.
    fn join_line(&mut self) {
        let next = (self.at..self.tokens.len()).find(|&k| self.tokens[k].kind != TokenKind::Newline);
        if let Some(next) = next
            && self.tokens[next].kind != TokenKind::End
            && !self.line_begins_at(next)
        {
            self.at = next;
        }
    }

    fn skip_separators(&mut self) {
        while matches!(self.tokens[self.at].kind, TokenKind::Newline | TokenKind::Sign(Sign::Semicolon)) {
            self.at += 1;
        }
    }

    fn is(&mut self, sign: Sign) -> bool {
        self.peek().kind == TokenKind::Sign(sign)
    }

    fn is_keyword(&mut self, keyword: Keyword) -> bool {
        self.peek().kind == TokenKind::Keyword(keyword)
    }

    fn is_word(&mut self, word: &str) -> bool {
        let token = self.peek();
        token.kind == TokenKind::Ident && self.token_text(token) == word
    }

    fn eat(&mut self, sign: Sign) -> bool {
        let found = self.is(sign);
        if found {
            self.bump();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn at_end_of_statement(&mut self) -> bool {
        matches!(self.peek().kind, TokenKind::Newline | TokenKind::End | TokenKind::Sign(Sign::Semicolon))
    }

    /// The token before the cursor, line ends included.
    fn previous(&self) -> Option<Token> {
        self.at.checked_sub(1).map(|k| self.tokens[k])
    }

    fn token_text(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn token_span(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    fn here(&mut self) -> Span {
        let token = self.peek();
        self.token_span(token)
    }

    /// The span from the start of `from` to the last consumed token.
    fn since(&self, from: Span) -> Span {
        let last = self.tokens[..self.at].iter().rev().find(|t| t.kind != TokenKind::Newline);
        Span { end: last.map_or(from.end, |t| t.end).max(from.start), ..from }
    }

    fn describe(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Newline => "the end of the line".into(),
            TokenKind::End => "the end of the text".into(),
            TokenKind::Keyword(keyword) => format!("the keyword `{}`", keyword.text()),
            _ => format!("`{}`", self.token_text(token)),
        }
    }

    // Messages and recovery.

    /// Reports an error, unless the statement has one already, and skips the rest of the statement.
    fn fail(&mut self, message: Message) {
        if !self.recovering {
            self.sink.push(message);
            self.recovering = true;
        }
    }

    /// Reports an error that does not prevent parsing on.
    fn report(&mut self, message: Message) {
        if !self.recovering {
            self.sink.push(message);
        }
    }

    fn fail_expected(&mut self, what: &str) {
        let token = self.peek();
        let found = self.describe(token);
        self.fail(messages::expected(self.token_span(token), what, &found));
    }

    /// The same, with what to do.
    fn fail_expected_as(&mut self, what: &str, help: &str) {
        let token = self.peek();
        let found = self.describe(token);
        self.fail(messages::expected(self.token_span(token), what, &found).help(help));
    }

    fn expect(&mut self, sign: Sign) -> bool {
        let found = self.eat(sign);
        if !found {
            self.fail_expected(&format!("`{}`", sign.text()));
        }
        found
    }

    /// After an error: skips to the end of the statement.
    fn recover(&mut self) {
        if !std::mem::take(&mut self.recovering) {
            return;
        }
        let brackets = std::mem::take(&mut self.brackets);
        self.context = Context::default();
        if let Some(resume) = self.resume.take() {
            self.at = resume;
            return;
        }
        if self.line_begins_at(self.at) {
            return;
        }
        if let Some(close) = brackets.iter().find_map(|&k| self.matching[k]) {
            self.at = self.at.max(close as usize + 1);
        }
        while !matches!(self.tokens[self.at].kind, TokenKind::End | TokenKind::Newline) {
            self.at = self.matching[self.at].map_or(self.at, |k| k as usize) + 1;
        }
    }

    /// Whether a line starts at the token with a word that only starts statements.
    fn line_begins_at(&self, index: usize) -> bool {
        let first = index == 0 || self.tokens[index - 1].kind == TokenKind::Newline;
        first && matches!(self.tokens[index].kind, TokenKind::Keyword(k) if k.begins_line())
    }

    /// Parses a bracket at the cursor; `f` parses its contents.
    fn bracketed<T>(&mut self, commas: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        let open = self.bump();
        let index = self.at - 1;
        let TokenKind::Sign(sign) = open.kind else { return f(self) };
        let saved = std::mem::take(&mut self.context);
        self.brackets.push(index);
        let result = f(self);
        if !self.recovering {
            self.close_bracket(open, index, sign, commas);
        }
        if !self.recovering {
            self.brackets.pop();
            self.context = saved;
        }
        result
    }

    fn close_bracket(&mut self, open: Token, index: usize, sign: Sign, commas: bool) {
        let closing = sign.closing().unwrap_or(sign);
        if self.eat(closing) {
            return;
        }
        let token = self.peek();
        let found = self.describe(token);
        let span = self.token_span(token);
        if sign == Sign::OpenBracket && self.is(Sign::Semicolon) {
            return self.fail(messages::semicolon_rows(span));
        }
        if sign == Sign::OpenParen && !commas && self.is(Sign::Comma) && self.matching[index].is_some() {
            return self.fail(messages::list_in_parentheses(span));
        }
        let begins = matches!(
            token.kind,
            TokenKind::Int(_) | TokenKind::Float(_) | TokenKind::Ident | TokenKind::Imaginary(_)
        );
        if sign == Sign::OpenBracket && begins && self.matching[index].is_some() {
            return self.fail(messages::missing_comma(span));
        }
        let line_end = self.previous().is_some_and(|t| t.kind == TokenKind::Newline);
        if line_end && self.matching[index].is_none() && !self.recovering {
            self.resume = Some(self.at - 1);
        }
        let open = self.token_span(open);
        self.fail(messages::unclosed_bracket(open, span, sign.text(), closing.text(), commas, &found));
    }

    /// Calls `f` for each element of a list separated by commas.
    fn comma_list(&mut self, closing: Sign, mut f: impl FnMut(&mut Self)) {
        if self.is(closing) {
            return;
        }
        loop {
            f(self);
            if self.recovering || !self.eat(Sign::Comma) {
                return;
            }
        }
    }

    /// Runs `f` one nesting level deeper, or reports too deep nesting.
    fn deeper<T>(
        &mut self,
        otherwise: impl FnOnce(&mut Self, Span) -> T,
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if self.nesting >= MAX_NESTING {
            let span = self.here();
            self.fail(messages::nested_too_deeply(span));
            return otherwise(self, span);
        }
        self.nesting += 1;
        let result = f(self);
        self.nesting -= 1;
        result
    }

    fn expect_end_of_text(&mut self) {
        self.recover();
        self.skip_separators();
        if self.peek().kind != TokenKind::End {
            self.fail_expected("the end of the text");
        }
    }

    // Nodes.

    fn fresh(&mut self) -> NodeId {
        self.ids.fresh()
    }

    fn height(&self, id: NodeId) -> u32 {
        (id.0 as usize)
            .checked_sub(self.first_id)
            .and_then(|k| self.heights.get(k))
            .copied()
            .unwrap_or(0)
            .into()
    }

    fn set_height(&mut self, id: NodeId, height: u32) {
        let k = id.0 as usize - self.first_id;
        if k >= self.heights.len() {
            self.heights.resize(k + 1, 0);
        }
        self.heights[k] = height as u16;
    }

    /// A new expression node; if it is too high, it is reported and replaced.
    fn node(&mut self, span: Span, kind: ExprKind) -> Expr {
        let mut height = 0;
        for_each_child(&kind, &mut |node| {
            height = height.max(match node {
                Node::Expr(e) => self.height(e.id),
                Node::Type(t) => self.height(t.id),
            });
        });
        let id = self.fresh();
        if height >= MAX_HEIGHT {
            self.fail(messages::nested_too_deeply(span));
            return Expr { id, span, kind: ExprKind::Invalid };
        }
        self.set_height(id, height + 1);
        Expr { id, span, kind }
    }

    fn invalid(&mut self, span: Span) -> Expr {
        self.node(span, ExprKind::Invalid)
    }

    fn name(&mut self, what: &str) -> Name {
        let token = self.peek();
        let span = self.token_span(token);
        if token.kind == TokenKind::Ident {
            self.bump();
            return Name { text: self.token_text(token).to_string(), span };
        }
        self.fail_expected(what);
        Name { text: String::new(), span: Span { end: span.start, ..span } }
    }
}

/// Matches brackets. A line that starts with a statement keyword closes all of them.
fn match_brackets(tokens: &[Token]) -> Vec<Option<u32>> {
    let mut matching = vec![None; tokens.len()];
    let mut open: Vec<(usize, Sign)> = Vec::new();
    for (k, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Sign(sign) => {
                if let Some(closing) = sign.closing() {
                    open.push((k, closing));
                } else if sign.is_closing()
                    && let Some(position) = open.iter().rposition(|o| o.1 == sign)
                {
                    matching[open[position].0] = Some(k as u32);
                    open.truncate(position);
                }
            }
            TokenKind::Keyword(keyword)
                if keyword.begins_line() && (k == 0 || tokens[k - 1].kind == TokenKind::Newline) =>
            {
                open.clear();
            }
            _ => {}
        }
    }
    matching
}
