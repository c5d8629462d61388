//! Structural equality of trees, regardless of ids and locations.

use super::ast::*;
use super::change::{self, VisitMut};
use crate::source::Span;

/// Whether two modules are equal up to ids, spans and the file.
pub fn same_module(a: &Module, b: &Module) -> bool {
    erased(a, false) == erased(b, false)
}

/// As [`same_module`], ignoring parentheses too.
pub fn same_meaning(a: &Module, b: &Module) -> bool {
    erased(a, true) == erased(b, true)
}

/// Whether two expressions are equal up to ids and spans.
pub fn same_expr(a: &Expr, b: &Expr) -> bool {
    let erased = |e: &Expr| {
        let mut e = e.clone();
        Eraser { parens: false }.expr(&mut e);
        e
    };
    erased(a) == erased(b)
}

/// A copy with ids and spans reset and parentheses removed.
pub fn without_parens(e: &Expr) -> Expr {
    let mut e = e.clone();
    Eraser { parens: true }.expr(&mut e);
    e
}

/// A copy with ids and spans reset; `parens` removes parentheses too.
pub fn erased(module: &Module, parens: bool) -> Module {
    let mut module = module.clone();
    let mut eraser = Eraser { parens };
    module.file = Span::default().file;
    for import in &mut module.imports {
        import.span = Span::default();
        import.alias.iter_mut().for_each(|n| eraser.name(n));
    }
    eraser.block(&mut module.items);
    module
}

struct Eraser {
    parens: bool,
}

impl VisitMut for Eraser {
    fn node(&mut self, id: &mut NodeId, span: &mut Span) {
        *id = NodeId(0);
        *span = Span::default();
    }

    fn span(&mut self, span: &mut Span) {
        *span = Span::default();
    }

    fn expr(&mut self, e: &mut Expr) {
        if self.parens {
            while let ExprKind::Paren(inner) = &mut e.kind {
                *e = std::mem::replace(
                    inner,
                    Expr { id: NodeId(0), span: Span::default(), kind: ExprKind::Invalid },
                );
            }
        }
        change::expr_parts(self, e);
    }
}
