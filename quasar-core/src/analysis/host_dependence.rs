//! Whether the iterations of a loop of host code are independent, where its body is more than a kernel could do: slices,
//! functions of arrays and calls of host functions.
//!
//! Arrays that are used as a whole count as read at all indices. What the test does not know is a dependence: objects, cells,
//! values of unknown type, functions that change what they are given.

use super::aliases::Aliases;
use super::dead_code::is_new;
use super::dependence::{self, Loop};
use crate::ir::effects::{Effect, effect};
use crate::ir::rewrite::{free_variables, operands, root, set_in, sets, visit, visit_block, visit_stmts};
use crate::ir::{Block, Body, Expr, ExprKind, FunctionId, Index, Stmt, StmtKind, VarId, VarSet};
use crate::types::Type;
use crate::types::known::array_element;

/// Whether no iteration of a loop sees what another one does. `is_pure` tells of which functions calls give results and do
/// nothing else.
pub fn independent(
    body: &Body,
    each: &Loop,
    block: &Block,
    aliases: &Aliases,
    live_after: &VarSet,
    is_pure: &dyn Fn(FunctionId) -> bool,
) -> bool {
    let known = |ty: &Type| is_number(ty) || array_element(ty).is_some();
    let mut allowed = true;
    visit_stmts(block, &mut |stmt| {
        allowed &= match &stmt.kind {
            StmtKind::Store { array, .. } | StmtKind::Update { array, result: None, .. } => {
                matches!(array.kind, ExprKind::Local(_)) && array_element(&array.ty).is_some()
            }
            StmtKind::Call { function, .. } => is_pure(*function),
            StmtKind::Assign { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Repeat { .. }
            | StmtKind::Break { .. }
            | StmtKind::Continue { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Fail { .. } => true,
            _ => false,
        };
        sets(stmt, &mut |v| allowed &= known(&body.variables[*v].ty));
    });
    visit_block(block, &mut |e| {
        allowed &= match &e.kind {
            ExprKind::Text(_) => true,
            ExprKind::Global(_) => is_number(&e.ty),
            ExprKind::Member(..)
            | ExprKind::New(_)
            | ExprKind::Same(..)
            | ExprKind::Null
            | ExprKind::Function { .. }
            | ExprKind::Field(..) => false,
            _ => known(&e.ty) || matches!(e.ty, Type::Text),
        };
    });
    allowed
        && dependence::test_whole(
            body,
            each,
            block,
            aliases,
            live_after,
            &own_arrays(body, block, live_after),
        )
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(..) | Type::Enum(_))
}

/// Arrays that each iteration makes before it uses them.
fn own_arrays(body: &Body, block: &Block, live_after: &VarSet) -> VarSet {
    let exposed = free_variables(block);
    let mut own: VarSet = set_in(block)
        .iter()
        .filter(|v| array_element(&body.variables[*v].ty).is_some())
        .filter(|v| !exposed.contains(v) && !live_after.contains(v))
        .collect();
    visit_stmts(block, &mut |stmt| match &stmt.kind {
        StmtKind::Assign { value, .. } if is_new(value) => {}
        _ => sets(stmt, &mut |v| {
            own.remove(v);
        }),
    });
    own
}

/// Whether an iteration does so much that another thread may be worth its while: it works on whole arrays, or calls.
pub fn is_worthwhile(block: &Block) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Call { .. });
        operands(stmt, &mut |expr| visit(expr, &mut |e| found |= is_bulk(e)));
    });
    found
}

fn is_bulk(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Load { index, .. } => index.iter().any(|i| !matches!(i, Index::At(_))),
        ExprKind::Reduce { .. } | ExprKind::Library { .. } => true,
        ExprKind::Apply { .. } => matches!(expr.ty, Type::Array(_)),
        _ => false,
    }
}

/// Whether statements change what others may see, or read module-level variables that are no numbers. `reaches` tells which
/// variables may name arrays from outside.
pub fn is_seen_outside(block: &[Stmt], reaches: &dyn Fn(VarId) -> bool) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        let writes = effect(stmt) == Effect::Write;
        found |= match &stmt.kind {
            StmtKind::Store { array, .. }
            | StmtKind::Update { array, .. }
            | StmtKind::Exchange { array, .. } => root(array).is_none_or(reaches),
            // What the function does counts where it is looked at itself.
            StmtKind::Call { .. } => false,
            _ => writes,
        };
    });
    visit_block(block, &mut |e| found |= matches!(e.kind, ExprKind::Global(_)) && !is_number(&e.ty));
    found
}
