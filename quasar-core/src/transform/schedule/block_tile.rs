//! Block tiling of contractions for devices: a kernel whose loops do nothing but to grow one variable by two factors, of which one
//! depends on some components of the position (the rows), and the other on others (the columns). A block of threads has a tile of
//! rows and columns. For some iterations at a time its threads stage both factors in shared memory, each computed once; then each
//! thread grows the sums of its own small tile in registers:
//!
//! ```text
//! s = e                                 s[r,c] = e                           of the thread's rows and columns
//! for k                                 for k in steps of STAGED
//!     s += a[i,k]*b[k,j]          =>        rows[k,r] = a[i,k], columns[k,c] = b[k,j]     of the block
//! c[i,j] = s                                for each k: s[r,c] += rows[k,r]*columns[k,c]
//!                                       c[i,j] = s[r,c]
//! ```
//!
//! Every position adds in its order. The tile is right where nothing can fail, which launches test.

use super::block_loops::are_own;
use super::factors::{factors, in_variables, mentions};
use super::own_element;
use crate::analysis::access_pattern::by_reference;
use crate::analysis::symbolic_range::trip_count;
use crate::ir::affine::AffineForm;
use crate::ir::rewrite::{
    free_variables, jumps_out, read_in, set_in, stored_in, substitute, variables, visit, visit_block,
    visit_stmts,
};
use crate::ir::schedule::{BlockTile, Staged};
use crate::ir::{
    Block, Coordinate, Expr, ExprKind, Index, Kernel, Program, Range, Stmt, StmtKind, VarId, VarSet,
    Variable, build,
};
use crate::source::Span;
use crate::types::known::scalar;
use crate::types::{ElementType, Type};
use std::collections::BTreeMap;

/// The block tile of a kernel that is a contraction.
pub(super) fn block_tile(program: &Program, kernel: &Kernel) -> Option<BlockTile> {
    let mut kernel = kernel.clone();
    own_element::run_where_nothing_fails(&mut kernel);
    of_sums(program, &kernel)
}

fn of_sums(program: &Program, kernel: &Kernel) -> Option<BlockTile> {
    let block = &kernel.body.block;
    if kernel.rank < 2 || kernel.aliased || !kernel.body.results.is_empty() || jumps_out(block, 0) {
        return None;
    }
    let at = block.iter().position(|stmt| matches!(stmt.kind, StmtKind::For { .. }))?;
    let (before, behind) = (&block[..at], &block[at + 1..]);
    if !is_straight(before) || !is_straight(behind) || !stored_in(before).is_empty() {
        return None;
    }
    let nest = nest(&block[at])?;
    let (sum, value) = growth(nest.body)?;
    let is_number = |ty: &Type| {
        matches!(
            scalar(ty),
            Some(ElementType::Single | ElementType::Double | ElementType::Int32 | ElementType::UInt32)
        )
    };
    let own = is_number(&kernel.body.variables[sum].ty)
        && keeps_to_itself(program, kernel, &block[at])
        && are_separate(before, &block[at], behind, sum);
    if !own {
        return None;
    }
    let iterations = nest.iterations(kernel)?;
    let last = kernel.rank - 1;
    let [of_rows, of_columns] = (0..last).rev().find_map(|axis| factors(&value, sum, [axis, last]))?;
    if !is_number(&of_rows.ty) || !is_number(&of_columns.ty) {
        return None;
    }
    let only = |this: &Expr, other: &Expr| {
        (0..kernel.rank).filter(|axis| mentions(this, *axis) && !mentions(other, *axis)).collect::<Vec<_>>()
    };
    let (rows, columns) = (only(&of_rows, &of_columns), only(&of_columns, &of_rows));
    let mut body = kernel.body.clone();
    let [row, column] = [("$row", &of_rows), ("$column", &of_columns)]
        .map(|(name, e)| body.variables.push(Variable::new(name, e.ty.clone(), Span::default())));
    let step = in_variables(&value, [(&of_rows, row), (&of_columns, column)]);
    let inner = *nest.variables.last()?;
    let staged = |axes: Vec<usize>, variable, value: &Expr| {
        let along_loop = goes_along(value, &|e| matches!(e.kind, ExprKind::Local(v) if v == inner));
        let own = *axes.last()?;
        let along_axis = goes_along(
            value,
            &|e| matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, k) if k == own),
        );
        Some(Staged { axes, variable, along_loop: along_loop && !along_axis })
    };
    let (rows, columns) = (staged(rows, row, &of_rows)?, staged(columns, column, &of_columns)?);
    let code = vec![build::assign(row, of_rows), build::assign(column, of_columns), build::assign(sum, step)];
    body.block[at] = nest.with(code);
    Some(BlockTile { body, at, rows, columns, sum, iterations })
}

/// Loops of which each has nothing but the next one in it.
struct Nest<'b> {
    loops: Vec<&'b Stmt>,
    variables: Vec<VarId>,
    ranges: Vec<&'b Range>,
    body: &'b Block,
}

/// The loops of a statement, whose bounds are the same for all positions.
fn nest(stmt: &Stmt) -> Option<Nest<'_>> {
    let StmtKind::For { variable, range, body, .. } = &stmt.kind else { return None };
    let mut found = Nest { loops: vec![stmt], variables: vec![*variable], ranges: vec![range], body };
    while let [inner @ Stmt { kind: StmtKind::For { variable, range, body, .. }, .. }] = found.body.as_slice()
    {
        found.loops.push(inner);
        found.variables.push(*variable);
        found.ranges.push(range);
        found.body = body;
    }
    let same = |e: &Expr| {
        let mut same = scalar(&e.ty) == Some(ElementType::Int32);
        visit(e, &mut |e| {
            same &= match &e.kind {
                ExprKind::Local(v) => !found.variables.contains(v),
                ExprKind::Coordinate(..) | ExprKind::Load { .. } => false,
                _ => true,
            };
        });
        same
    };
    let fixed = found.ranges.iter().all(|range| same(&range.from) && same(&range.to) && range.step.is_none());
    fixed.then_some(found)
}

impl Nest<'_> {
    /// The iterations of each loop, where a launch knows them.
    fn iterations(&self, kernel: &Kernel) -> Option<Vec<AffineForm>> {
        let set = set_in(&kernel.body.block);
        let fixed = |v| kernel.body.params.contains(&v) && !set.contains(&v);
        self.ranges.iter().map(|range| trip_count(range, &fixed)?.over_launch(true, &|_| 1).into()).collect()
    }

    /// The same loops around other code.
    fn with(&self, code: Block) -> Stmt {
        let around = |inner: Block, stmt: &&Stmt| {
            let mut stmt = (*stmt).clone();
            if let StmtKind::For { body, .. } = &mut stmt.kind {
                *body = inner;
            }
            vec![stmt]
        };
        let mut block = self.loops.iter().rev().fold(code, around);
        block.swap_remove(0)
    }
}

/// The variable that the body of a loop grows, and the value that it gets. What the body computes before is written out.
fn growth(body: &Block) -> Option<(VarId, Expr)> {
    let (last, before) = body.split_last()?;
    let mut known = BTreeMap::new();
    for stmt in before {
        let StmtKind::Assign { variable, value } = &stmt.kind else { return None };
        let mut value = value.clone();
        substitute(&mut value, &known);
        if known.insert(*variable, value).is_some() {
            return None;
        }
    }
    let StmtKind::Assign { variable, value } = &last.kind else { return None };
    let mut value = value.clone();
    substitute(&mut value, &known);
    let grows = variables(&value).contains(variable) && !known.contains_key(variable);
    grows.then_some((*variable, value))
}

/// Whether code only assigns and stores, perhaps behind conditions.
fn is_straight(block: &[Stmt]) -> bool {
    let mut straight = true;
    visit_stmts(block, &mut |stmt| {
        straight &=
            matches!(stmt.kind, StmtKind::Assign { .. } | StmtKind::Store { .. } | StmtKind::If { .. });
    });
    straight
}

/// Whether positions neither read nor write what others write, and the loops read nothing that is written.
fn keeps_to_itself(program: &Program, kernel: &Kernel, loops: &Stmt) -> bool {
    let block = &kernel.body.block;
    let far: VarSet =
        kernel.body.params.iter().copied().filter(|v| by_reference(program, &kernel.body, *v)).collect();
    let stored = stored_in(block).intersection(&far);
    let mut plain = true;
    visit_block(block, &mut |e| {
        plain &= !matches!(&e.kind, ExprKind::Coordinate(c, _) if *c != Coordinate::Position);
    });
    let read = read_in(std::slice::from_ref(loops));
    let kept = stored_in(block).iter().all(|v| far.contains(&v));
    plain && kept && stored.iter().all(|v| !read.contains(&v)) && are_own(block, &stored, kernel.rank)
}

/// Whether the loops need nothing of what a position computes before them but the sum, and what is behind them nothing but that.
fn are_separate(before: &[Stmt], loops: &Stmt, behind: &[Stmt], sum: VarId) -> bool {
    let loops = std::slice::from_ref(loops);
    let made: VarSet = set_in(before).iter().chain(set_in(loops).iter()).filter(|v| *v != sum).collect();
    let (read, later) = (free_variables(loops), free_variables(behind));
    let before = set_in(before);
    !made.iter().any(|v| later.contains(&v)) && !before.iter().any(|v| v != sum && read.contains(&v))
}

/// Whether a value goes along the last dimension of arrays where something grows.
fn goes_along(value: &Expr, what: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    visit(value, &mut |e| {
        if let ExprKind::Load { index, .. } = &e.kind
            && let Some(Index::At(last)) = index.last()
        {
            visit(last, &mut |e| found |= what(e));
        }
    });
    found
}
