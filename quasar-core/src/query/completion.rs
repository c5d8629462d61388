//! What may be written at a place: names of the program, functions of the language, types, keywords; fields and members behind a dot.

use super::names::{Symbol, SymbolKind};
use super::signatures::{builtin_names, of_builtin, of_symbol};
use super::tokens::{PieceKind, keywords};
use super::{Document, types};
use crate::source::Span;
use crate::syntax::token::{Sign, TokenKind};

/// A proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The text to insert.
    pub name: String,
    /// What it is.
    pub kind: PieceKind,
    /// The signature or the type.
    pub detail: String,
    /// The documentation.
    pub doc: String,
}

/// The types that are part of the language.
const TYPES: &[&str] = &[
    "int", "scalar", "cscalar", "vec", "mat", "cube", "ivec", "imat", "icube", "cvec", "cmat", "ccube",
    "vec2", "vec3", "vec4", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "string", "object", "cell",
];

/// Type modifiers, behind an apostrophe.
const MODIFIERS: &[&str] = &[
    "const",
    "mirror",
    "circular",
    "clamped",
    "safe",
    "checked",
    "unchecked",
    "shared",
    "hwconst",
    "nocopy",
    "hwtex_nearest",
    "hwtex_linear",
    "sat",
    "half",
];

/// The proposals at a place, those that begin with what is already written.
pub fn completions(document: &Document, offset: u32) -> Vec<Completion> {
    let in_comment = document.comments.iter().any(|(start, end)| *start < offset && offset <= *end);
    let inside = |kind: TokenKind| matches!(kind, TokenKind::Text | TokenKind::Int(_) | TokenKind::Float(_));
    let in_token =
        document.tokens.iter().any(|t| inside(t.kind) && t.start < offset && offset < t.end.max(t.start + 1));
    if in_comment || in_token {
        return Vec::new();
    }
    let word = document.word_at(offset).filter(|token| token.start < offset);
    let start = word.map_or(offset, |token| token.start);
    let prefix = document.slice(Span { file: document.root, start, end: offset });
    // The end of the file is a token without text.
    let before = document.tokens.iter().rev().find(|token| token.end <= start && token.start < token.end);
    let mut found = match before.map(|token| (token.kind, token.end)) {
        Some((TokenKind::Sign(Sign::Dot), end)) if end == start => members(document, end - 1),
        Some((TokenKind::Sign(Sign::Apostrophe), end)) if end == start => {
            MODIFIERS.iter().map(|name| plain(name, PieceKind::Modifier)).collect()
        }
        _ => names(document, offset),
    };
    found.retain(|completion| completion.name.starts_with(prefix));
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found.dedup_by(|a, b| a.name == b.name);
    found
}

fn plain(name: &str, kind: PieceKind) -> Completion {
    Completion { name: name.to_string(), kind, detail: String::new(), doc: String::new() }
}

/// Fields and methods behind the dot at `offset`, or members of an enum.
fn members(document: &Document, offset: u32) -> Vec<Completion> {
    let owners: Vec<String> = match document.names.at(document.root, offset) {
        Some((_, symbol)) if symbol.kind == SymbolKind::Enum => vec![symbol.name.clone()],
        _ => owners_before(document, offset),
    };
    let of_owner = |symbol: &&Symbol| {
        let owner = symbol.owner.as_ref();
        owner.is_some_and(|owner| {
            owners.contains(owner) || owners.is_empty() && symbol.kind == SymbolKind::Field
        })
    };
    let fields = document.names.symbols.iter().filter(of_owner).map(|symbol| of(document, symbol));
    let is_method = |symbol: &&Symbol| {
        symbol.kind == SymbolKind::Function
            && of_symbol(document, symbol).iter().any(|signature| {
                let class = signature.params.first().and_then(|first| class_of_self(first));
                class.is_some_and(|class| owners.iter().any(|owner| owner == class))
            })
    };
    let methods = document.names.symbols.iter().filter(is_method).map(|symbol| of(document, symbol));
    fields.chain(methods).collect()
}

/// The class of the parameter `self : ^stack[T]` of a method.
fn class_of_self(param: &str) -> Option<&str> {
    let (name, ty) = param.split_once(':')?;
    let ty = ty.trim().trim_start_matches('^');
    let class = ty.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (name.trim() == "self" && !class.is_empty()).then_some(class)
}

/// The classes of what stands before a dot; that may be a line that does not parse, so the name is enough.
fn owners_before(document: &Document, offset: u32) -> Vec<String> {
    let base =
        |ty: &String| ty.trim_start_matches('^').split(['[', '\'']).next().unwrap_or_default().to_string();
    let typed = types::type_at(document, offset.saturating_sub(1)).filter(|found| found.span.end == offset);
    if let Some(found) = typed {
        return found.types.iter().map(base).collect();
    }
    let Some(token) = document.tokens.iter().rev().find(|token| token.end == offset) else {
        return Vec::new();
    };
    let name = document.slice(Span { file: document.root, start: token.start, end: token.end });
    let symbol = document.names.visible(document.root, offset).filter(|symbol| symbol.name == name).last();
    match symbol {
        Some(symbol) if symbol.kind == SymbolKind::Enum => vec![symbol.name.clone()],
        Some(symbol) => definition_types(document, symbol).iter().map(base).collect(),
        None => Vec::new(),
    }
}

fn definition_types(document: &Document, symbol: &Symbol) -> Vec<String> {
    symbol.definitions.first().map(|span| types::type_of_definition(document, *span)).unwrap_or_default()
}

fn of(document: &Document, symbol: &Symbol) -> Completion {
    let signatures = of_symbol(document, symbol);
    let detail = match signatures.first() {
        Some(first) if signatures.len() > 1 => format!("{} (+{})", first.label, signatures.len() - 1),
        Some(first) => first.label.clone(),
        None if symbol.owner.is_some() => symbol.owner.clone().unwrap_or_default(),
        None => String::new(),
    };
    let doc = signatures.first().map(|first| first.doc.clone()).unwrap_or_default();
    Completion { name: symbol.name.clone(), kind: PieceKind::Symbol(symbol.kind), detail, doc }
}

fn names(document: &Document, offset: u32) -> Vec<Completion> {
    let visible = document.names.visible(document.root, offset);
    let visible = visible.filter(|symbol| symbol.owner.is_none() && symbol.kind != SymbolKind::Label);
    let mut found: Vec<Completion> = visible.map(|symbol| of(document, symbol)).collect();
    // Inner names hide outer ones: they come last.
    found.reverse();
    for name in builtin_names() {
        let first = of_builtin(name).into_iter().next();
        let (detail, doc) = first.map(|first| (first.label, first.doc)).unwrap_or_default();
        found.push(Completion { name: name.to_string(), kind: PieceKind::Builtin, detail, doc });
    }
    found.extend(TYPES.iter().map(|name| plain(name, PieceKind::BuiltinType)));
    found.extend(keywords().map(|name| plain(name, PieceKind::Keyword)));
    found
}
