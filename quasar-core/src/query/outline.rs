//! The outline of a text: functions, types with their fields, variables of the module.

use super::Document;
use super::names::SymbolKind;
use crate::source::Span;
use crate::syntax::ast::*;

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The whole definition.
    pub span: Span,
    /// The name in it.
    pub name_span: Span,
    /// What is defined inside.
    pub children: Vec<Entry>,
}

/// The outline of the text.
pub fn outline(document: &Document) -> Vec<Entry> {
    let Some(tree) = document.tree() else { return Vec::new() };
    let mut entries = definitions(&tree.items);
    for symbol in &document.names.symbols {
        let first = symbol.definitions.first().copied().unwrap_or_default();
        let of_module =
            symbol.scope.is_none() && symbol.kind == SymbolKind::Variable && first.file == document.root;
        if of_module {
            let stmt =
                tree.items.iter().find(|stmt| stmt.span.start <= first.start && first.end <= stmt.span.end);
            entries.push(Entry {
                name: symbol.name.clone(),
                kind: symbol.kind,
                span: stmt.map_or(first, |stmt| stmt.span),
                name_span: first,
                children: Vec::new(),
            });
        }
    }
    entries.sort_by_key(|entry| entry.name_span);
    entries
}

fn definitions(block: &[Stmt]) -> Vec<Entry> {
    let entry = |name: &Name, kind, span, children| Entry {
        name: name.text.clone(),
        kind,
        span,
        name_span: name.span,
        children,
    };
    let mut entries = Vec::new();
    for stmt in block {
        match &stmt.kind {
            StmtKind::Function(function) => {
                let inner = definitions(&function.body);
                entries.push(entry(&function.name, SymbolKind::Function, stmt.span, inner));
            }
            StmtKind::Macro(function) => {
                entries.push(entry(&function.name, SymbolKind::Macro, stmt.span, Vec::new()));
            }
            StmtKind::TypeDef(definition) => {
                let (kind, inner) = match &definition.body {
                    TypeBody::Alias(_) => (SymbolKind::Type, Vec::new()),
                    TypeBody::Class { fields, .. } | TypeBody::Derived { fields, .. } => {
                        let field = |field: &Field| {
                            entry(&field.name, SymbolKind::Field, field.name.span, Vec::new())
                        };
                        (SymbolKind::Type, fields.iter().map(field).collect())
                    }
                    TypeBody::Enum(members) => {
                        let member =
                            |(name, _): &(Name, _)| entry(name, SymbolKind::Member, name.span, Vec::new());
                        (SymbolKind::Enum, members.iter().map(member).collect())
                    }
                };
                entries.push(entry(&definition.name, kind, stmt.span, inner));
            }
            _ => {}
        }
    }
    // A name that is not written yet has no place in an outline.
    entries.retain(|entry| !entry.name.is_empty());
    entries
}
