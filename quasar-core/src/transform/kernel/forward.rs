//! Puts positions and sizes that have a name where they are used, so that indices show how far they are from the
//! position: `y = pos[0] - 1; x[y, pos[1]]` becomes `x[pos[0] - 1, pos[1]]`.

use super::fold;
use crate::ir::rewrite::{
    operands_mut, read_in, set_in, sets, substitute, transform_stmts, variables, visit, visit_stmts,
};
use crate::ir::{Body, Expr, ExprKind, StmtKind, VarId};
use crate::types::{ElementType, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Larger values are computed once.
const LARGEST: usize = 12;

/// Runs the transform on one kernel.
pub(super) fn run(body: &mut Body) {
    fold::block(&mut body.block);
    let mut sets_of: BTreeMap<VarId, u32> = BTreeMap::new();
    visit_stmts(&body.block, &mut |stmt| sets(stmt, &mut |v| *sets_of.entry(*v).or_default() += 1));
    let mut replacements: BTreeMap<VarId, Expr> = BTreeMap::new();
    let mut seen: BTreeSet<VarId> = BTreeSet::new();
    let mut block = std::mem::take(&mut body.block);
    block.retain_mut(|stmt| {
        transform_stmts(std::slice::from_mut(stmt), &mut |s| {
            operands_mut(s, &mut |e| substitute(e, &replacements));
        });
        if let StmtKind::Assign { variable, value } = &mut stmt.kind {
            fold::expr(value);
            let once = sets_of.get(variable) == Some(&1) && !seen.contains(variable);
            let own = body.params.contains(variable) || body.results.contains(variable);
            if once && !own && is_index(value) && variables(value).iter().all(|v| !sets_of.contains_key(v)) {
                replacements.insert(*variable, value.clone());
                return false;
            }
        }
        let one = std::slice::from_ref(stmt);
        seen.extend(read_in(one));
        seen.extend(set_in(one));
        true
    });
    body.block = block;
    fold::block(&mut body.block);
}

/// Whether a value is cheap to compute again: integers made of positions, sizes, parameters and constants, or a vector
/// of such.
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
    // A vector variable would be written out at each use, unless its components are taken.
    simple
        && nodes <= LARGEST
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
