//! Scalar replacement: an array that each position reaches at its own element only is read before a loop and written behind
//! it, so that `y[m,n] += e` in inner loops is a sum in a register. An addition to such an element is a read and a write:
//! nobody else looks at it meanwhile.

mod staying;
mod whole;

use crate::analysis::access_pattern::own_prefix;
use crate::ir::barriers::waits;
use crate::ir::rewrite::{
    blocks_mut, expand_stmts, jumps_out, operands_mut, stored_in, transform, transform_stmts, visit_block,
    visit_stmts,
};
use crate::ir::{Block, Body, Expr, ExprKind, Index, Kernel, Stmt, StmtKind, VarId, Variable, build};
use crate::types::known::array_element;
use crate::types::{Boundary, ElementType, Type};

/// Runs the transform on one kernel.
pub(super) fn run(kernel: &mut Kernel) {
    replace(kernel, false);
}

/// Runs it on code that is for launches that cannot fail.
pub(super) fn run_where_nothing_fails(kernel: &mut Kernel) {
    replace(kernel, true);
}

fn replace(kernel: &mut Kernel, nothing_fails: bool) {
    if !kernel.parallel || waits(&kernel.body.block) {
        return;
    }
    for param in kernel.body.params.clone() {
        whole::keep(kernel, param);
        let Some(boundary) = own_element(kernel, param) else { continue };
        let ty = kernel.body.variables[param].ty.clone();
        plain_updates(&mut kernel.body.block, param, &ty);
        // A read before a loop without iterations must not fail.
        let is_tested = boundary == Boundary::Checked && !nothing_fails;
        let mut block = std::mem::take(&mut kernel.body.block);
        keep(&mut kernel.body, &mut block, param, !is_tested);
        kernel.body.block = block;
    }
    if !kernel.aliased {
        staying::keep(kernel);
    }
}

/// The access mode of a changed array of plain numbers of which each position reaches its own element only.
fn own_element(kernel: &Kernel, param: VarId) -> Option<Boundary> {
    let ty = &kernel.body.variables[param].ty;
    let plain =
        matches!(array_element(ty), Some(ElementType::Single | ElementType::Double | ElementType::Int32));
    if !plain || !stored_in(&kernel.body.block).contains(&param) {
        return None;
    }
    let is_param = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if v == param);
    let (mut modes, mut own, mut parts, mut mentions) = (Vec::new(), true, 0, 0);
    let mut at = |index: &[Index], boundary: Boundary| {
        own &= index.len() == kernel.rank && own_prefix(index, kernel.rank) == kernel.rank;
        modes.push(boundary);
    };
    visit_stmts(&kernel.body.block, &mut |stmt| match &stmt.kind {
        StmtKind::Store { array, index, boundary, .. }
        | StmtKind::Update { array, index, boundary, result: None, .. }
            if is_param(array) =>
        {
            at(index, *boundary);
            parts += 1;
        }
        // Elsewhere the value matters also where there is no element.
        StmtKind::Update { array, .. } | StmtKind::Exchange { array, .. } if is_param(array) => {
            at(&[], Boundary::Checked);
        }
        _ => {}
    });
    visit_block(&kernel.body.block, &mut |e| match &e.kind {
        ExprKind::Load { array, index, boundary } if is_param(array) => {
            at(index, *boundary);
            parts += 1;
        }
        ExprKind::Extent(array, _) | ExprKind::Count(array) if is_param(array) => parts += 1,
        ExprKind::Local(v) if *v == param => mentions += 1,
        _ => {}
    });
    let first = *modes.first()?;
    // Other modes read other elements where this one is outside.
    let alone = matches!(first, Boundary::Checked | Boundary::Unchecked | Boundary::Safe);
    (alone && own && mentions <= parts && modes.iter().all(|mode| *mode == first)).then_some(first)
}

/// Makes additions to elements of an array reads and writes, where no other thread adds to them.
pub(in crate::transform) fn plain_updates(block: &mut Block, param: VarId, ty: &Type) {
    let Type::Array(array) = ty else { return };
    let ty = (*array.element).clone();
    expand_stmts(block, &mut |stmt| match stmt.kind {
        StmtKind::Update { array, index, boundary, row, value, atomic: _, result: None } if matches!(array.kind, ExprKind::Local(v) if v == param) =>
        {
            let kind = ExprKind::Load { array: Box::new(array.clone()), index: index.clone(), boundary };
            let old = Expr::new(kind, ty.clone(), stmt.span);
            let value = build::apply(row, vec![old, value], ty.clone(), stmt.span);
            vec![Stmt::new(StmtKind::Store { array, index, boundary, value }, stmt.span)]
        }
        kind => vec![Stmt { kind, span: stmt.span }],
    });
}

/// Keeps the element of an array in a variable while the outermost loops that write it go on, where it is `there`: a read of it
/// cannot fail, at least not behind a store to it.
fn keep(body: &mut Body, block: &mut Block, param: VarId, mut there: bool) {
    let mut k = 0;
    while k < block.len() {
        let stmt = &mut block[k];
        let here = std::slice::from_ref(stmt);
        let is_loop = matches!(stmt.kind, StmtKind::For { .. });
        if !is_loop || !stored_in(here).contains(&param) || jumps_out(here, 0) || may_end(here) {
            if !is_loop {
                blocks_mut(stmt, &mut |inner| keep(body, inner, param, there));
                there |= stores(stmt, param);
            }
            k += 1;
            continue;
        }
        if there && let Some((read, write)) = kept(body, &mut block[k..=k], param) {
            block.insert(k, read);
            block.insert(k + 2, write);
            k += 2;
        }
        k += 1;
    }
}

/// Whether a statement is a store to an element of an array.
fn stores(stmt: &Stmt, param: VarId) -> bool {
    matches!(&stmt.kind, StmtKind::Store { array, .. } if matches!(array.kind, ExprKind::Local(v) if v == param))
}

/// Whether statements may leave the kernel: what they wrote before is seen then.
pub(super) fn may_end(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Fail { .. } | StmtKind::Assert { .. } | StmtKind::Call { .. });
    });
    found
}

/// Puts a variable in the place of an element in statements; what reads it before them and what writes it behind them.
fn kept(body: &mut Body, stmts: &mut [Stmt], param: VarId) -> Option<(Stmt, Stmt)> {
    let mut element = None;
    visit_stmts(stmts, &mut |stmt| {
        if let StmtKind::Store { array, index, boundary, .. } = &stmt.kind
            && matches!(array.kind, ExprKind::Local(v) if v == param)
        {
            element = Some((array.clone(), index.clone(), *boundary, stmt.span));
        }
    });
    let (array, index, boundary, span) = element?;
    let Type::Array(ty) = &body.variables[param].ty else { return None };
    let ty = (*ty.element).clone();
    let own = body.variables.push(Variable::new("$own", ty.clone(), span));
    let read = body.read(own, span);
    transform_stmts(stmts, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Load { array, .. } = &e.kind
                    && matches!(array.kind, ExprKind::Local(v) if v == param)
                {
                    *e = read.clone();
                }
            });
        });
        if let StmtKind::Store { array, value, .. } = &stmt.kind
            && matches!(array.kind, ExprKind::Local(v) if v == param)
        {
            stmt.kind = StmtKind::Assign { variable: own, value: value.clone() };
        }
    });
    let load = ExprKind::Load { array: Box::new(array.clone()), index: index.clone(), boundary };
    let before = build::assign(own, Expr::new(load, ty, span));
    let behind = Stmt::new(StmtKind::Store { array, index, boundary, value: read }, span);
    Some((before, behind))
}
