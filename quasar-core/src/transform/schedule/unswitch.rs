//! Loop unswitching: branches of an innermost loop whose condition is the same in all iterations are taken out of it, so that the loop
//! is straight and may go by vectors:
//!
//! ```text
//! for n = 0..N-1                         if m == 0
//!     if m == 0                              for n = 0..N-1
//!         y[m,n] = x[m,n]        =>              y[m,n] = x[m,n]
//!     else                               else
//!         y[m,n] += y[m-1,n]                 for n = 0..N-1
//!     endif                                      y[m,n] += y[m-1,n]
//! ```
//!
//! Positions that go through loops together as vectors keep their branches.

use crate::ir::barriers::waits;
use crate::ir::effects::{is_invariant, may_fail};
use crate::ir::rewrite::{blocks_mut, has_loops, operands, set_in, visit, visit_stmts};
use crate::ir::{Block, Expr, Kernel, Stmt, StmtKind, build};
use crate::target::cpu::UNSWITCHED;

/// Rewrites the innermost loops of a kernel.
pub(super) fn run(kernel: &mut Kernel) {
    let vectors = kernel.schedule.vectors().next().is_some() || kernel.schedule.position_tile.is_some();
    if !vectors && !waits(&kernel.body.block) {
        block(&mut kernel.body.block, UNSWITCHED);
    }
}

/// Rewrites loops of at most so many nodes.
fn block(stmts: &mut Block, largest: usize) {
    for stmt in stmts {
        blocks_mut(stmt, &mut |inner| block(inner, largest));
        if let Some(unswitched) = unswitched(stmt, largest) {
            *stmt = unswitched;
            // Both copies may have more such branches, and have half the room each.
            blocks_mut(stmt, &mut |inner| block(inner, largest / 2));
        }
    }
}

/// A loop by the first of its branches that is the same in all iterations.
fn unswitched(stmt: &Stmt, largest: usize) -> Option<Stmt> {
    let StmtKind::For { variable, range, body, attributes } = &stmt.kind else { return None };
    if has_loops(body) || nodes(body) > largest {
        return None;
    }
    let mut changing = set_in(body);
    changing.insert(*variable);
    let fixed = |e: &Expr| is_invariant(e, |v| !changing.contains(&v)) && !may_fail(e);
    let (at, condition) = body.iter().enumerate().find_map(|(at, stmt)| match &stmt.kind {
        StmtKind::If { condition, .. } if fixed(condition) => Some((at, condition.clone())),
        _ => None,
    })?;
    let with = |taken: bool| {
        let mut body = body.clone();
        if let StmtKind::If { then, otherwise, .. } = body.remove(at).kind {
            body.splice(at..at, if taken { then } else { otherwise });
        }
        let kind =
            StmtKind::For { variable: *variable, range: range.clone(), body, attributes: attributes.clone() };
        vec![Stmt::new(kind, stmt.span)]
    };
    Some(build::choice(condition, with(true), with(false), stmt.span))
}

fn nodes(block: &[Stmt]) -> usize {
    let mut count = 0;
    visit_stmts(block, &mut |stmt| operands(stmt, &mut |e| visit(e, &mut |_| count += 1)));
    count
}
