//! What a version of a kernel takes for granted about a launch, so that accesses to elements need no tests: the version
//! runs where all of it holds, and another one runs elsewhere.

use super::expr::{extent_name, local_name};
use crate::analysis::flat::own_position;
use crate::analysis::hull::{Conditions, Hull, Sum, Symbol, hull};
use crate::ir::rewrite::{sets, visit_stmts};
use crate::ir::{Body, Expr, ExprKind, Index, Range, VarId, VarSet};
use crate::types::Boundary;
use std::collections::BTreeMap;

/// What is taken for granted so far. Printing a version collects it.
#[derive(Clone, Debug, Default)]
pub(super) struct Granted {
    /// What the launch must fulfil.
    pub(super) launch: Conditions,
    /// What each thread's positions must fulfil; `None` where threads may not differ.
    pub(super) thread: Option<Conditions>,
    /// Where threads may not differ: what the launch must fulfil so that indices outside are near.
    pub(super) near: Option<Conditions>,
    /// The bounds of loop variables inside their loops, and of numbers that the launch was given.
    bounds: BTreeMap<VarId, Hull>,
    /// Loop variables that are also there in the type of offsets.
    wide: VarSet,
    /// Variables that are set in one place only.
    once: VarSet,
    /// How far the first position of a thread is from its last one at least, and along which axis.
    strip: Option<(usize, i64)>,
    /// Arrays whose elements at the thread's own positions are in registers.
    pub(super) own: VarSet,
}

impl Granted {
    /// Nothing yet.
    pub(super) fn new(body: &Body, own: VarSet, strip: Option<(usize, i64)>, thread: bool) -> Granted {
        let mut counts: BTreeMap<VarId, u32> = BTreeMap::new();
        visit_stmts(&body.block, &mut |stmt| sets(stmt, &mut |v| *counts.entry(*v).or_default() += 1));
        let given = body.params.iter().filter(|param| !counts.contains_key(param));
        let value = |v: &VarId| (*v, Hull::exactly(Sum::symbol(Symbol::Value(*v))));
        Granted {
            bounds: given.map(value).collect(),
            once: counts.into_iter().filter(|(_, n)| *n == 1).map(|(v, _)| v).collect(),
            own,
            strip,
            thread: thread.then(Conditions::default),
            near: (strip.is_some() && !thread).then(Conditions::default),
            ..Granted::default()
        }
    }

    /// Whether this is for the positions of a strip, which fetch once what they share: loops over it are unrolled.
    pub(super) fn shares(&self) -> bool {
        self.strip.is_some()
    }

    fn hull(&self, expr: &Expr) -> Option<Hull> {
        hull(expr, &|v| self.bounds.get(&v).cloned())
    }

    /// Learns the bounds of a loop variable, for the body of its loop.
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
            true => Hull { low: from.low, high: to.high },
            false => Hull { low: to.low, high: from.high },
        };
        self.bounds.insert(variable, bounds);
    }

    /// The bounds of the end of a range. Where it is the extreme of two numbers, those of one of them: the range is a part
    /// of the one that ends there.
    fn end(&self, expr: &Expr, extreme: &str) -> Option<Hull> {
        self.hull(expr).or_else(|| match &expr.kind {
            ExprKind::Apply { row, args } if row.name == extreme => {
                args.iter().find_map(|each| self.hull(each))
            }
            _ => None,
        })
    }

    /// Asks that a sum is a number of type `int`, so that it does not wrap around.
    fn ask_represented(&mut self, sum: &Hull) {
        if sum.low == sum.high && sum.low.terms.len() + usize::from(sum.low.constant != 0) <= 1 {
            return;
        }
        let (low, high) = self.over_launch(sum);
        self.launch.ask(low.shifted(-i64::from(i32::MIN)));
        self.launch.ask(Sum::constant(i64::from(i32::MAX)).minus(&high));
    }

    /// The bounds for all positions of the launch that this version visits.
    fn over_launch(&self, found: &Hull) -> (Sum, Sum) {
        let strip = self.strip;
        let last =
            |axis: usize| 1 + strip.filter(|(along, _)| *along == axis).map_or(0, |(_, distance)| distance);
        (found.low.over_launch(false, &last), found.high.over_launch(true, &last))
    }

    /// Says that a loop declares its variable in the type of offsets, if its bounds are known; whether they are.
    pub(super) fn widen(&mut self, variable: VarId) -> bool {
        self.bounds.contains_key(&variable) && self.wide.insert(variable)
    }

    /// Whether a variable is there in the type of offsets.
    pub(super) fn is_wide(&self, variable: VarId) -> bool {
        self.wide.contains(&variable)
    }

    /// Forgets them.
    pub(super) fn leave(&mut self, variable: VarId) {
        self.wide.remove(&variable);
        if self.once.contains(&variable) {
            self.bounds.remove(&variable);
        }
    }

    /// Whether an index is inside an extent, as far as this version is concerned.
    pub(super) fn inside(&mut self, index: &Expr, extent: Symbol, boundary: Boundary) -> bool {
        let Some(found) = self.hull(index) else { return false };
        let (low, high) = self.over_launch(&found);
        let positions = found.low.terms.iter().any(|(s, _)| matches!(s, Symbol::Position(_)));
        // A program that counts on what lies outside shall not lose its fast version.
        let meant = boundary == Boundary::Checked
            || (low.terms.is_empty() && low.constant >= 0 && (!positions || high.constant < 0));
        if meant {
            self.launch.ask_inside(low, &high, extent);
            return true;
        }
        match &mut self.thread {
            Some(thread) => {
                thread.ask_inside(found.low, &found.high, extent);
                true
            }
            None => false,
        }
    }

    /// Whether one reflection, or one period, brings an index inside an extent, as far as this version is concerned.
    pub(super) fn near(&mut self, index: &Expr, extent: Symbol) -> bool {
        let Some(found) = self.hull(index) else { return false };
        let (low, high) = self.over_launch(&found);
        let (Some(near), extent) = (&mut self.near, Sum::symbol(extent)) else { return false };
        near.ask(low.plus(&extent));
        near.ask(extent.times(2).minus(&high).plus(&Sum::constant(-1)));
        near.ask(Sum::constant(i64::from(i32::MAX)).minus(&high));
        true
    }

    /// Whether a variable is a number that the launch was given.
    pub(super) fn is_given(&self, variable: VarId) -> bool {
        let given = Sum::symbol(Symbol::Value(variable));
        self.bounds.get(&variable).is_some_and(|bounds| bounds.low == given)
    }

    /// Whether an access is to the thread's own element of an array that is in registers.
    pub(super) fn is_own(&self, array: VarId, index: &[Index]) -> bool {
        self.own.contains(&array) && own_position(index)
    }
}

/// Conditions as an expression of C, if there are any.
pub(super) fn printed(conditions: &Conditions) -> Option<String> {
    let sums: Vec<String> = conditions.sums().map(|s| format!("{} >= 0", sum(s))).collect();
    (!sums.is_empty()).then(|| sums.join(" && "))
}

fn sum(sum: &Sum) -> String {
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
