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
    visit, visit_stmts,
};
use crate::ir::schedule::ColumnBound;
use crate::ir::{Block, Coordinate, Expr, ExprKind, Range, Stmt, StmtKind, VarId, VarSet};
use crate::source::Span;
use crate::types::ElementType;
use crate::types::known::scalar;
use std::collections::BTreeMap;

/// Numbers up to this one are added without leaving `int`, as many as an end has terms. In longer rows windows stay as they are.
const EXACT: i32 = 1 << 28;

/// The most terms of an end beside the column.
const TERMS: usize = 3;

/// Lets loops over windows go round equally often for all columns inside of bounds.
pub(super) fn take(uniform: &RowInvariance<'_>, mut block: Block) -> (Block, Vec<ColumnBound>) {
    let mut interior =
        Interior { uniform, definitions: definitions(&block), kept: escaping(&block), found: Vec::new() };
    interior.block(&mut block);
    let mut bounds = Vec::<ColumnBound>::new();
    for bound in interior.found {
        let known = |other: &ColumnBound| other.least == bound.least && same(&other.value, &bound.value);
        if !bounds.iter().any(known) {
            bounds.push(bound);
        }
    }
    (block, bounds)
}

/// Whether there are such loops.
pub(super) fn has_windows(uniform: &RowInvariance<'_>, block: &Block) -> bool {
    !take(uniform, block.clone()).1.is_empty()
}

struct Interior<'k> {
    uniform: &'k RowInvariance<'k>,
    /// Integers that are set once.
    definitions: BTreeMap<VarId, Expr>,
    /// Variables that are read outside of the loops over them.
    kept: VarSet,
    found: Vec<ColumnBound>,
}

/// The distance from the column, as terms with their signs; `true` is positive.
type Distance = Vec<(bool, Expr)>;

impl Interior<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            if let StmtKind::For { variable, range, body, .. } = &mut stmt.kind
                && let Some((from, to)) = self.ends(range)
                && !self.kept.contains(variable)
                && !set_in(body).contains(variable)
            {
                let (j, span) = (*variable, range.from.span);
                range.from = distance(&from, span);
                range.to = distance(&to, span);
                let here = build::of_ints("add", self.column(span), build::local(j, int_type(), span));
                let replacements = BTreeMap::from([(j, here)]);
                transform_stmts(body, &mut |s| {
                    operands_mut(s, &mut |e| {
                        substitute(e, &replacements);
                        transform(e, &mut |e| self.from_column(e));
                    });
                });
            }
            blocks_mut(stmt, &mut |inner| self.block(inner));
        }
    }

    /// Takes the column out of a difference of a loop variable and a place at some distance, as in `w[j - n + r]`.
    fn from_column(&self, e: &mut Expr) {
        if let ExprKind::Apply { row, args } = &e.kind
            && row.name == "subtract"
            && let [place, other] = args.as_slice()
            && let ExprKind::Apply { row, args } = &place.kind
            && row.name == "add"
            && let [column, j] = args.as_slice()
            && same(column, &self.column(column.span))
            && let Some(terms) = self.distance(other)
        {
            let less = |left: Expr, (plus, term): &(bool, Expr)| {
                build::of_ints(if *plus { "subtract" } else { "add" }, left, term.clone())
            };
            *e = terms.iter().fold(j.clone(), less);
        }
    }

    fn column(&self, span: Span) -> Expr {
        Expr::new(ExprKind::Coordinate(Coordinate::Position, self.uniform.column()), int_type(), span)
    }

    /// The ends of a loop as distances from the column, whose bounds are noted, if both are so.
    fn ends(&mut self, range: &Range) -> Option<(Distance, Distance)> {
        let steps = range.step.as_ref().is_none_or(|step| step.constant_int().is_some());
        let (from, first) = self.end(&range.from).filter(|_| steps)?;
        let (to, second) = self.end(&range.to)?;
        self.found.extend(first.into_iter().chain(second));
        Some((from, to))
    }

    fn end(&self, end: &Expr) -> Option<(Distance, Vec<ColumnBound>)> {
        let end = match &end.kind {
            ExprKind::Local(v) => self.definitions.get(v).unwrap_or(end),
            _ => end,
        };
        if let ExprKind::Apply { row, args } = &end.kind
            && matches!(row.name, "min" | "max")
            && let [a, b] = args.as_slice()
        {
            let (limit, distance) = match (self.distance(a), self.distance(b)) {
                (Some(distance), None) if self.is_limit(b) => (b, distance),
                (None, Some(distance)) if self.is_limit(a) => (a, distance),
                _ => return None,
            };
            return Some((distance.clone(), vec![self.bound(row.name == "max", limit, &distance)]));
        }
        let distance = self.distance(end)?;
        // Sums that leave `int` would mean other elements.
        let bound = self.bound(false, &int(EXACT, end.span), &distance);
        Some((distance, vec![bound]))
    }

    fn is_limit(&self, e: &Expr) -> bool {
        scalar(&e.ty) == Some(ElementType::Int32) && self.uniform.holds(e) && !has_checked_loads(e)
    }

    /// How far from the column an integer is, if that is the same for a row.
    fn distance(&self, e: &Expr) -> Option<Distance> {
        let found = match &e.kind {
            ExprKind::Coordinate(Coordinate::Position, axis) if *axis == self.uniform.column() => Vec::new(),
            ExprKind::Apply { row, args } if matches!(row.name, "add" | "subtract") => {
                let [a, b] = args.as_slice() else { return None };
                let plus = row.name == "add";
                let (mut terms, sign, term) = match self.distance(a) {
                    Some(terms) => (terms, plus, b),
                    None if plus => (self.distance(b)?, true, a),
                    None => return None,
                };
                if !self.is_limit(term) {
                    return None;
                }
                terms.push((sign, term.clone()));
                terms
            }
            _ => return None,
        };
        (found.len() <= TERMS && scalar(&e.ty) == Some(ElementType::Int32)).then_some(found)
    }

    /// Columns that lie so far from a limit or farther: `n + distance >= limit`, or `<=`. None where sums might leave `int`.
    fn bound(&self, least: bool, limit: &Expr, distance: &Distance) -> ColumnBound {
        let span = limit.span;
        let mut value = limit.clone();
        for (plus, term) in distance {
            value = build::of_ints(if *plus { "subtract" } else { "add" }, value, term.clone());
        }
        let none = int(if least { i32::MAX } else { i32::MIN }, span);
        let terms = distance.iter().map(|(_, term)| term).chain([limit]);
        let value =
            terms.filter_map(exact).fold(value, |value, holds| build::select(holds, value, none.clone()));
        ColumnBound { least, strict: false, value }
    }
}

/// Whether a number is no greater than `EXACT`, where that is not known.
fn exact(term: &Expr) -> Option<Expr> {
    if term.constant_int().is_some_and(|n| (-EXACT..=EXACT).contains(&n)) {
        return None;
    }
    let span = term.span;
    let below = build::of_ints("less_equal", term.clone(), int(EXACT, span));
    let above = build::of_ints("greater_equal", term.clone(), int(-EXACT, span));
    Some(build::and(below, above))
}

fn distance(terms: &Distance, span: Span) -> Expr {
    terms.iter().fold(int(0, span), |sum, (plus, term)| match (sum.constant_int(), plus) {
        (Some(0), true) => term.clone(),
        _ => build::of_ints(if *plus { "add" } else { "subtract" }, sum, term.clone()),
    })
}

/// The integers that one assignment sets.
fn definitions(block: &[Stmt]) -> BTreeMap<VarId, Expr> {
    let (mut counts, mut found) = (BTreeMap::<VarId, u32>::new(), BTreeMap::new());
    visit_stmts(block, &mut |stmt| {
        sets(stmt, &mut |v| *counts.entry(*v).or_default() += 1);
        if let StmtKind::Assign { variable, value } = &stmt.kind {
            found.insert(*variable, value.clone());
        }
    });
    found.retain(|v, _| counts.get(v) == Some(&1));
    found
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
