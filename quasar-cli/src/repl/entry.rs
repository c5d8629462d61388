//! What was typed: whether it is complete, what it defines, which variables it assigns.

use quasar_core::message::Sink;
use quasar_core::sema::walk::{self, Visitor};
use quasar_core::source::{FileId, Span};
use quasar_core::syntax::ast::{Expr, ExprKind, Function, Module, NodeIds, Stmt, StmtKind, Target, TypeBody};
use quasar_core::syntax::lexer::lex;
use quasar_core::syntax::printer::print_type;
use quasar_core::syntax::token::{Sign, Token, TokenKind};
use quasar_core::syntax::{ParseOptions, parse_with};
use std::collections::BTreeSet;
use std::ops::Range;

/// A text that was typed at once.
pub(super) struct Entry {
    pub(super) text: String,
    module: Module,
}

/// Something that stays: a function, a type, a rule, an import.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) kind: DefinitionKind,
    /// Its name; empty for rules.
    pub(super) name: String,
    /// Types of parameters, for functions: one of the same name with others is another version.
    pub(super) params: String,
    /// Whether it is a class without type parameters.
    pub(super) is_class: bool,
    /// Where it stands in its entry.
    pub(super) range: Range<usize>,
}

/// The kinds of definitions, in the order in which programs write them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DefinitionKind {
    Import,
    Type,
    Function,
    Rule,
}

impl Definition {
    /// Whether this one takes the place of another.
    pub(super) fn replaces(&self, other: &Definition) -> bool {
        self.kind == other.kind
            && !self.name.is_empty()
            && self.name == other.name
            && self.params == other.params
    }
}

impl Entry {
    pub(super) fn new(text: &str) -> Entry {
        let (mut ids, mut sink) = (NodeIds::default(), Sink::default());
        let module = parse_with(FileId(0), text, PARSING, &mut ids, &mut sink);
        Entry { text: text.to_owned(), module }
    }

    pub(super) fn definitions(&self) -> Vec<Definition> {
        let imports = self.module.imports.iter().map(|import| Definition {
            kind: DefinitionKind::Import,
            name: import.path.clone(),
            params: String::new(),
            is_class: false,
            range: range(import.span),
        });
        imports.chain(self.module.items.iter().filter_map(definition)).collect()
    }

    /// The parts of the text that are no definitions.
    pub(super) fn statements(&self) -> Vec<Range<usize>> {
        let mut definitions: Vec<Range<usize>> =
            self.definitions().into_iter().map(|definition| definition.range).collect();
        definitions.sort_by_key(|range| range.start);
        let mut found = Vec::new();
        let mut at = 0;
        for range in definitions {
            found.push(at..range.start);
            at = range.end;
        }
        found.push(at..self.text.len());
        found
    }

    /// The variables that its statements assign, also parts of them.
    pub(super) fn assigned(&self) -> BTreeSet<String> {
        let mut assigned = Assigned::default();
        walk::block(&self.module.items, &mut assigned);
        assigned.0
    }

    /// Where its last statement begins, if that is an expression whose value may be printed.
    pub(super) fn printed(&self) -> Option<usize> {
        let StmtKind::Expr(expr) = &self.module.items.last()?.kind else { return None };
        match &expr.kind {
            ExprKind::Assign { .. } | ExprKind::Declare { .. } | ExprKind::Invalid => None,
            ExprKind::Call { callee, .. } if matches!(&callee.kind, ExprKind::Name(name) if name == "assert") => {
                None
            }
            _ => Some(expr.span.start as usize),
        }
    }

    /// The function that its last statement calls to show something, unless the entry defines that itself. Its value is the number of
    /// the figure, which nobody wants to see beside the figure.
    pub(super) fn shows(&self) -> Option<&str> {
        let StmtKind::Expr(expr) = &self.module.items.last()?.kind else { return None };
        let ExprKind::Call { callee, .. } = &expr.kind else { return None };
        let ExprKind::Name(name) = &callee.kind else { return None };
        let is_own = || self.definitions().iter().any(|definition| definition.name == *name);
        (SHOWING.contains(&name.as_str()) && !is_own()).then_some(name)
    }
}

/// Functions that show something and have a value.
const SHOWING: &[&str] = &["bar", "figure", "imshow", "plot", "scatter"];

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

fn definition(item: &Stmt) -> Option<Definition> {
    let is_class = matches!(&item.kind, StmtKind::TypeDef(ty) if ty.params.is_empty()
        && matches!(ty.body, TypeBody::Class { .. } | TypeBody::Derived { .. }));
    let of = |kind, name: &str, params| {
        Some(Definition { kind, name: name.to_owned(), params, is_class, range: range(item.span) })
    };
    match &item.kind {
        StmtKind::Function(function) => of(DefinitionKind::Function, &function.name.text, params(function)),
        StmtKind::Macro(function) => of(DefinitionKind::Rule, &function.name.text, String::new()),
        StmtKind::TypeDef(ty) => of(DefinitionKind::Type, &ty.name.text, String::new()),
        StmtKind::Reduction(_) | StmtKind::Symbolic(_) | StmtKind::Pragma { .. } => {
            of(DefinitionKind::Rule, "", String::new())
        }
        _ => None,
    }
}

fn params(function: &Function) -> String {
    let ty = |param: &quasar_core::syntax::ast::Param| {
        let ty = param.annotation.as_ref().and_then(|annotation| annotation.ty.as_ref());
        ty.map_or("??".to_owned(), print_type)
    };
    function.params.iter().map(ty).collect::<Vec<_>>().join(",")
}

/// Entries are parts of one program, in which one may close blocks by `end` and another by `endif`.
pub(super) const PARSING: ParseOptions = ParseOptions { rust_comments: false, mixed_endings: true };

/// Whether more lines must follow: a block or a bracket is open, or a line ends where an operand must stand.
pub(super) fn is_open(text: &str) -> bool {
    // A line end would end a statement in any case.
    let text = text.trim_end();
    let (mut ids, mut sink) = (NodeIds::default(), Sink::default());
    let module = parse_with(FileId(0), text, PARSING, &mut ids, &mut sink);
    let at_end = |said: &str| said.contains("the end of the text");
    let open = sink
        .into_sorted()
        .iter()
        .any(|message| at_end(&message.text) || message.related.iter().any(|label| at_end(&label.text)));
    let tokens = lex(FileId(0), text, PARSING, &mut Sink::default());
    let mut last = tokens.iter().rev().filter(|token| token.kind != TokenKind::End);
    let is = |token: Option<&Token>, kind| token.is_some_and(|token| token.kind == kind);
    let (last, before, third) = (last.next(), last.next(), last.next());
    // `_` at the end of a line continues it.
    let continued =
        is(last, TokenKind::Sign(Sign::Underscore)) && last.is_some_and(|token| token.space_before);
    // A label, and an attribute, are about the loop that follows.
    let labelled = is(last, TokenKind::Sign(Sign::Colon))
        && is(before, TokenKind::Ident)
        && third.is_none_or(|token| token.kind == TokenKind::Newline);
    let attribute = matches!(module.items.last().map(|item| &item.kind), Some(StmtKind::Attribute(_)));
    open || continued || labelled || attribute
}

/// All names in a text.
pub(super) fn names(text: &str, found: &mut BTreeSet<String>) {
    let tokens = lex(FileId(0), text, PARSING, &mut Sink::default());
    let names = tokens.iter().filter(|token| token.kind == TokenKind::Ident);
    let names = names.filter_map(|token| text.get(token.start as usize..token.end as usize));
    found.extend(names.map(str::to_owned));
}

/// Collects the names of assigned variables outside of functions.
#[derive(Default)]
struct Assigned(BTreeSet<String>);

impl Assigned {
    fn place(&mut self, place: &Expr) {
        match &place.kind {
            ExprKind::Name(name) => {
                self.0.insert(name.clone());
            }
            ExprKind::Index { base, .. } | ExprKind::Member { base, .. } => self.place(base),
            _ => {}
        }
    }
}

impl<'a> Visitor<'a> for Assigned {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        if let StmtKind::For { variable, .. } = &stmt.kind {
            self.0.insert(variable.text.clone());
        }
        !matches!(
            stmt.kind,
            StmtKind::Function(_) | StmtKind::Macro(_) | StmtKind::TypeDef(_) | StmtKind::Reduction(_)
        )
    }

    fn expr(&mut self, expr: &'a Expr) -> bool {
        match &expr.kind {
            ExprKind::Assign { target, .. } => match &**target {
                Target::Place { place, .. } => self.place(place),
                Target::Multiple { places, .. } => {
                    places.iter().flatten().for_each(|(place, _)| self.place(place));
                }
            },
            ExprKind::Declare { name, .. } => {
                self.0.insert(name.text.clone());
            }
            _ => {}
        }
        !matches!(expr.kind, ExprKind::Lambda(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_texts_wait_for_more() {
        for text in [
            "function y = f(x)\n  y = x",
            "for i = 0..3\n",
            "x = [1,\n",
            "print (1 +",
            "x = 3 +",
            "{!parallel for}",
            "x = 3 +\n",
            "x = 3 + _\n",
            "x = 3 _ % more",
            "x = 1\nouter:\n",
            "outer:",
        ] {
            assert!(is_open(text), "{text}");
        }
        for text in ["x = 3", "x = )", "print \"abc", "if x\n y = 1\nendif", "", "% [", "endfor"] {
            assert!(!is_open(text), "{text}");
        }
    }

    #[test]
    fn statements_are_what_is_not_defined() {
        let entry = Entry::new("a = 1\nfunction y = f(x : int)\n  y = x\nendfunction\n[b, _] = g(c[0])\nd");
        let texts: Vec<&str> = entry.statements().into_iter().map(|range| &entry.text[range]).collect();
        assert_eq!(texts, ["a = 1\n", "\n[b, _] = g(c[0])\nd"]);
        assert_eq!(entry.assigned().into_iter().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(entry.printed(), Some(entry.text.len() - 1));
        assert_eq!(entry.definitions()[0].params, "int");
    }
}
