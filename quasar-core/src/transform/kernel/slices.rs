//! Scalarises slices of known size in kernels and device functions: `x[p, 0..2]` becomes `[x[p,0], x[p,1], x[p,2]]`,
//! and `y[p, 0..2] = v` three stores. Storing a scalar to a slice of any size becomes a loop.

mod nameless;

use crate::ir::build;
use crate::ir::rewrite::{expand_stmts, operands_mut, same, transform};
use crate::ir::{Body, Expr, ExprKind, Index, LoopAttributes, Range, Stmt, StmtKind, VarId};
use crate::source::Span;
use crate::target::any::REGISTER_ARRAY;
use crate::types::{Boundary, Type, shape};

/// Scalarises the slices of a body.
pub(super) fn run(body: &mut Body) {
    let mut block = std::mem::take(&mut body.block);
    expand_stmts(&mut block, &mut |stmt| {
        let mut made = Vec::new();
        for mut stmt in nameless::named(stmt, body) {
            loads_of(&mut stmt);
            made.extend(store(body, stmt));
        }
        made
    });
    body.block = block;
}

fn loads_of(stmt: &mut Stmt) {
    operands_mut(stmt, &mut |e| transform(e, &mut load));
}

fn sizes(ty: &Type) -> Option<Vec<usize>> {
    let Type::Array(array) = ty else { return None };
    let sizes: Vec<usize> = array.sizes.iter().map(|s| s.map(|s| s as usize)).collect::<Option<_>>()?;
    let count = sizes.iter().try_fold(1usize, |n, s| n.checked_mul(*s))?;
    (!sizes.is_empty() && count <= REGISTER_ARRAY && matches!(*array.element, Type::Scalar(..)))
        .then_some(sizes)
}

fn load(expr: &mut Expr) {
    let ExprKind::Load { array, index, boundary } = &expr.kind else { return };
    let (Some(sizes), Type::Array(ty)) = (sizes(&expr.ty), &expr.ty) else { return };
    if index.iter().all(|i| matches!(i, Index::At(_))) || !matches!(array.kind, ExprKind::Local(_)) {
        return;
    }
    let Some(axes) = kept_axes(index).filter(|axes| axes.len() == sizes.len()) else { return };
    let slice = Slice { array, index, boundary: *boundary, element: (*ty.element).clone(), axes, sizes };
    let mut at = vec![0; index.len()];
    if let Some(made) = slice.stack(&mut at, 0, expr.span) {
        expr.kind = made.kind;
    }
}

/// The dimensions of the array that a slice keeps (language reference §3.6).
fn kept_axes(index: &[Index]) -> Option<Vec<usize>> {
    if index.iter().any(|i| matches!(i, Index::Position(_))) {
        return None;
    }
    let extents: Vec<(Option<u32>, bool)> =
        (0u32..).zip(index).map(|(axis, i)| (Some(axis), matches!(i, Index::At(_)))).collect();
    Some(shape::drop_indexed(&extents).into_iter().flatten().map(|axis| axis as usize).collect())
}

/// A slice of known size that is read.
struct Slice<'e> {
    array: &'e Expr,
    index: &'e [Index],
    boundary: Boundary,
    element: Type,
    /// Maps each dimension of the result to one of the array.
    axes: Vec<usize>,
    sizes: Vec<usize>,
}

impl Slice<'_> {
    /// The elements below a multi-index prefix, as nested array literals.
    fn stack(&self, at: &mut [usize], depth: usize, span: Span) -> Option<Expr> {
        let (Some(&size), Some(&axis)) = (self.sizes.get(depth), self.axes.get(depth)) else {
            let index = positions(self.index, at)?;
            let kind = ExprKind::Load { array: Box::new(self.array.clone()), index, boundary: self.boundary };
            return Some(Expr::new(kind, self.element.clone(), span));
        };
        let mut items = Vec::with_capacity(size);
        for k in 0..size {
            at[axis] = k;
            items.push(self.stack(at, depth + 1, span)?);
        }
        let rest = self.sizes[depth..].iter().map(|n| Some(*n as u32)).collect();
        Some(Expr::new(ExprKind::Array(items), build::sized_type(self.element.clone(), rest), span))
    }
}

/// The indices of one element of a slice, given its offset along each dimension.
fn positions(index: &[Index], at: &[usize]) -> Option<Vec<Index>> {
    index
        .iter()
        .zip(at)
        .map(|(each, &at)| match each {
            Index::At(e) => Some(Index::At(e.clone())),
            Index::All => Some(Index::At(build::int(at as i32, Span::default()))),
            Index::Range(range) => Some(Index::At(step(range, at)?)),
            Index::List(list) => {
                let k = build::int(at as i32, list.span);
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

/// The number of elements that an index selects along a dimension, if it is known.
fn count(index: &Index, extent: Option<u32>) -> Option<usize> {
    match index {
        Index::Range(range) => {
            let step = range.step.as_ref().map_or(Some(1), Expr::constant_int).filter(|step| *step != 0)?;
            let distance = distance(&range.from, &range.to)?;
            let last = distance / i64::from(step);
            let none = distance != 0 && (distance < 0) != (step < 0);
            usize::try_from(if none { 0 } else { last + 1 }).ok()
        }
        Index::List(list) => sizes(&list.ty).map(|sizes| sizes.iter().product()),
        Index::All => extent.map(|extent| extent as usize),
        Index::At(_) => Some(1),
        Index::Position(_) => None,
    }
}

/// The difference of two integers, if it is known.
fn distance(from: &Expr, to: &Expr) -> Option<i64> {
    let (a, low) = from.base_and_offset();
    let (b, high) = to.base_and_offset();
    let alike = match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a, b),
        _ => false,
    };
    alike.then_some(high - low)
}

fn store(body: &mut Body, stmt: Stmt) -> Vec<Stmt> {
    let (StmtKind::Store { array, index, value, .. }
    | StmtKind::Update { array, index, value, result: None, .. }) = &stmt.kind
    else {
        return vec![stmt];
    };
    let plain = index.iter().all(|i| matches!(i, Index::At(_)));
    if plain || index.iter().any(|i| matches!(i, Index::Position(_))) {
        return vec![stmt];
    }
    let made = match (&value.ty, sizes(&value.ty)) {
        (Type::Scalar(..), _) => fill(body, &stmt),
        // If the number of values is unknown, only the runtime library could compare it.
        (_, Some(sizes)) => {
            let extents: &[Option<u32>] = match &array.ty {
                Type::Array(array) => &array.sizes,
                _ => &[],
            };
            let counts: Option<Vec<usize>> = (index.iter().enumerate())
                .map(|(axis, index)| count(index, extents.get(axis).copied().flatten()))
                .collect();
            let longer = |sizes: &[usize]| sizes.iter().copied().filter(|n| *n != 1).collect::<Vec<_>>();
            let counts = counts.filter(|counts| longer(counts) == longer(&sizes));
            counts.and_then(|counts| each(body, &stmt, &counts, &sizes))
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

/// Stores each component of a small array. `counts` is the number of elements that the slice selects along each
/// dimension.
fn each(body: &mut Body, stmt: &Stmt, counts: &[usize], sizes: &[usize]) -> Option<Vec<Stmt>> {
    let (index, value) = value_of(stmt)?;
    let Type::Array(ty) = &value.ty else { return None };
    let element = (*ty.element).clone();
    let kept = body.temporary(value.ty.clone(), stmt.span);
    let mut made = vec![build::assign(kept, value.clone())];
    for k in 0..sizes.iter().product() {
        let (at, inner) = (place_of(k, counts), place_of(k, sizes));
        let array = Box::new(Expr::new(ExprKind::Local(kept), value.ty.clone(), stmt.span));
        let inner = inner.iter().map(|k| Index::At(build::int(*k as i32, stmt.span))).collect();
        let component = ExprKind::Load { array, index: inner, boundary: Boundary::Unchecked };
        let component = Expr::new(component, element.clone(), stmt.span);
        made.push(with_index(stmt, positions(index, &at)?, component));
    }
    Some(made)
}

/// The multi-index of element `k` in row-major order.
fn place_of(k: usize, sizes: &[usize]) -> Vec<usize> {
    let (mut at, mut rest) = (vec![0; sizes.len()], k);
    for (axis, size) in sizes.iter().enumerate().rev() {
        at[axis] = rest % size;
        rest /= size;
    }
    at
}

/// Stores a scalar to all elements of a slice.
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
