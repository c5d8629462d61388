//! Interleaved arrays: those with a few elements for each position side by side, such as the channels of a pixel, of which lanes
//! fetch and write all at once.

use crate::analysis::access_pattern::{AccessPattern, own_prefix};
use crate::analysis::innermost_invariance::RowInvariance;
use crate::analysis::lanes::{element_of_column, has_load};
use crate::ir::rewrite::{same, set_in, visit_block, visit_stmts};
use crate::ir::schedule::Interleaved;
use crate::ir::{Expr, ExprKind, Index, Kernel, Stmt, StmtKind, VarId};
use crate::target::cpu::VECTOR_STRIDE;
use crate::types::Type;
use crate::types::known::rank;
use std::collections::{BTreeMap, BTreeSet};

/// The interleaved arrays of a kernel with this code. Those that it writes have no other accesses than to elements of the own position.
pub(super) fn interleaved(
    kernel: &Kernel,
    block: &[Stmt],
    reaches: &BTreeMap<VarId, AccessPattern>,
) -> Vec<Interleaved> {
    if has_power(kernel) {
        return Vec::new();
    }
    let set = set_in(block);
    let mut uniform = RowInvariance::new(kernel, reaches, &set);
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::For { variable, .. } = &stmt.kind {
            uniform.vary(*variable, false);
        }
    });
    let accesses = accesses(block);
    let candidates = reaches.iter().filter_map(|(array, reach)| {
        let at = accesses.get(array)?;
        let ty = &kernel.body.variables[*array].ty;
        let known = match ty {
            Type::Array(array) => array.sizes.last().copied().flatten(),
            _ => None,
        };
        let elements: Vec<Option<u32>> = at.iter().map(|index| element_of_column(&uniform, index)).collect();
        let whole = match reach {
            AccessPattern::ReadOnly => true,
            AccessPattern::OwnRows { depth, row: false } => {
                let own = |index: &Vec<Index>| own_prefix(index, kernel.rank) == kernel.rank;
                *depth == kernel.rank && rank(ty) == Some(kernel.rank + 1) && at.iter().all(own)
            }
            _ => false,
        };
        let most = elements.iter().flatten().max()?;
        let count = known.unwrap_or(most + 1);
        let inside = *most < count && (2..=VECTOR_STRIDE).contains(&i64::from(count));
        let all = *reach == AccessPattern::ReadOnly || elements.iter().all(Option::is_some);
        let exact = *reach != AccessPattern::ReadOnly;
        (whole && inside && all).then_some(Interleaved { array: *array, elements: count, exact })
    });
    candidates.collect()
}

/// The arrays of pixels, beside those that are interleaved, of which positions read and write one element alone, the same one at all
/// positions of a row.
pub(super) fn own_channels(
    kernel: &Kernel,
    block: &[Stmt],
    reaches: &BTreeMap<VarId, AccessPattern>,
    interleaved: &[Interleaved],
) -> Vec<VarId> {
    if has_power(kernel) {
        return Vec::new();
    }
    let set = set_in(block);
    let uniform = RowInvariance::new(kernel, reaches, &set);
    let accesses = accesses(block);
    let channel = |index: &Vec<Index>| match index.as_slice() {
        [.., Index::At(last)] if own_prefix(index, kernel.rank) == kernel.rank => Some(last.clone()),
        _ => None,
    };
    let is_channel = |(array, reach): &(&VarId, &AccessPattern)| {
        let depth = matches!(reach, AccessPattern::OwnRows { depth, row: false } if *depth == kernel.rank);
        let rank = rank(&kernel.body.variables[**array].ty);
        let at: Option<Vec<Expr>> =
            accesses.get(*array).map(Vec::as_slice).unwrap_or_default().iter().map(channel).collect();
        let Some([first, others @ ..]) = at.as_deref() else { return false };
        let one = uniform.is_fixed(first) && others.iter().all(|other| same(first, other));
        let other = interleaved.iter().all(|each| each.array != **array);
        other && depth && rank == Some(kernel.rank + 1) && kernel.rank >= 2 && one && !has_load(first)
    };
    reaches.iter().filter(is_channel).map(|(array, _)| *array).collect()
}

/// Whether statements write all elements that belong to a position.
pub(super) fn is_written(array: &Interleaved, block: &[Stmt]) -> bool {
    let mut written = BTreeSet::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Store { array: Expr { kind: ExprKind::Local(v), .. }, index, .. } = &stmt.kind
            && *v == array.array
            && let Some(Index::At(last)) = index.last()
        {
            written.extend(last.constant_int());
        }
    });
    written.len() == array.elements as usize
}

/// Whether a kernel has powers, which rows compute in a quick form.
pub(super) fn has_power(kernel: &Kernel) -> bool {
    let mut found = false;
    visit_block(&kernel.body.block, &mut |e| {
        found |= matches!(&e.kind, ExprKind::Apply { row, .. } if row.symbol == "power");
    });
    found
}

/// The indices of all loads, stores and changes, by array.
fn accesses(block: &[Stmt]) -> BTreeMap<VarId, Vec<Vec<Index>>> {
    let mut found: BTreeMap<VarId, Vec<Vec<Index>>> = BTreeMap::new();
    let mut add = |array: &Expr, index: &[Index]| {
        if let ExprKind::Local(array) = array.kind {
            found.entry(array).or_default().push(index.to_vec());
        }
    };
    visit_block(block, &mut |e| {
        if let ExprKind::Load { array, index, .. } = &e.kind {
            add(array, index);
        }
    });
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Store { array, index, .. } | StmtKind::Update { array, index, .. } = &stmt.kind {
            add(array, index);
        }
    });
    found
}
