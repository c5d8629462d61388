//! Which arrays are never modified: nothing stores to their elements, and no alias is created through which something
//! could.

use crate::ir::rewrite::{children, operands, visit_stmts};
use crate::ir::{Block, Body, Expr, ExprKind, Index, Program, StmtKind};
use crate::types::known::array_element;

/// Deeper call chains are assumed to modify their arguments.
pub(super) const DEPTH: usize = 4;

/// Library functions that only read their array arguments.
pub(in crate::transform) const LOOK: &[&str] = &["print", "printf", "fprintf"];

/// Whether statements only read the elements of the array that `is` recognises.
pub(super) fn only_read(program: &Program, block: &Block, is: &dyn Fn(&Expr) -> bool, depth: usize) -> bool {
    let mut fine = depth > 0;
    visit_stmts(block, &mut |stmt| {
        if !fine {
            return;
        }
        // The use of the parameter in the callee.
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

/// The expression below any conversions.
pub(super) fn unconverted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Convert(inner) => unconverted(inner),
        _ => expr,
    }
}

/// Whether an expression is at most the array itself, for a context that copies or reads it.
fn at_most_looks(expr: &Expr, is: &dyn Fn(&Expr) -> bool) -> bool {
    is(unconverted(expr)) || looks(expr, is)
}

/// Whether the value of an expression does not alias the array.
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
