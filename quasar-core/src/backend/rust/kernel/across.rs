//! Loads of rows of positions that cross the rows of an array, in kernels that visit positions in tiles for their sake: the elements of
//! a tile are turned in a buffer.

use super::super::code::{Code, Ident, quote};
use super::super::expr::Printer;
use super::super::names::{self, number};
use super::super::stmt::anonymous;
use super::super::types;
use super::{Shaped, at_row, base};
use crate::analysis::access_pattern::AccessPattern;
use crate::ir::rewrite::visit;
use crate::ir::{Coordinate, Expr, ExprKind, Index, VarId};
use crate::types::Boundary;

/// Elements of an array along a dimension that is not the last.
pub(super) struct Crossing {
    array: VarId,
    boundary: Boundary,
    axis: usize,
    /// The indices of the first position of a segment `s`.
    at: Vec<Code>,
}

/// The name of the elements of a row.
pub(super) fn name(k: usize) -> Ident {
    anonymous("c", k)
}

impl Crossing {
    pub(super) fn array(&self) -> VarId {
        self.array
    }

    /// What stands before all rows, and what fetches the elements of a segment.
    pub(super) fn printed(&self, k: usize) -> (Code, Code) {
        let (buffer, name, array) = (anonymous("across", k), name(k), names::local(self.array));
        let (mode, axis, at) = (types::mode(self.boundary), number(self.axis), &self.at);
        let once = quote!(let mut #buffer = lib::Across::new(););
        (once, quote!(let #name = #buffer.fetch::<#mode, #axis, _>(&#array, [#(#at),*], s.len);))
    }
}

impl Shaped<'_> {
    /// An element of a turned tile, if rows of positions cross those of the array.
    pub(super) fn crossing(
        &self,
        printer: &mut Printer<'_>,
        array: VarId,
        index: &[Index],
        boundary: Boundary,
    ) -> Option<Code> {
        let tile = self.kernel.schedule.position_tile.as_ref()?;
        if boundary == Boundary::Checked || self.reaches.get(&array) != Some(&AccessPattern::ReadOnly) {
            return None;
        }
        let uniform = self.uniform();
        let (Index::At(last), lead) = index.split_last()? else { return None };
        let mut of_tile = false;
        visit(last, &mut |e| {
            of_tile |=
                matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, axis) if axis == tile.axis);
        });
        let across = |each: &Index| match each {
            Index::At(e) if uniform.holds(e) => Some(None),
            Index::At(e) => uniform.around(e).map(Some),
            _ => None,
        };
        let lead: Vec<_> = lead.iter().map(across).collect::<Option<_>>()?;
        let [axis] = (0..lead.len()).filter(|k| lead[*k].is_some()).collect::<Vec<_>>()[..] else {
            return None;
        };
        if !of_tile || !uniform.holds(last) || has_load(last) {
            return None;
        }
        let at = at_row(printer, |row| {
            let mut at = Vec::new();
            for (each, index) in lead.iter().chain([&None]).zip(index) {
                at.push(match (each, index) {
                    (Some(around), _) => {
                        let (base, offset) = (base(row, &around.base), around.offset);
                        quote!(s.start.wrapping_add(#base).wrapping_add(#offset))
                    }
                    (None, Index::At(e)) => row.value(e),
                    _ => return None,
                });
            }
            Some(at)
        })?;
        let mut found = self.found.borrow_mut();
        let same = |each: &Crossing| {
            (each.array, each.boundary, each.axis, &each.at) == (array, boundary, axis, &at)
        };
        let k = found.crossings.iter().position(same).unwrap_or_else(|| {
            found.crossings.push(Crossing { array, boundary, axis, at: at.clone() });
            found.crossings.len() - 1
        });
        let name = name(k);
        Some(quote!(#name[i]))
    }
}

fn has_load(e: &Expr) -> bool {
    let mut found = false;
    visit(e, &mut |e| found |= matches!(e.kind, ExprKind::Load { .. }));
    found
}
