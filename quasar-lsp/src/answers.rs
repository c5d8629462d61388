//! Answers to questions about a text: each is a query of the compiler, written as the protocol wants it.

use crate::about::about;
use crate::server::Refused;
use crate::texts::{Text, location};
use quasar_core::message::{Category, Message};
use quasar_core::query::names::{Symbol, SymbolKind};
use quasar_core::query::tokens::{PieceKind, pieces};
use quasar_core::query::{Document, completion as complete, outline, signatures, types};
use quasar_core::source::Span;
use serde_json::{Value, json};

/// The kinds of tokens, by the numbers that [`semantic_tokens`] sends.
pub(crate) const LEGEND: &[&str] = &[
    "keyword",
    "number",
    "string",
    "comment",
    "operator",
    "function",
    "type",
    "macro",
    "modifier",
    "class",
    "enum",
    "enumMember",
    "property",
    "parameter",
    "typeParameter",
    "variable",
    "label",
];

/// The modifiers of tokens: bit 0 for what is part of the language, bit 1 for definitions.
pub(crate) const MODIFIERS: &[&str] = &["defaultLibrary", "definition"];

type Answer = Result<Value, Refused>;

/// The offset of `params.position`.
pub(crate) fn offset(text: &Text, params: &Value) -> Result<u32, Refused> {
    let offset = params.get("position").and_then(|position| text.lines.offset(&text.text, position));
    offset.ok_or_else(|| Refused { code: -32602, text: "the position is missing".to_string() })
}

fn range(text: &Text, span: Span) -> Value {
    text.lines.range(&text.text, span.start, span.end)
}

/// The messages of a text as diagnostics; those in other files are shown at the beginning.
pub(crate) fn diagnostics(text: &Text, document: &Document) -> Vec<Value> {
    let shown = document.messages.iter().filter(|message| message.category != Category::Reduction);
    let own =
        shown.filter(|message| message.primary.span.file == document.root || message.category.is_error());
    own.map(|message| diagnostic(text, document, message)).collect()
}

pub(crate) fn diagnostic(text: &Text, document: &Document, message: &Message) -> Value {
    let severity = match message.category {
        Category::Error | Category::Limitation | Category::Bug => 1,
        Category::Warning => 2,
        Category::PerformanceWarning => 3,
        Category::Optimization | Category::Reduction | Category::Information => 4,
    };
    let mut words = message.text.clone();
    let mut span = message.primary.span;
    if span.file != document.root {
        let (line, _) = document.compilation.sources.line_column(span.file, span.start);
        words = format!("{}, line {line}: {words}", document.compilation.sources.file(span.file).name);
        span = Span { file: document.root, start: 0, end: 0 };
    }
    if !message.primary.text.is_empty() {
        words += &format!("\n{}", message.primary.text);
    }
    for help in &message.help {
        words += &format!("\nhelp: {help}");
    }
    let related = message.related.iter().filter_map(|label| {
        Some(json!({"location": location(text, document, label.span)?, "message": label.text}))
    });
    json!({
        "range": range(text, marked(text, message, span)),
        "severity": severity,
        "code": message.code.0,
        "source": "quasar",
        "message": words,
        "relatedInformation": related.collect::<Vec<_>>(),
    })
}

/// A message about a whole loop or function is shown at its first line only.
fn marked(text: &Text, message: &Message, span: Span) -> Span {
    let slice = text.text.get(span.start as usize..span.end as usize).unwrap_or_default();
    match slice.find('\n') {
        Some(line) if !message.category.is_error() => Span { end: span.start + line as u32, ..span },
        _ => span,
    }
}

/// Type, size and signature of what is at a place, and what became of a loop.
pub(crate) fn hover(text: &Text, document: &Document, params: &Value) -> Answer {
    let offset = offset(text, params)?;
    if let Some(note) =
        document.loops.iter().find(|note| note.span.start <= offset && offset <= note.span.end)
    {
        let mut value = note.text.clone();
        for (span, why) in &note.related {
            let (line, _) = document.compilation.sources.line_column(span.file, span.start);
            value += &format!(
                "\n\nline {line}: {why}: `{}`",
                document.slice(*span).lines().next().unwrap_or_default()
            );
        }
        return Ok(
            json!({"contents": {"kind": "markdown", "value": value}, "range": range(text, note.span)}),
        );
    }
    let Some(about) = about(document, offset) else { return Ok(Value::Null) };
    let value = format!("```quasar\n{}\n```\n{}", about.code.join("\n"), about.docs.join("\n\n"));
    Ok(json!({"contents": {"kind": "markdown", "value": value.trim_end()}, "range": range(text, about.span)}))
}

fn symbol_at<'d>(text: &Text, document: &'d Document, params: &Value) -> Result<Option<&'d Symbol>, Refused> {
    let offset = offset(text, params)?;
    Ok(document.names.at(document.root, offset).map(|(_, symbol)| symbol))
}

fn locations(text: &Text, document: &Document, spans: &[Span]) -> Value {
    spans.iter().filter_map(|span| location(text, document, *span)).collect()
}

pub(crate) fn definition(text: &Text, document: &Document, params: &Value) -> Answer {
    let symbol = symbol_at(text, document, params)?;
    Ok(symbol.map_or(Value::Null, |symbol| locations(text, document, &symbol.definitions)))
}

pub(crate) fn references(text: &Text, document: &Document, params: &Value) -> Answer {
    let Some(symbol) = symbol_at(text, document, params)? else { return Ok(json!([])) };
    let with_definitions = params.pointer("/context/includeDeclaration") != Some(&Value::Bool(false));
    let places = symbol.places.iter().copied();
    let places: Vec<Span> =
        places.filter(|span| with_definitions || !symbol.definitions.contains(span)).collect();
    Ok(locations(text, document, &places))
}

pub(crate) fn highlights(text: &Text, document: &Document, params: &Value) -> Answer {
    let Some(symbol) = symbol_at(text, document, params)? else { return Ok(json!([])) };
    let own = symbol.places.iter().filter(|span| span.file == document.root);
    Ok(own.map(|span| json!({"range": range(text, *span)})).collect())
}

pub(crate) fn completion(text: &Text, document: &Document, params: &Value) -> Answer {
    let offset = offset(text, params)?;
    let items = complete::completions(document, offset).into_iter().map(|found| {
        json!({
            "label": found.name,
            "kind": completion_kind(found.kind),
            "detail": found.detail,
            "documentation": found.doc,
        })
    });
    Ok(json!({"isIncomplete": false, "items": items.collect::<Vec<_>>()}))
}

fn completion_kind(kind: PieceKind) -> u32 {
    match kind {
        PieceKind::Builtin | PieceKind::Symbol(SymbolKind::Function | SymbolKind::Macro) => 3,
        PieceKind::Symbol(SymbolKind::Field) => 5,
        PieceKind::Symbol(SymbolKind::Type) | PieceKind::BuiltinType => 7,
        PieceKind::Symbol(SymbolKind::Enum) => 13,
        PieceKind::Symbol(SymbolKind::Member) => 20,
        PieceKind::Symbol(SymbolKind::TypeParameter) => 25,
        PieceKind::Keyword | PieceKind::Modifier => 14,
        _ => 6,
    }
}

pub(crate) fn signature_help(text: &Text, document: &Document, params: &Value) -> Answer {
    let offset = offset(text, params)?;
    let Some(call) = signatures::call_at(document, offset) else { return Ok(Value::Null) };
    let fits =
        |signature: &signatures::Signature| signature.variadic || call.argument < signature.params.len();
    let active = call.signatures.iter().position(fits).unwrap_or(0);
    let list = call.signatures.iter().map(|signature| {
        let last = signature.params.len().saturating_sub(1);
        let argument = if signature.variadic { call.argument.min(last) } else { call.argument };
        json!({
            "label": signature.label,
            "documentation": signature.doc,
            "parameters": signature.params.iter().map(|param| json!({"label": param})).collect::<Vec<_>>(),
            "activeParameter": argument,
        })
    });
    let list: Vec<Value> = list.collect();
    Ok(json!({"signatures": list, "activeSignature": active, "activeParameter": call.argument}))
}

pub(crate) fn symbols(text: &Text, document: &Document, _params: &Value) -> Answer {
    Ok(outline::outline(document).iter().map(|entry| symbol(text, entry)).collect())
}

fn symbol(text: &Text, entry: &outline::Entry) -> Value {
    let kind = match entry.kind {
        SymbolKind::Function | SymbolKind::Macro => 12,
        SymbolKind::Type => 5,
        SymbolKind::Enum => 10,
        SymbolKind::Member => 22,
        SymbolKind::Field => 8,
        _ => 13,
    };
    json!({
        "name": entry.name,
        "kind": kind,
        "range": range(text, entry.span),
        "selectionRange": range(text, entry.name_span),
        "children": entry.children.iter().map(|child| symbol(text, child)).collect::<Vec<_>>(),
    })
}

pub(crate) fn semantic_tokens(text: &Text, document: &Document, _params: &Value) -> Answer {
    let mut data: Vec<usize> = Vec::new();
    let (mut line, mut column) = (0, 0);
    for piece in pieces(document) {
        let Some((name, modifiers)) = token_type(piece.kind) else { continue };
        let Some(number) = LEGEND.iter().position(|known| *known == name) else { continue };
        let (at, from) = text.lines.line_units(&text.text, piece.span.start);
        let (end, to) = text.lines.line_units(&text.text, piece.span.end);
        if at != end || to <= from {
            continue;
        }
        let defined = document.names.at(document.root, piece.span.start);
        let defined =
            defined.is_some_and(|(span, symbol)| span == piece.span && symbol.definitions.contains(&span));
        let start = if at == line { from - column } else { from };
        data.extend([at - line, start, to - from, number, modifiers + 2 * usize::from(defined)]);
        (line, column) = (at, from);
    }
    Ok(json!({"data": data}))
}

fn token_type(kind: PieceKind) -> Option<(&'static str, usize)> {
    Some(match kind {
        PieceKind::Keyword => ("keyword", 0),
        PieceKind::Number => ("number", 0),
        PieceKind::Text => ("string", 0),
        PieceKind::Comment => ("comment", 0),
        PieceKind::Operator => ("operator", 0),
        PieceKind::Builtin => ("function", 1),
        PieceKind::BuiltinType => ("type", 1),
        PieceKind::Meta => ("macro", 1),
        PieceKind::Modifier => ("modifier", 1),
        PieceKind::Unknown => return None,
        PieceKind::Symbol(kind) => match kind {
            SymbolKind::Function => ("function", 0),
            SymbolKind::Macro => ("macro", 0),
            SymbolKind::Type => ("class", 0),
            SymbolKind::Enum => ("enum", 0),
            SymbolKind::Member => ("enumMember", 0),
            SymbolKind::Field => ("property", 0),
            SymbolKind::Parameter => ("parameter", 0),
            SymbolKind::TypeParameter => ("typeParameter", 0),
            SymbolKind::Output | SymbolKind::Variable => ("variable", 0),
            SymbolKind::Label => ("label", 0),
        },
    })
}

/// The types of variables that have none in the text, and what became of loops.
pub(crate) fn inlay_hints(text: &Text, document: &Document, params: &Value) -> Answer {
    let of_range =
        |key: &str| params.pointer(key).and_then(|position| text.lines.offset(&text.text, position));
    let from = of_range("/range/start").unwrap_or(0);
    let to = of_range("/range/end").unwrap_or(u32::MAX);
    let inside = |span: Span| span.file == document.root && from <= span.start && span.start <= to;
    let mut hints = Vec::new();
    for symbol in &document.names.symbols {
        let Some(first) = symbol.definitions.first().copied().filter(|span| inside(*span)) else { continue };
        let behind = text.text.get(first.end as usize..).unwrap_or_default().trim_start_matches([' ', '\t']);
        if symbol.kind != SymbolKind::Variable || behind.starts_with(':') {
            continue;
        }
        let types = types::type_of_definition(document, first);
        if !types.is_empty() {
            let label = format!(" : {}", types.join(" or "));
            hints.push(
                json!({"position": text.lines.position(&text.text, first.end), "label": label, "kind": 1}),
            );
        }
    }
    for note in document.loops.iter().filter(|note| inside(note.span)) {
        let rest = text.text.get(note.span.start as usize..).unwrap_or_default();
        let line = rest.lines().next().unwrap_or_default().trim_end();
        let end = note.span.start + line.len() as u32;
        hints.push(json!({
            "position": text.lines.position(&text.text, end),
            "label": note.text,
            "paddingLeft": true,
        }));
    }
    Ok(Value::Array(hints))
}
