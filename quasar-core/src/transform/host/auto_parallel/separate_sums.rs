//! Loop fission: a nest that accumulates into elements of different loops becomes a nest for each. Together they are atomic additions
//! of all iterations; alone, each is a sum that a thread keeps in a register or a vector:
//!
//! ```text
//! for i = ..                              for i = ..
//!     for j = ..                              for j = ..
//!         s[j] += r[i]*a[i,j]        =>           s[j] += r[i]*a[i,j]
//!         q[i] += a[i,j]*p[j]             for i = ..
//!                                             for j = ..
//!                                                 q[i] += a[i,j]*p[j]
//! ```
//!
//! No statement uses an array that another one changes, so that their order does not matter.

use super::Pass;
use super::distribute::Pair;
use crate::ir::rewrite::{free_variables, set_in, stored_in, variables, visit};
use crate::ir::{Block, ExprKind, Index, Stmt, StmtKind, VarSet};
use crate::message::Decision;
use std::collections::BTreeMap;

impl Pass<'_> {
    /// The nests that a nest of sums becomes.
    pub(super) fn with_separate_sums(&mut self, stmt: &Stmt, after: &VarSet) -> Option<Block> {
        let pair = Pair::of(stmt, self.body).filter(|pair| pair.before.is_empty())?;
        let mut groups: BTreeMap<[bool; 2], Block> = BTreeMap::new();
        for stmt in pair.inside {
            groups.entry(follows(&pair, stmt)?).or_default().push(stmt.clone());
        }
        // What belongs to an iteration is no sum.
        if groups.len() < 2 || groups.contains_key(&[true, true]) || !self.are_separate(&groups) {
            return None;
        }
        let whole = vec![stmt.clone()];
        let seen = set_in(&whole).iter().any(|v| after.contains(&v));
        if seen || !self.context.auto_parallel || self.allowed(&whole, after).is_err() {
            return None;
        }
        let what = "a nest of loops for each of its sums".to_owned();
        self.sink.remark(Decision::Transformed { what }.remark(pair.span, pair.span));
        let mut nests: Vec<Stmt> =
            groups.into_values().map(|sums| pair.outer(vec![pair.inner(sums)])).collect();
        let mut block = Block::new();
        while !nests.is_empty() {
            let nest = nests.remove(0);
            let mut live = after.clone();
            live.extend(free_variables(&nests));
            block.extend(self.for_loop(nest, &live));
        }
        Some(block)
    }

    /// Whether no group changes what another one uses.
    fn are_separate(&self, groups: &BTreeMap<[bool; 2], Block>) -> bool {
        groups.iter().all(|(key, block)| {
            groups.iter().filter(|(other, _)| *other != key).all(|(_, other)| {
                let mut used = free_variables(other);
                used.add(&stored_in(other));
                self.are_apart(&stored_in(block), &used)
            })
        })
    }
}

/// Which of the two loops the element follows that a statement adds to; nothing for other statements.
fn follows(pair: &Pair<'_>, stmt: &Stmt) -> Option<[bool; 2]> {
    let StmtKind::Update { index, value, result: None, .. } = &stmt.kind else { return None };
    // Numbers of a generator come in the order of the program.
    let mut calls = false;
    visit(value, &mut |e| calls |= matches!(e.kind, ExprKind::Library { .. }));
    if calls {
        return None;
    }
    let mut found = [false; 2];
    for part in index {
        let Index::At(at) = part else { return None };
        let used = variables(at);
        for (found, each) in found.iter_mut().zip(&pair.loops) {
            *found |= used.contains(&each.variable);
        }
    }
    Some(found)
}
