//! Boxes of positions: where every access of a position is to an element that numbers name, as in `a[p,0,1]`, each array is a list of
//! boxes of as many elements. The elements become variables, which are fetched before and stored behind, so that no index is tested.

use crate::analysis::access_pattern::{self, AccessPattern};
use crate::ir::barriers::waits;
use crate::ir::rewrite::{operands, operands_mut, transform, transform_stmts, visit, visit_stmts};
use crate::ir::schedule::{ArrayBox, PositionBoxes};
use crate::ir::{Block, Coordinate, Expr, ExprKind, Index, Kernel, Program, StmtKind, VarId, Variable};
use crate::target::cpu::{BOX_ELEMENTS, LEAST_BOX_ELEMENTS};
use crate::transform::kernel::private_arrays::of_element;
use crate::transform::schedule::vectorize::{Allowed, is_plain};
use crate::types::known::scalar;
use crate::types::{Boundary, ElementType};
use std::collections::BTreeMap;

/// The boxes of a kernel, if all its arrays have some, and the variables for their elements.
pub(super) fn choose(program: &Program, kernel: &Kernel) -> Option<(PositionBoxes, Vec<Variable>)> {
    let body = &kernel.body;
    let plain = kernel.parallel
        && kernel.rank == 1
        && !kernel.aliased
        && body.results.is_empty()
        && kernel.accumulators.is_empty()
        && kernel.schedule.tables.is_none()
        && !waits(&body.block)
        && is_plain(body, &body.block, &Allowed { narrows: true, ..Allowed::default() });
    let reaches = access_pattern::reaches(program, kernel);
    let own =
        |reach: &AccessPattern| matches!(reach, AccessPattern::ReadOnly | AccessPattern::OwnRows { .. });
    if !plain || !reaches.values().all(own) {
        return None;
    }
    let extents = extents(kernel)?;
    let elements = |extents: &Vec<u32>| extents.iter().product::<u32>();
    let most = extents.values().map(elements).max()?;
    // Vectors take a few elements apart.
    if !(LEAST_BOX_ELEMENTS..=BOX_ELEMENTS).contains(&most)
        || reaches.keys().any(|v| !extents.contains_key(v))
    {
        return None;
    }
    let mut boxes = Boxes {
        first: body.variables.len(),
        variables: Vec::new(),
        arrays: extents.into_iter().map(|(array, extents)| (array, made(array, extents))).collect(),
    };
    let mut block = body.block.clone();
    boxes.fill(&mut block);
    let arrays = boxes.arrays.into_values().collect();
    Some((PositionBoxes { block, arrays }, boxes.variables))
}

fn made(array: VarId, extents: Vec<u32>) -> ArrayBox {
    ArrayBox { array, extents, places: Vec::new(), variables: Vec::new() }
}

/// Boxes that get their variables.
struct Boxes {
    /// The number of variables without those of boxes.
    first: usize,
    variables: Vec<Variable>,
    arrays: BTreeMap<VarId, ArrayBox>,
}

impl Boxes {
    /// Puts variables in the place of elements.
    fn fill(&mut self, block: &mut Block) {
        transform_stmts(block, &mut |stmt| {
            operands_mut(stmt, &mut |e| {
                transform(e, &mut |e| {
                    if let ExprKind::Load { array, index, .. } = &e.kind
                        && let Some(variable) = self.variable(array, index, e)
                    {
                        e.kind = ExprKind::Local(variable);
                    }
                });
            });
            if let StmtKind::Store { array, index, value, .. } = &stmt.kind
                && let Some(variable) = self.variable(array, index, value)
            {
                let value = of_element(variable, value.clone());
                stmt.kind = StmtKind::Assign { variable, value };
            }
        });
    }

    /// The variable of an element, whose type is that of `like`.
    fn variable(&mut self, array: &Expr, index: &[Index], like: &Expr) -> Option<VarId> {
        let ExprKind::Local(array) = array.kind else { return None };
        let each = self.arrays.get_mut(&array)?;
        let place = places(index)?.iter().zip(&each.extents).fold(0, |place, (k, extent)| place * extent + k);
        if let Some(known) = each.places.iter().position(|other| *other == place) {
            return Some(each.variables[known]);
        }
        let variable = VarId::new(self.first + self.variables.len());
        self.variables.push(Variable::new("$element", like.ty.clone(), like.span));
        each.places.push(place);
        each.variables.push(variable);
        Some(variable)
    }
}

/// For each array how many elements along its other dimensions positions name; `None` where something else is done.
fn extents(kernel: &Kernel) -> Option<BTreeMap<VarId, Vec<u32>>> {
    let mut found: BTreeMap<VarId, Vec<u32>> = BTreeMap::new();
    let mut fits = true;
    visit_stmts(&kernel.body.block, &mut |stmt| {
        fits &= matches!(stmt.kind, StmtKind::Assign { .. } | StmtKind::Store { .. } | StmtKind::If { .. });
        if let StmtKind::Store { array, index, boundary, value } = &stmt.kind {
            fits &= is_direct(*boundary) && note(&mut found, array, index, value);
        }
        operands(stmt, &mut |e| {
            visit(e, &mut |e| match &e.kind {
                ExprKind::Load { array, index, boundary } => {
                    fits &= is_direct(*boundary) && note(&mut found, array, index, e);
                }
                ExprKind::Extent(..) | ExprKind::Count(_) => fits = false,
                _ => {}
            });
        });
    });
    fits.then_some(found)
}

/// Whether an index inside is that of the element.
fn is_direct(boundary: Boundary) -> bool {
    matches!(boundary, Boundary::Checked | Boundary::Unchecked)
}

/// Notes an element of the box of the position. Returns whether it is one.
fn note(found: &mut BTreeMap<VarId, Vec<u32>>, array: &Expr, index: &[Index], like: &Expr) -> bool {
    let ExprKind::Local(array) = array.kind else { return false };
    let Some(places) = places(index) else { return false };
    let extents = found.entry(array).or_insert_with(|| vec![0; places.len()]);
    for (extent, place) in extents.iter_mut().zip(places) {
        *extent = (*extent).max(place.saturating_add(1));
    }
    matches!(scalar(&like.ty), Some(ElementType::Single | ElementType::Double | ElementType::Int32))
}

/// The numbers behind the position in an index.
fn places(index: &[Index]) -> Option<Vec<u32>> {
    let [Index::At(Expr { kind: ExprKind::Coordinate(Coordinate::Position, 0), .. }), rest @ ..] = index
    else {
        return None;
    };
    let place = |each: &Index| match each {
        Index::At(e) => e.constant_int().and_then(|k| u32::try_from(k).ok()),
        _ => None,
    };
    rest.iter().map(place).collect()
}
