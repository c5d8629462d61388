//! What is at a place of a text: its type or its signatures, and its documentation.

use quasar_core::query::names::SymbolKind;
use quasar_core::query::{Document, signatures, types};
use quasar_core::source::Span;

/// What is known of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Where it stands.
    pub span: Span,
    /// Its type, or the headers of the functions of this name.
    pub code: Vec<String>,
    /// Documentation: comments above definitions, and sentences about builtin functions.
    pub docs: Vec<String>,
}

/// What is known of the name at a place; `None` if there is none, or nothing is known.
pub fn about(document: &Document, offset: u32) -> Option<About> {
    let word = document.word_at(offset)?;
    let span = Span { file: document.root, start: word.start, end: word.end };
    let name = document.slice(span);
    let mut code: Vec<String> = Vec::new();
    let mut docs: Vec<String> = Vec::new();
    let symbol = document.names.at(document.root, word.start).map(|(_, symbol)| symbol);
    let signatures = match symbol {
        Some(symbol) => signatures::of_symbol(document, symbol),
        None => signatures::of_builtin(name),
    };
    for signature in signatures {
        code.push(signature.label);
        docs.push(signature.doc);
    }
    let typed = types::type_at(document, offset);
    if let Some(typed) = typed.filter(|typed| !typed.types.is_empty() && code.is_empty()) {
        let what =
            symbol.filter(|_| typed.span.start == word.start).map_or("", |symbol| kind_in_words(symbol.kind));
        let shown = if what.is_empty() { document.slice(typed.span) } else { name };
        let shown = if shown.contains('\n') { "this" } else { shown };
        code.push(format!("{what}{shown} : {}", typed.types.join(" or ")));
    } else if let Some(symbol) = symbol.filter(|_| code.is_empty()) {
        let definition = symbol.definitions.first().copied().unwrap_or_default();
        let ty = types::type_of_definition(document, definition).join(" or ");
        let ty = if ty.is_empty() { String::new() } else { format!(" : {ty}") };
        let owner = symbol.owner.as_ref().map(|owner| format!("{owner}.")).unwrap_or_default();
        code.push(format!("{}{owner}{name}{ty}", kind_in_words(symbol.kind)));
        docs.push(signatures::comment_above(document, definition));
    }
    code.dedup();
    docs.retain(|doc| !doc.is_empty());
    docs.dedup();
    (!code.is_empty()).then_some(About { span, code, docs })
}

fn kind_in_words(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Parameter => "(parameter) ",
        SymbolKind::Output => "(result) ",
        SymbolKind::TypeParameter => "(type parameter) ",
        SymbolKind::Type => "type ",
        SymbolKind::Enum => "enum ",
        SymbolKind::Label => "(label) ",
        SymbolKind::Field => "(field) ",
        _ => "",
    }
}
