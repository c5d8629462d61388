//! Normalises kernel parameters: arrays are passed by reference, with unknown extents.

use super::rewrite::{root, set_in, transform_block, transform_stmts, visit_block, visit_stmts};
use super::{Body, Expr, ExprKind, Index, Kernel, Program, Stmt, StmtKind, VarId, VarSet, build};
use crate::ids::Arena;
use crate::types::{ArrayType, Boundary, Type};
use std::collections::BTreeMap;

/// Turns array parameters into references, which drop the extents that the host knows. Small arrays that the kernel
/// uses as whole values and never writes remain values.
pub fn pass_by_reference(body: &mut Body) {
    let mut stored: VarSet = VarSet::new();
    visit_stmts(&body.block, &mut |stmt| {
        if let StmtKind::Store { array, .. }
        | StmtKind::Update { array, .. }
        | StmtKind::Exchange { array, .. } = &stmt.kind
        {
            stored.extend(root(array));
        }
    });
    let assigned = set_in(&body.block);
    let refers = |param: &VarId| {
        let value = assigned.contains(param) || used_as_value(body, *param);
        stored.contains(param) || !value
    };
    let references = body.params.iter().copied().filter(refers).collect();
    refer(body, &references);
}

/// Lets parameters be references.
pub fn refer(body: &mut Body, references: &VarSet) {
    for param in references.iter() {
        forget_sizes(&mut body.variables[param].ty);
    }
    let params: BTreeMap<VarId, Type> =
        body.params.iter().map(|param| (*param, body.variables[*param].ty.clone())).collect();
    transform_block(&mut body.block, &mut |expr| {
        if let ExprKind::Local(variable) = expr.kind
            && let Some(ty) = params.get(&variable)
        {
            expr.ty = ty.clone();
        }
    });
    let variables = &body.variables;
    transform_stmts(&mut body.block, &mut |stmt| {
        if let StmtKind::Assign { variable, value } = &mut stmt.kind
            && matches!(value.ty, Type::Array(_))
        {
            *value = build::convert(value.clone(), &variables[*variable].ty);
        }
    });
}

/// Converts the arguments of a launch to the types of the kernel's parameters.
pub fn convert_arguments(stmt: &mut Stmt, kernels: &Arena<Kernel>) {
    let StmtKind::Launch { kernel, args, .. } = &mut stmt.kind else { return };
    let body = &kernels[*kernel].body;
    for (arg, param) in args.iter_mut().zip(&body.params) {
        *arg = build::convert(arg.clone(), &body.variables[*param].ty);
    }
}

/// Lets all kernels of a program take arrays by reference.
pub fn pass_all_by_reference(program: &mut Program) {
    for kernel in program.kernels.ids().collect::<Vec<_>>() {
        pass_by_reference(&mut program.kernels[kernel].body);
    }
    convert_values(program);
    let kernels = program.kernels.clone();
    let convert = &mut |stmt: &mut Stmt| convert_arguments(stmt, &kernels);
    for function in program.functions.ids().collect::<Vec<_>>() {
        transform_stmts(&mut program.functions[function].body.block, convert);
    }
    for kernel in program.kernels.ids().collect::<Vec<_>>() {
        transform_stmts(&mut program.kernels[kernel].body.block, convert);
    }
}

/// Lets functions that take small arrays as values have them from parameters that have become references.
fn convert_values(program: &mut Program) {
    let types = |body: &Body| body.params.iter().map(|param| body.variables[*param].ty.clone()).collect();
    let params: Vec<Vec<Type>> =
        program.functions.iter().map(|(_, function)| types(&function.body)).collect();
    let mut convert = |stmt: &mut Stmt| {
        let StmtKind::Call { function, args, .. } = &mut stmt.kind else { return };
        for (arg, wanted) in args.iter_mut().zip(&params[function.index()]) {
            if build::is_small(wanted) && !build::is_small(&arg.ty) {
                *arg = whole(arg, wanted);
            }
        }
    };
    for function in program.functions.ids().collect::<Vec<_>>() {
        transform_stmts(&mut program.functions[function].body.block, &mut convert);
    }
    for kernel in program.kernels.ids().collect::<Vec<_>>() {
        transform_stmts(&mut program.kernels[kernel].body.block, &mut convert);
    }
}

/// All elements of an array, which has these sizes.
fn whole(array: &Expr, ty: &Type) -> Expr {
    let span = array.span;
    let sizes = ty.as_array().map_or(&[][..], |array| &array.sizes);
    let index = sizes.iter().map(|size| {
        let last = size.and_then(|size| i32::try_from(size).ok()).unwrap_or(0) - 1;
        Index::Range(build::range(build::int(0, span), build::int(last, span)))
    });
    let (array, index, boundary) = (Box::new(array.clone()), index.collect(), Boundary::Safe);
    Expr::new(ExprKind::Load { array, index, boundary }, ty.clone(), span)
}

/// Partially known extents are kept: they tell the number of channels of a pixel, and such arrays are never values.
fn forget_sizes(ty: &mut Type) {
    if let Type::Array(ArrayType { sizes, .. }) = ty
        && sizes.iter().all(Option::is_some)
    {
        sizes.iter_mut().for_each(|size| *size = None);
    }
}

/// Whether an array is used other than elementwise.
fn used_as_value(body: &Body, variable: VarId) -> bool {
    let mut whole = 0i64;
    visit_block(&body.block, &mut |expr| match &expr.kind {
        ExprKind::Local(v) if *v == variable => whole += 1,
        ExprKind::Load { array, .. } | ExprKind::Extent(array, _) | ExprKind::Count(array) if matches!(array.kind, ExprKind::Local(v) if v == variable) =>
        {
            whole -= 1;
        }
        _ => {}
    });
    visit_stmts(&body.block, &mut |stmt| {
        if let StmtKind::Store { array, .. } | StmtKind::Update { array, .. } = &stmt.kind
            && matches!(array.kind, ExprKind::Local(v) if v == variable)
        {
            whole -= 1;
        }
    });
    whole > 0
}
