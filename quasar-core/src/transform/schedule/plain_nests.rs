//! Loops of kernels as plain nests, which other passes take loops out of: numbers that a loop computes before the only loop in it are
//! computed in that, integers where they are used, and ranges end without `max`.
//!
//! ```text
//! for k = ..                               for k = ..
//!     n = max(i + 1, 0)                        for j = 0..i
//!     f = alpha*a[i,k]              ->             c[i,j] += alpha*a[i,k]*a[j,k]
//!     for j = 0..n-1
//!         c[i,j] += f*a[j,k]
//! ```

use crate::analysis::may_fail;
use crate::ir::build::{self, of_ints};
use crate::ir::rewrite::{
    blocks_mut, same, set_in, sets, stored_in, substitute, transform_block, variables, visit, visit_block,
    visit_stmts,
};
use crate::ir::{Block, Expr, ExprKind, Kernel, LoopAttributes, Range, Stmt, StmtKind, VarId, VarSet};
use crate::target::any::CHEAP_INDEX_NODES;
use crate::types::known::scalar;
use std::collections::BTreeMap;

/// The code of a kernel with plain nests.
pub(super) fn of(kernel: &Kernel) -> Block {
    let mut block = kernel.body.block.clone();
    with_plain_ranges(&mut block, &kernel.body.params);
    let mut sinking = Sinking::of(&block, false);
    sinking.block(&mut block);
    block
}

/// Integers that are computed before loops stand in their ranges, and those end without `max`.
pub(in crate::transform) fn with_plain_ranges(block: &mut Block, params: &[VarId]) {
    inline_integers(block, params);
    transform_block(block, &mut |e| {
        if let Some(shorter) = cancelled(e) {
            *e = shorter;
        }
    });
    end_plainly(block);
}

/// Integers of little arithmetic that are set once are computed where they are used.
fn inline_integers(block: &mut Block, params: &[VarId]) {
    let mut sets_of: BTreeMap<VarId, u32> = BTreeMap::new();
    visit_stmts(block, &mut |stmt| sets(stmt, &mut |v| *sets_of.entry(*v).or_default() += 1));
    params.iter().for_each(|param| *sets_of.entry(*param).or_default() += 1);
    inline_in(block, &sets_of, &reads_of(block));
}

fn inline_in(block: &mut Block, sets_of: &BTreeMap<VarId, u32>, reads: &BTreeMap<VarId, usize>) {
    let mut at = 0;
    while at < block.len() {
        let (before, rest) = block.split_at_mut(at + 1);
        if let StmtKind::Assign { variable, value } = &before[at].kind
            && is_cheap(value)
            && std::iter::once(*variable).chain(variables(value).iter()).all(|v| sets_of.get(&v) <= Some(&1))
            && variables(value).iter().all(|v| !set_in(rest).contains(&v))
            && reads_of(rest).get(variable) == reads.get(variable)
        {
            let replacements = BTreeMap::from([(*variable, value.clone())]);
            transform_block(rest, &mut |e| substitute(e, &replacements));
            block.remove(at);
            continue;
        }
        blocks_mut(&mut block[at], &mut |inner| inline_in(inner, sets_of, reads));
        at += 1;
    }
}

fn is_cheap(value: &Expr) -> bool {
    let (mut nodes, mut cheap) = (0, value.ty == build::int_type());
    visit(value, &mut |e| {
        nodes += 1;
        cheap &= match &e.kind {
            ExprKind::Constant(_)
            | ExprKind::Coordinate(..)
            | ExprKind::Local(_)
            | ExprKind::Extent(..)
            | ExprKind::Count(_) => true,
            ExprKind::Apply { row, .. } => {
                e.ty == build::int_type()
                    && matches!(row.name, "add" | "subtract" | "multiply" | "negate" | "min" | "max")
            }
            _ => false,
        };
    });
    cheap && nodes <= CHEAP_INDEX_NODES
}

/// A sum of integers in which terms cancel out: `n - (n - k + 1) + 1` is `k`, also where sums wrap around.
pub(in crate::transform) fn cancelled(e: &Expr) -> Option<Expr> {
    let (mut terms, mut constant, mut parts) = (Vec::new(), 0_i32, 0);
    add_terms(e, 1, &mut terms, &mut constant, &mut parts)?;
    terms.retain(|(_, factor)| *factor != 0);
    if parts < 2 || terms.len() + 1 >= parts || terms.iter().any(|(_, factor)| factor.abs() > 1) {
        return None;
    }
    terms.sort_by_key(|(_, factor)| -*factor);
    let sum = terms.into_iter().fold(None, |sum, (term, factor)| {
        Some(match (sum, factor) {
            (None, 1) => term,
            (None, _) => of_ints("subtract", build::int(0, e.span), term),
            (Some(sum), 1) => of_ints("add", sum, term),
            (Some(sum), _) => of_ints("subtract", sum, term),
        })
    });
    Some(match (sum, constant) {
        (None, constant) => build::int(constant, e.span),
        (Some(sum), 0) => sum,
        (Some(sum), 1..) => of_ints("add", sum, build::int(constant, e.span)),
        (Some(sum), _) => of_ints("subtract", sum, build::int(constant.checked_neg()?, e.span)),
    })
}

/// The terms of a sum of integers with their factors, and how many there are before they are joined.
fn add_terms(
    e: &Expr,
    factor: i32,
    terms: &mut Vec<(Expr, i32)>,
    constant: &mut i32,
    parts: &mut usize,
) -> Option<()> {
    if e.ty != build::int_type() {
        return None;
    }
    match &e.kind {
        ExprKind::Apply { row, args } if matches!(row.name, "add" | "subtract") && args.len() == 2 => {
            let second = if row.name == "add" { factor } else { -factor };
            add_terms(&args[0], factor, terms, constant, parts)?;
            add_terms(&args[1], second, terms, constant, parts)?;
        }
        _ if !is_cheap(e) => return None,
        _ => {
            *parts += 1;
            if let Some(n) = e.constant_int() {
                *constant = constant.wrapping_add(factor.wrapping_mul(n));
            } else if let Some((_, known)) = terms.iter_mut().find(|(term, _)| same(term, e)) {
                *known += factor;
            } else {
                terms.push((e.clone(), factor));
            }
        }
    }
    Some(())
}

/// `0..max(n, 0)-1` is `0..n-1`: both are empty where `n` is not positive.
fn end_plainly(block: &mut Block) {
    for stmt in block {
        if let StmtKind::For { range, .. } = &mut stmt.kind
            && range.from.constant_int() == Some(0)
            && range.step.is_none()
            && let Some(end) = plain_end(&range.to)
        {
            range.to = end;
        }
        blocks_mut(stmt, &mut |inner| end_plainly(inner));
    }
}

fn plain_end(to: &Expr) -> Option<Expr> {
    let [most, one] = operands_of("subtract", to)?;
    let [count, zero] = operands_of("max", most)?;
    if one.constant_int() != Some(1) || zero.constant_int() != Some(0) {
        return None;
    }
    match operands_of("add", count) {
        Some([last, one]) if one.constant_int() == Some(1) => Some(last.clone()),
        _ => Some(of_ints("subtract", count.clone(), one.clone())),
    }
}

fn operands_of<'a>(name: &str, e: &'a Expr) -> Option<&'a [Expr; 2]> {
    let ExprKind::Apply { row, args } = &e.kind else { return None };
    (row.name == name).then(|| args.as_slice().try_into().ok())?
}

/// Moves numbers that a loop computes before the only loop in it into that, so that both are one nest, and gives the conditions under
/// which the inner loops have iterations where computing the numbers may fail: so it still does.
pub(in crate::transform) fn sink_numbers(block: &mut Block) -> Vec<Expr> {
    let mut sinking = Sinking::of(block, true);
    sinking.block(block);
    sinking.conditions
}

struct Sinking {
    set: VarSet,
    /// How often variables are read in all.
    reads: BTreeMap<VarId, usize>,
    /// Whether what may fail moves, too, under conditions.
    any: bool,
    conditions: Vec<Expr>,
}

impl Sinking {
    fn of(block: &Block, any: bool) -> Self {
        Sinking { set: set_in(block), reads: reads_of(block), any, conditions: Vec::new() }
    }

    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            if let StmtKind::For { body, .. } = &mut stmt.kind {
                self.sink_into_last(body);
                self.block(body);
            }
        }
    }

    fn sink_into_last(&mut self, block: &mut Block) {
        let Some((last, numbers)) = block.split_last() else { return };
        if !self.is_apart(numbers, last) {
            return;
        }
        if numbers.iter().any(|stmt| may_fail::possible(stmt, true)) {
            let Some(condition) = self.goes_round(last).filter(|_| self.any) else { return };
            if !self.conditions.iter().any(|other| same(other, &condition)) {
                self.conditions.push(condition);
            }
        }
        let Some(mut last) = block.pop() else { return };
        if let StmtKind::For { body, .. } = &mut last.kind {
            let numbers = std::mem::take(block);
            for stmt in numbers.into_iter().rev() {
                self.put_first(body, stmt);
            }
        }
        block.push(last);
    }

    /// Puts a number before statements, or where they read it if that is in one place.
    fn put_first(&self, block: &mut Block, stmt: Stmt) {
        match &stmt.kind {
            StmtKind::Assign { variable, value } if self.reads.get(variable) == Some(&1) => {
                let replacements = BTreeMap::from([(*variable, value.clone())]);
                transform_block(block, &mut |e| substitute(e, &replacements));
            }
            _ => block.insert(0, stmt),
        }
    }

    /// Whether each iteration of a loop may compute some numbers anew, which nothing else reads.
    fn is_apart(&self, numbers: &[Stmt], last: &Stmt) -> bool {
        let StmtKind::For { range, body, attributes, .. } = &last.kind else { return false };
        let changed = set_in(body).union(&stored_in(body));
        let inside = reads_of(body);
        let plain = !numbers.is_empty() && *attributes == LoopAttributes::default();
        let read_outside = |v: &VarId| self.reads.get(v) != inside.get(v);
        plain
            && numbers.iter().all(|stmt| {
                let StmtKind::Assign { variable, value } = &stmt.kind else { return false };
                let mut simple = scalar(&value.ty).is_some();
                visit(value, &mut |e| simple &= is_arithmetic(e));
                let fixed = variables(value).iter().all(|v| !changed.contains(&v) && v != *variable);
                simple && fixed && !read_outside(variable) && !changed.contains(variable)
            })
            && [&range.from, &range.to].iter().all(|bound| {
                !numbers.iter().any(|stmt| matches!(&stmt.kind, StmtKind::Assign { variable, .. } if variables(bound).contains(variable)))
            })
    }

    /// Whether a loop has an iteration, by what is known before all loops.
    fn goes_round(&self, stmt: &Stmt) -> Option<Expr> {
        let StmtKind::For { range: Range { from, to, step: None }, .. } = &stmt.kind else { return None };
        let before = |e: &Expr| is_of_sizes(e) && variables(e).iter().all(|v| !self.set.contains(&v));
        (before(from) && before(to)).then(|| of_ints("less_equal", from.clone(), to.clone()))
    }
}

/// How often each variable is read.
fn reads_of(block: &[Stmt]) -> BTreeMap<VarId, usize> {
    let mut found = BTreeMap::new();
    visit_block(block, &mut |e| {
        if let ExprKind::Local(variable) = e.kind {
            *found.entry(variable).or_default() += 1;
        }
    });
    found
}

fn is_arithmetic(e: &Expr) -> bool {
    matches!(
        e.kind,
        ExprKind::Load { .. }
            | ExprKind::Coordinate(..)
            | ExprKind::Extent(..)
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::Apply { .. }
            | ExprKind::Convert(_)
    )
}

/// Operations on integers that have a result for all of them.
const CANNOT_FAIL: &[&str] = &[
    "add",
    "subtract",
    "multiply",
    "negate",
    "min",
    "max",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
];

/// Whether an expression compares sizes and integers.
pub(in crate::transform) fn is_of_sizes(e: &Expr) -> bool {
    let mut plain = true;
    visit(e, &mut |e| {
        plain &= matches!(
            e.kind,
            ExprKind::Extent(..)
                | ExprKind::Count(_)
                | ExprKind::Local(_)
                | ExprKind::Constant(_)
                | ExprKind::Or(..)
                | ExprKind::And(..)
        ) || matches!(&e.kind, ExprKind::Apply { row, .. } if CANNOT_FAIL.contains(&row.name));
    });
    plain
}
