//! Windows that end at the border: loops whose ends lie so far from the column, as in `for j = max(0, n-r)..min(N-1, n+r)` for positions
//! `(m, n)`. In columns where no end is at the border all lanes of a vector go round equally often, over neighbouring elements:
//!
//! ```text
//! for j = max(0, n-r)..min(N-1, n+r)        for columns n >= r, n <= N-1-r
//!     s = s + x[i, j]                =>     for j = -r..r
//! endfor                                        s = s + x[i, n+j]
//! ```
//!
//! The other columns keep the loop as it is written.

use crate::analysis::innermost_invariance::RowInvariance;
use crate::analysis::lanes::has_checked_loads;
use crate::ir::build::{self, int, int_type};
use crate::ir::rewrite::{
    blocks, blocks_mut, operands, operands_mut, same, set_in, sets, substitute, transform, transform_stmts,
    variables, visit, visit_stmts,
};
use crate::ir::schedule::ColumnBound;
use crate::ir::{Block, Coordinate, Expr, ExprKind, Range, Stmt, StmtKind, VarId, VarSet};
use crate::source::Span;
use crate::target::cpu::{WINDOW_COLUMNS, WINDOW_TERM, WINDOW_TERMS};
use crate::types::ElementType;
use crate::types::known::scalar;
use quasar_devicelib::ops::Row;
use std::collections::BTreeMap;

/// Lets loops over windows go round equally often for all columns inside of bounds.
pub(super) fn take(uniform: &RowInvariance<'_>, mut block: Block) -> (Block, Vec<ColumnBound>) {
    let (once, kept) = (set_once(&block), escaping(&block));
    let mut interior = Interior { uniform, once, definitions: BTreeMap::new(), kept, found: Vec::new() };
    interior.block(&mut block);
    (block, interior.found)
}

struct Interior<'k> {
    uniform: &'k RowInvariance<'k>,
    /// Variables that one assignment sets.
    once: VarSet,
    /// The values of those that are set before.
    definitions: BTreeMap<VarId, Expr>,
    /// Variables that are read outside of the loops over them.
    kept: VarSet,
    found: Vec<ColumnBound>,
}

/// An integer: some columns and terms with their signs; `true` is positive.
#[derive(Clone, Default)]
struct Place {
    columns: i32,
    terms: Vec<(bool, Expr)>,
    /// The columns for which it is so.
    bounds: Vec<ColumnBound>,
}

impl Place {
    fn plus(mut self, other: Place, sign: bool) -> Place {
        self.columns += if sign { other.columns } else { -other.columns };
        self.terms.extend(other.terms.into_iter().map(|(plus, term)| (plus == sign, term)));
        self.bounds.extend(other.bounds);
        // What is added and subtracted is nothing.
        while let Some((k, l)) = opposite(&self.terms) {
            self.terms.remove(l);
            self.terms.remove(k);
        }
        self
    }

    /// The terms without the columns.
    fn rest(&self, span: Span) -> Expr {
        self.terms.iter().fold(int(0, span), |sum, (plus, term)| match (sum.constant_int(), plus) {
            (Some(0), true) => term.clone(),
            _ => build::of_ints(if *plus { "add" } else { "subtract" }, sum, term.clone()),
        })
    }
}

fn opposite(terms: &[(bool, Expr)]) -> Option<(usize, usize)> {
    (0..terms.len()).find_map(|k| {
        let against = |l: &usize| terms[k].0 != terms[*l].0 && same(&terms[k].1, &terms[*l].1);
        (k + 1..terms.len()).find(against).map(|l| (k, l))
    })
}

impl Interior<'_> {
    fn block(&mut self, block: &mut Block) {
        let before = self.definitions.clone();
        for stmt in block {
            if let StmtKind::Assign { variable, value } = &stmt.kind
                && self.once.contains(variable)
            {
                self.definitions.insert(*variable, value.clone());
            }
            if let StmtKind::For { variable, range, body, .. } = &mut stmt.kind {
                self.window(*variable, range, body);
            }
            blocks_mut(stmt, &mut |inner| self.block(inner));
        }
        self.definitions = before;
    }

    /// Lets a loop go round equally often, if its ends are at the same distance from the column or from each other.
    fn window(&mut self, variable: VarId, range: &mut Range, body: &mut Block) {
        let steps = range.step.as_ref().is_none_or(|step| step.constant_int().is_some());
        if !steps || self.uniform.holds(&range.from) && self.uniform.holds(&range.to) {
            return;
        }
        let (Some(from), Some(to)) = (self.place(&range.from), self.place(&range.to)) else { return };
        let free = !self.kept.contains(&variable) && !set_in(body).contains(&variable);
        let from_column = match (from.columns, to.columns) {
            (0, 0) => false,
            (1, 1) if free => true,
            _ => return,
        };
        let span = range.from.span;
        (range.from, range.to) = (from.rest(span), to.rest(span));
        // Then no place that is compared with a limit leaves `int`.
        self.note(ColumnBound { least: false, strict: false, value: int(WINDOW_COLUMNS, span) });
        for end in [from, to] {
            if from_column {
                // Ends that leave `int` would be in another order than their distances.
                self.note(self.bound(false, &int(WINDOW_TERM, span), &end));
            }
            end.bounds.into_iter().for_each(|bound| self.note(bound));
        }
        let here = build::of_ints("add", self.column(span), build::local(variable, int_type(), span));
        let replacements = BTreeMap::from([(variable, here)]);
        transform_stmts(body, &mut |s| {
            operands_mut(s, &mut |e| {
                if from_column {
                    substitute(e, &replacements);
                }
                transform(e, &mut |e| self.simplify(e, variable));
            });
        });
    }

    fn note(&mut self, bound: ColumnBound) {
        let known = |other: &ColumnBound| other.least == bound.least && same(&other.value, &bound.value);
        if !self.found.iter().any(known) {
            self.found.push(bound);
        }
    }

    /// Integers of the body of a loop as distances from the column: `w[j - n + r]`, `x[lo + j]`.
    fn simplify(&mut self, e: &mut Expr, variable: VarId) {
        let sums = match &e.kind {
            ExprKind::Local(v) => self.definitions.contains_key(v),
            ExprKind::Apply { row, .. } => matches!(row.name, "add" | "subtract" | "min" | "max"),
            _ => false,
        };
        if !sums || scalar(&e.ty) != Some(ElementType::Int32) || self.uniform.holds(e) {
            return;
        }
        let Some(place) = self.place_in(e, Some(variable)) else { return };
        let in_loop = place.bounds.iter().any(|bound| variables(&bound.value).contains(&variable));
        if in_loop || !(0..=1).contains(&place.columns) {
            return;
        }
        let (span, rest) = (e.span, place.rest(e.span));
        *e = match (place.columns, rest.constant_int()) {
            (0, _) => rest,
            (_, Some(0)) => self.column(span),
            _ => build::of_ints("add", self.column(span), rest),
        };
        place.bounds.into_iter().for_each(|bound| self.note(bound));
    }

    fn column(&self, span: Span) -> Expr {
        Expr::new(ExprKind::Coordinate(Coordinate::Position, self.uniform.column()), int_type(), span)
    }

    fn place(&self, e: &Expr) -> Option<Place> {
        self.place_in(e, None)
    }

    /// An integer as a number of columns and what is the same for a row, in columns where no end is at its limit. The variable of the
    /// loop is the same for a row too.
    fn place_in(&self, e: &Expr, variable: Option<VarId>) -> Option<Place> {
        if scalar(&e.ty) != Some(ElementType::Int32) {
            return None;
        }
        let is_variable = matches!(e.kind, ExprKind::Local(v) if Some(v) == variable);
        if is_variable || self.uniform.holds(e) && !has_checked_loads(e) {
            let terms = if e.constant_int() == Some(0) { Vec::new() } else { vec![(true, e.clone())] };
            return Some(Place { terms, ..Place::default() });
        }
        let found = match &e.kind {
            ExprKind::Coordinate(Coordinate::Position, axis) if *axis == self.uniform.column() => {
                Place { columns: 1, ..Place::default() }
            }
            // What is set before the loop does not mean its variable, though it may be one of the same name.
            ExprKind::Local(v) => self.place(self.definitions.get(v)?)?,
            ExprKind::Apply { row, args } => {
                let [a, b] = args.as_slice() else { return None };
                let (left, right) = (self.place_in(a, variable)?, self.place_in(b, variable)?);
                match row.name {
                    "add" => left.plus(right, true),
                    "subtract" => left.plus(right, false),
                    "min" | "max" => self.limited(row, left, right, e.span)?,
                    _ => return None,
                }
            }
            _ => return None,
        };
        (found.terms.len() <= WINDOW_TERMS).then_some(found)
    }

    /// The lesser or greater of two integers: the one that depends on the column, where the other is no limit.
    fn limited(&self, row: &'static Row, a: Place, b: Place, span: Span) -> Option<Place> {
        let (limit, mut place) = match (a.columns, b.columns) {
            (0, 1) => (a, b),
            (1, 0) => (b, a),
            (0, 0) => {
                let term = build::of_ints(row.name, a.rest(span), b.rest(span));
                let bounds = a.bounds.into_iter().chain(b.bounds).collect();
                return Some(Place { columns: 0, terms: vec![(true, term)], bounds });
            }
            _ => return None,
        };
        place.bounds.push(self.bound(row.name == "max", &limit.rest(span), &place));
        place.bounds.extend(limit.bounds);
        Some(place)
    }

    /// Columns for which a place is at a limit or behind it, or before it. None where sums might leave `int`.
    fn bound(&self, least: bool, limit: &Expr, place: &Place) -> ColumnBound {
        let span = limit.span;
        let less = |value: Expr, (plus, term): &(bool, Expr)| {
            build::of_ints(if *plus { "subtract" } else { "add" }, value, term.clone())
        };
        let value = place.terms.iter().fold(limit.clone(), less);
        let none = int(if least { i32::MAX } else { i32::MIN }, span);
        let terms = place.terms.iter().map(|(_, term)| term).chain([limit]);
        let value =
            terms.filter_map(exact).fold(value, |value, holds| build::select(holds, value, none.clone()));
        ColumnBound { least, strict: false, value }
    }
}

/// Whether a number is no greater than `WINDOW_TERM`, where that is not known.
fn exact(term: &Expr) -> Option<Expr> {
    if term.constant_int().is_some_and(|n| (-WINDOW_TERM..=WINDOW_TERM).contains(&n)) {
        return None;
    }
    let span = term.span;
    let below = build::of_ints("less_equal", term.clone(), int(WINDOW_TERM, span));
    let above = build::of_ints("greater_equal", term.clone(), int(-WINDOW_TERM, span));
    Some(build::and(below, above))
}

/// The variables that one assignment sets, and nothing else.
fn set_once(block: &[Stmt]) -> VarSet {
    let mut counts = BTreeMap::<VarId, u32>::new();
    visit_stmts(block, &mut |stmt| sets(stmt, &mut |v| *counts.entry(*v).or_default() += 1));
    counts.into_iter().filter(|(_, count)| *count == 1).map(|(v, _)| v).collect()
}

/// The variables that are read where no loop over them is around.
fn escaping(block: &[Stmt]) -> VarSet {
    fn walk(block: &[Stmt], around: &mut Vec<VarId>, found: &mut VarSet) {
        for stmt in block {
            operands(stmt, &mut |e| {
                visit(e, &mut |e| match e.kind {
                    ExprKind::Local(v) if !around.contains(&v) => {
                        found.insert(v);
                    }
                    _ => {}
                });
            });
            let of = if let StmtKind::For { variable, .. } = &stmt.kind { Some(*variable) } else { None };
            around.extend(of);
            blocks(stmt, &mut |inner| walk(inner, around, found));
            around.truncate(around.len() - of.iter().len());
        }
    }
    let mut found = VarSet::new();
    walk(block, &mut Vec::new(), &mut found);
    found
}
