//! Unrolls short loops with constant bounds: `for k = -1..1 { s += x[p+k] }` becomes three statements, whose accesses
//! have constant offsets from the position.

use super::constant_folding;
use crate::ir::rewrite::{
    blocks, blocks_mut, jumps_out, operands, operands_mut, read_in, set_in, substitute, transform_stmts,
    visit, visit_stmts,
};
use crate::ir::{Block, Body, Expr, Range, Stmt, StmtKind, VarId, build};
use crate::target::any::{SHORT_LOOP, UNROLLED_NODES};
use std::collections::BTreeMap;

/// Runs the pass on one body. Returns whether a loop was unrolled.
pub(in crate::transform) fn run(body: &mut Body) -> bool {
    expand(body, &unrolled)
}

/// As [`run`], with another limit of expression nodes, and only loops that have no loop inside any more: iterations around loops share
/// no loads, and their copies take a device's compiler long.
pub(super) fn innermost(body: &mut Body, nodes: usize) -> bool {
    let is_loop = |stmt: &Stmt| {
        matches!(
            stmt.kind,
            StmtKind::For { .. }
                | StmtKind::ForEach { .. }
                | StmtKind::While { .. }
                | StmtKind::Repeat { .. }
        )
    };
    expand(body, &|stmt| {
        let mut loops = 0;
        visit_stmts(std::slice::from_ref(stmt), &mut |stmt| loops += usize::from(is_loop(stmt)));
        if loops == 1 { expanded(stmt, nodes) } else { None }
    })
}

fn expand(body: &mut Body, rounds: &dyn Fn(&Stmt) -> Option<Block>) -> bool {
    let found = expand_loops(&mut body.block, rounds);
    if found {
        constant_folding::block(&mut body.block);
        drop_unread_constants(body);
    }
    found
}

/// Unrolling leaves assignments to loop variables, which are rarely read after the loop.
pub(in crate::transform) fn drop_unread_constants(body: &mut Body) {
    let read = read_in(&body.block);
    let results = &body.results;
    let kept = |v: VarId| read.contains(&v) || results.contains(&v);
    drop_definitions(&mut body.block, &|v, value| value.constant().is_some() && !kept(v));
}

/// Removes assignments that satisfy the predicate.
pub(in crate::transform) fn drop_definitions(block: &mut Block, dropped: &dyn Fn(VarId, &Expr) -> bool) {
    block.retain_mut(|stmt| {
        blocks_mut(stmt, &mut |inner| drop_definitions(inner, dropped));
        !matches!(&stmt.kind, StmtKind::Assign { variable, value } if dropped(*variable, value))
    });
}

/// Replaces loops by their iterations, innermost first. Returns whether there was one.
pub(in crate::transform) fn expand_loops(block: &mut Block, rounds: &dyn Fn(&Stmt) -> Option<Block>) -> bool {
    let mut found = false;
    let mut k = 0;
    while let Some(stmt) = block.get_mut(k) {
        blocks_mut(stmt, &mut |inner| found |= expand_loops(inner, rounds));
        match rounds(stmt) {
            Some(all) => {
                found = true;
                let count = all.len();
                block.splice(k..=k, all);
                k += count;
            }
            None => k += 1,
        }
    }
    found
}

/// The iterations of a short loop, if it is one.
pub(in crate::transform) fn unrolled(stmt: &Stmt) -> Option<Block> {
    expanded(stmt, UNROLLED_NODES)
}

fn expanded(stmt: &Stmt, nodes: usize) -> Option<Block> {
    let StmtKind::For { variable, range, body, attributes } = &stmt.kind else { return None };
    if attributes.unroll.is_some_and(|times| times == 1) || jumps_out(body, 0) {
        return None;
    }
    let values = rounds(range)?;
    let asked = attributes.unroll == Some(0);
    if values.len() as i64 > SHORT_LOOP || (size(body) * values.len() > nodes && !asked) {
        return None;
    }
    let fixed = !set_in(body).contains(variable);
    let mut all = Vec::with_capacity(values.len() * (body.len() + 1));
    for value in values {
        let value = build::int(value, stmt.span);
        let mut copy = body.clone();
        if fixed {
            let replacements = BTreeMap::from([(*variable, value.clone())]);
            transform_stmts(&mut copy, &mut |s| operands_mut(s, &mut |e| substitute(e, &replacements)));
            constant_folding::block(&mut copy);
        }
        // The variable keeps its last value; if it is not read, the assignment is removed later.
        all.push(build::assign(*variable, value));
        all.append(&mut copy);
    }
    Some(all)
}

/// The values of the loop variable, if they are constant.
pub(in crate::transform) fn rounds(range: &Range) -> Option<Vec<i32>> {
    let count = range.constant_count().filter(|count| *count <= SHORT_LOOP + 1)?;
    let from = range.from.constant_int()?;
    let step = range.step.as_ref().map_or(Some(1), Expr::constant_int)?;
    Some((0..count).map(|k| (i64::from(from) + k * i64::from(step)) as i32).collect())
}

fn size(block: &Block) -> usize {
    let mut nodes = 0;
    for stmt in block {
        nodes += 1;
        operands(stmt, &mut |e| visit(e, &mut |_| nodes += 1));
        blocks(stmt, &mut |inner| nodes += size(inner));
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Expr, LoopAttributes, Variable};
    use crate::source::Span;
    use quasar_devicelib::ops::find;

    fn nest(from: i32, to: i32) -> Body {
        let at = Span::default();
        let mut body = Body::default();
        let k = body.variables.push(Variable::new("k", build::int_type(), at));
        let s = body.variables.push(Variable::new("s", build::int_type(), at));
        let add = find("add").expect("a row");
        let read = |v| build::local(v, build::int_type(), at);
        let sum: Expr = build::apply(add, vec![read(s), read(k)], build::int_type(), at);
        let range = Range { from: build::int(from, at), step: None, to: build::int(to, at) };
        let attributes = LoopAttributes::default();
        let inner = vec![build::assign(s, sum)];
        body.block = vec![Stmt::new(StmtKind::For { variable: k, range, body: inner, attributes }, at)];
        body
    }

    #[test]
    fn short_loops_are_written_out() {
        let mut body = nest(-1, 1);
        run(&mut body);
        assert_eq!(body.block.len(), 3);
        let mut body = nest(2, 1);
        run(&mut body);
        assert!(body.block.is_empty());
    }

    #[test]
    fn long_loops_stay() {
        let mut body = nest(0, 64);
        run(&mut body);
        assert_eq!(body.block.len(), 1);
    }
}
