//! Elements that an iteration reads where one or two before it wrote, as `y[i] = x[i] - a*y[i-1]` does, are kept in variables: the next
//! iteration waits for a sum, and not for memory besides.
//!
//! ```text
//! for i = ..                          e = y[from-1]
//!     y[i] = x[i] - a*y[i-1]          for i = ..
//! endfor                                  new = x[i] - a*e
//!                                         y[i] = new
//!                                         e = new
//! ```

use super::super::carried_elements::pass_on;
use super::accesses::Access;
use super::elements::{element, replace};
use super::with;
use crate::ir::build::{self, int};
use crate::ir::rewrite::{operands_mut, same, same_indices, transform, transform_stmts, variables};
use crate::ir::{Block, Body, Expr, ExprKind, Index, Range, Stmt, StmtKind, VarId, Variable};
use crate::target::any::CARRIED_ITERATIONS;
use crate::types::known::array_element;
use crate::types::{Boundary, ElementType, Type};

/// Puts variables in the place of such elements. What reads the first ones; nothing if there are none.
pub(super) fn keep(
    body: &mut Body,
    block: &mut Block,
    accesses: &[Access],
    (k, range): (VarId, &Range),
) -> Block {
    let mut before = Block::new();
    for written in accesses.iter().filter(|access| access.stores) {
        let reads: Vec<(&Access, i64)> = accesses
            .iter()
            .filter_map(|read| distance(written, read).map(|distance| (read, distance)))
            .filter(|(_, distance)| (1..=CARRIED_ITERATIONS).contains(distance))
            .collect();
        let Some(farthest) = reads.iter().map(|(_, distance)| *distance).max() else { continue };
        if is_alone(body, accesses, written) {
            let variables = places(body, written, farthest);
            for (read, distance) in reads {
                let value = body.read(variables[distance as usize - 1], read.array.span);
                replace(block, read.variable, &read.index, &value, None);
            }
            before.append(&mut first(body, written, &variables, (k, range)));
            let stores = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Store { array, .. } if matches!(array.kind, ExprKind::Local(v) if v == written.variable));
            if let Some(at) = block.iter().position(stores) {
                pass_on(body, block, at, &variables);
            }
            wait_last(block, &variables);
        }
    }
    before
}

/// Whether a loop writes an array along rows at one place only, and its elements are plain numbers.
fn is_alone(body: &Body, accesses: &[Access], written: &Access) -> bool {
    let numbers = matches!(
        array_element(&body.variables[written.variable].ty),
        Some(ElementType::Single | ElementType::Double | ElementType::Int32)
    );
    let stores = accesses.iter().filter(|other| other.stores && other.variable == written.variable);
    numbers && written.is_direct() && matches!(written.moves(), Some(1 | -1)) && stores.count() == 1
}

/// How many iterations before wrote what a loop reads, if that is a number.
fn distance(written: &Access, read: &Access) -> Option<i64> {
    let moves = written.moves().filter(|moves| *moves != 0)?;
    if read.stores || read.variable != written.variable || !read.is_direct() || read.moves() != Some(moves) {
        return None;
    }
    let ([lead_w @ .., Index::At(w)], [lead_r @ .., Index::At(r)]) = (&written.index[..], &read.index[..])
    else {
        return None;
    };
    let ((a, at), (b, back)) = (w.base_and_offset(), r.base_and_offset());
    (same_indices(lead_w, lead_r) && same(a?, b?)).then_some(moves * (at - back))
}

/// A variable for each distance.
fn places(body: &mut Body, written: &Access, count: i64) -> Vec<VarId> {
    let ty = element(&body.variables[written.variable].ty).unwrap_or_else(build::int_type);
    let span = written.array.span;
    (0..count).map(|_| body.variables.push(Variable::new("$carried", ty.clone(), span))).collect()
}

/// Reads the elements in front of the first one that is written.
fn first(body: &Body, written: &Access, variables: &[VarId], (k, range): (VarId, &Range)) -> Block {
    let each = variables.iter().zip(1..).map(|(variable, distance)| {
        let (ty, span) = (body.variables[*variable].ty.clone(), written.array.span);
        let mut index = written.index.clone();
        if let Some(Index::At(last)) = index.last_mut() {
            let before = if written.is_reversed() { "add" } else { "subtract" };
            *last = build::of_ints(before, with(last, k, &range.from), int(distance, span));
        }
        let array = Box::new(written.array.clone());
        let load = ExprKind::Load { array, index, boundary: Boundary::Unchecked };
        build::assign(*variable, Expr::new(load, ty, span))
    });
    each.collect()
}

/// Extremes of several numbers are those of any order: what an iteration before has computed comes last, so that nothing else waits
/// for it.
fn wait_last(block: &mut Block, carried: &[VarId]) {
    let waits = |e: &Expr| carried.iter().any(|v| variables(e).contains(v));
    transform_stmts(block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                let ExprKind::Apply { row, .. } = &e.kind else { return };
                if !matches!(row.name, "min" | "max") || !waits(e) {
                    return;
                }
                let (row, mut terms) = (*row, Vec::new());
                extremes(e, row.name, &e.ty, &mut terms);
                let (late, early): (Vec<Expr>, Vec<Expr>) = terms.into_iter().partition(waits);
                let (ty, span) = (e.ty.clone(), e.span);
                let both = |a, b| build::apply(row, vec![a, b], ty.clone(), span);
                if let Some(all) = early.into_iter().chain(late).reduce(both) {
                    *e = all;
                }
            });
        });
    });
}

/// The numbers whose extreme an expression is.
fn extremes(e: &Expr, name: &str, ty: &Type, terms: &mut Vec<Expr>) {
    match &e.kind {
        ExprKind::Apply { row, args } if row.name == name && e.ty == *ty => {
            args.iter().for_each(|arg| extremes(arg, name, ty, terms));
        }
        _ => terms.push(e.clone()),
    }
}
