//! Whether two trees say the same, wherever their nodes stand.

use super::ast::*;
use super::change::{self, Change};
use crate::source::Span;

/// Whether two modules are equal apart from ids, places and the file.
pub fn same_module(a: &Module, b: &Module) -> bool {
    erased(a, false) == erased(b, false)
}

/// Like [`same_module`], with parentheses ignored too.
pub fn same_meaning(a: &Module, b: &Module) -> bool {
    erased(a, true) == erased(b, true)
}

/// Whether two expressions are equal apart from ids and places.
pub fn same_expr(a: &Expr, b: &Expr) -> bool {
    let erased = |e: &Expr| {
        let mut e = e.clone();
        Eraser { parens: false }.expr(&mut e);
        e
    };
    erased(a) == erased(b)
}

/// A copy without ids, places and parentheses.
pub fn without_parens(e: &Expr) -> Expr {
    let mut e = e.clone();
    Eraser { parens: true }.expr(&mut e);
    e
}

/// A copy in which all ids and places are zero; `parens` drops parentheses too.
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

impl Change for Eraser {
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
