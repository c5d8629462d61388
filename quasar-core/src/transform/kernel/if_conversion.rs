//! If-conversion, requested by `{!kernel_transform enable="branchdivergencereducer"}`: branches that store to the
//! position's own elements become selects.
//!
//! ```text
//! if c { a[pos] = u } else { b[pos] = v }      a[pos] = c ? u : a[pos];  b[pos] = c ? b[pos] : v
//! ```
//!
//! The elements must be the position's own: a store by another thread between the load and the store would be lost.

use crate::ir::build;
use crate::ir::rewrite::{expand_stmts, same, variables};
use crate::ir::{Block, Coordinate, Expr, ExprKind, Index, Kernel, Program, Stmt, StmtKind};
use crate::message::Sink;
use crate::transform::{PassContext, messages};
use crate::types::Type;

/// Runs the pass on the kernels that request it.
pub(in crate::transform) fn run(program: &mut Program, _context: &PassContext<'_>, sink: &mut Sink) {
    for (_, kernel) in program.kernels.iter_mut() {
        let asked = kernel.attributes.enabled.iter().find(|(name, _)| name == "branchdivergencereducer");
        let Some((name, span)) = asked.cloned() else { continue };
        let mut count = 0;
        let mut block = std::mem::take(&mut kernel.body.block);
        expand_stmts(&mut block, &mut |stmt| {
            let made = choice(kernel, &stmt);
            count += usize::from(made.is_some());
            made.unwrap_or_else(|| vec![stmt])
        });
        kernel.body.block = block;
        sink.push(match count {
            0 => messages::not_applied(span, &name, "no branch only stores to elements of the position"),
            1 => messages::applied(span, &name, "a branch became a choice of values"),
            _ => messages::applied(span, &name, &format!("{count} branches became choices of values")),
        });
    }
}

/// The only statement of a branch, if it stores to an element at the position.
fn only_store<'s>(kernel: &Kernel, block: &'s Block) -> Option<&'s Stmt> {
    let [stmt] = block.as_slice() else { return None };
    let StmtKind::Store { array, index, value, .. } = &stmt.kind else { return None };
    let plain = matches!(array.kind, ExprKind::Local(_)) && matches!(value.ty, Type::Scalar(..));
    let along = |axis: usize| {
        let here = |e: &Expr| matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, k) if k == axis);
        index.iter().any(|each| matches!(each, Index::At(at) if here(at)))
    };
    let single = index.iter().all(|each| matches!(each, Index::At(_)));
    (plain && single && (0..kernel.rank).all(along)).then_some(stmt)
}

fn choice(kernel: &mut Kernel, stmt: &Stmt) -> Option<Block> {
    let span = stmt.span;
    let StmtKind::If { condition, then, otherwise } = &stmt.kind else { return None };
    let first = only_store(kernel, then)?;
    let second = if otherwise.is_empty() { None } else { Some(only_store(kernel, otherwise)?) };
    let taken = kernel.body.temporary(build::int_type(), span);
    let taken_value = kernel.body.read(taken, span);
    let mut made = vec![build::assign(taken, condition.clone())];
    if let Some(Stmt { kind: StmtKind::Store { value, .. }, .. }) =
        second.filter(|second| same_place(first, second))
    {
        made.push(selected(first, &taken_value, value.clone(), true)?);
        return Some(made);
    }
    made.push(selected(first, &taken_value, old(first)?, true)?);
    if let Some(second) = second {
        made.push(selected(second, &taken_value, old(second)?, false)?);
    }
    Some(made)
}

/// Whether two stores have the same target.
fn same_place(a: &Stmt, b: &Stmt) -> bool {
    let (StmtKind::Store { array: x, index: i, .. }, StmtKind::Store { array: y, index: j, .. }) =
        (&a.kind, &b.kind)
    else {
        return false;
    };
    let equal = |(i, j): (&Index, &Index)| matches!((i, j), (Index::At(i), Index::At(j)) if same(i, j));
    variables(x) == variables(y) && i.len() == j.len() && i.iter().zip(j).all(equal)
}

/// The current value of a store's target.
fn old(stmt: &Stmt) -> Option<Expr> {
    let StmtKind::Store { array, index, boundary, value } = &stmt.kind else { return None };
    let kind = ExprKind::Load { array: Box::new(array.clone()), index: index.clone(), boundary: *boundary };
    Some(Expr::new(kind, value.ty.clone(), stmt.span))
}

/// The store with `taken ? value : other`, or the operands exchanged if `when` is false.
fn selected(stmt: &Stmt, taken: &Expr, other: Expr, when: bool) -> Option<Stmt> {
    let mut stmt = stmt.clone();
    let StmtKind::Store { value, .. } = &mut stmt.kind else { return None };
    let own = value.clone();
    let (then, otherwise) = if when { (own, other) } else { (other, own) };
    *value = build::select(taken.clone(), then, otherwise);
    Some(stmt)
}
