//! Arrays that a kernel writes at several places of each position, such as the four quarters of a picture: where the rows lie that
//! the first component of the position selects, so that threads with other values of it may have other rows; and rows that all
//! positions read and that the launch finds to be none of those, such as the row that an elimination takes from all below it.

use crate::ir::conversions::total;
use crate::ir::rewrite::{same, sets, visit, visit_block, visit_stmts};
use crate::ir::schedule::{BandPlace, Bands};
use crate::ir::{Coordinate, Expr, ExprKind, Index, Kernel, Range, StmtKind, VarId, VarSet};
use crate::target::cpu::BANDS;
use crate::types::known::{rank, scalar};
use crate::types::{Boundary, ElementType};
use std::collections::BTreeMap;

/// Larger factors and distances are not followed.
const LARGEST: i64 = 1 << 16;

/// The places of an array of which a kernel changes elements. `None` if they are not of this form, or if neighbouring positions
/// surely have rows in common.
pub fn bands(kernel: &Kernel, array: VarId) -> Option<Bands> {
    let body = &kernel.body;
    let known = Known::new(kernel);
    let array_rank = rank(&body.variables[array].ty)?;
    let mut found: Option<Bands> = None;
    let mut fits = true;
    let alone = |index: &[Index], boundary: Boundary| {
        let alone = matches!(boundary, Boundary::Checked | Boundary::Unchecked | Boundary::Safe);
        alone && index.len() == array_rank
    };
    let place = |found: &mut Option<Bands>, index: &[Index]| {
        known.place(index).is_some_and(|(axis, factor, place)| {
            let (places, read) = (Vec::new(), Vec::new());
            let bands = found.get_or_insert_with(|| Bands { array, axis, factor, places, read });
            bands.axis == axis && bands.factor == factor && add(bands, place)
        })
    };
    let is_array = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if v == array);
    visit_stmts(&body.block, &mut |stmt| match &stmt.kind {
        StmtKind::Store { array, index, boundary, .. }
        | StmtKind::Update { array, index, boundary, .. }
        | StmtKind::Exchange { array, index, boundary, .. }
            if is_array(array) =>
        {
            fits &= alone(index, *boundary) && place(&mut found, index);
        }
        _ => {}
    });
    visit_block(&body.block, &mut |e| {
        if let ExprKind::Load { array, index, boundary } = &e.kind
            && is_array(array)
        {
            let fixed = found.as_ref().and_then(|bands| known.row(index, bands.axis));
            fits &= alone(index, *boundary)
                && match (fixed, &mut found) {
                    (Some(row), Some(bands)) => {
                        let alike = |other: &Vec<Expr>| other.iter().zip(&row).all(|(a, b)| same(a, b));
                        if !bands.read.iter().any(alike) {
                            bands.read.push(row);
                        }
                        bands.read.len() <= BANDS
                    }
                    _ => place(&mut found, index),
                };
        }
    });
    // Each of these rows is looked for behind the bands: there are pieces beside two of them.
    let fits = fits && found.as_ref().is_none_or(|bands| bands.read.is_empty() || bands.places.len() <= 2);
    found.filter(|bands| fits && bands.places.len() <= BANDS)
}

/// Adds a place, unless its rows are surely those of another position at another place.
fn add(bands: &mut Bands, place: BandPlace) -> bool {
    let alike = |known: &&mut BandPlace| {
        known.lead.len() == place.lead.len()
            && known.lead.iter().zip(&place.lead).all(|(a, b)| same(a, b))
            && known.terms.len() == place.terms.len()
            && known.terms.iter().zip(&place.terms).all(|(a, b)| a.0 == b.0 && same(&a.1, &b.1))
    };
    let (low, high) = match bands.places.iter_mut().find(alike) {
        Some(known) => {
            let (a, b) = (known.span, place.span);
            known.span = (a.0.min(b.0), a.1.max(b.1));
            known.span
        }
        None => {
            let span = place.span;
            bands.places.push(place);
            span
        }
    };
    i64::from(high) - i64::from(low) < i64::from(bands.factor)
}

/// What all threads of a launch know, and the values of loop variables.
struct Known<'k> {
    kernel: &'k Kernel,
    /// The variables that the kernel assigns to.
    set: VarSet,
    /// The values of loop variables that are numbers.
    loops: BTreeMap<VarId, (i32, i32)>,
}

impl<'k> Known<'k> {
    fn new(kernel: &'k Kernel) -> Known<'k> {
        let (mut set, mut loops) = (VarSet::new(), BTreeMap::new());
        visit_stmts(&kernel.body.block, &mut |stmt| match &stmt.kind {
            StmtKind::For { variable, range, .. } => match rounds(range) {
                Some((low, high)) => {
                    let known = loops.entry(*variable).or_insert((low, high));
                    *known = (known.0.min(low), known.1.max(high));
                }
                None => {
                    set.insert(*variable);
                }
            },
            _ => sets(stmt, &mut |v| {
                set.insert(*v);
            }),
        });
        Known { kernel, set, loops }
    }

    /// Whether all threads of a launch have one value, which does not fail.
    fn holds(&self, expr: &Expr) -> bool {
        let mut all = true;
        visit(expr, &mut |e| {
            all &= match &e.kind {
                ExprKind::Local(v) => {
                    self.kernel.body.params.contains(v)
                        && !self.set.contains(v)
                        && !self.loops.contains_key(v)
                }
                ExprKind::Constant(_)
                | ExprKind::Apply { .. }
                | ExprKind::Extent(..)
                | ExprKind::Count(_)
                | ExprKind::And(..)
                | ExprKind::Or(..)
                | ExprKind::Select { .. } => true,
                ExprKind::Convert(inner) => scalar(&inner.ty).is_some() && total(inner, e),
                _ => false,
            };
        });
        all
    }

    /// The indices up to an axis, if all threads of a launch know them.
    fn row(&self, index: &[Index], axis: usize) -> Option<Vec<Expr>> {
        let at = |each: &Index| match each {
            Index::At(e) if self.holds(e) => Some(e.clone()),
            _ => None,
        };
        index.get(..=axis)?.iter().map(at).collect()
    }

    /// The axis and the factor of an index, and its place.
    fn place(&self, index: &[Index]) -> Option<(usize, i32, BandPlace)> {
        let at = |each: &Index| match each {
            Index::At(e) => Some(e.clone()),
            // Behind the axis indices do not matter.
            Index::Range(range) => Some(range.from.clone()),
            Index::All | Index::List(_) | Index::Position(_) => None,
        };
        let all: Vec<Expr> = index.iter().map(at).collect::<Option<_>>()?;
        let axis = all.iter().position(|e| !self.holds(e))?;
        if !matches!(index[axis], Index::At(_)) {
            return None;
        }
        let (lead, rest) = all.split_at(axis);
        let mut sum = Sum::default();
        self.add(&rest[0], 1, &mut sum)?;
        let number = |n: i64| i32::try_from(n).ok();
        let factor = number(sum.position).filter(|factor| *factor > 0)?;
        let span = (number(sum.low)?, number(sum.high)?);
        Some((axis, factor, BandPlace { lead: lead.to_vec(), terms: sum.terms, span }))
    }

    fn add(&self, expr: &Expr, factor: i64, sum: &mut Sum) -> Option<()> {
        if factor.abs() > LARGEST || scalar(&expr.ty) != Some(ElementType::Int32) {
            return None;
        }
        let span = match &expr.kind {
            ExprKind::Local(v) if !self.set.contains(v) => self.loops.get(v).copied(),
            _ => expr.constant_int().map(|n| (n, n)),
        };
        if let Some((low, high)) = span {
            let (low, high) = (i64::from(low) * factor, i64::from(high) * factor);
            sum.low += low.min(high);
            sum.high += low.max(high);
            return Some(());
        }
        match &expr.kind {
            ExprKind::Coordinate(Coordinate::Position, 0) => sum.position += factor,
            ExprKind::Apply { row, args } => match (row.name, args.as_slice()) {
                ("add", [a, b]) => {
                    self.add(a, factor, sum)?;
                    self.add(b, factor, sum)?;
                }
                ("subtract", [a, b]) => {
                    self.add(a, factor, sum)?;
                    self.add(b, -factor, sum)?;
                }
                ("negate", [a]) => self.add(a, -factor, sum)?,
                ("multiply", [a, b]) if a.constant_int().is_some() || b.constant_int().is_some() => {
                    let (by, other) = if a.constant_int().is_some() { (a, b) } else { (b, a) };
                    let by = by.constant_int().map(i64::from).filter(|by| by.abs() <= LARGEST)?;
                    self.add(other, factor * by, sum)?;
                }
                _ => self.term(expr, factor, sum)?,
            },
            _ => self.term(expr, factor, sum)?,
        }
        (sum.position.abs() <= LARGEST).then_some(())
    }

    fn term(&self, expr: &Expr, factor: i64, sum: &mut Sum) -> Option<()> {
        self.holds(expr).then(|| sum.terms.push((factor, expr.clone())))
    }
}

/// The least and the greatest value of a loop variable, if they are numbers and there is a round.
fn rounds(range: &Range) -> Option<(i32, i32)> {
    let (from, to) = (range.from.constant_int()?, range.to.constant_int()?);
    let step = range.step.as_ref().map_or(Some(1), Expr::constant_int)?;
    let goes = if step > 0 { from <= to } else { step < 0 && from >= to };
    goes.then(|| (from.min(to), from.max(to)))
}

/// `position * first component + terms`, and a number between two.
#[derive(Default)]
struct Sum {
    position: i64,
    terms: Vec<(i64, Expr)>,
    low: i64,
    high: i64,
}
