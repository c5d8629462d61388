//! Flow-sensitive: which variables of a host function hold known arrays at each point. Nothing may modify the elements
//! of such an array.

use super::folding::Arrays;
use super::known::{Known, is_small, known};
use super::modules::Globals;
use super::reading::{DEPTH, only_read};
use crate::ir::rewrite::{blocks, set_in, sets, visit_stmts};
use crate::ir::{Block, Body, Expr, ExprKind, KernelId, Program, Stmt, StmtKind, VarId, VarSet};
use std::collections::{BTreeMap, BTreeSet};

/// The known value of an expression at a program point.
pub(super) type Look<'l> = &'l dyn Fn(&Expr) -> Option<Known>;

/// The variables of one function.
pub(super) struct Variables<'a> {
    program: &'a Program,
    body: &'a Body,
    globals: &'a Globals,
    /// For variables that hold a known array at some point: whether nothing modifies its elements.
    constant: BTreeMap<VarId, bool>,
}

impl<'a> Variables<'a> {
    pub(super) fn of(program: &'a Program, body: &'a Body, globals: &'a Globals) -> Variables<'a> {
        Variables { program, body, globals, constant: BTreeMap::new() }
    }

    /// Visits the launches of kernels in statement order, with a look-up of the values known there.
    pub(super) fn launches(&mut self, kernels: &BTreeSet<KernelId>, f: &mut dyn FnMut(&Stmt, Look<'_>)) {
        let mut found = false;
        visit_stmts(&self.body.block, &mut |stmt| found |= launches_one(stmt, kernels));
        if found {
            self.walk(&self.body.block, &mut Arrays::new(), kernels, f);
        }
    }

    fn walk(
        &mut self,
        block: &Block,
        held: &mut Arrays,
        kernels: &BTreeSet<KernelId>,
        f: &mut dyn FnMut(&Stmt, Look<'_>),
    ) {
        for stmt in block {
            if launches_one(stmt, kernels) {
                f(stmt, &|e| self.known(e, held));
            }
            let value = match &stmt.kind {
                StmtKind::Assign { value, .. } if is_small(&value.ty) => self.known(value, held),
                _ => None,
            };
            let mut set = VarSet::new();
            blocks(stmt, &mut |inner| set.add(&set_in(inner)));
            sets(stmt, &mut |v| {
                set.insert(*v);
            });
            // All blocks except those of branches may repeat.
            if !matches!(stmt.kind, StmtKind::If { .. }) {
                held.retain(|v, _| !set.contains(v));
            }
            blocks(stmt, &mut |inner| self.walk(inner, &mut held.clone(), kernels, f));
            held.retain(|v, _| !set.contains(v));
            if let (StmtKind::Assign { variable, .. }, Some(value)) = (&stmt.kind, value)
                && self.is_constant(*variable)
            {
                held.insert(*variable, value);
            }
        }
    }

    fn known(&self, expr: &Expr, held: &Arrays) -> Option<Known> {
        known(expr, &|e| match e.kind {
            ExprKind::Local(v) => held.get(&v).cloned(),
            ExprKind::Global(global) => self.globals.get(&global).cloned(),
            _ => None,
        })
    }

    fn is_constant(&mut self, v: VarId) -> bool {
        *self.constant.entry(v).or_insert_with(|| {
            let is = |e: &Expr| matches!(e.kind, ExprKind::Local(other) if other == v);
            only_read(self.program, &self.body.block, &is, DEPTH)
        })
    }
}

fn launches_one(stmt: &Stmt, kernels: &BTreeSet<KernelId>) -> bool {
    matches!(&stmt.kind, StmtKind::Launch { kernel, .. } if kernels.contains(kernel))
}
