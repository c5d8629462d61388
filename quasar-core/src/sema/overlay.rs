//! The AST as one instance sees it: an overlay that substitutes synthesised expressions for the ones they replace.

use super::unit::Unit;
use crate::syntax::ast::{Block, Expr, NodeId, Stmt};
use crate::syntax::change::{self, VisitMut};
use crate::syntax::made::SyntheticId;
use std::collections::BTreeMap;

/// The replacement of each replaced node.
pub type Replacements = BTreeMap<NodeId, SyntheticId>;

/// A copy of a block with all replacements applied.
pub fn in_block(unit: &Unit, replaced: &Replacements, block: &[Stmt]) -> Block {
    let mut block = block.to_vec();
    Puts { unit, replaced }.block(&mut block);
    block
}

/// As [`in_block`], for an expression.
pub fn in_expr(unit: &Unit, replaced: &Replacements, expr: &Expr) -> Expr {
    let mut expr = expr.clone();
    Puts { unit, replaced }.expr(&mut expr);
    expr
}

struct Puts<'u> {
    unit: &'u Unit,
    replaced: &'u Replacements,
}

impl VisitMut for Puts<'_> {
    fn expr(&mut self, e: &mut Expr) {
        if let Some(made) = self.replaced.get(&e.id).and_then(|id| self.unit.made.expr(*id)) {
            // The replacement has the same id, so looking it up again would not end.
            *e = made.clone();
        }
        change::expr_parts(self, e);
    }
}
