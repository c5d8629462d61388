//! What the names of a program mean: one symbol for each function (all its overloads), variable, parameter, type, field and member, with the
//! places of its definitions and uses. Bound over the trees as written, by the rules of `sema::scope`: a function owns the names
//! that it assigns; other names come from the functions around it, from its module, or from the modules that this imports.

mod bind;

use crate::source::{FileId, Span};
use crate::syntax::ast::Module;
use std::collections::BTreeMap;

/// Identifies a symbol of [`Names`].
pub type SymbolId = usize;

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A function, with all its overloads.
    Function,
    /// A macro.
    Macro,
    /// A class or an alias.
    Type,
    /// An enum.
    Enum,
    /// A member of an enum.
    Member,
    /// A field of a class.
    Field,
    /// A parameter of a function or lambda.
    Parameter,
    /// A result of a function.
    Output,
    /// A type, size or dimension parameter.
    TypeParameter,
    /// A variable.
    Variable,
    /// The label of a loop.
    Label,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The names in its definitions; the first assignment of a variable.
    pub definitions: Vec<Span>,
    /// All places of the name, definitions included, in order.
    pub places: Vec<Span>,
    /// The function, lambda or rule in which the name is visible; `None` for those of a module.
    pub scope: Option<Span>,
    /// The class or enum of a field or member.
    pub owner: Option<String>,
    /// Whether importers do not see it.
    pub concealed: bool,
}

/// The symbols of a program.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// All symbols.
    pub symbols: Vec<Symbol>,
    /// The modules that a module imports, by file.
    imports: BTreeMap<FileId, Vec<FileId>>,
    at: BTreeMap<(FileId, u32), SymbolId>,
}

impl Names {
    /// Binds the names of modules in load order; `imports` are the modules that each imports. `classes_at` gives the class of
    /// the expression with a span and its ancestors.
    pub fn bind(trees: &[Module], imports: &[Vec<usize>], classes_at: &dyn Fn(Span) -> Vec<String>) -> Names {
        let mut names = bind::bind(trees, imports, classes_at);
        let files = |list: &Vec<usize>| list.iter().filter_map(|k| Some(trees.get(*k)?.file)).collect();
        names.imports = trees.iter().zip(imports).map(|(tree, list)| (tree.file, files(list))).collect();
        for (id, symbol) in names.symbols.iter_mut().enumerate() {
            symbol.places.sort_unstable();
            symbol.places.dedup();
            symbol.definitions.sort_unstable();
            symbol.definitions.dedup();
            names.at.extend(symbol.places.iter().map(|span| ((span.file, span.start), id)));
        }
        names
    }

    /// The symbol whose name is at a place; directly behind the name counts.
    pub fn at(&self, file: FileId, offset: u32) -> Option<(Span, &Symbol)> {
        let (_, id) = self.at.range(..=(file, offset)).next_back()?;
        let symbol = self.symbols.get(*id)?;
        let span = symbol.places.iter().find(|span| span.file == file && super::holds(**span, offset))?;
        Some((*span, symbol))
    }

    /// The symbols that code at a place may name.
    pub fn visible(&self, file: FileId, offset: u32) -> impl Iterator<Item = &Symbol> {
        let imported = self.imports.get(&file).cloned().unwrap_or_default();
        self.symbols.iter().filter(move |symbol| {
            let Some(home) = symbol.definitions.first().map(|span| span.file) else { return false };
            match symbol.scope {
                Some(scope) => scope.file == file && super::holds(scope, offset),
                None => home == file || imported.contains(&home) && !symbol.concealed,
            }
        })
    }

    /// For each name of a file that is bound: where it stands, and which symbol it is. Two texts whose names mean the same have
    /// equal lists, whatever the names are.
    pub fn partition(&self, file: FileId) -> Vec<SymbolId> {
        let mut seen: Vec<SymbolId> = Vec::new();
        let ids = self.at.range((file, 0)..=(file, u32::MAX)).map(|(_, id)| *id);
        ids.map(|id| {
            seen.iter().position(|known| *known == id).unwrap_or_else(|| {
                seen.push(id);
                seen.len() - 1
            })
        })
        .collect()
    }
}
