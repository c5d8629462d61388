//! Elements that lanes read at places which the column decides, as where an image is resized: `x[i, j[n] - 1]` and `x[i, j[n]]` are
//! gathered together, from the same few registers.

use super::super::code::{Code, quote};
use super::super::expr::{Printer, constant};
use super::super::names::{self, number};
use super::lanes::LaneCode;
use crate::analysis::innermost_invariance::RowInvariance;
use crate::analysis::lanes::{Lanes, Place, lanes, place};
use crate::ir::rewrite::{same, visit_block};
use crate::ir::{Block, Expr, ExprKind, Index, VarId, build};
use crate::types::Boundary;
use quasar_devicelib::element::Scalar;

/// Elements of one row that differ by constants.
pub(super) struct ColumnGroup {
    array: VarId,
    boundary: Boundary,
    axis: usize,
    lane: Expr,
    /// The indices for all lanes, without the constants.
    at: Vec<Index>,
    shifts: Vec<i32>,
}

impl ColumnGroup {
    /// The groups of a loop over the lanes.
    pub(super) fn all(uniform: &RowInvariance<'_>, body: &Block) -> Vec<ColumnGroup> {
        let mut groups: Vec<ColumnGroup> = Vec::new();
        visit_block(body, &mut |e| {
            let ExprKind::Load { array, index, boundary } = &e.kind else { return };
            let ExprKind::Local(array) = array.kind else { return };
            if lanes(uniform, None, index) != Lanes::ByColumn {
                return;
            }
            let Some(one) = ColumnGroup::of(uniform, array, *boundary, index) else { return };
            match groups.iter_mut().find(|group| group.is_like(&one)) {
                Some(group) if group.shifts.contains(&one.shifts[0]) => {}
                Some(group) => group.shifts.extend(one.shifts),
                None => groups.push(one),
            }
        });
        groups
    }

    /// The group of one element.
    fn of(
        uniform: &RowInvariance<'_>,
        array: VarId,
        boundary: Boundary,
        index: &[Index],
    ) -> Option<ColumnGroup> {
        let Place { axis, lane, shift } = place(uniform, index)?;
        let (shift, by) = without_constant(&shift);
        let mut at = index.to_vec();
        at[axis] = Index::At(shift);
        Some(ColumnGroup { array, boundary, axis, lane, at, shifts: vec![by] })
    }

    fn is_like(&self, other: &ColumnGroup) -> bool {
        let alike = |(a, b): (&Index, &Index)| matches!((a, b), (Index::At(a), Index::At(b)) if same(a, b));
        (self.array, self.boundary, self.axis) == (other.array, other.boundary, other.axis)
            && same(&self.lane, &other.lane)
            && self.at.len() == other.at.len()
            && self.at.iter().zip(&other.at).all(alike)
    }
}

/// An integer as a sum with a constant.
fn without_constant(e: &Expr) -> (Expr, i32) {
    if let Some(constant) = e.constant_int() {
        return (build::int(0, e.span), constant);
    }
    let ExprKind::Apply { row, args } = &e.kind else { return (e.clone(), 0) };
    let apply = |a: Expr, b: Expr| build::apply(row, vec![a, b], e.ty.clone(), e.span);
    match (row.name, args.as_slice()) {
        ("add", [a, b]) => {
            let ((a, more), (b, further)) = (without_constant(a), without_constant(b));
            let sum = match (a.constant_int(), b.constant_int()) {
                (Some(0), _) => b,
                (_, Some(0)) => a,
                _ => apply(a, b),
            };
            (sum, more.wrapping_add(further))
        }
        ("subtract", [a, b]) => {
            let ((a, more), (b, less)) = (without_constant(a), without_constant(b));
            let sum = if b.constant_int() == Some(0) { a } else { apply(a, b) };
            (sum, more.wrapping_sub(less))
        }
        _ => (e.clone(), 0),
    }
}

impl LaneCode<'_> {
    /// An element of a group, all of which are gathered before the loop over the lanes.
    pub(super) fn by_column(
        &self,
        printer: &mut Printer<'_>,
        (array, boundary, index): (VarId, Boundary, &[Index]),
        mode: &Code,
    ) -> Option<Code> {
        let own = ColumnGroup::of(&self.uniform, array, boundary, index)?;
        let (lane, at, shifts) = {
            let columns = self.columns.borrow();
            let group = columns.iter().find(|group| group.is_like(&own))?;
            (group.lane.clone(), group.at.clone(), group.shifts.clone())
        };
        let k = number(shifts.iter().position(|shift| *shift == own.shifts[0])?);
        let place = printer.value(&lane);
        let p = names::position(self.shaped.kernel.rank - 1);
        let places = quote! {
            lib::Places::<L>::new::<I>(std::array::from_fn(|i| { let #p = start.wrapping_add(i as i32); #place }))
        };
        let places = self.fetch("g", places.clone(), || places);
        let (name, at, axis) = (names::local(array), printer.element_index(&at, lane.span), number(own.axis));
        let (shifts, count): (Vec<Code>, _) =
            (shifts.iter().map(|shift| constant(Scalar::I32(*shift))).collect(), number(shifts.len()));
        let found = quote!(#name.gather::<I, #mode, #axis, L, #count>(#at, [#(#shifts),*], &#places));
        let found = self.fetch("s", found.clone(), || found);
        Some(quote!(#found[#k][i]))
    }
}
