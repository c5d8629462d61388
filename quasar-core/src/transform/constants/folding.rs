//! Replaces reads of known array elements in kernels by literals, and unrolls the loops over them.

use super::known::{Known, known};
use super::reading::{DEPTH, only_read, unconverted};
use crate::ir::barriers::waits;
use crate::ir::rewrite::{
    blocks, blocks_mut, operands_mut, read_in, set_in, sets, substitute, transform, transform_stmts,
    variables, visit_block, visit_stmts,
};
use crate::ir::{Block, Body, Expr, ExprKind, Index, Program, Stmt, StmtKind, Storage, VarId, VarSet, build};
use crate::transform::kernel::{
    drop_definitions, drop_unread_constants, expand_loops, fold_block, fold_expr, unrolled,
};
use crate::types::{Boundary, Type};
use quasar_devicelib::element::Scalar;
use std::collections::BTreeMap;

pub(super) type Arrays = BTreeMap<VarId, Known>;

/// Replaces element reads by literals. Returns the arrays that are still mentioned.
pub(super) fn fold(body: &mut Body, arrays: &Arrays) -> VarSet {
    let rounds = |stmt: &Stmt| chooses(stmt, arrays).then(|| unrolled(stmt)).flatten();
    let found = expand_loops(&mut body.block, &rounds);
    read(&mut body.block, arrays);
    if found {
        fold_block(&mut body.block);
        let own = |v: &VarId| body.variables[*v].storage == Storage::Local;
        numbers(&mut body.block, &own, &mut BTreeMap::new());
        fold_block(&mut body.block);
        read(&mut body.block, arrays);
    }
    fold_block(&mut body.block);
    if found {
        drop_unread_constants(body);
    }
    let mentioned = read_in(&body.block);
    let kept: VarSet = arrays.keys().copied().filter(|v| mentioned.contains(v)).collect();
    drop_definitions(&mut body.block, &|v, _| arrays.contains_key(&v) && !kept.contains(&v));
    kept
}

/// Whether elements of array literals are indexed.
pub(super) fn reads_literals(body: &Body) -> bool {
    let mut found = false;
    visit_block(&body.block, &mut |e| {
        if let ExprKind::Load { array, .. } = &e.kind {
            found |= matches!(unconverted(array).kind, ExprKind::Array(_));
        }
    });
    found
}

/// The constant arrays that a kernel creates itself and never modifies.
pub(super) fn own_arrays(program: &Program, body: &Body) -> Arrays {
    let mut definitions: BTreeMap<VarId, Option<Known>> = BTreeMap::new();
    visit_stmts(&body.block, &mut |stmt| {
        sets(stmt, &mut |v| {
            let array = match &stmt.kind {
                StmtKind::Assign { value, .. } if matches!(value.ty, Type::Array(_)) => {
                    known(value, &|_| None)
                }
                _ => None,
            };
            definitions.entry(*v).and_modify(|known| *known = None).or_insert(array);
        });
    });
    let plain = |v: &VarId| body.variables[*v].storage == Storage::Local;
    let constant = |v: &VarId| {
        let is = |e: &Expr| matches!(e.kind, ExprKind::Local(other) if other == *v);
        plain(v) && only_read(program, &body.block, &is, DEPTH)
    };
    let own = definitions.into_iter().filter_map(|(v, array)| Some((v, array?)));
    own.filter(|(v, _)| !body.params.contains(v) && !body.results.contains(v) && constant(v)).collect()
}

fn of(array: &Expr, arrays: &Arrays) -> Option<Known> {
    known(array, &|e| match e.kind {
        ExprKind::Local(v) => arrays.get(&v).cloned(),
        _ => None,
    })
}

/// Whether a loop variable determines which elements of the arrays are read.
fn chooses(stmt: &Stmt, arrays: &Arrays) -> bool {
    let StmtKind::For { variable, body, .. } = &stmt.kind else { return false };
    if waits(body) {
        return false;
    }
    let mut varying = set_in(body);
    varying.insert(*variable);
    let mut found = false;
    visit_block(body, &mut |e| {
        if let ExprKind::Load { array, index, .. } = &e.kind
            && !found
        {
            let moves = |each: &Index| match each {
                Index::At(at) => !variables(at).is_disjoint(&varying),
                _ => false,
            };
            found = index.iter().any(moves) && of(array, arrays).is_some();
        }
    });
    found
}

/// Replaces loads and extents.
fn read(block: &mut Block, arrays: &Arrays) {
    transform_stmts(block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                let found = match &e.kind {
                    ExprKind::Load { array, index, boundary } => element(e, array, index, *boundary, arrays),
                    ExprKind::Extent(array, axis) => {
                        of(array, arrays).and_then(|known| Some(Scalar::I32(*known.sizes.get(*axis)? as i32)))
                    }
                    ExprKind::Count(array) => {
                        of(array, arrays).map(|known| Scalar::I32(known.values.len() as i32))
                    }
                    _ => None,
                };
                if let (Some(value), Type::Scalar(element, _)) = (found, &e.ty)
                    && value.element_type() == *element
                {
                    *e = Expr::new(ExprKind::Constant(value), e.ty.clone(), e.span);
                }
            });
        });
    });
}

/// The element that a load reads.
fn element(
    load: &Expr,
    array: &Expr,
    index: &[Index],
    boundary: Boundary,
    arrays: &Arrays,
) -> Option<Scalar> {
    let at = |each: &Index| match each {
        Index::At(at) => {
            let mut at = at.clone();
            fold_expr(&mut at);
            at.constant_int()
        }
        _ => None,
    };
    let at: Vec<i32> = index.iter().map(at).collect::<Option<_>>()?;
    let known = of(array, arrays).filter(|known| known.sizes.len() == at.len())?;
    match (known.place(&at), boundary) {
        (Some(place), _) => known.values.get(place).copied(),
        (None, Boundary::Safe) => build::element_of(&load.ty).map(Scalar::zero),
        (None, _) => None,
    }
}

/// Propagates integer constants held in variables, which unrolled counters produce.
fn numbers(block: &mut Block, own: &dyn Fn(&VarId) -> bool, held: &mut BTreeMap<VarId, Expr>) {
    for stmt in block {
        let forget = |held: &mut BTreeMap<VarId, Expr>, set: &VarSet| held.retain(|v, _| !set.contains(v));
        let mut set = VarSet::new();
        blocks(stmt, &mut |inner| set.add(&set_in(inner)));
        // The condition of such a loop is evaluated again after its body.
        if matches!(stmt.kind, StmtKind::While { .. } | StmtKind::Repeat { .. }) {
            forget(held, &set);
        }
        if !held.is_empty() {
            operands_mut(stmt, &mut |e| {
                substitute(e, held);
                fold_expr(e);
            });
        }
        sets(stmt, &mut |v| {
            set.insert(*v);
        });
        let is_loop = !matches!(stmt.kind, StmtKind::If { .. });
        if is_loop {
            forget(held, &set);
        }
        blocks_mut(stmt, &mut |inner| numbers(inner, own, &mut held.clone()));
        forget(held, &set);
        if let StmtKind::Assign { variable, value } = &stmt.kind
            && value.constant_int().is_some()
            && own(variable)
        {
            held.insert(*variable, value.clone());
        }
    }
}
