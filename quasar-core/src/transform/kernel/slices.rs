//! Slices of known size in kernels and device functions become their elements: `x[p, 0..2]` is
//! `[x[p,0], x[p,1], x[p,2]]`, and `y[p, 0..2] = v` three stores. A number is stored to slices of any size by loops.

use crate::ir::build;
use crate::ir::rewrite::{expand_stmts, operands_mut, transform};
use crate::ir::{Body, Expr, ExprKind, Index, LoopAttributes, Range, Stmt, StmtKind, VarId};
use crate::source::Span;
use crate::types::{Boundary, Type};

/// Slices with more elements stay as they are.
const MOST: usize = 64;

/// Takes the slices of a body apart.
pub(super) fn run(body: &mut Body) {
    let mut block = std::mem::take(&mut body.block);
    expand_stmts(&mut block, &mut |mut stmt| {
        operands_mut(&mut stmt, &mut |e| transform(e, &mut load));
        store(body, stmt)
    });
    body.block = block;
}

fn sizes(ty: &Type) -> Option<Vec<usize>> {
    let Type::Array(array) = ty else { return None };
    let sizes: Vec<usize> = array.sizes.iter().map(|s| s.map(|s| s as usize)).collect::<Option<_>>()?;
    let count = sizes.iter().try_fold(1usize, |n, s| n.checked_mul(*s))?;
    (!sizes.is_empty() && count <= MOST && matches!(*array.element, Type::Scalar(..))).then_some(sizes)
}

fn load(expr: &mut Expr) {
    let ExprKind::Load { array, index, boundary } = &expr.kind else { return };
    let (Some(sizes), Type::Array(ty)) = (sizes(&expr.ty), &expr.ty) else { return };
    let slices = index.iter().filter(|i| !matches!(i, Index::At(_))).count();
    let whole = index.iter().all(|i| !matches!(i, Index::Position(_)));
    if !whole || slices != sizes.len() || !matches!(array.kind, ExprKind::Local(_)) {
        return;
    }
    let element = (*ty.element).clone();
    let mut at = vec![0; sizes.len()];
    if let Some(made) = stack(array, index, *boundary, &element, &sizes, &mut at, 0, expr.span) {
        expr.kind = made.kind;
    }
}

/// The elements below a position of a slice, as rows of rows.
#[allow(clippy::too_many_arguments, reason = "the parts of one load")]
fn stack(
    array: &Expr,
    index: &[Index],
    boundary: Boundary,
    element: &Type,
    sizes: &[usize],
    at: &mut Vec<usize>,
    depth: usize,
    span: Span,
) -> Option<Expr> {
    let Some(&size) = sizes.get(depth) else {
        let index = positions(index, at)?;
        let kind = ExprKind::Load { array: Box::new(array.clone()), index, boundary };
        return Some(Expr::new(kind, element.clone(), span));
    };
    let mut items = Vec::with_capacity(size);
    for k in 0..size {
        at[depth] = k;
        items.push(stack(array, index, boundary, element, sizes, at, depth + 1, span)?);
    }
    let rest = sizes[depth..].iter().map(|n| Some(*n as u32)).collect();
    Some(Expr::new(ExprKind::Array(items), build::sized_type(element.clone(), rest), span))
}

/// The indices of one element of a slice.
fn positions(index: &[Index], at: &[usize]) -> Option<Vec<Index>> {
    let mut at = at.iter();
    index
        .iter()
        .map(|each| match each {
            Index::At(e) => Some(Index::At(e.clone())),
            Index::All => Some(Index::At(build::int(*at.next()? as i32, Span::default()))),
            Index::Range(range) => Some(Index::At(step(range, *at.next()?)?)),
            Index::List(list) => {
                let k = build::int(*at.next()? as i32, list.span);
                let Type::Array(ty) = &list.ty else { return None };
                let kind = ExprKind::Load {
                    array: Box::new(list.clone()),
                    index: vec![Index::At(k)],
                    boundary: Boundary::Safe,
                };
                Some(Index::At(Expr::new(kind, (*ty.element).clone(), list.span)))
            }
            Index::Position(_) => None,
        })
        .collect()
}

/// The `k`-th value of a range.
fn step(range: &Range, k: usize) -> Option<Expr> {
    let span = range.from.span;
    let step = range.step.as_ref().map_or(Some(1), Expr::constant_int)?;
    let distance = step.checked_mul(i32::try_from(k).ok()?)?;
    if let Some(from) = range.from.constant_int() {
        return Some(build::int(from.checked_add(distance)?, span));
    }
    if distance == 0 {
        return Some(range.from.clone());
    }
    let row = quasar_devicelib::ops::find("add")?;
    let args = vec![range.from.clone(), build::int(distance, span)];
    Some(Expr::new(ExprKind::Apply { row, args }, range.from.ty.clone(), span))
}

/// How many values a range has, if that can be seen.
fn count(index: &Index) -> Option<usize> {
    match index {
        Index::Range(range) => {
            let step = range.step.as_ref().map_or(Some(1), Expr::constant_int).filter(|step| *step != 0)?;
            let (from, to) = (range.from.constant_int()?, range.to.constant_int()?);
            usize::try_from((i64::from(to) - i64::from(from)) / i64::from(step) + 1).ok()
        }
        Index::List(list) => sizes(&list.ty).map(|sizes| sizes.iter().product()),
        Index::At(_) | Index::All | Index::Position(_) => None,
    }
}

fn store(body: &mut Body, stmt: Stmt) -> Vec<Stmt> {
    let (StmtKind::Store { index, value, .. } | StmtKind::Update { index, value, result: None, .. }) =
        &stmt.kind
    else {
        return vec![stmt];
    };
    let sliced: Vec<&Index> = index.iter().filter(|i| !matches!(i, Index::At(_))).collect();
    if sliced.is_empty() || sliced.iter().any(|i| matches!(i, Index::Position(_))) {
        return vec![stmt];
    }
    let made = match (&value.ty, sizes(&value.ty)) {
        (Type::Scalar(..), _) => fill(body, &stmt),
        // Where the number of values cannot be seen, the run-time library would have to compare it.
        (_, Some(sizes))
            if sizes.len() == sliced.len()
                && sliced.iter().zip(&sizes).all(|(index, size)| count(index) == Some(*size)) =>
        {
            each(body, &stmt, &sizes)
        }
        _ => None,
    };
    made.unwrap_or_else(|| vec![stmt])
}

fn with_index(stmt: &Stmt, at: Vec<Index>, new: Expr) -> Stmt {
    let mut stmt = stmt.clone();
    if let StmtKind::Store { index, value, .. } | StmtKind::Update { index, value, .. } = &mut stmt.kind {
        *index = at;
        *value = new;
    }
    stmt
}

fn value_of(stmt: &Stmt) -> Option<(&[Index], &Expr)> {
    match &stmt.kind {
        StmtKind::Store { index, value, .. } | StmtKind::Update { index, value, .. } => Some((index, value)),
        _ => None,
    }
}

/// Stores each component of a small array.
fn each(body: &mut Body, stmt: &Stmt, sizes: &[usize]) -> Option<Vec<Stmt>> {
    let (index, value) = value_of(stmt)?;
    let Type::Array(ty) = &value.ty else { return None };
    let element = (*ty.element).clone();
    let kept = body.temporary(value.ty.clone(), stmt.span);
    let mut made = vec![build::assign(kept, value.clone())];
    for k in 0..sizes.iter().product() {
        let (mut at, mut rest) = (vec![0; sizes.len()], k);
        for (axis, size) in sizes.iter().enumerate().rev() {
            at[axis] = rest % size;
            rest /= size;
        }
        let array = Box::new(Expr::new(ExprKind::Local(kept), value.ty.clone(), stmt.span));
        let inner = at.iter().map(|k| Index::At(build::int(*k as i32, stmt.span))).collect();
        let component = ExprKind::Load { array, index: inner, boundary: Boundary::Unchecked };
        let component = Expr::new(component, element.clone(), stmt.span);
        made.push(with_index(stmt, positions(index, &at)?, component));
    }
    Some(made)
}

/// Stores a number to all elements of a slice.
fn fill(body: &mut Body, stmt: &Stmt) -> Option<Vec<Stmt>> {
    let (index, value) = value_of(stmt)?;
    let (StmtKind::Store { array, .. } | StmtKind::Update { array, .. }) = &stmt.kind else { return None };
    let kept = body.temporary(value.ty.clone(), stmt.span);
    let read = |v: VarId, ty: &Type| Expr::new(ExprKind::Local(v), ty.clone(), stmt.span);
    let (mut at, mut loops) = (Vec::new(), Vec::new());
    for (axis, each) in index.iter().enumerate() {
        let range = match each {
            Index::At(e) => {
                at.push(Index::At(e.clone()));
                continue;
            }
            Index::Range(range) => range.clone(),
            Index::All => {
                let extent = ExprKind::Extent(Box::new(array.clone()), axis);
                let extent = Expr::new(extent, build::int_type(), stmt.span);
                let row = quasar_devicelib::ops::find("subtract")?;
                let args = vec![extent, build::int(1, stmt.span)];
                let to = Expr::new(ExprKind::Apply { row, args }, build::int_type(), stmt.span);
                Range { from: build::int(0, stmt.span), step: None, to }
            }
            Index::List(_) | Index::Position(_) => return None,
        };
        let k = body.temporary(build::int_type(), stmt.span);
        at.push(Index::At(read(k, &build::int_type())));
        loops.push((k, range));
    }
    let mut inner = with_index(stmt, at, read(kept, &value.ty));
    for (variable, range) in loops.into_iter().rev() {
        let kind =
            StmtKind::For { variable, range, body: vec![inner], attributes: LoopAttributes::default() };
        inner = Stmt::new(kind, stmt.span);
    }
    Some(vec![build::assign(kept, value.clone()), inner])
}
