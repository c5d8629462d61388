//! What an editor shows of a text: the classes of its tokens and the messages of the compiler.

use crate::place::{self, Counter};
use crate::{NAME, modules, options};
use quasar_core::message::{Category, Message};
use quasar_core::query::Document;
use quasar_core::query::names::SymbolKind;
use quasar_core::query::tokens::{PieceKind, pieces};
use serde_json::{Value, json};

/// Checks a text. The answer has `tokens`, a list of `[start, length, class]`, and `messages`, the errors first.
pub fn look(text: &str) -> Value {
    let document = Document::check(NAME, text, &modules(), &options());
    let mut counter = Counter::new(document.text());
    let tokens: Vec<Value> = pieces(&document)
        .iter()
        .map(|piece| {
            let start = counter.units(piece.span.start);
            json!([start, counter.units(piece.span.end) - start, class(piece.kind)])
        })
        .collect();
    json!({"tokens": tokens, "messages": messages(&document)})
}

/// Messages for the page: errors, warnings and what would make the program slow; errors first, otherwise in order.
fn messages(document: &Document) -> Vec<Value> {
    let rank = |message: &Message| match message.category {
        Category::Error | Category::Limitation | Category::Bug => Some(0),
        Category::Warning => Some(1),
        Category::PerformanceWarning => Some(2),
        _ => None,
    };
    let mut shown: Vec<&Message> =
        document.messages.iter().filter(|message| rank(message).is_some()).collect();
    shown.sort_by_key(|message| rank(message));
    shown.iter().map(|message| place::message(message, &document.compilation.sources)).collect()
}

/// The class of the style sheet for a piece of text.
fn class(kind: PieceKind) -> &'static str {
    match kind {
        PieceKind::Keyword => "keyword",
        PieceKind::Number => "number",
        PieceKind::Text => "text",
        PieceKind::Comment => "comment",
        PieceKind::Operator => "operator",
        PieceKind::Builtin => "builtin",
        PieceKind::BuiltinType => "type",
        PieceKind::Meta => "meta",
        PieceKind::Modifier => "modifier",
        PieceKind::Symbol(SymbolKind::Function | SymbolKind::Macro) => "function",
        PieceKind::Symbol(SymbolKind::Type | SymbolKind::Enum | SymbolKind::TypeParameter) => "type",
        PieceKind::Symbol(SymbolKind::Member | SymbolKind::Field) => "field",
        PieceKind::Symbol(SymbolKind::Parameter | SymbolKind::Output) => "parameter",
        PieceKind::Symbol(SymbolKind::Variable | SymbolKind::Label) => "variable",
        PieceKind::Unknown => "unknown",
    }
}
