//! Copy propagation of index expressions, which exposes the offset from the position: `y = pos[0] - 1; x[y, pos[1]]`
//! becomes `x[pos[0] - 1, pos[1]]`.

use super::constant_folding;
use crate::ir::rewrite::{
    operands, operands_mut, sets, stored_in, substitute, transform_stmts, variables, visit, visit_stmts,
};
use crate::ir::{Body, Expr, ExprKind, Stmt, StmtKind, VarId, VarSet};
use crate::target::any::CHEAP_INDEX_NODES;
use crate::types::{ElementType, Type};
use std::collections::BTreeMap;

/// Runs the pass on one body.
pub(in crate::transform) fn run(body: &mut Body) {
    constant_folding::block(&mut body.block);
    let mut sets_of: BTreeMap<VarId, u32> = BTreeMap::new();
    visit_stmts(&body.block, &mut |stmt| sets(stmt, &mut |v| *sets_of.entry(*v).or_default() += 1));
    // Candidates: assigned once, not read before, and no vector whose elements may change.
    let changed = changed_elements(&body.block);
    let own = |v: &VarId| body.params.contains(v) || body.results.contains(v) || changed.contains(v);
    let mut fresh: VarSet =
        sets_of.iter().filter(|(v, count)| **count == 1 && !own(v)).map(|(v, _)| *v).collect();
    let mut replacements: BTreeMap<VarId, Expr> = BTreeMap::new();
    body.block.retain_mut(|stmt| {
        if !replacements.is_empty() {
            transform_stmts(std::slice::from_mut(stmt), &mut |s| {
                operands_mut(s, &mut |e| substitute(e, &replacements));
            });
        }
        if fresh.is_empty() {
            return true;
        }
        if let StmtKind::Assign { variable, value } = &mut stmt.kind
            && fresh.contains(variable)
        {
            constant_folding::expr(value);
            if is_index(value) && variables(value).iter().all(|v| !sets_of.contains_key(&v)) {
                replacements.insert(*variable, value.clone());
                return false;
            }
        }
        mention(std::slice::from_ref(stmt), &mut fresh);
        true
    });
    if !replacements.is_empty() {
        constant_folding::block(&mut body.block);
    }
}

/// Vectors whose elements may change: targets of stores, and those aliased by another variable or passed to functions.
fn changed_elements(block: &[Stmt]) -> VarSet {
    let mut changed = stored_in(block);
    let mut named = |value: &Expr| {
        if let (ExprKind::Local(v), Type::Array(_)) = (&value.kind, &value.ty) {
            changed.insert(*v);
        }
    };
    visit_stmts(block, &mut |stmt| match &stmt.kind {
        StmtKind::Assign { value, .. } => named(value),
        StmtKind::Call { args, .. } => args.iter().for_each(&mut named),
        _ => {}
    });
    changed
}

/// Removes the variables that statements read or assign.
fn mention(block: &[Stmt], fresh: &mut VarSet) {
    visit_stmts(block, &mut |stmt| {
        sets(stmt, &mut |v| {
            fresh.remove(v);
        });
        operands(stmt, &mut |e| {
            visit(e, &mut |e| {
                if let ExprKind::Local(v) = e.kind {
                    fresh.remove(&v);
                }
            });
        });
    });
}

/// Whether a value is cheap to recompute: an integer made of positions, extents, parameters and constants, or a vector
/// of such integers.
fn is_index(value: &Expr) -> bool {
    let (mut nodes, mut simple) = (0, true);
    visit(value, &mut |e| {
        nodes += 1;
        simple &= match &e.kind {
            ExprKind::Constant(_) | ExprKind::Coordinate(..) | ExprKind::Local(_) => is_int(&e.ty),
            ExprKind::Apply { row, .. } => {
                is_int(&e.ty) && matches!(row.name, "add" | "subtract" | "multiply" | "negate")
            }
            ExprKind::Array(_) => is_int(&e.ty),
            _ => false,
        };
    });
    let is_vector = matches!(value.ty, Type::Array(_));
    // A variable that holds a vector would be expanded at each use, so only literals and operations are propagated.
    simple
        && nodes <= CHEAP_INDEX_NODES
        && (!is_vector || matches!(value.kind, ExprKind::Array(_) | ExprKind::Apply { .. }))
}

fn is_int(ty: &Type) -> bool {
    match ty {
        Type::Scalar(element, _) => *element == ElementType::Int32,
        Type::Array(array) => {
            matches!(*array.element, Type::Scalar(ElementType::Int32, _)) && array.sizes.len() == 1
        }
        _ => false,
    }
}
