//! The setting `COMPILER_OUTOFBOUNDS_CHECKS`: where it is said, `'unchecked` accesses of arrays of numbers are `'checked`, or
//! the other way round. The other modes give accesses outside of arrays a meaning, and stay.

use crate::ir::rewrite::{transform_block, transform_stmts};
use crate::ir::{Body, Expr, ExprKind, Program, StmtKind};
use crate::message::Sink;
use crate::transform::PassContext;
use crate::types::Boundary;
use crate::types::known::array_element;

/// Changes all accesses of a program.
pub(in crate::transform) fn run(program: &mut Program, context: &PassContext<'_>, _: &mut Sink) {
    let Some(checked) = context.bounds_checks else { return };
    for id in program.functions.ids() {
        body(&mut program.functions[id].body, checked);
    }
    for id in program.kernels.ids() {
        body(&mut program.kernels[id].body, checked);
    }
}

fn body(body: &mut Body, checked: bool) {
    let change = |array: &Expr, boundary: &mut Boundary| {
        if array_element(&array.ty).is_some() {
            *boundary = changed(*boundary, checked);
        }
    };
    transform_stmts(&mut body.block, &mut |stmt| {
        if let StmtKind::Store { array, boundary, .. }
        | StmtKind::Update { array, boundary, .. }
        | StmtKind::Exchange { array, boundary, .. } = &mut stmt.kind
        {
            change(array, boundary);
        }
    });
    transform_block(&mut body.block, &mut |expr| {
        if let ExprKind::Load { array, boundary, .. } = &mut expr.kind {
            change(array, boundary);
        }
    });
    for id in body.variables.ids() {
        let variable = &mut body.variables[id];
        if array_element(&variable.ty).is_some() {
            variable.boundary = changed(variable.boundary, checked);
        }
    }
}

fn changed(boundary: Boundary, checked: bool) -> Boundary {
    match boundary {
        Boundary::Unchecked if checked => Boundary::Checked,
        Boundary::Checked if !checked => Boundary::Unchecked,
        other => other,
    }
}
