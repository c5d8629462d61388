//! A variable for each loop: `for k = ..` twice in a kernel are loops over different variables, where neither is read behind its
//! loop. What later passes find out about the one is then not lost by the other.

use crate::analysis::liveness::{LiveAfter, live_in_loop};
use crate::ir::rewrite::{blocks_mut, operands_mut, set_in, sets, substitute, transform_stmts, visit_stmts};
use crate::ir::{Block, Body, Expr, ExprKind, Stmt, StmtKind, VarId, VarSet};
use std::collections::BTreeMap;

/// Runs the pass on one body.
pub(super) fn run(body: &mut Body) {
    let mut counts: BTreeMap<VarId, u32> = BTreeMap::new();
    visit_stmts(&body.block, &mut |stmt| sets(stmt, &mut |v| *counts.entry(*v).or_default() += 1));
    let outside = |v: &VarId| body.params.contains(v) || body.results.contains(v);
    let reused: VarSet = counts.into_iter().filter(|(v, n)| *n > 1 && !outside(v)).map(|(v, _)| v).collect();
    if reused.is_empty() {
        return;
    }
    let mut block = std::mem::take(&mut body.block);
    let after = body.results.iter().copied().collect();
    rename(body, &mut block, &after, &reused);
    body.block = block;
}

fn rename(body: &mut Body, block: &mut Block, after: &VarSet, reused: &VarSet) {
    let mut live_after = LiveAfter::of(block, after);
    for stmt in block {
        let live = live_after.step();
        let inner = match &stmt.kind {
            StmtKind::If { .. } => live.clone(),
            _ => live_in_loop(stmt, live),
        };
        blocks_mut(stmt, &mut |block| rename(body, block, &inner, reused));
        own_variable(body, stmt, live, reused);
    }
}

/// Gives a loop a variable of its own.
fn own_variable(body: &mut Body, stmt: &mut Stmt, live: &VarSet, reused: &VarSet) {
    let StmtKind::For { variable, body: iteration, .. } = &mut stmt.kind else { return };
    if !reused.contains(variable) || live.contains(variable) || set_in(iteration).contains(variable) {
        return;
    }
    let copy = body.variables[*variable].clone();
    let (ty, span) = (copy.ty.clone(), copy.span);
    let own = body.variables.push(copy);
    let read = Expr::new(ExprKind::Local(own), ty, span);
    let replacements = BTreeMap::from([(std::mem::replace(variable, own), read)]);
    transform_stmts(iteration, &mut |stmt| operands_mut(stmt, &mut |e| substitute(e, &replacements)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::LoopAttributes;
    use crate::ir::build::{self, int, int_type};
    use crate::source::Span;

    fn for_loop(variable: VarId, block: Block) -> Stmt {
        let span = Span::default();
        let range = build::range(int(0, span), int(9, span));
        Stmt::new(StmtKind::For { variable, range, body: block, attributes: LoopAttributes::default() }, span)
    }

    /// The variables of the loops at the top of a body, after the pass.
    fn loops(make: impl Fn(VarId, VarId) -> Block) -> Vec<VarId> {
        let mut body = Body::default();
        let [k, s] = [(); 2].map(|()| body.temporary(int_type(), Span::default()));
        (body.block, body.results) = (make(k, s), vec![s]);
        run(&mut body);
        body.block
            .iter()
            .filter_map(|stmt| match stmt.kind {
                StmtKind::For { variable, .. } => Some(variable),
                _ => None,
            })
            .collect()
    }

    fn reads(variable: VarId, into: VarId) -> Stmt {
        build::assign(into, build::local(variable, int_type(), Span::default()))
    }

    #[test]
    fn loops_that_are_not_read_behind_get_variables_of_their_own() {
        let apart = loops(|k, s| vec![for_loop(k, vec![reads(k, s)]), for_loop(k, vec![reads(k, s)])]);
        assert_ne!(apart[0], apart[1], "{apart:?}");
        let nested = loops(|k, _| vec![for_loop(k, vec![for_loop(k, Block::new())])]);
        assert_eq!(nested[0].index(), 3, "the inner loop got the first one");
    }

    #[test]
    fn a_variable_that_is_read_behind_its_loop_stays() {
        // The second loop may have no iterations.
        let found = loops(|k, s| vec![for_loop(k, Block::new()), for_loop(k, Block::new()), reads(k, s)]);
        assert_eq!(found.iter().map(|v| v.index()).collect::<Vec<_>>(), [0, 0]);
    }
}
