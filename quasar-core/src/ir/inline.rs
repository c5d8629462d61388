//! Inlines the statements of one body at a call or launch in another.

use super::build;
use super::rewrite::{copy_block, operands_mut, set_in, transform, transform_stmts};
use super::{Block, Body, Expr, ExprKind, VarId};
use crate::types::Type;
use std::collections::BTreeMap;

/// Maps the parameters of `callee` to variables of `body`. Emits assignments to `out` for those passed by value.
/// Returns `None` if an argument cannot be passed so.
pub fn arguments(
    body: &mut Body,
    callee: &Body,
    args: &[Expr],
    out: &mut Block,
) -> Option<BTreeMap<VarId, VarId>> {
    let mut map = BTreeMap::new();
    for (param, arg) in callee.params.iter().zip(args) {
        map.insert(*param, argument(body, callee, *param, arg, out)?);
    }
    Some(map)
}

/// Arrays are passed by reference, everything else by value.
fn argument(body: &mut Body, callee: &Body, param: VarId, arg: &Expr, out: &mut Block) -> Option<VarId> {
    let declared = &callee.variables[param];
    let mut own = |body: &mut Body, ty: Type, value: Expr| {
        let variable = body.temporary(ty, arg.span);
        out.push(build::assign(variable, value));
        variable
    };
    let Type::Array(ty) = &declared.ty else {
        let ty = declared.ty.clone();
        let value = build::convert(arg.clone(), &ty);
        return Some(own(body, ty, value));
    };
    let inner: &Expr = if let ExprKind::Convert(inner) = &arg.kind { inner } else { arg };
    let fits = match &inner.ty {
        Type::Array(own) => own.rank == ty.rank && build::same_type(&own.element, &ty.element),
        _ => false,
    };
    if !fits {
        return None;
    }
    let replaced = set_in(&callee.block).contains(&param);
    Some(match inner.kind {
        ExprKind::Local(variable) if !replaced => variable,
        ExprKind::Local(_) => {
            let args = vec![inner.clone()];
            let copy = Expr::new(ExprKind::Library { name: "copy", args }, inner.ty.clone(), arg.span);
            own(body, inner.ty.clone(), copy)
        }
        // Stores of the callee to this copy are not visible to the caller.
        _ => own(body, inner.ty.clone(), inner.clone()),
    })
}

/// The statements of `callee`, with parameters mapped as by [`arguments`].
pub fn code(body: &mut Body, callee: &Body, map: &mut BTreeMap<VarId, VarId>) -> Block {
    let passed: Vec<VarId> = callee.params.iter().filter_map(|param| map.get(param).copied()).collect();
    let mut block = copy_block(&callee.block, callee, body, map);
    retype(&mut block, &passed, body);
    block
}

/// Updates types: an argument may have more precise extents than the parameter.
fn retype(block: &mut Block, passed: &[VarId], body: &Body) {
    transform_stmts(block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Local(v) = e.kind
                    && passed.contains(&v)
                {
                    e.ty = body.variables[v].ty.clone();
                }
            });
        });
    });
}
