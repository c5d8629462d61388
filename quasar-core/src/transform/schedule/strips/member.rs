//! Kernels whose launches may go strip by strip, and what they do to their arrays.

use crate::analysis::access_pattern::{AccessPattern, reaches};
use crate::analysis::may_fail;
use crate::analysis::row_footprint::row_footprints;
use crate::ir::affine::{RowRange, Symbol};
use crate::ir::barriers::meets;
use crate::ir::rewrite::{visit_block, visit_stmts};
use crate::ir::{Coordinate, Expr, ExprKind, Kernel, KernelAttributes, Program, StmtKind, Storage, VarId};
use crate::types::{Boundary, Type};
use std::collections::BTreeMap;

/// A kernel that may be a member of a group.
pub(super) struct Member {
    /// What it does to each array, by the number of the parameter.
    pub(super) arrays: BTreeMap<usize, Use>,
}

/// What a kernel does to an array.
pub(super) enum Use {
    /// It writes elements whose first index is the first component of the position, and reads no others. Whether it reads them.
    Writes { reads: bool },
    /// It reads these rows for a row of positions; none if that is not known.
    Reads(Option<Vec<RowRange>>),
}

impl Member {
    pub(super) fn of(program: &Program, kernel: &Kernel) -> Option<Member> {
        let body = &kernel.body;
        // A line has no rows that could be there or not.
        let plain = kernel.parallel
            && kernel.rank >= 2
            && !kernel.aliased
            && !kernel.schedule.one_thread
            && kernel.attributes == KernelAttributes::default()
            && body.results.is_empty()
            && body.variables.iter().all(|(_, variable)| variable.storage == Storage::Local);
        if !plain || !asks_for_position_only(kernel) || meets(&body.block) {
            return None;
        }
        if body.block.iter().any(|stmt| may_fail::possible(stmt, true)) {
            return None;
        }
        let reaches = reaches(program, kernel);
        let footprints = row_footprints(program, kernel);
        let mut arrays = BTreeMap::new();
        for (k, param) in body.params.iter().enumerate() {
            let used = match (reaches.get(param), &body.variables[*param].ty) {
                (Some(AccessPattern::ReadOnly), _) => {
                    Use::Reads(rows(footprints.get(param), body.params.as_slice()))
                }
                (Some(AccessPattern::OwnRows { .. }), _) => Use::Writes { reads: reads(kernel, *param) },
                (None, Type::Scalar(..)) => continue,
                _ => return None,
            };
            arrays.insert(k, used);
        }
        Some(Member { arrays })
    }
}

/// Whether a kernel reads elements of an array.
fn reads(kernel: &Kernel, array: VarId) -> bool {
    let is_array = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if v == array);
    let mut found = false;
    visit_block(&kernel.body.block, &mut |e| {
        found |= matches!(&e.kind, ExprKind::Load { array, .. } if is_array(array));
    });
    visit_stmts(&kernel.body.block, &mut |stmt| {
        found |= matches!(&stmt.kind, StmtKind::Update { array, .. } | StmtKind::Exchange { array, .. } if is_array(array));
    });
    found
}

/// Whether threads ask for their position alone: blocks are none that strips have.
fn asks_for_position_only(kernel: &Kernel) -> bool {
    let mut only = true;
    visit_block(&kernel.body.block, &mut |e| {
        if let ExprKind::Coordinate(coordinate, _) = e.kind {
            only &= coordinate == Coordinate::Position;
        }
    });
    only
}

/// The rows, if later rows of positions read no earlier rows, and if parameters say the rest.
fn rows(rows: Option<&Vec<RowRange>>, params: &[VarId]) -> Option<Vec<RowRange>> {
    let found = rows?;
    let advances = |range: &RowRange| {
        let factor = |terms: &[(Symbol, i64)]| {
            terms.iter().find(|(symbol, _)| *symbol == Symbol::Position(0)).map_or(0, |(_, factor)| *factor)
        };
        let known = range.low.terms.iter().chain(&range.high.terms).all(|(symbol, _)| match symbol {
            Symbol::Position(axis) => *axis == 0,
            Symbol::Value(v) | Symbol::Extent(v, _) => params.contains(v),
            Symbol::Launch(_) => false,
        });
        let near = matches!(
            range.boundary,
            Some(Boundary::Mirror | Boundary::Clamped | Boundary::Safe | Boundary::Unchecked)
        );
        known && near && factor(&range.low.terms) >= 1 && factor(&range.high.terms) >= 1
    };
    found.iter().all(advances).then(|| found.clone())
}
