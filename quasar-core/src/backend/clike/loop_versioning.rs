//! Loop versioning: collects the conditions under which a fast version of a kernel needs no bounds checks. The fast
//! version runs where all of them hold, and the general version elsewhere.

use super::expr::{extent_name, local_name};
use crate::analysis::elementwise_kernel::own_position;
use crate::analysis::symbolic_range::{AffineForm, Conditions, Symbol, SymbolicRange, hull};
use crate::ir::rewrite::{sets, visit_stmts};
use crate::ir::{Body, Expr, ExprKind, Index, Range, VarId, VarSet};
use crate::types::Boundary;
use std::collections::BTreeMap;

/// The assumptions of one version, collected while it is printed.
#[derive(Clone, Debug, Default)]
pub(super) struct Assumptions {
    /// Conditions on the launch.
    pub(super) launch: Conditions,
    /// Conditions on each thread's positions; `None` if threads may not branch on them.
    pub(super) thread: Option<Conditions>,
    /// If threads may not branch: conditions on the launch under which each index outside is at most one extent away.
    pub(super) near: Option<Conditions>,
    /// Symbolic ranges of loop variables inside their loops, and of scalar parameters that never change.
    bounds: BTreeMap<VarId, SymbolicRange>,
    /// Loop variables that are also declared in the offset type (`Q_INDEX`).
    wide: VarSet,
    /// Variables with exactly one assignment.
    once: VarSet,
    /// For register tiles: the axis, and the least distance between a thread's first and last position along it.
    strip: Option<(usize, i64)>,
    /// Arrays whose elements at the thread's own positions are in registers.
    pub(super) own: VarSet,
}

impl Assumptions {
    /// No assumptions; `thread` says whether conditions on the positions of single threads are allowed.
    pub(super) fn new(body: &Body, own: VarSet, strip: Option<(usize, i64)>, thread: bool) -> Assumptions {
        let mut counts: BTreeMap<VarId, u32> = BTreeMap::new();
        visit_stmts(&body.block, &mut |stmt| sets(stmt, &mut |v| *counts.entry(*v).or_default() += 1));
        let given = body.params.iter().filter(|param| !counts.contains_key(param));
        let value = |v: &VarId| (*v, SymbolicRange::exactly(AffineForm::symbol(Symbol::Value(*v))));
        Assumptions {
            bounds: given.map(value).collect(),
            once: counts.into_iter().filter(|(_, n)| *n == 1).map(|(v, _)| v).collect(),
            own,
            strip,
            thread: thread.then(Conditions::default),
            near: (strip.is_some() && !thread).then(Conditions::default),
            ..Assumptions::default()
        }
    }

    /// Whether this version computes a register tile, in which loops are unrolled to share loads.
    pub(super) fn shares(&self) -> bool {
        self.strip.is_some()
    }

    fn hull(&self, expr: &Expr) -> Option<SymbolicRange> {
        hull(expr, &|v| self.bounds.get(&v).cloned())
    }

    /// Adds the range of a loop variable, for the body of its loop.
    pub(super) fn enter(&mut self, variable: VarId, range: &Range) {
        let step = range.step.as_ref().map_or(Some(1), Expr::constant_int).unwrap_or(0);
        if step == 0 || !self.once.contains(&variable) {
            return;
        }
        let (nearest, farthest) = if step > 0 { ("max", "min") } else { ("min", "max") };
        let (from, to) = (self.end(&range.from, nearest), self.end(&range.to, farthest));
        let (Some(from), Some(to)) = (from, to) else { return };
        for end in [&from, &to] {
            self.ask_represented(end);
        }
        let bounds = match step > 0 {
            true => SymbolicRange { low: from.low, high: to.high },
            false => SymbolicRange { low: to.low, high: from.high },
        };
        self.bounds.insert(variable, bounds);
    }

    /// The symbolic range of a loop bound. For a `min` or `max` of two numbers either operand serves: the loop's range
    /// is a subset of the range that ends there.
    fn end(&self, expr: &Expr, extreme: &str) -> Option<SymbolicRange> {
        self.hull(expr).or_else(|| match &expr.kind {
            ExprKind::Apply { row, args } if row.name == extreme => {
                args.iter().find_map(|each| self.hull(each))
            }
            _ => None,
        })
    }

    /// Requires that a sum fits into `int`, so that it does not wrap around.
    fn ask_represented(&mut self, sum: &SymbolicRange) {
        if sum.low == sum.high && sum.low.terms.len() + usize::from(sum.low.constant != 0) <= 1 {
            return;
        }
        let (low, high) = self.over_launch(sum);
        self.launch.ask(low.shifted(-i64::from(i32::MIN)));
        self.launch.ask(AffineForm::constant(i64::from(i32::MAX)).minus(&high));
    }

    /// The range over all positions of the launch that run this version.
    fn over_launch(&self, found: &SymbolicRange) -> (AffineForm, AffineForm) {
        let strip = self.strip;
        let last =
            |axis: usize| 1 + strip.filter(|(along, _)| *along == axis).map_or(0, |(_, distance)| distance);
        (found.low.over_launch(false, &last), found.high.over_launch(true, &last))
    }

    /// Marks a loop variable as declared in the offset type if its range is known. Returns whether it was marked.
    pub(super) fn widen(&mut self, variable: VarId) -> bool {
        self.bounds.contains_key(&variable) && self.wide.insert(variable)
    }

    /// Whether a variable is also declared in the offset type.
    pub(super) fn is_wide(&self, variable: VarId) -> bool {
        self.wide.contains(&variable)
    }

    /// Removes the range of a loop variable, at the end of its loop.
    pub(super) fn leave(&mut self, variable: VarId) {
        self.wide.remove(&variable);
        if self.once.contains(&variable) {
            self.bounds.remove(&variable);
        }
    }

    /// Whether an index is in bounds under the assumptions of this version, which may grow.
    pub(super) fn inside(&mut self, index: &Expr, extent: Symbol, boundary: Boundary) -> bool {
        let Some(found) = self.hull(index) else { return false };
        let (low, high) = self.over_launch(&found);
        let positions = found.low.terms.iter().any(|(s, _)| matches!(s, Symbol::Position(_)));
        // A program that relies on out-of-bounds values must not lose its fast version.
        let meant = boundary == Boundary::Checked
            || (low.terms.is_empty() && low.constant >= 0 && (!positions || high.constant < 0));
        if meant {
            self.launch.require_in_bounds(low, &high, extent);
            return true;
        }
        match &mut self.thread {
            Some(thread) => {
                thread.require_in_bounds(found.low, &found.high, extent);
                true
            }
            None => false,
        }
    }

    /// Whether one reflection or one period maps an index into the extent, under the assumptions of this version.
    pub(super) fn near(&mut self, index: &Expr, extent: Symbol) -> bool {
        let Some(found) = self.hull(index) else { return false };
        let (low, high) = self.over_launch(&found);
        let (Some(near), extent) = (&mut self.near, AffineForm::symbol(extent)) else { return false };
        near.ask(low.plus(&extent));
        near.ask(extent.times(2).minus(&high).plus(&AffineForm::constant(-1)));
        near.ask(AffineForm::constant(i64::from(i32::MAX)).minus(&high));
        true
    }

    /// Whether a variable is a scalar parameter that never changes.
    pub(super) fn is_given(&self, variable: VarId) -> bool {
        let given = AffineForm::symbol(Symbol::Value(variable));
        self.bounds.get(&variable).is_some_and(|bounds| bounds.low == given)
    }

    /// Whether an access is to the thread's own element of an array that is in registers.
    pub(super) fn is_own(&self, array: VarId, index: &[Index]) -> bool {
        self.own.contains(&array) && own_position(index)
    }
}

/// Conditions as a C expression, or `None` if there are none.
pub(super) fn printed(conditions: &Conditions) -> Option<String> {
    let sums: Vec<String> = conditions.sums().map(|s| format!("{} >= 0", sum(s))).collect();
    (!sums.is_empty()).then(|| sums.join(" && "))
}

fn sum(sum: &AffineForm) -> String {
    let mut text = format!("(q_i64)({})", sum.constant);
    for (symbol, factor) in &sum.terms {
        let name = match symbol {
            Symbol::Launch(axis) => format!("n{axis}"),
            Symbol::Extent(v, axis) => extent_name(*v, *axis),
            Symbol::Value(v) => local_name(*v),
            Symbol::Position(axis) => format!("p{axis}"),
        };
        match factor {
            1 => text.push_str(&format!(" + {name}")),
            -1 => text.push_str(&format!(" - {name}")),
            _ => text.push_str(&format!(" + ({factor}) * (q_i64){name}")),
        }
    }
    text
}
