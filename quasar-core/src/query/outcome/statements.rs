//! The statements of a text after expansions, what is around each, and what each is in words.

use super::code::holds;
use crate::query::Document;
use crate::sema::walk;
use crate::source::{FileId, Span};
use crate::syntax::ast::*;

/// A statement with those around it.
#[derive(Clone, Debug)]
pub struct Placed<'a> {
    /// The statement.
    pub stmt: &'a Stmt,
    /// The statements around it, the innermost first.
    pub around: Vec<&'a Stmt>,
}

/// Whether a statement is a loop.
pub(super) fn is_loop(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. })
}

/// All statements of the text in order. Versions of a function that the compiler added stand at the same places, and count once.
pub(super) fn all(document: &Document) -> Vec<Placed<'_>> {
    let mut found = Statements { file: document.root, open: Vec::new(), found: Vec::new() };
    let modules = document.compilation.unit.modules.iter();
    for each in modules.filter(|each| each.module.file == document.root) {
        found.open.clear();
        walk::block(&each.module.items, &mut found);
    }
    let mut statements: Vec<Placed<'_>> = found.found;
    let key = |placed: &Placed<'_>| (placed.stmt.span.start, u32::MAX - placed.stmt.span.end);
    statements.sort_by_key(key);
    statements.dedup_by(|a, b| {
        a.stmt.span == b.stmt.span
            && std::mem::discriminant(&a.stmt.kind) == std::mem::discriminant(&b.stmt.kind)
    });
    statements
}

struct Statements<'a> {
    file: FileId,
    /// The statements that may be around the next one.
    open: Vec<&'a Stmt>,
    found: Vec<Placed<'a>>,
}

impl<'a> walk::Visitor<'a> for Statements<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        while self.open.last().is_some_and(|outer| !holds(outer.span, stmt.span)) {
            self.open.pop();
        }
        if stmt.span.file == self.file {
            self.found.push(Placed { stmt, around: self.open.iter().rev().copied().collect() });
        }
        self.open.push(stmt);
        true
    }
}

/// Whether the analysis saw the code at a place with its types.
pub(super) fn is_analysed(document: &Document, span: Span) -> bool {
    struct Typed<'d> {
        document: &'d Document,
        span: Span,
        found: bool,
    }
    impl<'a> walk::Visitor<'a> for Typed<'_> {
        fn expr(&mut self, e: &'a Expr) -> bool {
            if holds(self.span, e.span) && !self.found {
                let mut instances = self.document.compilation.model.instances.iter();
                self.found = instances.any(|(_, instance)| instance.tables.types.contains_key(&e.id));
            }
            !self.found
        }
    }
    let mut typed = Typed { document, span, found: false };
    for each in document.compilation.unit.modules.iter().filter(|each| each.module.file == span.file) {
        walk::block(&each.module.items, &mut typed);
    }
    typed.found
}

/// What a statement is.
pub fn words_of(stmt: &Stmt) -> String {
    match &stmt.kind {
        StmtKind::Function(function) => {
            let kind = match function.kind {
                FunctionKind::Host => "function",
                FunctionKind::Device => "device function",
                FunctionKind::Kernel => "kernel function",
            };
            format!("{kind} '{}'", function.name.text)
        }
        StmtKind::TypeDef(definition) => format!("definition of the type '{}'", definition.name.text),
        StmtKind::Reduction(_) => "rewrite rule".to_string(),
        StmtKind::Macro(function) => format!("macro '{}'", function.name.text),
        StmtKind::Attribute(_) | StmtKind::Pragma { .. } => "attribute".to_string(),
        StmtKind::If { .. } => "choice".to_string(),
        StmtKind::Labelled { label, body } => format!("{} with the label '{}'", words_of(body), label.text),
        StmtKind::For { variable, .. } => format!("loop over {}", variable.text),
        StmtKind::While { .. } => "loop while a condition holds".to_string(),
        StmtKind::Repeat { .. } => "loop until a condition holds".to_string(),
        StmtKind::Match { .. } => "choice by patterns".to_string(),
        StmtKind::Try { .. } => "handler of errors".to_string(),
        StmtKind::Break(_) => "jump out of a loop".to_string(),
        StmtKind::Continue(_) => "jump to the next iteration".to_string(),
        StmtKind::SyncThreads(_) => "barrier".to_string(),
        StmtKind::Print(_) => "print statement".to_string(),
        StmtKind::Error(_) => "error statement".to_string(),
        StmtKind::Symbolic(_) => "declaration of symbols".to_string(),
        StmtKind::Expr(e) => words_of_expr(e).to_string(),
        StmtKind::Invalid => "no statement of the language".to_string(),
    }
}

fn words_of_expr(e: &Expr) -> &'static str {
    match &e.kind {
        ExprKind::Assign { target, op, .. } => match (&**target, op) {
            (Target::Multiple { .. }, _) => "assignment of several results",
            (Target::Place { place, .. }, op) => match (&place.kind, op) {
                (ExprKind::Index { indices, .. }, op) => match (is_slice(indices), op) {
                    (true, None) => "assignment to a slice",
                    (true, Some(_)) => "update of a slice",
                    (false, None) => "assignment to an element",
                    (false, Some(_)) => "update of an element",
                },
                (ExprKind::Member { .. }, _) => "assignment to a field",
                (_, None) => "assignment to a variable",
                (_, Some(_)) => "update of a variable",
            },
        },
        ExprKind::Declare { .. } => "declaration",
        ExprKind::Call { .. } => "call",
        ExprKind::Exchange { .. } => "exchange of an element",
        _ => "expression",
    }
}

/// Whether indices select more than one element, as far as the text shows.
fn is_slice(indices: &[IndexArg]) -> bool {
    indices.iter().any(|index| match index {
        IndexArg::All(_) => true,
        IndexArg::Expr(e) => matches!(e.kind, ExprKind::Range { .. }),
        IndexArg::Spread(_) => false,
    })
}
