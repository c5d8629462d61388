//! Elementwise kernels: each position accesses its own elements only. If all arrays have the extents of the launch,
//! positions can be linearised, whatever the rank.

use super::access_pattern::{AccessPattern, reaches};
use super::may_fail;
use crate::ir::rewrite::{visit_block, visit_stmts};
use crate::ir::{Coordinate, Expr, ExprKind, Index, Kernel, Program, Stmt, StmtKind, VarId};
use crate::target::gpu::{VECTOR_BYTES, VECTOR_IN_LOOPS};
use crate::types::known::{array_element, rank};
use std::collections::BTreeMap;

/// How a kernel accesses its own elements of an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Whether their old values may be read.
    pub read: bool,
    /// Whether they are written.
    pub written: bool,
}

/// An access to an array.
struct Use {
    array: VarId,
    /// Whether it is to the own element.
    own: bool,
    does: Own,
}

/// The arrays of which an elementwise kernel accesses its own elements. The position must have no other use. Other
/// arrays may be read or updated at data-dependent indices.
pub fn flat(program: &Program, kernel: &Kernel) -> Option<BTreeMap<VarId, Own>> {
    let reaches = reaches(program, kernel);
    let block = &kernel.body.block;
    let uses = uses(block)?;
    if passes_arrays(block, &reaches) {
        return None;
    }
    let mut coordinates = 0;
    visit_block(block, &mut |e| coordinates += usize::from(matches!(e.kind, ExprKind::Coordinate(..))));
    let mut own = BTreeMap::new();
    for (&array, reach) in &reaches {
        let ranked = rank(&kernel.body.variables[array].ty) == Some(kernel.rank);
        let of_array: Vec<&Use> = uses.iter().filter(|each| each.array == array).collect();
        if ranked && !of_array.is_empty() && of_array.iter().all(|each| each.own) {
            coordinates -= of_array.len() * kernel.rank;
            let read = of_array.iter().any(|each| each.does.read);
            let written = of_array.iter().any(|each| each.does.written);
            own.insert(array, Own { read, written });
        } else if !of_array.is_empty()
            && !matches!(reach, AccessPattern::ReadOnly | AccessPattern::Histogram(_))
        {
            return None;
        }
    }
    if coordinates > 0 || own.is_empty() {
        return None;
    }
    let fails = block.iter().any(|stmt| may_fail::possible(stmt, false));
    for (array, each) in &mut own {
        each.read |= each.written && (fails || !surely_stored(block, *array));
    }
    Some(own)
}

/// Elements per thread and iteration on a device, for a kernel with these own elements: the vector width.
pub fn together(kernel: &Kernel, own: &BTreeMap<VarId, Own>) -> usize {
    let elements = own.keys().filter_map(|v| array_element(&kernel.body.variables[*v].ty));
    let widest = elements.map(|element| element.size()).max();
    let mut together = widest.map_or(1, |size| (VECTOR_BYTES / size).max(1));
    visit_stmts(&kernel.body.block, &mut |stmt| {
        if matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. }) {
            together = together.min(VECTOR_IN_LOOPS);
        }
    });
    let wished = kernel.attributes.vectors.and_then(|vectors| vectors.width);
    match wished.and_then(u32::checked_ilog2) {
        Some(power) => together.min(1 << power.min(16)),
        None => together,
    }
}

/// All element accesses; `None` if the block contains an exchange.
fn uses(block: &[Stmt]) -> Option<Vec<Use>> {
    fn variable(array: &Expr) -> Option<VarId> {
        match array.kind {
            ExprKind::Local(v) => Some(v),
            _ => None,
        }
    }
    let (mut uses, mut exchanged) = (Vec::new(), false);
    visit_stmts(block, &mut |stmt| match &stmt.kind {
        StmtKind::Exchange { .. } => exchanged = true,
        StmtKind::Store { array, index, .. } | StmtKind::Update { array, index, .. } => {
            let read = matches!(stmt.kind, StmtKind::Update { .. });
            let (own, does) = (own_position(index), Own { read, written: true });
            uses.extend(variable(array).map(|array| Use { array, own, does }));
        }
        _ => {}
    });
    visit_block(block, &mut |e| {
        if let ExprKind::Load { array, index, .. } = &e.kind {
            let (own, does) = (own_position(index), Own { read: true, written: false });
            uses.extend(variable(array).map(|array| Use { array, own, does }));
        }
    });
    (!exchanged).then_some(uses)
}

/// Whether arrays are passed to functions.
fn passes_arrays(block: &[Stmt], reaches: &BTreeMap<VarId, AccessPattern>) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Call { args, .. } = &stmt.kind {
            found |= args.iter().any(|e| matches!(e.kind, ExprKind::Local(v) if reaches.contains_key(&v)));
        }
    });
    found
}

/// Whether the indices are exactly the components of the position, in order.
pub fn own_position(index: &[Index]) -> bool {
    index.iter().enumerate().all(|(k, index)| {
        matches!(index, Index::At(Expr { kind: ExprKind::Coordinate(Coordinate::Position, axis), .. }) if *axis == k)
    })
}

/// Whether every position stores its element, unless it fails.
fn surely_stored(block: &[Stmt], array: VarId) -> bool {
    let stores = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Store { array: each, .. } if matches!(each.kind, ExprKind::Local(v) if v == array));
    block.iter().any(stores)
}
