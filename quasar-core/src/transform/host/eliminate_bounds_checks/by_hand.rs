//! Boundaries that programs handle by hand, as the boundary modes that they are:
//!
//! ```text
//! x'checked[max(0, min(m+k, size(x, 0)-1)), n]     =>     x'clamped[m+k, n]
//! x'checked[mod(m-1, size(x, 0)), n]               =>     x'circular[m-1, n]
//! ```
//!
//! What reads windows, tiles and strips knows the modes, and visits positions far from the boundary without them. Indices that
//! come from data stay as they are.

use super::Pass;
use crate::analysis::may_fail;
use crate::ids::Arena;
use crate::ir::rewrite::{
    blocks, blocks_mut, expand_stmts, operands, operands_mut, root, stored_in, transform, variables, visit,
    visit_stmts,
};
use crate::ir::{Body, Expr, ExprKind, Index, Stmt, StmtKind, VarId, VarSet, Variable, build};
use crate::logic::Linear;
use crate::types::{Boundary, Type};
use std::collections::BTreeMap;

/// What indices by hand are computed with..
const SUMS: [&str; 4] = ["add", "subtract", "multiply", "negate"];
/// .. and what maps them.
const MAPS: [&str; 6] = ["min", "max", "clamp", "mod", "periodize", "mirror_ext"];
/// Larger expressions are not looked through.
const LARGEST: usize = 40;

/// What a variable was set to, as long as all that it stands for is as it was then.
pub(super) struct Definition {
    value: Expr,
    /// The variable itself, and those of the value, with what they were.
    versions: Vec<(VarId, u32)>,
}

/// An index that a boundary mode could map.
struct ByHand<'e> {
    mode: Boundary,
    /// The index that is mapped.
    inner: &'e Expr,
    limit: Limit<'e>,
}

/// What must hold so that an index is mapped as by the mode.
enum Limit<'e> {
    /// This is the extent, or for `'clamped` the last index.
    Is(&'e Expr),
    /// The index is not negative, and this is the last index.
    NotBelow(&'e Expr),
    /// The index is not beyond the last one.
    NotBeyond,
}

impl Pass<'_> {
    /// What an index variable is set to, in loop variables and what else is known of variables; to be asked before, and noted after
    /// the assignment.
    pub(super) fn definition_of(&mut self, value: &Expr) -> Option<Definition> {
        if value.ty != Type::INT || size(value) > LARGEST {
            return None;
        }
        let value = self.defined(value).filter(|value| size(value) <= LARGEST)?;
        let mut versions = Vec::new();
        visit(&value, &mut |e| {
            if let ExprKind::Local(v) = e.kind {
                versions.push((v, self.known.version(v)));
            }
        });
        Some(Definition { value, versions })
    }

    pub(super) fn define(&mut self, variable: VarId, mut definition: Definition) {
        definition.versions.push((variable, self.known.version(variable)));
        self.definitions.insert(variable, definition);
    }

    /// An index in terms of what its variables were set to; nothing for other than sums and what maps boundaries.
    fn defined(&mut self, at: &Expr) -> Option<Expr> {
        match &at.kind {
            ExprKind::Constant(_) | ExprKind::Coordinate(..) | ExprKind::Extent(..) | ExprKind::Count(_) => {
                Some(at.clone())
            }
            ExprKind::Local(variable) => {
                let Some(Definition { value, versions }) = self.definitions.get(variable) else {
                    return Some(at.clone());
                };
                let known = &mut self.known;
                let holds = versions.iter().all(|(v, version)| known.version(*v) == *version);
                Some(if holds { value.clone() } else { at.clone() })
            }
            ExprKind::Convert(inner) if inner.ty == at.ty => self.defined(inner),
            ExprKind::Select { condition, then, otherwise } => {
                let (then, otherwise) = (self.defined(then)?, self.defined(otherwise)?);
                let (then, otherwise) = (Box::new(then), Box::new(otherwise));
                Some(Expr {
                    kind: ExprKind::Select { condition: condition.clone(), then, otherwise },
                    ..at.clone()
                })
            }
            ExprKind::Apply { row, args } if SUMS.contains(&row.name) || MAPS.contains(&row.name) => {
                let args = args.iter().map(|arg| self.defined(arg)).collect::<Option<_>>()?;
                Some(Expr { kind: ExprKind::Apply { row, args }, ..at.clone() })
            }
            _ => None,
        }
    }

    /// Gives a read of an array that maps its boundary by hand, and is inside everywhere, the mode for that. Says whether it did.
    pub(super) fn read_by_mode(
        &mut self,
        array: &Expr,
        index: &mut Vec<Index>,
        boundary: &mut Boundary,
    ) -> bool {
        let (Some(variable), Some((mode, mapped))) = (root(array), self.mode_of(array, index)) else {
            return false;
        };
        // Modes hide from tests of dependence which row is read: what iterations themselves store to keeps its indices.
        if self.stored.iter().any(|stored| stored.contains(&variable)) {
            return false;
        }
        (*boundary, *index) = (mode, mapped);
        self.by_mode = true;
        let known = self.modes.entry(variable).or_insert(Some(mode));
        *known = known.filter(|known| *known == mode);
        true
    }

    fn mode_of(&mut self, array: &Expr, index: &[Index]) -> Option<(Boundary, Vec<Index>)> {
        let shape = self.known.shape(array).filter(|shape| shape.len() == index.len())?;
        let (mut found, mut mapped) = (None, Vec::with_capacity(index.len()));
        for (index, extent) in index.iter().zip(&shape) {
            let Index::At(at) = index else { return None };
            let defined = if size(at) > LARGEST { None } else { self.defined(at) };
            let mode = defined.iter().flat_map(readings).find(|hand| self.is_map(hand, extent));
            match mode {
                Some(hand) if found.is_none_or(|mode| mode == hand.mode) => {
                    found = Some(hand.mode);
                    let inner = match hand.mode {
                        Boundary::Circular => self.without_period(hand.inner, extent),
                        _ => None,
                    };
                    mapped.push(Index::At(inner.unwrap_or_else(|| hand.inner.clone())));
                }
                // Two modes at once are left to the program.
                Some(_) => return None,
                None => match defined.and_then(|defined| self.chosen(&defined, extent)) {
                    Some((mode, inner)) if found.is_none_or(|found| found == mode) => {
                        found = Some(mode);
                        mapped.push(Index::At(inner));
                    }
                    Some(_) => return None,
                    None if self.known.is_inside(at, extent) => mapped.push(index.clone()),
                    None => return None,
                },
            }
        }
        found.map(|mode| (mode, mapped))
    }

    fn is_map(&mut self, hand: &ByHand<'_>, extent: &Linear) -> bool {
        let known = &mut self.known;
        let last = extent.minus(&Linear::constant(1));
        let holds = match (&hand.limit, hand.mode) {
            (Limit::Is(limit), Boundary::Clamped) => last.is_some_and(|last| known.equals(limit, &last)),
            (Limit::Is(limit), _) => known.equals(limit, extent),
            (Limit::NotBelow(limit), _) => {
                known.at_least(hand.inner, 0) && last.is_some_and(|last| known.equals(limit, &last))
            }
            (Limit::NotBeyond, _) => last.is_some_and(|last| known.at_most(hand.inner, &last)),
        };
        // An array without elements has no index to map to.
        holds && self.known.is_inside(&build::int(0, hand.inner.span), extent) && self.is_of_loops(hand.inner)
    }

    /// The mode and the index of a choice that goes to an end of the array where the index is outside: `m == 0 ? M-1 : m-1`.
    fn chosen(&mut self, at: &Expr, extent: &Linear) -> Option<(Boundary, Expr)> {
        let ExprKind::Select { condition, then, otherwise } = &at.kind else { return None };
        let (last, before) = (extent.minus(&Linear::constant(1))?, Linear::constant(-1));
        let inside = |this: &mut Self, e: &Expr| this.known.is_inside(e, extent);
        for (inner, end, outside) in [(otherwise, then, true), (then, otherwise, false)] {
            if !self.is_of_loops(inner) {
                continue;
            }
            let is_inside = self.under(condition, !outside, |this| inside(this, inner));
            if !is_inside {
                continue;
            }
            let mode = self.under(condition, outside, |this| {
                let known = &mut this.known;
                let (first, last) = (known.equals(end, &Linear::constant(0)), known.equals(end, &last));
                let below = known.at_most(inner, &before);
                let one_below = below && known.at_least(inner, -1);
                let one_beyond = known.equals(inner, extent);
                match () {
                    () if below && first || one_beyond && last => Some(Boundary::Clamped),
                    () if one_below && last || one_beyond && first => Some(Boundary::Circular),
                    () => None,
                }
            });
            if let Some(mode) = mode
                && inside(self, &build::int(0, inner.span))
            {
                return Some((mode, (**inner).clone()));
            }
        }
        None
    }

    /// What can be told where a condition holds, or does not.
    fn under<R>(&mut self, condition: &Expr, holds: bool, tell: impl FnOnce(&mut Self) -> R) -> R {
        let mark = self.known.mark();
        self.known.learn(condition, holds);
        let told = tell(self);
        self.known.release(mark);
        told
    }

    /// For `m + k + M`, which wraps around after `M` elements, the index `m + k`, which is inside for most positions.
    fn without_period(&mut self, at: &Expr, period: &Linear) -> Option<Expr> {
        let ExprKind::Apply { row, args } = &at.kind else { return None };
        let [a, b] = args.as_slice() else { return None };
        match row.name {
            "add" if self.known.equals(b, period) => Some(a.clone()),
            "add" if self.known.equals(a, period) => Some(b.clone()),
            "add" | "subtract" => {
                let args = match self.without_period(a, period) {
                    Some(a) => vec![a, b.clone()],
                    None if row.name == "add" => vec![a.clone(), self.without_period(b, period)?],
                    None => return None,
                };
                Some(Expr { kind: ExprKind::Apply { row, args }, ..at.clone() })
            }
            _ => None,
        }
    }

    /// Whether an index is computed from loop variables and what the outermost loop does not set.
    fn is_of_loops(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Constant(_) | ExprKind::Coordinate(..) | ExprKind::Extent(..) | ExprKind::Count(_) => {
                true
            }
            ExprKind::Local(v) => self.loops.contains(v) || !self.set_in_loop.contains(v),
            ExprKind::Convert(inner) => inner.ty.is_integer() && self.is_of_loops(inner),
            ExprKind::Apply { row, args } => {
                SUMS.contains(&row.name) && args.iter().all(|arg| self.is_of_loops(arg))
            }
            _ => false,
        }
    }
}

/// The arrays that the iterations of a loop store to, without the loops inside it.
pub(super) fn stored_by_iterations(stmt: &Stmt) -> VarSet {
    fn add(block: &[Stmt], found: &mut VarSet) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::For { .. }
                | StmtKind::ForEach { .. }
                | StmtKind::While { .. }
                | StmtKind::Repeat { .. } => {}
                StmtKind::If { then, otherwise, .. } => {
                    add(then, found);
                    add(otherwise, found);
                }
                _ => found.extend(stored_in(std::slice::from_ref(stmt)).iter()),
            }
        }
    }
    let mut found = VarSet::new();
    blocks(stmt, &mut |block| add(block, &mut found));
    found
}

/// The modes that an index may be by hand, if its limit is the right one.
fn readings(at: &Expr) -> impl Iterator<Item = ByHand<'_>> {
    let mut found = Vec::new();
    if let ExprKind::Apply { row, args } = &at.kind
        && let [a, b] = args.as_slice()
    {
        let mut hand = |mode, inner, limit| found.push(ByHand { mode, inner, limit });
        match row.name {
            "clamp" => hand(Boundary::Clamped, a, Limit::Is(b)),
            "mod" | "periodize" => hand(Boundary::Circular, a, Limit::Is(b)),
            "mirror_ext" => hand(Boundary::Mirror, a, Limit::Is(b)),
            // `max(0, min(i, last))` and `min(last, max(i, 0))`, in any order, or one half where the other holds anyway.
            "max" => {
                if let Some(other) = other_than_zero(a, b) {
                    if let Some([c, d]) = pair(other, "min") {
                        hand(Boundary::Clamped, c, Limit::Is(d));
                        hand(Boundary::Clamped, d, Limit::Is(c));
                    }
                    hand(Boundary::Clamped, other, Limit::NotBeyond);
                }
            }
            "min" => {
                for (inner, last) in [(a, b), (b, a)] {
                    if let Some(inner) = pair(inner, "max").and_then(|[c, d]| other_than_zero(c, d)) {
                        hand(Boundary::Clamped, inner, Limit::Is(last));
                    }
                    hand(Boundary::Clamped, inner, Limit::NotBelow(last));
                }
            }
            _ => {}
        }
    }
    found.into_iter()
}

fn size(e: &Expr) -> usize {
    let mut count = 0;
    visit(e, &mut |_| count += 1);
    count
}

/// The arguments of a function of two.
fn pair<'e>(e: &'e Expr, name: &str) -> Option<&'e [Expr; 2]> {
    match &e.kind {
        ExprKind::Apply { row, args } if row.name == name => args.as_slice().try_into().ok(),
        _ => None,
    }
}

/// The other one of two expressions of which one is zero.
fn other_than_zero<'e>(a: &'e Expr, b: &'e Expr) -> Option<&'e Expr> {
    match (a.constant_int(), b.constant_int()) {
        (Some(0), _) => Some(b),
        (_, Some(0)) => Some(a),
        _ => None,
    }
}

/// Has all reads inside of these arrays go by their mode: what reads windows wants one for all of an array.
pub(super) fn read_all(stmt: &mut Stmt, modes: &BTreeMap<VarId, Boundary>, variables: &Arena<Variable>) {
    operands_mut(stmt, &mut |operand| {
        transform(operand, &mut |e| {
            if let ExprKind::Load { array, index, boundary } = &mut e.kind
                && index.iter().all(|index| matches!(index, Index::At(_)))
                && let Some(variable) = root(array)
                && let Some(mode) = modes.get(&variable)
                && *boundary == Boundary::Unchecked
                && variables[variable].boundary == Boundary::Checked
            {
                *boundary = *mode;
            }
        });
    });
    blocks_mut(stmt, &mut |block| block.iter_mut().for_each(|stmt| read_all(stmt, modes, variables)));
}

/// Removes what computed indices that modes map now: assignments of index variables that nothing reads and that cannot fail.
pub(super) fn remove_unread(body: &mut Body, indices: &VarSet) {
    let mut found = !indices.is_empty();
    while found {
        let mut read: VarSet = body.results.iter().chain(&body.params).copied().collect();
        visit_stmts(&body.block, &mut |stmt| operands(stmt, &mut |e| read.add(&variables(e))));
        found = false;
        expand_stmts(&mut body.block, &mut |stmt| match &stmt.kind {
            StmtKind::Assign { variable, .. }
                if indices.contains(variable)
                    && !read.contains(variable)
                    && !may_fail::possible(&stmt, true) =>
            {
                found = true;
                Vec::new()
            }
            _ => vec![stmt],
        });
    }
}
