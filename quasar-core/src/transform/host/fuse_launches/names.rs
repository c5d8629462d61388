//! What array variables name along a block: which are one array, and the extents of those that were allocated.

use crate::ir::rewrite::{children_mut, free_variables, set_in, variables};
use crate::ir::{Expr, ExprKind, Stmt, StmtKind, VarId, build};
use std::collections::BTreeMap;

/// What is known of array variables at a point.
#[derive(Clone, Default)]
pub(super) struct Names {
    /// Other names of arrays.
    roots: BTreeMap<VarId, VarId>,
    /// The extents of arrays that nobody else knows yet.
    fresh: BTreeMap<VarId, Vec<Expr>>,
}

impl Names {
    /// The variable that names the same array.
    pub(super) fn root(&self, variable: VarId) -> VarId {
        self.roots.get(&variable).copied().unwrap_or(variable)
    }

    /// The extents of an array that was allocated in the block and that nobody else can reach.
    pub(super) fn fresh(&self, variable: VarId) -> Option<&Vec<Expr>> {
        self.fresh.get(&self.root(variable))
    }

    /// All names of an array.
    pub(super) fn all(&self, root: VarId) -> Vec<VarId> {
        let others = self.roots.iter().filter(|(_, each)| **each == root).map(|(name, _)| *name);
        std::iter::once(root).chain(others).collect()
    }

    /// A variable gets a value.
    pub(super) fn assign(&mut self, variable: VarId, value: &Expr) {
        let extents = allocated(value).map(|dims| dims.iter().map(|e| self.substituted(e)).collect());
        let root = alias(value).map(|source| self.root(source));
        self.forget(variable);
        if let Some(extents) = extents {
            self.fresh.insert(variable, extents);
        } else if let Some(root) = root {
            self.roots.insert(variable, root);
        }
    }

    /// A variable has a value that is not known.
    pub(super) fn forget(&mut self, variable: VarId) {
        self.roots.remove(&variable);
        self.roots.retain(|_, root| *root != variable);
        self.fresh.remove(&variable);
        self.fresh.retain(|_, dims| !dims.iter().any(|e| variables(e).contains(&variable)));
    }

    /// A statement may do anything with the variables that it names.
    pub(super) fn forget_all(&mut self, stmt: &Stmt) {
        let block = std::slice::from_ref(stmt);
        // Nobody knows an array for longer than the launch that gets it.
        if !matches!(stmt.kind, StmtKind::Launch { .. }) {
            for variable in free_variables(block).iter() {
                let root = self.root(variable);
                self.fresh.remove(&root);
            }
        }
        set_in(block).iter().for_each(|variable| self.forget(variable));
    }

    /// An expression in which extents of allocated arrays are those that they were allocated with.
    pub(super) fn substituted(&self, e: &Expr) -> Expr {
        let mut e = e.clone();
        self.substitute(&mut e);
        e
    }

    fn substitute(&self, e: &mut Expr) {
        if let ExprKind::Extent(array, axis) = &e.kind
            && let Some(variable) = alias(array)
            && let Some(extent) = self.fresh(variable).and_then(|dims| dims.get(*axis))
        {
            *e = extent.clone();
            return;
        }
        children_mut(e, &mut |child| self.substitute(child));
    }
}

/// The extents of a new array without elements.
pub(super) fn allocated(value: &Expr) -> Option<&[Expr]> {
    match &value.kind {
        ExprKind::Library { name: "uninit", args } if args.iter().all(|e| e.ty == build::int_type()) => {
            Some(args)
        }
        _ => None,
    }
}

/// The array that a value is another name of, with the same dimensions.
pub(in crate::transform) fn alias(value: &Expr) -> Option<VarId> {
    match &value.kind {
        ExprKind::Local(variable) if value.ty.as_array().is_some() => Some(*variable),
        ExprKind::Convert(inner) => {
            let (to, from) = (value.ty.as_array()?, inner.ty.as_array()?);
            let same = to.element == from.element && to.known_rank() == from.known_rank();
            alias(inner).filter(|_| same)
        }
        _ => None,
    }
}
