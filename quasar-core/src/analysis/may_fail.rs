//! Whether kernel code may fail.

use crate::ids::IdSet;
use crate::ir::conversions::total;
use crate::ir::rewrite::{visit_block, visit_stmts};
use crate::ir::{ExprKind, Function, Program, Stmt, StmtKind};
use crate::types::known::scalar;
use crate::types::{Boundary, Overflow, Type};

/// Whether a statement, nested ones included, may record an error: an index out of bounds in the mode 'checked, a
/// number that does not fit, a failed assertion, or any call. Element accesses count only if `elements` is set.
pub fn possible(stmt: &Stmt, elements: bool) -> bool {
    let mut found = itself(std::slice::from_ref(stmt), elements);
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| found |= matches!(stmt.kind, StmtKind::Call { .. }));
    found
}

/// Whether numbers are converted that may not fit.
pub fn narrows(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_block(block, &mut |e| {
        if let ExprKind::Convert(inner) = &e.kind {
            found |= matches!(e.ty, Type::Scalar(_, Overflow::Checked)) && !total(inner, e);
        }
    });
    found
}

/// The functions that may record an error, by themselves or by functions that they call.
pub fn failing(program: &Program) -> IdSet<Function> {
    let mut callers = vec![Vec::new(); program.functions.ids().count()];
    let (mut found, mut work) = (IdSet::default(), Vec::new());
    for (id, function) in program.functions.iter() {
        if itself(&function.body.block, true) && found.insert(id) {
            work.push(id);
        }
        visit_stmts(&function.body.block, &mut |stmt| {
            if let StmtKind::Call { function, .. } = &stmt.kind {
                callers[function.index()].push(id);
            }
        });
    }
    while let Some(callee) = work.pop() {
        work.extend(std::mem::take(&mut callers[callee.index()]).into_iter().filter(|id| found.insert(*id)));
    }
    found
}

/// Whether statements may record an error without the functions that they call.
fn itself(block: &[Stmt], elements: bool) -> bool {
    let mut found = false;
    visit_block(block, &mut |e| {
        found |= match &e.kind {
            ExprKind::Load { boundary, .. } => elements && *boundary == Boundary::Checked,
            ExprKind::Convert(inner) => {
                let real = !scalar(&inner.ty).is_some_and(|from| from.is_complex());
                matches!(e.ty, Type::Scalar(_, Overflow::Checked)) && !(real && total(inner, e))
            }
            _ => false,
        };
    });
    visit_stmts(block, &mut |stmt| {
        found |= match &stmt.kind {
            StmtKind::Store { boundary, .. }
            | StmtKind::Update { boundary, .. }
            | StmtKind::Exchange { boundary, .. } => elements && *boundary == Boundary::Checked,
            StmtKind::Assert { .. } | StmtKind::Fail { .. } => true,
            _ => false,
        };
    });
    found
}

/// Whether a statement, or one inside it, reaches an element in the mode 'checked.
pub fn reaches_checked(stmt: &Stmt) -> bool {
    let block = std::slice::from_ref(stmt);
    let mut found = false;
    visit_block(block, &mut |e| {
        found |= matches!(e.kind, ExprKind::Load { boundary: Boundary::Checked, .. });
    });
    visit_stmts(block, &mut |stmt| {
        found |= matches!(
            stmt.kind,
            StmtKind::Store { boundary: Boundary::Checked, .. }
                | StmtKind::Update { boundary: Boundary::Checked, .. }
                | StmtKind::Exchange { boundary: Boundary::Checked, .. }
        );
    });
    found
}
