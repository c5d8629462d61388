//! Loops with slices and functions of small arrays: what kernels make numbers of is made so before the loop is judged, which
//! so may become a kernel, and whose indices the dependence test knows.

use super::{Pass, nest_of};
use crate::ir::rewrite::{operands, visit, visit_stmts};
use crate::ir::{Body, ExprKind, Index, Stmt, StmtKind, VarSet};
use crate::transform::kernel;

impl Pass<'_> {
    /// The loop with small arrays as numbers, where it is no kernel as it stands and would be one then.
    pub(super) fn with_small_arrays(&mut self, stmt: Stmt, after: &VarSet) -> Stmt {
        let StmtKind::For { attributes, .. } = &stmt.kind else { return stmt };
        let Some(nest) = nest_of(&stmt, self.body).filter(|_| self.may_be_kernel(attributes.mode)) else {
            return stmt;
        };
        if !has_candidates(&stmt) || self.allowed(nest.blocks[0], after).is_ok() {
            return stmt;
        }
        let before = self.body.variables.len();
        let variables = std::mem::take(&mut self.body.variables);
        let mut trial = Body { variables, block: vec![stmt.clone()], ..Body::default() };
        kernel::scalarize(&mut trial);
        self.body.variables = trial.variables;
        let found = match trial.block.as_slice() {
            [only] => nest_of(only, self.body).filter(|nest| self.allowed(nest.blocks[0], after).is_ok()),
            _ => None,
        };
        if found.is_none() {
            self.body.variables.truncate(before);
            return stmt;
        }
        trial.block.pop().unwrap_or(stmt)
    }
}

/// Whether statements have slices or functions of arrays at all.
fn has_candidates(stmt: &Stmt) -> bool {
    let is_slice = |index: &[Index]| index.iter().any(|each| !matches!(each, Index::At(_)));
    let mut found = false;
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        if let StmtKind::Store { index, .. } | StmtKind::Update { index, .. } = &stmt.kind {
            found |= is_slice(index);
        }
        operands(stmt, &mut |expr| {
            visit(expr, &mut |e| {
                found |= match &e.kind {
                    ExprKind::Load { index, .. } => is_slice(index),
                    ExprKind::Library { .. } => true,
                    _ => false,
                };
            });
        });
    });
    found
}
