//! Launches behind conditions in runs: `if (sizes fit) { launch } else { as written }`, and tests that end the function where sizes do not
//! fit. A group runs where all conditions of its run hold; elsewhere the statements do, as they were.

use super::member::Member;
use super::run::belongs;
use crate::ir::rewrite::{free_variables, set_in, substitute, transform, variables};
use crate::ir::{Block, Expr, ExprKind, KernelId, Stmt, StmtKind, VarId, VarSet, build};
use crate::transform::host::fuse_launches::{alias, is_check, is_number, is_plain, renamed};
use std::collections::BTreeMap;

/// What a statement of a run consists of: the condition under which it is these steps, and the steps.
pub(super) fn steps<'s>(
    stmt: &'s Stmt,
    members: &BTreeMap<KernelId, Member>,
) -> Option<(Option<Expr>, &'s [Stmt])> {
    if belongs(stmt, members) {
        return Some((None, std::slice::from_ref(stmt)));
    }
    let StmtKind::If { condition, then, otherwise } = &stmt.kind else { return None };
    if is_check(stmt) {
        return Some((Some(not(condition)), &[]));
    }
    let guarded =
        !otherwise.is_empty() && is_plain(condition) && then.iter().all(|step| belongs(step, members));
    guarded.then(|| (Some(condition.clone()), then.as_slice()))
}

fn not(condition: &Expr) -> Expr {
    let [no, yes] = [0, 1].map(|value| build::int(value, condition.span));
    build::select(condition.clone(), no, yes)
}

/// The steps of all statements, and the conditions in terms of what is known before the first one; nothing if they depend on more.
pub(super) fn flattened(stmts: &[Stmt], members: &BTreeMap<KernelId, Member>) -> Option<(Block, Vec<Expr>)> {
    let (mut flat, mut guards, mut known) = (Block::new(), Vec::new(), Known::default());
    for stmt in stmts {
        let (guard, steps) = steps(stmt, members)?;
        if let Some(guard) = guard {
            guards.push(known.resolved(&guard)?);
        }
        for step in steps {
            known.learn(step);
            flat.push(step.clone());
        }
    }
    Some((flat, guards))
}

/// What a statement of a run sets, and what it uses.
pub(super) fn touched(stmt: &Stmt) -> (VarSet, VarSet) {
    let block = std::slice::from_ref(stmt);
    (set_in(block), free_variables(block))
}

/// What steps have assigned, in terms of what was there before.
#[derive(Default)]
struct Known {
    numbers: BTreeMap<VarId, Expr>,
    roots: BTreeMap<VarId, VarId>,
    extents: BTreeMap<VarId, Vec<Expr>>,
    set: VarSet,
}

impl Known {
    fn learn(&mut self, step: &Stmt) {
        let StmtKind::Assign { variable, value } = &step.kind else { return };
        self.set.extend([*variable]);
        if let Some((name, source)) = renamed(step) {
            let root = self.roots.get(&source).copied().unwrap_or(source);
            self.roots.insert(name, root);
        } else if let Some(dims) = super::run::allocated(value) {
            let dims = dims.iter().map(|e| self.resolved(e)).collect::<Option<_>>();
            dims.and_then(|dims| self.extents.insert(*variable, dims));
        } else if is_number(value)
            && let Some(value) = self.resolved(value)
        {
            self.numbers.insert(*variable, value);
        }
    }

    /// An expression in terms of what was there before the first step.
    fn resolved(&self, e: &Expr) -> Option<Expr> {
        let mut e = e.clone();
        transform(&mut e, &mut |e| match &e.kind {
            ExprKind::Extent(array, axis) => {
                let root = alias(array).map(|v| self.roots.get(&v).copied().unwrap_or(v));
                if let Some(extent) = root.and_then(|root| self.extents.get(&root)?.get(*axis)) {
                    *e = extent.clone();
                }
            }
            ExprKind::Local(variable) => {
                if let Some(root) = self.roots.get(variable) {
                    e.kind = ExprKind::Local(*root);
                }
            }
            _ => {}
        });
        substitute(&mut e, &self.numbers);
        let known = variables(&e).iter().all(|v| !self.set.contains(&v));
        known.then_some(e)
    }
}
