//! Elementwise kernels: each position accesses its own elements only. If all arrays have the extents of the launch,
//! positions can be linearised, whatever the rank.

use super::access_pattern::{AccessPattern, reaches};
use super::may_fail;
use crate::ir::rewrite::{visit_block, visit_stmts};
use crate::ir::schedule::OwnElement;
use crate::ir::{Coordinate, Expr, ExprKind, Index, Kernel, Program, Stmt, StmtKind, VarId};
use crate::target::gpu::{VECTOR_BYTES, VECTOR_IN_LOOPS};
use crate::types::known::{array_element, rank};
use std::collections::BTreeMap;

/// An access to an array.
struct Use {
    /// Whether it is to the own element.
    own: bool,
    does: OwnElement,
}

/// The arrays of which an elementwise kernel accesses its own elements, in the order of variables. The position must have no other use. Other
/// arrays may be read or updated at data-dependent indices.
pub fn own_elements(program: &Program, kernel: &Kernel) -> Option<Vec<OwnElement>> {
    let reaches = reaches(program, kernel);
    let block = &kernel.body.block;
    let uses = uses(block)?;
    if passes_arrays(block, &reaches) {
        return None;
    }
    let mut coordinates = 0;
    visit_block(block, &mut |e| coordinates += usize::from(matches!(e.kind, ExprKind::Coordinate(..))));
    let mut own = Vec::new();
    for (&array, reach) in &reaches {
        let ranked = rank(&kernel.body.variables[array].ty) == Some(kernel.rank);
        let of_array: Vec<&Use> = uses.iter().filter(|each| each.does.array == array).collect();
        if ranked && !of_array.is_empty() && of_array.iter().all(|each| each.own) {
            coordinates -= of_array.len() * kernel.rank;
            let read = of_array.iter().any(|each| each.does.read);
            let written = of_array.iter().any(|each| each.does.written);
            own.push(OwnElement { array, read, written });
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
    for each in &mut own {
        each.read |= each.written && (fails || !surely_stored(block, each.array));
    }
    Some(own)
}

/// Elements per thread and iteration on a device, for a kernel with these own elements: the vector width.
pub fn vector_elements(kernel: &Kernel, own: &[OwnElement]) -> usize {
    let elements = own.iter().filter_map(|each| array_element(&kernel.body.variables[each.array].ty));
    let widest = elements.map(|element| element.size()).max();
    let mut vector = widest.map_or(1, |size| (VECTOR_BYTES / size).max(1));
    visit_stmts(&kernel.body.block, &mut |stmt| {
        if matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. }) {
            vector = vector.min(VECTOR_IN_LOOPS);
        }
    });
    let wished = kernel.attributes.vectors.and_then(|vectors| vectors.width);
    match wished.and_then(u32::checked_ilog2) {
        Some(power) => vector.min(1 << power.min(16)),
        None => vector,
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
            let own = own_position(index);
            let access = |array| Use { own, does: OwnElement { array, read, written: true } };
            uses.extend(variable(array).map(access));
        }
        _ => {}
    });
    visit_block(block, &mut |e| {
        if let ExprKind::Load { array, index, .. } = &e.kind {
            let own = own_position(index);
            let access = |array| Use { own, does: OwnElement { array, read: true, written: false } };
            uses.extend(variable(array).map(access));
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
