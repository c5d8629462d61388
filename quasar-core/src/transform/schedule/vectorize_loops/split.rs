//! Index-set splitting: a loop along a row that reads one element of this row in all iterations goes by lanes before it has written
//! that element, and behind it:
//!
//! ```text
//! for j = 0..n-1                              for part = 0..2
//!     y[i,j] = min(y[i,j], y[i,k] + y[k,j])       for j = [0..k-1, k..k, k+1..n-1][part]
//! endfor                                              y[i,j] = min(y[i,j], y[i,k] + y[k,j])
//! ```

use super::accesses::{Access, accesses, are_apart};
use super::{Form, Pass, add, is_long, looped, reads_any, sub};
use crate::ir::build::{self, and, int, int_type};
use crate::ir::rewrite::{same, same_indices, set_in, stored_in, variables};
use crate::ir::{Expr, Index, Range, Stmt, StmtKind, VarId, VarSet};

impl Pass<'_> {
    /// The three parts of a loop around such an element, if they go by lanes.
    pub(super) fn split(&mut self, stmt: &Stmt, after: &VarSet) -> Option<Stmt> {
        let StmtKind::For { variable, range, body, attributes } = &stmt.kind else { return None };
        let point = self.split_point(*variable, range, body)?;
        let bounds = variables(&range.from).union(&variables(&range.to));
        let changes = set_in(body).iter().any(|v| bounds.contains(&v)) || reads_any(range, &stored_in(body));
        if range.step.is_some() || changes {
            return None;
        }
        let (span, (from, to)) = (stmt.span, (&range.from, &range.to));
        let [part, low, high, at] = [0; 4].map(|_| self.int(span));
        let number = |v: VarId| build::local(v, int_type(), span);
        let is_part = |n: i32| build::of_ints("equal", number(part), int(n, span));
        // Clamped to the loop, so that sums with one do not wrap.
        let inside = build::of_ints("max", from.clone(), build::of_ints("min", point, to.clone()));
        let first = build::select(is_part(1), number(at), add(number(at), int(1, span)));
        let last = build::select(is_part(0), sub(number(at), int(1, span)), to.clone());
        let set = [
            build::assign(at, inside),
            build::assign(low, build::select(is_part(0), from.clone(), first)),
            build::assign(high, build::select(is_part(1), number(at), last)),
        ];
        let part_of = build::range(number(low), number(high));
        let (body, attributes) = (body.clone(), attributes.clone());
        let inner = StmtKind::For { variable: *variable, range: part_of, body, attributes };
        let inner = Stmt::new(inner, span);
        let candidate =
            self.candidate(&inner, after).filter(|candidate| matches!(candidate.form, Form::Lanes(..)))?;
        let versions = self.versions(inner, candidate);
        let parts = build::range(int(0, span), int(2, span));
        let parts = looped(part, parts, set.into_iter().chain([versions]).collect());
        let from_zero = build::of_ints("greater_equal", from.clone(), int(0, span));
        let ends = build::of_ints("less", to.clone(), int(i32::MAX, span));
        let condition = and(and(from_zero, ends), is_long(range));
        Some(build::choice(condition, vec![parts], vec![stmt.clone()], span))
    }

    /// The place of the element along the row, if there is one of which it is not known where it lies.
    fn split_point(&mut self, variable: VarId, range: &Range, body: &[Stmt]) -> Option<Expr> {
        let mut body = body.to_vec();
        self.straighten(&mut body);
        let mut changing = set_in(&body);
        changing.insert(variable);
        let all = accesses(&body, variable, &changing);
        let mut found: Option<Expr> = None;
        for read in all.iter().filter(|access| !access.stores && access.stays() && access.is_direct()) {
            let in_row = |written: &Access| {
                let ([lead_w @ .., _], [lead_r @ .., _]) = (&written.index[..], &read.index[..]) else {
                    return false;
                };
                let one = written.stores && written.variable == read.variable && same_indices(lead_w, lead_r);
                let apart =
                    || are_apart(written, read, variable, range).and_then(|known| known.constant_int());
                one && written.along() == Some(1) && apart() != Some(1)
            };
            if !all.iter().any(in_row) {
                continue;
            }
            let Some(Index::At(at)) = read.index.last() else { return None };
            match &found {
                Some(known) if !same(known, at) => return None,
                _ => found = Some(at.clone()),
            }
        }
        found
    }
}
