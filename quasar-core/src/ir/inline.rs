//! The statements of one body in the place where another one calls or launches it.

use super::build;
use super::rewrite::{copy_block, operands_mut, set_in, transform, transform_stmts};
use super::{Block, Body, Expr, ExprKind, VarId};
use crate::types::Type;
use std::collections::BTreeMap;

/// Variables of `body` for the parameters of `callee`, after statements in `out` that set those which get values of their own.
/// Nothing where an argument has no such form.
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

/// An array is the one that is passed, anything else a value of its own.
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
        // What the callee stores there nobody sees.
        _ => own(body, inner.ty.clone(), inner.clone()),
    })
}

/// The statements of `callee` with the variables of `body` that [`arguments`] gave.
pub fn code(body: &mut Body, callee: &Body, map: &mut BTreeMap<VarId, VarId>) -> Block {
    let passed: Vec<VarId> = callee.params.iter().filter_map(|param| map.get(param).copied()).collect();
    let mut block = copy_block(&callee.block, callee, body, map);
    retype(&mut block, &passed, body);
    block
}

/// Arrays that are passed may be known better than the callee knows them.
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
