//! Signatures of functions, macros and builtins, with their documentation: the comment above a function, the sentence of a
//! builtin's row.

use super::Document;
use super::names::{Symbol, SymbolKind};
use crate::builtins;
use crate::sema::walk;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::token::{Sign, Token, TokenKind};

/// A way to call something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The header as written: `function y = f(x : mat, k : int = 3)`.
    pub label: String,
    /// Its parameters, as parts of the label.
    pub params: Vec<String>,
    /// Whether the last parameter takes any number of arguments.
    pub variadic: bool,
    /// The documentation.
    pub doc: String,
}

/// A call around a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallAt {
    /// The signatures of what is called.
    pub signatures: Vec<Signature>,
    /// Which argument the place is in, from 0.
    pub argument: usize,
}

/// Functions that create arrays; how they are typed stands in `sema`, not in a row of the table of builtins.
const CREATORS: &[(&str, &str, &str)] = &[
    ("zeros", "zeros(sizes..)", "An array of zeros; `zeros[T](sizes..)` of another element type."),
    ("ones", "ones(sizes..)", "An array of ones; `ones[T](sizes..)` of another element type."),
    (
        "uninit",
        "uninit(sizes..)",
        "An array whose elements are not set; `uninit[T](sizes..)` of another element type.",
    ),
    ("czeros", "czeros(sizes..)", "An array of complex zeros."),
    ("cones", "cones(sizes..)", "An array of complex ones."),
];

/// The signatures of a symbol: of each overload of a function.
pub fn of_symbol(document: &Document, symbol: &Symbol) -> Vec<Signature> {
    if !matches!(symbol.kind, SymbolKind::Function | SymbolKind::Macro) {
        return Vec::new();
    }
    let mut found = Functions { wanted: &symbol.definitions, found: Vec::new() };
    document.trees.iter().for_each(|tree| walk::block(&tree.items, &mut found));
    found.found.into_iter().map(|function| signature(document, function)).collect()
}

/// The signatures of a builtin function; empty if there is none of this name.
pub fn of_builtin(name: &str) -> Vec<Signature> {
    let creator = CREATORS.iter().find(|row| row.0 == name);
    let creator = creator.map(|(_, label, doc)| Signature {
        label: (*label).to_string(),
        params: vec!["sizes..".to_string()],
        variadic: true,
        doc: (*doc).to_string(),
    });
    let rows = builtins::entries().filter(|entry| entry.builtin.name == name).map(|entry| {
        let (least, most) = entry.arity;
        let variadic = most > least.max(8);
        let shown = if variadic { least + 1 } else { most };
        let params = (0..shown).map(|k| match k {
            _ if variadic && k + 1 == shown => "..".to_string(),
            _ if k < least => letter(k),
            _ => format!("[{}]", letter(k)),
        });
        let params: Vec<String> = params.collect();
        let label = format!("{name}({})", params.join(", "));
        Signature { label, params, variadic, doc: entry.builtin.doc.to_string() }
    });
    creator.into_iter().chain(rows).collect()
}

/// The names of all functions that are part of the language.
pub fn builtin_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = builtins::entries().map(|entry| entry.builtin.name).collect();
    names.extend(CREATORS.iter().map(|row| row.0));
    names.sort_unstable();
    names.dedup();
    names
}

fn letter(k: usize) -> String {
    char::from(b'a' + (k % 26) as u8).to_string()
}

fn signature(document: &Document, function: &Function) -> Signature {
    let params = function.params.iter().map(|param| {
        let end = param.default.as_ref().map(|e| e.span.end);
        let end = end.or(param.annotation.as_ref().map(|annotation| annotation.span.end));
        let span = Span { end: end.unwrap_or(param.name.span.end), ..param.name.span };
        let dots = if param.variadic { "..." } else { "" };
        format!("{dots}{}", one_line(document.slice(span)))
    });
    let params: Vec<String> = params.collect();
    let variadic = function.params.last().is_some_and(|param| param.variadic);
    let label = one_line(document.slice(function.header));
    Signature { label, params, variadic, doc: comment_above(document, function.header) }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The comment lines directly above a definition.
pub fn comment_above(document: &Document, span: Span) -> String {
    let text = &document.compilation.sources.file(span.file).text;
    let head = text.get(..span.start as usize).unwrap_or_default();
    let head = &head[..head.rfind('\n').map_or(0, |at| at + 1)];
    let mut lines: Vec<&str> = Vec::new();
    for line in head.lines().rev() {
        let Some(comment) = line.trim_start().strip_prefix('%') else { break };
        lines.push(comment.trim_start_matches('%').trim());
    }
    lines.reverse();
    lines.join("\n").trim().to_string()
}

/// The call whose argument list a place is in, also where the text behind it is not written yet.
pub fn call_at(document: &Document, offset: u32) -> Option<CallAt> {
    let (name, argument) = open_call(&document.tokens, offset)?;
    let text = document.slice(Span { file: document.root, start: name.start, end: name.end });
    let signatures = of_name(document, text, name.start);
    (!signatures.is_empty()).then_some(CallAt { signatures, argument })
}

/// The signatures of what a name means at a place.
pub fn of_name(document: &Document, name: &str, offset: u32) -> Vec<Signature> {
    let named = document.names.visible(document.root, offset).filter(|symbol| symbol.name == name);
    let own: Vec<Signature> = named.flat_map(|symbol| of_symbol(document, symbol)).collect();
    if own.is_empty() { of_builtin(name) } else { own }
}

/// The name before the innermost open parenthesis, and how many commas are behind that.
fn open_call(tokens: &[Token], offset: u32) -> Option<(Token, usize)> {
    let before = tokens.partition_point(|token| token.end <= offset);
    let (mut depth, mut commas) = (0usize, 0);
    for k in (0..before).rev() {
        match tokens[k].kind {
            TokenKind::Sign(sign) if sign.is_closing() => depth += 1,
            TokenKind::Sign(sign) if sign.closing().is_some() && depth > 0 => depth -= 1,
            TokenKind::Sign(Sign::OpenParen) => {
                let name = k.checked_sub(1).map(|k| tokens[k])?;
                return (name.kind == TokenKind::Ident).then_some((name, commas));
            }
            // A bracket of an index or a literal inside of the call: its commas are not the call's.
            TokenKind::Sign(sign) if sign.closing().is_some() => commas = 0,
            TokenKind::Sign(Sign::Comma) if depth == 0 => commas += 1,
            // Calls do not go on behind a statement keyword at the start of a line.
            TokenKind::Keyword(keyword) if keyword.begins_line() => return None,
            _ => {}
        }
    }
    None
}

struct Functions<'w, 'a> {
    wanted: &'w [Span],
    found: Vec<&'a Function>,
}

impl<'a> walk::Visitor<'a> for Functions<'_, 'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        if let StmtKind::Function(function) | StmtKind::Macro(function) = &stmt.kind
            && self.wanted.contains(&function.name.span)
        {
            self.found.push(function);
        }
        true
    }
}
