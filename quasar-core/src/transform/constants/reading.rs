//! Which arrays are never changed: nothing stores to their elements, and no other name for them comes into being through which
//! something could.

use crate::ir::rewrite::{children, operands, visit_stmts};
use crate::ir::{Block, Body, Expr, ExprKind, Index, Program, StmtKind};
use crate::types::known::array_element;

/// Calls inside of calls beyond this many are taken to change what they are given.
pub(super) const DEPTH: usize = 4;

/// Functions of the library that take arrays and only look at them.
const LOOK: &[&str] = &["print", "printf", "fprintf"];

/// Whether statements only read the elements of the array that `is` recognises.
pub(super) fn only_read(program: &Program, block: &Block, is: &dyn Fn(&Expr) -> bool, depth: usize) -> bool {
    let mut fine = depth > 0;
    visit_stmts(block, &mut |stmt| {
        if !fine {
            return;
        }
        // What a callee does with its parameter.
        let mut passed = |args: &[Expr], callee: &Body| {
            for (arg, param) in args.iter().zip(&callee.params) {
                if is(unconverted(arg)) {
                    let inner = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if v == *param);
                    fine &= only_read(program, &callee.block, &inner, depth - 1);
                } else {
                    fine &= looks(arg, is);
                }
            }
        };
        match &stmt.kind {
            StmtKind::Launch { kernel, dims: _, block: _, args, .. } => {
                passed(args, &program.kernels[*kernel].body);
            }
            StmtKind::Call { function, args, .. } => passed(args, &program.functions[*function].body),
            StmtKind::Library { name, args, .. } if LOOK.contains(name) => {
                fine &= args.iter().all(|arg| at_most_looks(arg, is));
            }
            StmtKind::Store { array, index, value, .. } => {
                let copied = array_element(&array.ty).is_some();
                let read = |each: &Index| match each {
                    Index::At(e) | Index::List(e) | Index::Position(e) => at_most_looks(e, is),
                    Index::Range(_) | Index::All => true,
                };
                fine &= looks(array, is) && index.iter().all(read);
                fine &= if copied { at_most_looks(value, is) } else { looks(value, is) };
            }
            _ => operands(stmt, &mut |e| fine &= looks(e, is)),
        }
    });
    fine
}

/// An expression without the views around it.
pub(super) fn unconverted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Convert(inner) => unconverted(inner),
        _ => expr,
    }
}

/// Whether an expression is the array itself, for somebody who copies it, or only looks at it.
fn at_most_looks(expr: &Expr, is: &dyn Fn(&Expr) -> bool) -> bool {
    is(unconverted(expr)) || looks(expr, is)
}

/// Whether the value of an expression does not hold the array itself.
fn looks(expr: &Expr, is: &dyn Fn(&Expr) -> bool) -> bool {
    if is(expr) {
        return false;
    }
    let copies = match &expr.kind {
        ExprKind::Load { .. }
        | ExprKind::Extent(..)
        | ExprKind::Count(_)
        | ExprKind::Reduce { .. }
        | ExprKind::Apply { .. } => true,
        ExprKind::Library { name, .. } => *name != "reshape",
        _ => false,
    };
    let mut fine = true;
    children(expr, &mut |child| fine &= if copies { at_most_looks(child, is) } else { looks(child, is) });
    fine
}
