//! Elements that lanes read a few apart along a row: `x[m,2*n]` and `x[m,2*n+1]` are the two elements of one vector of pairs, which is
//! fetched once.

use crate::analysis::innermost_invariance::RowInvariance;
use crate::analysis::lanes::{Lanes, affine, element_of_store, lanes};
use crate::ir::rewrite::visit_block;
use crate::ir::{Block, ExprKind, Index, VarId, VarSet};
use crate::types::Boundary;

/// The first elements of the groups of a loop over the lanes.
#[derive(Default)]
pub(super) struct LaneGroups {
    first: Vec<(VarId, Boundary, Vec<Index>)>,
}

impl LaneGroups {
    pub(super) fn of(uniform: &RowInvariance<'_>, body: &Block) -> LaneGroups {
        let mut loads = Vec::new();
        visit_block(body, &mut |e| {
            if let ExprKind::Load { array, index, boundary } = &e.kind
                && let ExprKind::Local(array) = array.kind
                && matches!(lanes(uniform, None, index), Lanes::Along(apart) if apart > 1)
                && let Some(Index::At(last)) = index.last()
                && let Some(last) = affine(uniform, &VarSet::new(), last)
            {
                loads.push((last.constant, array, *boundary, index.clone()));
            }
        });
        loads.sort_by_key(|(constant, array, ..)| (*array, *constant));
        let mut groups = LaneGroups::default();
        for (_, array, boundary, index) in loads {
            if groups.find(uniform, array, boundary, &index).is_none() {
                groups.first.push((array, boundary, index));
            }
        }
        groups
    }

    /// The index of the first element of the group of an element, and its number in the group.
    pub(super) fn find(
        &self,
        uniform: &RowInvariance<'_>,
        array: VarId,
        boundary: Boundary,
        index: &[Index],
    ) -> Option<(Vec<Index>, u32)> {
        let alike = self.first.iter().filter(|group| (group.0, group.1) == (array, boundary));
        alike.into_iter().find_map(|(_, _, first)| {
            element_of_store(uniform, first, index).map(|element| (first.clone(), element))
        })
    }
}
