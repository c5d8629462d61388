//! Loops whose statements compute rows of unknown size, as `y[i,:] = x[i,:] - mean(x[i,:])` does: the loops over the elements are
//! written out before the outer one is judged, which so may become a kernel. That is the faster way where rows are short, or many:
//!
//! ```text
//! for i = ..                               n = max(size(y, 1), 0)
//!     t = x[i,:]                           if n == size(x, 1) && n < 512
//!     y[i,:] = t - mean(t)          =>           || n/1024 < iterations
//!                                              for i = ..
//! endfor                                           m = 0, for k = 0..n-1: m += x[i,k] ..
//!                                                  for k = 0..n-1: y[i,k] = x[i,k] - m
//!                                          else
//!                                              the loop as it was
//! ```
//!
//! What would fail in all iterations is tested before the loop, and left to the loop as it was. Rows that an iteration names are
//! computed where they are used.

use super::super::block_memory::shares_memory;
use super::super::names::{self, Meet};
use super::{Pass, nest_of, trip_count};
use crate::ir::build::{self, and, int_type, or};
use crate::ir::rewrite::{
    blocks_mut, children, children_mut, free_variables, operands, operands_mut, same, set_in, sets,
    stored_in, substitute, transform, transform_stmts, variables, visit, visit_stmts,
};
use crate::ir::{Block, Body, Expr, ExprKind, Index, LoopMode, Range, Stmt, StmtKind, VarId, VarSet};
use crate::target::any::{FEW_POSITIONS, LONG_COLUMN_SHIFT, LONG_ROW_SHIFT, ROW_NODES, SHORT_ROW};
use crate::transform::kernel;
use crate::types::known::{on_heap, scalar};
use crate::types::{Boundary, Type};
use quasar_devicelib::ops::find;
use std::collections::BTreeMap;

/// A loop with its rows written out.
pub(super) struct Rows {
    /// What is computed before the loop.
    before: Block,
    /// Where the loop does the same as the one that was written.
    condition: Expr,
    /// Whether all rows have a few elements, as many as constants say.
    are_short: bool,
    stmt: Stmt,
}

impl Pass<'_> {
    /// The loop as a kernel for short rows, beside the loop as it was; nothing where its rows keep it from being one.
    pub(super) fn by_rows(&mut self, stmt: &Stmt, after: &VarSet) -> Option<Block> {
        let variables = self.body.variables.len();
        let (kernels, made, said) = (self.kernels.len(), self.made.len(), self.sink.mark());
        let may_be_set = self.may_be_set.clone();
        let mut elsewhere = false;
        // A slice is read as a whole before one is written, which loops over elements do for different arrays only.
        let (pairs, testable) = names::pairs(&self.aliases, stmt);
        let found = self.rows(stmt, after).filter(|_| testable).and_then(|mut rows| {
            let apart = self.aliases.with_apart(&pairs);
            let aliases = std::mem::replace(&mut self.aliases, apart);
            let mut block = self.judged(rows.stmt, after);
            self.aliases = aliases;
            // What is one launch on devices alone is the loop as it was elsewhere.
            if let Some((on_device, launch)) = only_on_devices(&block) {
                rows.condition = and(on_device, rows.condition);
                block = launch;
                elsewhere = true;
            }
            if let Some(same) = names::same(self.body, &pairs, Meet::Elements, stmt.span) {
                let different = build::select(same, build::int(0, stmt.span), build::int(1, stmt.span));
                rows.condition = and(different, rows.condition);
            }
            // Rows of a few elements are too short for launches of their own, also where they are done in order.
            let pays = rows.are_short || self.is_parallel_since(kernels, made);
            (pays && self.kernels.len() > kernels && !has_loops(&block)).then_some((
                rows.before,
                rows.condition,
                block,
            ))
        });
        let Some((before, condition, block)) = found else {
            self.kernels.truncate(kernels);
            self.sink.back_to(said);
            self.may_be_set = may_be_set;
            self.body.variables.truncate(variables);
            return None;
        };
        self.may_be_set = may_be_set;
        let said = self.sink.mark();
        let other = self.judged(stmt.clone(), after);
        if !elsewhere {
            self.sink.back_to(said);
        }
        let choice = build::choice(condition, block, other, stmt.span);
        Some(before.into_iter().chain([choice]).collect())
    }

    fn rows(&mut self, stmt: &Stmt, after: &VarSet) -> Option<Rows> {
        let StmtKind::For { attributes, .. } = &stmt.kind else { return None };
        let may_have_rows = match attributes.mode {
            LoopMode::Parallel => !shares_memory(stmt, self.body),
            mode => mode == LoopMode::Automatic,
        };
        let own_way = attributes.skewed.is_some() || attributes.multi_device;
        if !may_have_rows || !self.may_be_kernel(attributes.mode) || own_way {
            return None;
        }
        let nest = nest_of(stmt, self.body)?;
        if self.allowed(nest.blocks[0], after).is_ok() || !has_rows(stmt) {
            return None;
        }
        let before = self.body.variables.len();
        let mut block = vec![stmt.clone()];
        let params = free_variables(&block).iter().filter(|v| on_heap(&self.body.variables[*v].ty)).collect();
        inline_rows(&mut block, self.body, after);
        let variables = std::mem::take(&mut self.body.variables);
        let mut trial = Body { variables, block, params, ..Body::default() };
        kernel::scalarize(&mut trial);
        kernel::write_out_rows(&mut trial);
        self.body.variables = std::mem::take(&mut trial.variables);
        let mut block = std::mem::take(&mut trial.block);
        let mut stmt = block.pop()?;
        let mut tests = Vec::new();
        let fixed = invariants(&mut stmt, self.body, before, &mut tests);
        write_bounds(&mut stmt, &fixed);
        block.extend(fixed);
        let nest = nest_of(&stmt, self.body)?;
        self.allowed(nest.blocks[0], after).ok()?;
        let dims = nest.loops.iter().map(|each| each.variable).collect();
        let are_short = ends(&stmt, &dims).is_empty();
        let condition = condition(&stmt, tests, &dims);
        perfect(&mut stmt, before);
        Some(Rows { before: block, condition, are_short, stmt })
    }
}

/// The launch of a loop that is one on devices only, and the test for that.
fn only_on_devices(block: &[Stmt]) -> Option<(Expr, Block)> {
    let [Stmt { kind: StmtKind::If { condition, then, .. }, .. }] = block else { return None };
    let asks = matches!(condition.kind, ExprKind::Library { name: "on_device", .. });
    (asks && !has_loops(then)).then(|| (condition.clone(), then.clone()))
}

/// Whether statements have loops outside of kernels, beside those for arrays that turn out to be one.
pub(super) fn has_loops(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(&stmt.kind, StmtKind::For { attributes, .. } if attributes.mode != LoopMode::Host);
    });
    found
}

/// Whether a loop uses arrays of unknown size as a whole, with functions that have a form for elements and no faster one.
fn has_rows(stmt: &Stmt) -> bool {
    let (mut rows, mut known) = (false, true);
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        operands(stmt, &mut |e| {
            visit(e, &mut |e| {
                rows |= matches!(e.kind, ExprKind::Load { .. }) && on_heap(&e.ty);
                known &= match &e.kind {
                    ExprKind::Library { name, .. } => matches!(
                        *name,
                        "mean"
                            | "var"
                            | "std"
                            | "norm"
                            | "dotprod"
                            | "any"
                            | "all"
                            | "copy"
                            | "transpose"
                            | "argmin"
                            | "argmax"
                            | "fliplr"
                            | "flipud"
                    ),
                    _ => true,
                };
            });
        });
        if let StmtKind::Store { index, value, .. } | StmtKind::Update { index, value, .. } = &stmt.kind {
            rows |= on_heap(&value.ty) || index.iter().any(|each| !matches!(each, Index::At(_)));
        }
    });
    rows && known
}

/// Puts rows that are assigned once in the place of the variables that hold them.
fn inline_rows(block: &mut Block, body: &mut Body, after: &VarSet) {
    let mut assigned: BTreeMap<VarId, usize> = BTreeMap::new();
    visit_stmts(block, &mut |stmt| sets(stmt, &mut |v| *assigned.entry(*v).or_default() += 1));
    // What an iteration reads of the one before is no row of its own.
    let behind = after.union(&free_variables(block));
    let whole = block.clone();
    inline_in(
        block,
        body,
        &|v, rest| !behind.contains(&v) && assigned.get(&v) == Some(&1) && uses(&whole, v) == uses(rest, v),
        &assigned,
    );
}

/// How often statements mention a variable.
fn uses(block: &[Stmt], variable: VarId) -> usize {
    let mut count = 0;
    visit_stmts(block, &mut |stmt| operands(stmt, &mut |e| count += mentions(e, variable)));
    count
}

/// `is_own`: whether a variable is assigned once and used by the statements behind that alone.
fn inline_in(
    block: &mut Block,
    body: &mut Body,
    is_own: &dyn Fn(VarId, &[Stmt]) -> bool,
    assigned: &BTreeMap<VarId, usize>,
) {
    let mut k = 0;
    while k < block.len() {
        blocks_mut(&mut block[k], &mut |inner| inline_in(inner, body, is_own, assigned));
        let (here, rest) = block.split_at_mut(k + 1);
        k += 1;
        let StmtKind::Assign { variable, value } = &here[k - 1].kind else { continue };
        let (variable, mut value) = (*variable, value.clone());
        if !on_heap(&value.ty) || !is_row(&value) || !is_own(variable, rest) {
            continue;
        }
        // The numbers in it are computed once, where it was.
        let mut numbers = Block::new();
        name_numbers(&mut value, body, &mut numbers);
        if keeps(rest, variable, &value, assigned) {
            substitute_in(rest, &BTreeMap::from([(variable, value)]));
            let count = numbers.len();
            block.splice(k - 1..k, numbers);
            k = k - 1 + count;
        }
    }
}

/// Whether a value is made of slices, element by element.
fn is_row(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Load { .. } | ExprKind::Local(_) => true,
        ExprKind::Apply { args, .. } => args.iter().all(|arg| !on_heap(&arg.ty) || is_row(arg)),
        ExprKind::Convert(inner) => is_row(inner),
        _ => false,
    }
}

/// Gives the sums and the like in a row names.
fn name_numbers(value: &mut Expr, body: &mut Body, before: &mut Block) {
    if !on_heap(&value.ty) && scalar(&value.ty).is_some() {
        let mut plain = true;
        visit(value, &mut |e| plain &= !matches!(e.kind, ExprKind::Library { .. } | ExprKind::Reduce { .. }));
        if !plain {
            let variable = body.temporary(value.ty.clone(), value.span);
            let read = body.read(variable, value.span);
            before.push(build::assign(variable, std::mem::replace(value, read)));
        }
        return;
    }
    children_mut(value, &mut |child| name_numbers(child, body, before));
}

/// Whether a row has the same value at all its uses, and is cheap enough to be computed at each.
fn keeps(rest: &[Stmt], row: VarId, value: &Expr, assigned: &BTreeMap<VarId, usize>) -> bool {
    let mut nodes = 0;
    visit(value, &mut |_| nodes += 1);
    let mut plain = true;
    visit_stmts(rest, &mut |stmt| {
        operands(stmt, &mut |e| plain &= is_plain_use(e, row));
        if let StmtKind::Store { array, .. } | StmtKind::Update { array, .. } = &stmt.kind {
            plain &= !variables(array).contains(&row);
        }
        // Functions may change what they are given.
        plain &=
            !matches!(&stmt.kind, StmtKind::Call { args, .. } if args.iter().any(|arg| on_heap(&arg.ty)));
    });
    let (first, last) =
        (rest.iter().position(|stmt| reads(stmt, row)), rest.iter().rposition(|stmt| reads(stmt, row)));
    let (Some(first), Some(last)) = (first, last) else { return false };
    // It fails where it stands, so that its elements are read there in any case: their number alone tests no index.
    let mut surely = false;
    operands(&rest[first], &mut |e| surely |= reads_elements(e, row));
    let read = variables(value);
    // Statements up to the last use leave what it reads alone; a store that uses it reads before it writes.
    let between = &rest[..last];
    let mut changed = set_in(&rest[..=last]);
    changed.add(&stored_in(between));
    if !matches!(rest[last].kind, StmtKind::Store { .. }) {
        changed.add(&stored_in(&rest[last..=last]));
    }
    let fixed = read.iter().all(|v| !changed.contains(&v) && assigned.get(&v).is_none_or(|n| *n == 1));
    plain && surely && fixed && nodes * uses(rest, row) <= ROW_NODES
}

fn mentions(e: &Expr, variable: VarId) -> usize {
    let mut count = 0;
    visit(e, &mut |e| count += usize::from(matches!(e.kind, ExprKind::Local(v) if v == variable)));
    count
}

/// A row whose indices are tested where its elements are read.
fn untested(row: &Expr) -> Expr {
    let mut row = row.clone();
    transform(&mut row, &mut |e| {
        if let ExprKind::Load { boundary: boundary @ Boundary::Checked, index, .. } = &mut e.kind
            && !index.iter().all(|each| matches!(each, Index::At(_)))
        {
            *boundary = Boundary::Unchecked;
        }
    });
    row
}

/// Whether an expression reads the elements of a row, and not their number alone.
fn reads_elements(e: &Expr, row: VarId) -> bool {
    match &e.kind {
        ExprKind::Local(v) => *v == row,
        ExprKind::Extent(array, _) | ExprKind::Count(array) if matches!(array.kind, ExprKind::Local(_)) => {
            false
        }
        _ => {
            let mut found = false;
            children(e, &mut |child| found |= reads_elements(child, row));
            found
        }
    }
}

fn reads(stmt: &Stmt, variable: VarId) -> bool {
    let mut found = false;
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        operands(stmt, &mut |e| found |= mentions(e, variable) > 0);
    });
    found
}

/// Whether a row is not indexed in an expression.
fn is_plain_use(e: &Expr, row: VarId) -> bool {
    if let ExprKind::Load { array, .. } = &e.kind
        && matches!(array.kind, ExprKind::Local(v) if v == row)
    {
        return false;
    }
    let mut plain = true;
    children(e, &mut |child| plain &= is_plain_use(child, row));
    plain
}

fn substitute_in(block: &mut [Stmt], with: &BTreeMap<VarId, Expr>) {
    let counted = with.iter().map(|(v, value)| (*v, untested(value))).collect();
    for stmt in block {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Extent(array, _) | ExprKind::Count(array) = &mut e.kind {
                    substitute(array, &counted);
                }
            });
            substitute(e, with);
        });
        blocks_mut(stmt, &mut |inner| substitute_in(inner, with));
    }
}

/// Takes out of a loop what is the same in all iterations: numbers of variables from `first` on, which the pass has made, and tests,
/// which are the ways for the loop to fail.
fn invariants(stmt: &mut Stmt, body: &Body, first: usize, tests: &mut Vec<Expr>) -> Block {
    let mut assigned: BTreeMap<VarId, usize> = BTreeMap::new();
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        sets(stmt, &mut |v| *assigned.entry(*v).or_default() += 1);
    });
    let once = |v: VarId| v.index() >= first && assigned.get(&v) == Some(&1);
    let (mut varying, mut found) = (set_in(std::slice::from_ref(stmt)), Block::new());
    take_out(stmt, &mut |stmt| match &stmt.kind {
        StmtKind::Assign { variable, value } if once(*variable) && is_fixed(value, &varying, body) => {
            varying.remove(variable);
            found.push(stmt.clone());
            true
        }
        StmtKind::If { condition, then, otherwise } => {
            let fails = matches!(then.as_slice(), [Stmt { kind: StmtKind::Fail { .. }, .. }]);
            let fixed = fails && otherwise.is_empty() && is_fixed(condition, &varying, body);
            tests.extend(fixed.then(|| condition.clone()));
            fixed
        }
        _ => false,
    });
    found
}

/// Writes the ends of inner loops as sums of what the program names, which says more to the dependence test than a variable: in
/// `n = max(k, 0)` and `for j = 0..n-1`, `j` is less than `k`, since the loop goes round for positive numbers only.
fn write_bounds(stmt: &mut Stmt, fixed: &[Stmt]) {
    let (mut values, mut counts) = (BTreeMap::new(), BTreeMap::new());
    for stmt in fixed {
        let StmtKind::Assign { variable, value } = &stmt.kind else { continue };
        let (mut value, is_count) = match &value.kind {
            ExprKind::Apply { row, args } if row.name == "max" => match &args[..] {
                [count, least] if least.constant_int() == Some(0) => (count.clone(), true),
                _ => continue,
            },
            _ => (value.clone(), false),
        };
        if value.ty == int_type() && may_be_repeated(&value, &VarSet::new()) {
            substitute(&mut value, &values);
            let found = if is_count { &mut counts } else { &mut values };
            found.insert(*variable, value);
        }
    }
    transform_stmts(std::slice::from_mut(stmt), &mut |stmt| {
        let StmtKind::For { range: Range { from, step: None, to }, .. } = &mut stmt.kind else { return };
        if let ExprKind::Apply { row, args } = &mut to.kind
            && let [count, one] = &mut args[..]
            && matches!(count.kind, ExprKind::Local(_))
            && (from.constant_int(), row.name, one.constant_int()) == (Some(0), "subtract", Some(1))
        {
            substitute(count, &counts);
        }
        substitute(to, &values);
    });
}

/// Writes numbers of variables from `first` on, which the pass has made, where an inner loop uses them. The loops are then perfect nests,
/// which may be interchanged: in `c[i,:] += a[i,k]*b[k,:]` the loop along the row comes before that over `k`.
fn perfect(stmt: &mut Stmt, first: usize) {
    let stored = stored_in(std::slice::from_ref(stmt));
    blocks_mut(stmt, &mut |block| {
        let Some((Stmt { kind: StmtKind::For { .. }, .. }, before)) = block.split_last() else { return };
        let mut values = BTreeMap::new();
        for stmt in before {
            let StmtKind::Assign { variable, value } = &stmt.kind else { return };
            let mut value = value.clone();
            substitute(&mut value, &values);
            let is_new = variable.index() >= first && !values.contains_key(variable);
            if !is_new || !may_be_repeated(&value, &stored) {
                return;
            }
            values.insert(*variable, value);
        }
        block.drain(..block.len() - 1);
        substitute_in(block, &values);
        block.iter_mut().for_each(|stmt| perfect(stmt, first));
    });
}

/// Whether a number is the same wherever it is computed in a loop that stores to some arrays, and cannot fail.
fn may_be_repeated(value: &Expr, stored: &VarSet) -> bool {
    let mut plain = scalar(&value.ty).is_some();
    visit(value, &mut |e| {
        plain &= match &e.kind {
            ExprKind::Load { array, boundary: Boundary::Unchecked, .. } => {
                matches!(array.kind, ExprKind::Local(v) if !stored.contains(&v))
            }
            ExprKind::Local(_) | ExprKind::Constant(_) | ExprKind::Extent(..) => true,
            ExprKind::Apply { row, .. } => matches!(row.name, "add" | "subtract" | "multiply"),
            _ => false,
        };
    });
    plain
}

/// Removes statements of a loop and of the blocks in it, also of branches: what is the same in all iterations may be computed where
/// no iteration comes to it.
fn take_out(stmt: &mut Stmt, taken: &mut dyn FnMut(&Stmt) -> bool) {
    blocks_mut(stmt, &mut |block| {
        block.retain_mut(|stmt| {
            take_out(stmt, taken);
            !taken(stmt)
        });
    });
}

/// Whether a number is the same in all iterations, and cannot fail.
fn is_fixed(value: &Expr, varying: &VarSet, body: &Body) -> bool {
    let mut plain = true;
    visit(value, &mut |e| {
        plain &= match &e.kind {
            ExprKind::Local(v) => !varying.contains(v),
            ExprKind::Constant(_)
            | ExprKind::Extent(..)
            | ExprKind::Count(_)
            | ExprKind::Or(..)
            | ExprKind::Select { .. }
            | ExprKind::Convert(_) => true,
            ExprKind::Apply { row, .. } => matches!(
                row.name,
                "add"
                    | "subtract"
                    | "multiply"
                    | "divide"
                    | "max"
                    | "min"
                    | "equal"
                    | "not_equal"
                    | "less"
                    | "greater"
            ),
            _ => false,
        };
    });
    plain
        && scalar(&value.ty).is_some()
        && variables(value).iter().all(|v| matches!(body.variables[v].ty, Type::Scalar(..) | Type::Array(_)))
}

/// Whether a position goes through loops in loops.
fn has_planes(stmt: &Stmt, dims: &VarSet) -> bool {
    let mut found = false;
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        if let StmtKind::For { variable, body, .. } = &stmt.kind
            && !dims.contains(variable)
        {
            found |= has_loops(body);
        }
    });
    found
}

/// Whether a position goes along rows of arrays. Along columns neighbouring positions are neighbours in memory.
fn goes_along_rows(stmt: &Stmt, dims: &VarSet) -> bool {
    let mut inner = VarSet::new();
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        if let StmtKind::For { variable, .. } = &stmt.kind
            && !dims.contains(variable)
        {
            inner.insert(*variable);
        }
    });
    let mut found = false;
    let mut access = |index: &[Index]| {
        if let Some(Index::At(last)) = index.last() {
            found |= variables(last).iter().any(|v| inner.contains(&v));
        }
    };
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        if let StmtKind::Store { index, .. } | StmtKind::Update { index, .. } = &stmt.kind {
            access(index);
        }
        operands(stmt, &mut |e| {
            visit(e, &mut |e| {
                if let ExprKind::Load { index, .. } = &e.kind {
                    access(index);
                }
            });
        });
    });
    found
}

/// The ends of the loops of each position, as far as they are the same for all.
fn ends(stmt: &Stmt, dims: &VarSet) -> Vec<Expr> {
    let set = set_in(std::slice::from_ref(stmt));
    let mut ends: Vec<Expr> = Vec::new();
    visit_stmts(std::slice::from_ref(stmt), &mut |inner| {
        if let StmtKind::For { variable, range: Range { to, .. }, .. } = &inner.kind
            && !dims.contains(variable)
            && to.constant_int().is_none()
            && variables(to).iter().all(|v| !set.contains(&v))
            && !ends.iter().any(|end| same(end, to))
        {
            ends.push(to.clone());
        }
    });
    ends
}

/// Where no test fails, and a kernel is the faster way. The loops of `dims` are over positions.
fn condition(stmt: &Stmt, tests: Vec<Expr>, dims: &VarSet) -> Expr {
    let span = stmt.span;
    let apply = |name: &str, a, b| {
        let row = find(name).expect("a row that the table has");
        build::apply(row, vec![a, b], int_type(), span)
    };
    let mut parts: Vec<Expr> =
        tests.into_iter().map(|test| apply("equal", test, build::int(0, span))).collect();
    let less = |end, many| apply("less", end, build::int(many, span));
    // Long lines want many positions.
    let short = |end: Expr, shift, positions| {
        let share = apply("shr", end.clone(), build::int(shift, span));
        or(less(end, SHORT_ROW), apply("less", share, positions))
    };
    let ends = ends(stmt, dims);
    let StmtKind::For { range, .. } = &stmt.kind else { return build::int(0, span) };
    if goes_along_rows(stmt, dims) {
        parts.extend(ends.into_iter().map(|end| short(end, LONG_ROW_SHIFT, trip_count(range))));
        if has_planes(stmt, dims) {
            // Few planes have more parallel work each than there are positions.
            parts.push(apply("greater_equal", trip_count(range), build::int(FEW_POSITIONS, span)));
        }
    } else {
        parts.extend(ends.into_iter().map(|end| short(end, LONG_COLUMN_SHIFT, trip_count(range))));
    }
    parts.into_iter().reduce(and).unwrap_or_else(|| build::int(1, span))
}
