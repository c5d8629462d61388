//! Vectors of stores: what lanes write at other places than their own, side by side or a few elements apart along a row, such as
//! `y[m,n+w]` and `y[m,2*n+1]`.

use crate::analysis::access_pattern::AccessPattern;
use crate::analysis::innermost_invariance::RowInvariance;
use crate::analysis::lanes::{affine, along_row, element_of_store};
use crate::ir::rewrite::{visit_block, visit_stmts};
use crate::ir::schedule::StoreVector;
use crate::ir::{Block, ExprKind, Index, StmtKind, VarId, VarSet};
use std::collections::BTreeMap;

/// The vectors that lanes write in arrays with bands; `None` if some store is in none, or an element is read.
pub(super) fn store_vectors(
    uniform: &RowInvariance<'_>,
    reaches: &BTreeMap<VarId, AccessPattern>,
    block: &Block,
) -> Option<Vec<StoreVector>> {
    let banded = |v: &VarId| matches!(reaches.get(v), Some(AccessPattern::Bands { .. }));
    let mut reads = false;
    visit_block(block, &mut |e| {
        if let ExprKind::Load { array, .. } = &e.kind {
            reads |= matches!(&array.kind, ExprKind::Local(v) if banded(v));
        }
    });
    if reads {
        return None;
    }
    let mut stores: Vec<(VarId, Vec<Index>, i32)> = Vec::new();
    let mut fits = true;
    visit_stmts(block, &mut |stmt| {
        let StmtKind::Store { array, index, .. } = &stmt.kind else { return };
        let ExprKind::Local(array) = array.kind else { return };
        if banded(&array) {
            match first_element(uniform, index) {
                Some(constant) => stores.push((array, index.clone(), constant)),
                None => fits = false,
            }
        }
    });
    if !fits {
        return None;
    }
    stores.sort_by_key(|(array, _, constant)| (*array, *constant));
    let mut found: Vec<StoreVector> = Vec::new();
    for (array, index, _) in stores {
        let known = |vector: &StoreVector| {
            vector.array == array && element_of_store(uniform, &vector.index, &index).is_some()
        };
        if !found.iter().any(known) {
            let step = along_row(uniform, &index)?;
            found.push(StoreVector { array, index, apart: step.unsigned_abs(), backwards: step < 0 });
        }
    }
    Some(found)
}

/// The constant of the last index, if lanes write along a row.
fn first_element(uniform: &RowInvariance<'_>, index: &[Index]) -> Option<i32> {
    along_row(uniform, index)?;
    let Some(Index::At(last)) = index.last() else { return None };
    affine(uniform, &VarSet::new(), last).map(|found| found.constant)
}
