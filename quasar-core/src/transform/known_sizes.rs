//! Sizes that become known: code that was written for arrays of any size says what it does with one of a known size, so that small
//! arrays are values in it.
//!
//! ```text
//! v : vec, w : vec              v : vec(3), w : vec(3)
//! w = 2 * v               =>    w = 2 * v
//! ```

use crate::ir::rewrite::{sets, transform_block, visit_stmts};
use crate::ir::{Block, Body, Expr, ExprKind, Index, StmtKind, VarId, VarSet};
use crate::types::Type;
use std::collections::BTreeMap;

/// Gives expressions of a block, and variables from `first` on that it sets once, the sizes that follow from those of others.
pub(super) fn propagate(block: &mut Block, body: &mut Body, first: usize) {
    let mut assigned: BTreeMap<VarId, usize> = BTreeMap::new();
    visit_stmts(block, &mut |stmt| sets(stmt, &mut |v| *assigned.entry(*v).or_default() += 1));
    // Each round finds the sizes of at least one variable more.
    loop {
        let types: Vec<Type> = body.variables.iter().map(|(_, variable)| variable.ty.clone()).collect();
        transform_block(block, &mut |e| retype(e, &types));
        let mut found = VarSet::new();
        visit_stmts(block, &mut |stmt| {
            let StmtKind::Assign { variable, value } = &stmt.kind else { return };
            let own = variable.index() >= first && assigned.get(variable) == Some(&1);
            if own && gains(&body.variables[*variable].ty, &value.ty) {
                body.variables[*variable].ty = value.ty.clone();
                found.insert(*variable);
            }
        });
        if found.iter().next().is_none() {
            return;
        }
    }
}

fn retype(e: &mut Expr, types: &[Type]) {
    let known = match &e.kind {
        ExprKind::Local(variable) => types.get(variable.index()),
        ExprKind::Convert(inner) => Some(&inner.ty),
        ExprKind::Apply { args, .. } => {
            let mut arrays = args.iter().map(|arg| &arg.ty).filter(|ty| ty.as_array().is_some());
            let first = arrays.next();
            let sizes = |ty: &Type| ty.as_array().map(|array| array.sizes.clone());
            first.filter(|first| arrays.all(|other| sizes(other) == sizes(first)))
        }
        ExprKind::Library { name: "copy", args } => args.first().map(|arg| &arg.ty),
        ExprKind::Select { then, otherwise, .. } if then.ty == otherwise.ty => Some(&then.ty),
        ExprKind::Load { array, index, .. } if index.iter().all(|i| matches!(i, Index::All)) => {
            Some(&array.ty)
        }
        _ => None,
    };
    let Some(sizes) = known.filter(|ty| gains(&e.ty, ty)).and_then(Type::as_array).map(|a| a.sizes.clone())
    else {
        return;
    };
    if let Type::Array(array) = &mut e.ty {
        array.sizes = sizes;
    }
}

/// Whether a type says of an array of the same rank how large it is, and another one does not.
fn gains(without: &Type, with: &Type) -> bool {
    match (without.as_array(), with.as_array()) {
        (Some(a), Some(b)) => {
            let all = |sizes: &[Option<_>]| !sizes.is_empty() && sizes.iter().all(Option::is_some);
            a.rank == b.rank && !all(&a.sizes) && all(&b.sizes)
        }
        _ => false,
    }
}
