//! Elements that stay while a loop goes on are kept in variables: `l[i,j] -= l[i,k]*l[j,k]` is a sum in a register where
//! `l[i,j]` is none of the elements that the loop reads otherwise.
//!
//! ```text
//! for k = ..                        e = l[i,j]
//!     l[i,j] -= l[i,k]*l[j,k]       for k = ..
//! endfor                                e -= l[i,k]*l[j,k]
//!                                   l[i,j] = e
//! ```

use super::accesses::{Access, are_apart};
use crate::ir::build;
use crate::ir::rewrite::{operands_mut, same_indices, transform, transform_stmts};
use crate::ir::{Block, Body, Expr, ExprKind, Index, Range, Stmt, StmtKind, VarId, VarSet, Variable};
use crate::types::known::array_element;
use crate::types::{Boundary, ElementType, Type};
use std::collections::BTreeMap;

/// What a loop does to the arrays that it writes, each at one place of an iteration.
#[derive(Default)]
pub(in super::super) struct Written {
    /// The arrays whose element stays, with its index.
    pub(in super::super) elements: BTreeMap<VarId, Vec<Index>>,
    /// Those that are written along rows, with the index of an iteration.
    pub(in super::super) rows: BTreeMap<VarId, Vec<Index>>,
    /// Where everything else that is read of these arrays is not what was written before.
    pub(in super::super) conditions: Vec<Expr>,
}

/// The places that a loop writes; `None` where an array is written at several, or may be read where it was written.
pub(in super::super) fn written(
    body: &Body,
    accesses: &[Access],
    k: VarId,
    range: &Range,
) -> Option<Written> {
    let mut found = Written::default();
    for access in accesses.iter().filter(|access| access.stores) {
        let plain = access.is_direct();
        let ty = &body.variables[access.variable].ty;
        let numbers =
            matches!(array_element(ty), Some(ElementType::Single | ElementType::Double | ElementType::Int32));
        let places = match access.moves().filter(|_| plain && numbers)? {
            0 => &mut found.elements,
            _ => &mut found.rows,
        };
        let known = places.insert(access.variable, access.index.clone());
        if known.is_some_and(|index| !same_indices(&index, &access.index)) {
            return None;
        }
    }
    if found.elements.keys().any(|array| found.rows.contains_key(array)) {
        return None;
    }
    let places = found.elements.iter().chain(&found.rows);
    for (array, index) in places {
        let written = accesses.iter().find(|access| access.stores && access.variable == *array)?;
        for read in accesses.iter().filter(|access| access.variable == *array && !access.is_at(index)) {
            let apart = are_apart(written, read, k, range)?;
            found.conditions.extend(Some(apart).filter(|apart| apart.constant_int() != Some(1)));
        }
        // In other modes the same index may be another element.
        let modes = accesses.iter().filter(|access| access.variable == *array);
        if !modes.into_iter().all(|access| access.boundary == written.boundary) {
            return None;
        }
    }
    Some(found)
}

/// Puts variables in the place of elements that stay. What reads and what writes them.
pub(in super::super) fn kept(body: &mut Body, block: &mut Block, written: &Written) -> (Block, Block) {
    let (mut before, mut behind) = (Block::new(), Block::new());
    for (array, index) in &written.elements {
        let Some(ty) = element(&body.variables[*array].ty) else { continue };
        let span = block.first().map(|stmt| stmt.span).unwrap_or_default();
        let variable = body.variables.push(Variable::new("$kept", ty.clone(), span));
        let whole = body.read(*array, span);
        replace(block, *array, index, &body.read(variable, span), Some(variable));
        let load = ExprKind::Load {
            array: Box::new(whole.clone()),
            index: index.clone(),
            boundary: Boundary::Unchecked,
        };
        before.push(build::assign(variable, Expr::new(load, ty, span)));
        let value = body.read(variable, span);
        let store =
            StmtKind::Store { array: whole, index: index.clone(), boundary: Boundary::Unchecked, value };
        behind.push(Stmt::new(store, span));
    }
    (before, behind)
}

/// Puts variables in the place of elements that a loop reads at one place and that it does not write, of arrays that the kernel
/// writes: the compiler of the code does not know that they stay. What reads them.
pub(in super::super) fn hoisted(
    body: &mut Body,
    block: &mut Block,
    accesses: &[Access],
    stored: &VarSet,
) -> Block {
    let mut before = Block::new();
    let stays = |access: &&Access| {
        let plain = access.is_direct();
        let slopes = access.slopes.as_ref().is_some_and(|slopes| slopes.iter().all(|slope| *slope == 0));
        plain && slopes && !access.stores && stored.contains(&access.variable)
    };
    for access in accesses.iter().filter(stays) {
        let Some(ty) = element(&body.variables[access.variable].ty) else { continue };
        let span = access.array.span;
        let variable = body.temporary(ty.clone(), span);
        if !replace(block, access.variable, &access.index, &body.read(variable, span), None) {
            continue;
        }
        let (array, index) = (Box::new(access.array.clone()), access.index.clone());
        let load = ExprKind::Load { array, index, boundary: Boundary::Unchecked };
        before.push(build::assign(variable, Expr::new(load, ty, span)));
    }
    before
}

/// The type of the elements of an array, with what happens to numbers that do not fit.
pub(in super::super) fn element(array: &Type) -> Option<Type> {
    match array {
        Type::Array(array) => Some((*array.element).clone()),
        _ => None,
    }
}

/// Puts a value in the place of an element, and a variable where it is stored. Whether there was anything to do.
pub(in super::super) fn replace(
    block: &mut Block,
    array: VarId,
    index: &[Index],
    read: &Expr,
    variable: Option<VarId>,
) -> bool {
    let mut found = false;
    let is_it = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if v == array);
    transform_stmts(block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Load { array, index: at, .. } = &e.kind
                    && is_it(array)
                    && same_indices(at, index)
                {
                    *e = read.clone();
                    found = true;
                }
            });
        });
        if let StmtKind::Store { array, value, .. } = &stmt.kind
            && is_it(array)
            && let Some(variable) = variable
        {
            stmt.kind = StmtKind::Assign { variable, value: value.clone() };
        }
    });
    found
}
