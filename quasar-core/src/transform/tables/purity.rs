//! Which code of kernels may be done before the launch: arithmetic on numbers that cannot fail, and conversions that are
//! tested beforehand.

use crate::ir::conversions::total;
use crate::ir::rewrite::{visit_block, visit_stmts};
use crate::ir::{Coordinate, Expr, ExprKind, FunctionId, Program, Stmt, StmtKind};
use crate::types::known::scalar;
use crate::types::{Boundary, ElementType, Overflow, Type};

/// Calls within calls that are looked into.
const DEPTH: u32 = 4;

/// Whether an expression without its operands has a value that depends on these alone, and may be computed anywhere.
pub(super) fn is_plain(e: &Expr) -> bool {
    let number = scalar(&e.ty).is_some();
    match &e.kind {
        ExprKind::Constant(_)
        | ExprKind::Apply { .. }
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Select { .. }
        | ExprKind::Extent(..)
        | ExprKind::Count(_)
        | ExprKind::Coordinate(Coordinate::Position, _)
        | ExprKind::Local(_) => number || matches!(e.kind, ExprKind::Local(_)),
        ExprKind::Convert(inner) => {
            let real =
                scalar(&inner.ty).is_some_and(|from| !from.is_complex() || scalar(&e.ty) == Some(from));
            number && real && (total(inner, e) || is_tested(e))
        }
        ExprKind::Load { array, boundary, .. } => {
            number && *boundary != Boundary::Checked && matches!(array.kind, ExprKind::Local(_))
        }
        _ => false,
    }
}

/// Whether an expression is a conversion that fails for numbers out of range, for which there is a test.
pub(super) fn is_tested(e: &Expr) -> bool {
    let ExprKind::Convert(inner) = &e.kind else { return false };
    let from = scalar(&inner.ty);
    matches!(e.ty, Type::Scalar(ElementType::Int32, Overflow::Checked))
        && matches!(from, Some(ElementType::Single | ElementType::Double))
        && !total(inner, e)
}

/// Whether statements hold a conversion that is tested.
pub(super) fn has_tested(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_block(block, &mut |e| found |= is_tested(e));
    found
}

/// Whether statements hold something that costs more than a few additions.
pub(super) fn has_costly_operation(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| found |= matches!(stmt.kind, StmtKind::Call { .. }));
    visit_block(block, &mut |e| found |= operation_cost(e) > 1 && !matches!(e.kind, ExprKind::Load { .. }));
    found
}

/// Whether statements do nothing but give values to variables, and end.
pub(super) fn is_pure(program: &Program, block: &[Stmt]) -> bool {
    is_pure_to(program, block, DEPTH)
}

fn is_pure_to(program: &Program, block: &[Stmt], depth: u32) -> bool {
    let mut pure = true;
    visit_stmts(block, &mut |stmt| {
        pure &= match &stmt.kind {
            StmtKind::Assign { .. } | StmtKind::If { .. } => true,
            StmtKind::For { range, attributes, .. } => {
                range.step.as_ref().is_none_or(|step| step.constant_int().is_some_and(|step| step != 0))
                    && scalar(&range.from.ty) == Some(ElementType::Int32)
                    && !attributes.every_position
            }
            StmtKind::Call { function, args, .. } => {
                args.iter().all(|arg| scalar(&arg.ty).is_some())
                    && is_pure_function(program, *function, depth)
            }
            _ => false,
        };
    });
    visit_block(block, &mut |e| pure &= is_plain(e));
    pure
}

/// Whether a device function of numbers computes its results and does nothing else.
fn is_pure_function(program: &Program, function: FunctionId, depth: u32) -> bool {
    let body = &program.functions[function].body;
    depth > 0
        && body.variables.iter().all(|(_, variable)| scalar(&variable.ty).is_some())
        && !has_tested(&body.block)
        && is_pure_to(program, &body.block, depth - 1)
}

/// What an operation costs, in additions, without its operands.
pub(super) fn operation_cost(e: &Expr) -> u32 {
    match &e.kind {
        ExprKind::Apply { row, .. } => match row.name {
            "divide" | "sqrt" | "rsqrt" => 4,
            "floor" | "ceil" | "round" | "fix" | "frac" => 2,
            "mod" | "rem" | "periodize" | "mirror_ext" => 8,
            "gamma" | "lgamma" | "erf" | "erfc" | "cbrt" => 20,
            "abs" | "lerp" => 1,
            _ if row.ulps > 0 => 20,
            _ => 1,
        },
        ExprKind::Convert(_) if is_tested(e) => 4,
        ExprKind::Convert(_) | ExprKind::Select { .. } | ExprKind::And(..) | ExprKind::Or(..) => 1,
        ExprKind::Load { .. } => 2,
        _ => 0,
    }
}

/// What a call costs.
pub(super) fn cost_of_call(program: &Program, function: FunctionId) -> u32 {
    let mut total = 0;
    visit_block(&program.functions[function].body.block, &mut |e| total += operation_cost(e));
    total
}
