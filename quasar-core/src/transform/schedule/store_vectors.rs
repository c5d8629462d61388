//! Vectors of stores: what lanes write at other places than their own, side by side or a few elements apart along a row, such as
//! `y[m,n+w]` and `y[m,2*n+1]`, and what they read of the same arrays, also one element for all lanes.

use crate::analysis::access_pattern::AccessPattern;
use crate::analysis::innermost_invariance::RowInvariance;
use crate::analysis::lanes::{affine, along_row, distance, element_of_store};
use crate::ir::rewrite::{visit_block, visit_stmts};
use crate::ir::schedule::StoreVector;
use crate::ir::slices::is_same_element;
use crate::ir::{Block, Expr, ExprKind, Index, StmtKind, VarId, VarSet};
use std::collections::BTreeMap;

/// The vectors that lanes write and read in arrays with bands; `None` if some access is in none.
pub(super) fn store_vectors(
    uniform: &RowInvariance<'_>,
    reaches: &BTreeMap<VarId, AccessPattern>,
    block: &Block,
) -> Option<Vec<StoreVector>> {
    let banded = |v: &VarId| matches!(reaches.get(v), Some(AccessPattern::Bands { .. }));
    let mut all: Vec<(VarId, Vec<Index>, i32, bool)> = Vec::new();
    let mut still: Vec<StoreVector> = Vec::new();
    let mut fits = true;
    let mut add = |array: &Expr, index: &[Index], written: bool| {
        let ExprKind::Local(array) = array.kind else { return };
        if banded(&array) {
            match first_element(uniform, index) {
                Some(constant) => all.push((array, index.to_vec(), constant, written)),
                None if !written && is_still(uniform, index) => {
                    let known =
                        |other: &StoreVector| other.array == array && is_same_element(&other.index, index);
                    if !still.iter().any(known) {
                        let (index, backwards) = (index.to_vec(), false);
                        still.push(StoreVector { array, index, apart: 0, backwards, written });
                    }
                }
                None => fits = false,
            }
        }
    };
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Store { array, index, .. } = &stmt.kind {
            add(array, index, true);
        }
    });
    visit_block(block, &mut |e| {
        if let ExprKind::Load { array, index, .. } = &e.kind {
            add(array, index, false);
        }
    });
    if !fits {
        return None;
    }
    all.sort_by_key(|(array, _, constant, _)| (*array, *constant));
    let mut found: Vec<StoreVector> = Vec::new();
    for (array, index, _, written) in all {
        let known = |vector: &&mut StoreVector| {
            vector.array == array && element_of_store(uniform, &vector.index, &index).is_some()
        };
        match found.iter_mut().find(known) {
            Some(vector) => vector.written |= written,
            None => {
                let step = along_row(uniform, &index)?;
                found.push(StoreVector {
                    array,
                    index,
                    apart: step.unsigned_abs(),
                    backwards: step < 0,
                    written,
                });
            }
        }
    }
    // What another lane writes may be read only before or behind it, and not by vectors.
    let meets = |read: &StoreVector, other: &StoreVector| {
        let one = read.array == other.array && read.index.len() == other.index.len();
        one && other.written && distance(uniform, &other.index, &read.index).is_some()
    };
    let read = found.iter().filter(|vector| !vector.written);
    let apart = read.into_iter().all(|read| !found.iter().any(|other| meets(read, other)));
    found.append(&mut still);
    apart.then_some(found)
}

/// Whether lanes have an index in common.
fn is_still(uniform: &RowInvariance<'_>, index: &[Index]) -> bool {
    index.iter().all(|each| matches!(each, Index::At(e) if uniform.holds(e)))
}

/// The constant of the last index, if lanes write along a row.
fn first_element(uniform: &RowInvariance<'_>, index: &[Index]) -> Option<i32> {
    along_row(uniform, index)?;
    let Some(Index::At(last)) = index.last() else { return None };
    affine(uniform, &VarSet::new(), last).map(|found| found.constant)
}
