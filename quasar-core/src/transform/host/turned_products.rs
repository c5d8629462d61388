//! Products of transposes read the matrices as they lie in memory:
//!
//! ```text
//! g = $matmul($transpose(x), y)     ->     g = $matmul_turned(x, y, 1)
//! ```
//!
//! The last argument tells which factors are the transposes of what is passed: 1 the first, 2 the second, 3 both. The result has the same
//! bits. Small matrices of known sizes are multiplied where they are used, and stay as they are.

use crate::ir::build;
use crate::ir::rewrite::{operands_mut, transform, transform_stmts};
use crate::ir::{Expr, ExprKind, Program};
use crate::message::Sink;
use crate::transform::PassContext;
use crate::types::known::{array_element, on_heap, rank};

/// Looks at all host functions.
pub fn run(program: &mut Program, _: &PassContext<'_>, _: &mut Sink) {
    for (_, function) in program.functions.iter_mut().filter(|(_, function)| !function.device) {
        transform_stmts(&mut function.body.block, &mut |stmt| {
            operands_mut(stmt, &mut |e| transform(e, &mut turn));
        });
    }
}

fn turn(e: &mut Expr) {
    let span = e.span;
    let ExprKind::Library { name, args } = &mut e.kind else { return };
    let ("matmul", [a, b]) = (*name, args.as_mut_slice()) else { return };
    let which = i32::from(take_transpose(a)) + 2 * i32::from(take_transpose(b));
    if which > 0 {
        *name = "matmul_turned";
        args.push(build::int(which, span));
    }
}

/// Puts the matrix in the place of its transpose.
fn take_transpose(e: &mut Expr) -> bool {
    let ExprKind::Library { name: name @ ("transpose" | "herm_transpose"), args } = &e.kind else {
        return false;
    };
    let [matrix] = args.as_slice() else { return false };
    let plain =
        array_element(&matrix.ty).is_some_and(|element| *name == "transpose" || !element.is_complex());
    if !plain || !matches!(rank(&matrix.ty), Some(1 | 2)) || !on_heap(&matrix.ty) {
        return false;
    }
    *e = matrix.clone();
    true
}
