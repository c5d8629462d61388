//! Slices whose lengths the program implies, as those that are passed as a `vec3` or added to one: a loop whose slices have these
//! lengths is judged as one over small arrays, which kernels keep in registers.
//!
//! ```text
//! for k = ..                             if size(c, 1) == 3
//!     d = o - c[k,:]    % o : vec3  =>       for k = ..
//!                                                d = o - c[k,0..2]
//!                                        else
//!                                            the loop as it was, which fails where it has to
//! ```
//!
//! A whole array beside one of known size is such a slice, as `w` in `sum(w .* x[m-1..m+1,n-1..n+1])`.

use super::inlined_calls::own_variables;
use super::{Pass, nest_of};
use crate::ir::build::{self, and, int_type};
use crate::ir::rewrite::{blocks_mut, operands, set_in, transform_block, visit, visit_block, visit_stmts};
use crate::ir::{Block, Expr, ExprKind, Index, Stmt, StmtKind, VarId, VarSet};
use crate::transform::known_sizes;
use crate::types::known::{array_element, on_heap, rank};
use crate::types::{Boundary, Type};
use quasar_devicelib::ops::find;
use std::collections::BTreeMap;

/// The extents that arrays must have, by axis.
type Extents = BTreeMap<(VarId, usize), u32>;

impl Pass<'_> {
    /// The loop as a kernel for slices of the implied lengths, beside the loop as it was; nothing where it is no kernel then.
    pub(super) fn with_implied_extents(&mut self, stmt: &Stmt, after: &VarSet) -> Option<Block> {
        let StmtKind::For { attributes, .. } = &stmt.kind else { return None };
        let nest = nest_of(stmt, self.body).filter(|_| self.may_be_kernel(attributes.mode))?;
        if !has_slices(stmt) && !has_whole_arrays(stmt) || self.allowed(nest.blocks[0], after).is_ok() {
            return None;
        }
        let mut extents = Extents::new();
        let block = self.attempt(|this| {
            let (mut own, first) = (vec![stmt.clone()], this.body.variables.len());
            own_variables(&mut own, this.body, after);
            let set = set_in(&own);
            loop {
                let known = extents.len();
                let variables = implied(&own);
                let mut found = Shortened { variables, set: &set, extents: &mut extents, agree: true };
                found.block(&mut own);
                if !found.agree || extents.is_empty() {
                    return None;
                }
                known_sizes::propagate(&mut own, this.body, first);
                if extents.len() == known {
                    return Some(this.with_own_bounds(own.pop()?, after));
                }
            }
        })?;
        let condition = self.condition(&extents, stmt)?;
        let said = self.sink.mark();
        let other = self.judged(stmt.clone(), after);
        self.sink.back_to(said);
        Some(vec![build::choice(condition, block, other, stmt.span)])
    }

    fn condition(&self, extents: &Extents, stmt: &Stmt) -> Option<Expr> {
        let equal = find("equal")?;
        extents
            .iter()
            .map(|(&(array, axis), &length)| {
                let extent = build::extent(self.body.read(array, stmt.span), axis, stmt.span);
                let length = build::int(i32::try_from(length).unwrap_or(i32::MAX), stmt.span);
                build::apply(equal, vec![extent, length], int_type(), stmt.span)
            })
            .reduce(and)
    }
}

/// The variables that meet arrays of known sizes in a loop.
fn implied(block: &Block) -> BTreeMap<VarId, Vec<u32>> {
    let mut found = BTreeMap::new();
    visit_block(block, &mut |e| {
        let Some((sizes, operands)) = of_one_size(e) else { return };
        for operand in operands {
            if let ExprKind::Local(variable) = operand.kind
                && on_heap(&operand.ty)
            {
                found.insert(variable, sizes.clone());
            }
        }
    });
    found
}

/// The sizes of an expression's operands, where one of them says so for all, and these operands.
fn of_one_size(e: &Expr) -> Option<(Vec<u32>, &[Expr])> {
    match &e.kind {
        ExprKind::Convert(inner) => Some((known(&e.ty)?, std::slice::from_ref(&**inner))),
        ExprKind::Apply { args, .. } | ExprKind::Library { name: "dotprod", args } => {
            let sizes = args.iter().find_map(|arg| known(&arg.ty))?;
            Some((sizes, args))
        }
        _ => None,
    }
}

fn known(ty: &Type) -> Option<Vec<u32>> {
    let Type::Array(array) = ty else { return None };
    array.sizes.iter().copied().collect::<Option<Vec<u32>>>().filter(|sizes| !sizes.is_empty())
}

/// A loop whose slices get the lengths that it implies.
struct Shortened<'a> {
    variables: BTreeMap<VarId, Vec<u32>>,
    /// What the loop sets: arrays that are not the same in all iterations.
    set: &'a VarSet,
    extents: &'a mut Extents,
    /// Whether an array has one extent only, wherever the loop says something of it.
    agree: bool,
}

impl Shortened<'_> {
    fn block(&mut self, block: &mut Block) {
        transform_block(block, &mut |e| self.expr(e));
        self.statements(block);
    }

    fn statements(&mut self, block: &mut Block) {
        for stmt in block {
            match &mut stmt.kind {
                StmtKind::Assign { variable, value } => {
                    if let Some(sizes) = self.variables.get(variable).cloned() {
                        self.slice(value, &sizes);
                    }
                }
                StmtKind::Store { array, index, value, .. }
                | StmtKind::Update { array, index, value, .. } => {
                    // Stores to whole arrays (`y[:] = v`) say nothing of rows.
                    let is_part = index.iter().any(|each| matches!(each, Index::At(_)));
                    if let Some(sizes) = known(&value.ty).filter(|_| is_part) {
                        self.lengths(array, index, &sizes);
                    }
                }
                _ => {}
            }
            blocks_mut(stmt, &mut |inner| self.statements(inner));
        }
    }

    fn expr(&mut self, e: &mut Expr) {
        let Some((sizes, _)) = of_one_size(e) else { return };
        match &mut e.kind {
            ExprKind::Convert(inner) => {
                self.slice(inner, &sizes);
                if inner.ty == e.ty {
                    *e = (**inner).clone();
                }
            }
            ExprKind::Apply { args, .. } | ExprKind::Library { args, .. } => {
                args.iter_mut().for_each(|arg| self.slice(arg, &sizes));
            }
            _ => {}
        }
    }

    fn slice(&mut self, e: &mut Expr, sizes: &[u32]) {
        if let Some(ty) = e.ty.as_array().filter(|_| is_whole_array(e, sizes)) {
            let sized = sizes.iter().copied().map(Some).collect();
            let (array, ty, span) = (e.clone(), build::sized_type((*ty.element).clone(), sized), e.span);
            let mut index = vec![Index::All; sizes.len()];
            if self.lengths(&array, &mut index, sizes) {
                let load = ExprKind::Load { array: Box::new(array), index, boundary: Boundary::Checked };
                *e = Expr::new(load, ty, span);
            }
            return;
        }
        let ExprKind::Load { array, index, .. } = &mut e.kind else { return };
        if on_heap(&e.ty)
            && self.lengths(array, index, sizes)
            && let Type::Array(ty) = &mut e.ty
        {
            ty.sizes = sizes.iter().copied().map(Some).collect();
        }
    }

    /// Gives the whole axes of an index these lengths, if nothing else selects several elements.
    fn lengths(&mut self, array: &Expr, index: &mut [Index], sizes: &[u32]) -> bool {
        let ExprKind::Local(variable) = array.kind else { return false };
        let plain = index.iter().all(|each| matches!(each, Index::At(_) | Index::All));
        let whole = index.iter().filter(|each| matches!(each, Index::All)).count();
        if !plain || whole != sizes.len() || self.set.contains(&variable) || !on_heap(&array.ty) {
            return false;
        }
        let axes = index.iter_mut().enumerate().filter(|(_, each)| matches!(each, Index::All));
        for ((axis, each), &length) in axes.zip(sizes) {
            self.agree &= *self.extents.entry((variable, axis)).or_insert(length) == length;
            let last = i64::from(length) - 1;
            let last = build::int(i32::try_from(last).unwrap_or(i32::MAX), array.span);
            *each = Index::Range(build::range(build::int(0, array.span), last));
        }
        true
    }
}

/// Whether an operand is an array in memory of the rank of these sizes.
fn is_whole_array(e: &Expr, sizes: &[u32]) -> bool {
    matches!(e.kind, ExprKind::Local(_))
        && on_heap(&e.ty)
        && array_element(&e.ty).is_some()
        && rank(&e.ty) == Some(sizes.len())
}

/// Whether whole arrays meet arrays of known sizes.
fn has_whole_arrays(stmt: &Stmt) -> bool {
    let mut found = false;
    visit_block(std::slice::from_ref(stmt), &mut |e| {
        if let ExprKind::Apply { .. } | ExprKind::Library { name: "dotprod", .. } = &e.kind
            && let Some((sizes, operands)) = of_one_size(e)
        {
            found |= operands.iter().any(|operand| is_whole_array(operand, &sizes));
        }
    });
    found
}

/// Whether statements have slices that are whole along an axis.
fn has_slices(stmt: &Stmt) -> bool {
    let is_slice = |index: &[Index]| index.iter().any(|each| matches!(each, Index::All));
    let mut found = false;
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        if let StmtKind::Store { index, .. } | StmtKind::Update { index, .. } = &stmt.kind {
            found |= is_slice(index);
        }
        operands(stmt, &mut |e| {
            visit(e, &mut |e| found |= matches!(&e.kind, ExprKind::Load { index, .. } if is_slice(index)));
        });
    });
    found
}
