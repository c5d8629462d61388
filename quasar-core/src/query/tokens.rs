//! The pieces of a text for highlighting: its tokens and comments, names by what they mean.

use super::Document;
use super::names::SymbolKind;
use crate::source::Span;
use crate::syntax::operators::is_type_name;
use crate::syntax::token::{Sign, TokenKind};

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// A reserved word.
    Keyword,
    /// A number.
    Number,
    /// A string.
    Text,
    /// A comment.
    Comment,
    /// An operator; brackets, commas and other punctuation have no piece.
    Operator,
    /// A function that is part of the language.
    Builtin,
    /// A type that is part of the language.
    BuiltinType,
    /// A meta function or parameter (`$name`).
    Meta,
    /// A type modifier (`'const`).
    Modifier,
    /// A name of the program.
    Symbol(SymbolKind),
    /// A name that is not known.
    Unknown,
}

/// Words that are keywords by their place.
const CONTEXTUAL: &[&str] = &[
    "print",
    "error",
    "type",
    "class",
    "enum",
    "mutable",
    "dynamic",
    "where",
    "with",
    "symbolic",
    "concealed",
    "as",
];

/// A piece of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Its place.
    pub span: Span,
}

/// All pieces in order.
pub fn pieces(document: &Document) -> Vec<Piece> {
    let file = document.root;
    let mut pieces: Vec<Piece> = document
        .comments
        .iter()
        .map(|(start, end)| Piece { kind: PieceKind::Comment, span: Span { file, start: *start, end: *end } })
        .collect();
    let names = &document.names;
    for (k, token) in document.tokens.iter().enumerate() {
        let span = Span { file, start: token.start, end: token.end };
        let before = k.checked_sub(1).map(|k| document.tokens[k]);
        let quoted =
            before.is_some_and(|t| t.kind == TokenKind::Sign(Sign::Apostrophe) && t.end == token.start);
        let kind = match token.kind {
            TokenKind::Keyword(_) => PieceKind::Keyword,
            TokenKind::Int(_) | TokenKind::Float(_) | TokenKind::Imaginary(_) => PieceKind::Number,
            TokenKind::Text => PieceKind::Text,
            TokenKind::Meta => PieceKind::Meta,
            TokenKind::Ident if quoted => PieceKind::Modifier,
            TokenKind::Ident => match names.at(file, token.start) {
                Some((place, symbol)) if place.start == token.start => PieceKind::Symbol(symbol.kind),
                _ => word(document.slice(span), before.is_none_or(|t| t.kind == TokenKind::Newline)),
            },
            TokenKind::Sign(sign) if is_operator(sign) => PieceKind::Operator,
            TokenKind::Sign(_) | TokenKind::Newline | TokenKind::End | TokenKind::Unknown => continue,
        };
        pieces.push(Piece { kind, span });
    }
    pieces.sort_by_key(|piece| piece.span.start);
    pieces
}

/// A name that the program does not define. `type`, `print` and `error` begin statements, and are functions elsewhere.
fn word(text: &str, begins: bool) -> PieceKind {
    match text {
        _ if begins && CONTEXTUAL.contains(&text) => PieceKind::Keyword,
        _ if is_type_name(text) => PieceKind::BuiltinType,
        _ if !super::signatures::of_builtin(text).is_empty() => PieceKind::Builtin,
        _ if CONTEXTUAL.contains(&text) => PieceKind::Keyword,
        _ => PieceKind::Unknown,
    }
}

fn is_operator(sign: Sign) -> bool {
    use Sign::*;
    !(sign.is_closing()
        || sign.closing().is_some()
        || matches!(sign, Comma | Semicolon | Apostrophe | Backquote | Acute | Underscore | Hash | Dot))
}

/// The words that stand for no name, for completion and grammars of editors.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    crate::syntax::token::Keyword::ALL.iter().map(|keyword| keyword.text()).chain(CONTEXTUAL.iter().copied())
}
