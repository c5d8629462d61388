//! Long arrays of known size that inner loops go along are made in memory, as those of unknown size are:
//!
//! ```text
//! w : vec(200)                   w : vec
//! w = uninit(200)                w = uninit(200)
//! for k = 0..199                 for k = 0..199
//!     w[k] = x[p, k] * 2             w[k] = x[p, k] * 2
//! ```
//!
//! Loops along arrays in memory go by vectors of elements. Others stay in the frame of the function: their elements are reached
//! by indices from data, where a vector is of no use.

use crate::ir::build;
use crate::ir::rewrite::{
    children, children_mut, operands, operands_mut, root, set_in, sets, transform_stmts, visit, visit_stmts,
};
use crate::ir::{Body, Expr, ExprKind, Index, Kernel, Stmt, StmtKind, Storage, VarId, VarSet};
use crate::types::Type;
use crate::types::known::{is_long, rank};

/// Runs the pass on a kernel whose positions are not in vectors.
pub(super) fn run(kernel: &mut Kernel) {
    if kernel.schedule.vectors().next().is_some() || kernel.schedule.position_tile.is_some() {
        return;
    }
    let body = &mut kernel.body;
    let chosen = chosen(body);
    if chosen.is_empty() {
        return;
    }
    for v in chosen.iter() {
        let variable = &mut body.variables[v];
        variable.ty = in_memory(&variable.ty);
    }
    transform_stmts(&mut body.block, &mut |stmt| {
        operands_mut(stmt, &mut |e| retype(e, &chosen));
        if let StmtKind::Assign { variable, value } = &mut stmt.kind
            && chosen.contains(variable)
        {
            value.ty = in_memory(&value.ty);
        }
    });
}

/// The type of an array whose size is known at run time.
fn in_memory(ty: &Type) -> Type {
    match (ty, rank(ty)) {
        (Type::Array(array), Some(rank)) => build::array_type((*array.element).clone(), rank as u8),
        _ => ty.clone(),
    }
}

fn retype(e: &mut Expr, chosen: &VarSet) {
    if matches!(&e.kind, ExprKind::Local(v) if chosen.contains(v)) {
        e.ty = in_memory(&e.ty);
    }
    children_mut(e, &mut |child| retype(child, chosen));
}

/// The long arrays that loops go along, and that are used by elements only.
fn chosen(body: &Body) -> VarSet {
    let is_own = |v: &VarId| {
        let variable = &body.variables[*v];
        let outside = body.params.contains(v) || body.results.contains(v);
        is_long(&variable.ty) && variable.storage == Storage::Local && !outside
    };
    let mut long: VarSet = set_in(&body.block).iter().filter(is_own).collect();
    if long.is_empty() {
        return long;
    }
    visit_stmts(&body.block, &mut |stmt| leave_whole(stmt, &mut long));
    let mut along = VarSet::new();
    visit_stmts(&body.block, &mut |stmt| {
        if let StmtKind::For { variable, body, .. } = &stmt.kind {
            visit_stmts(body, &mut |stmt| find_along(stmt, *variable, &mut along));
        }
    });
    long.iter().filter(|v| along.contains(v)).collect()
}

/// Removes the arrays that a statement uses as a whole.
fn leave_whole(stmt: &Stmt, long: &mut VarSet) {
    let mut target = None;
    match &stmt.kind {
        StmtKind::Assign { value, .. }
            if matches!(
                value.kind,
                ExprKind::Library { name: "zeros" | "uninit" | "czeros" | "cuninit", .. }
            ) => {}
        StmtKind::Store { array, index, .. } | StmtKind::Update { array, index, .. } if is_element(index) => {
            target = root(array);
        }
        _ => sets(stmt, &mut |v| _ = long.remove(v)),
    }
    operands(stmt, &mut |e| match e.kind {
        ExprKind::Local(v) if target == Some(v) => {}
        _ => leave_whole_in(e, long),
    });
}

fn is_element(index: &[Index]) -> bool {
    index.iter().all(|each| matches!(each, Index::At(_)))
}

fn leave_whole_in(e: &Expr, long: &mut VarSet) {
    let by_elements = match &e.kind {
        ExprKind::Load { index, .. } => is_element(index),
        ExprKind::Extent(..) | ExprKind::Count(_) => true,
        _ => false,
    };
    if let ExprKind::Local(v) = e.kind {
        long.remove(&v);
    }
    children(e, &mut |child| match child.kind {
        ExprKind::Local(_) if by_elements => {}
        _ => leave_whole_in(child, long),
    });
}

/// Adds the arrays whose last index is the variable of a loop, or that and a constant.
fn find_along(stmt: &Stmt, variable: VarId, along: &mut VarSet) {
    let goes = |index: &[Index]| matches!(index.last(), Some(Index::At(e)) if is_beside(e, variable));
    if let StmtKind::Store { array, index, .. } | StmtKind::Update { array, index, .. } = &stmt.kind
        && goes(index)
    {
        root(array).iter().for_each(|v| _ = along.insert(*v));
    }
    operands(stmt, &mut |e| {
        visit(e, &mut |e| {
            if let ExprKind::Load { array, index, .. } = &e.kind
                && goes(index)
            {
                root(array).iter().for_each(|v| _ = along.insert(*v));
            }
        });
    });
}

fn is_beside(e: &Expr, variable: VarId) -> bool {
    match &e.kind {
        ExprKind::Local(v) => *v == variable,
        ExprKind::Apply { row, args } if matches!(row.name, "add" | "subtract") => {
            args.iter().all(|arg| is_beside(arg, variable) || arg.constant_int().is_some())
        }
        _ => false,
    }
}
