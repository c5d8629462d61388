//! What all threads of a block find alike, when they look at the same time: what does not depend on their positions.

use super::phases::{self, narrow};
use crate::ir::rewrite::{operands, set_in, stored_in, visit, visit_stmts};
use crate::ir::{Coordinate, Expr, ExprKind, Kernel, Stmt, StmtKind, VarId, VarSet, is_of_group};
use crate::types::Type;

/// What the threads of a block have in common. Elements of arrays that are not a thread's own count as the same for all:
/// whoever asks lets the threads look between the same two barriers.
pub struct Alike {
    variables: VarSet,
}

impl Alike {
    /// For a kernel with arrays that blocks `share`. Variables that are `assumed` to be alike are so, whatever they are
    /// computed from.
    pub fn of(kernel: &Kernel, shared: &VarSet, assumed: &VarSet) -> Alike {
        let body = &kernel.body;
        let set = set_in(&body.block);
        let far = |v: VarId| shared.contains(&v) || body.params.contains(&v) && !set.contains(&v);
        let stored = stored_in(&body.block);
        let own = |v: &VarId| far(*v) || !body.results.contains(v) && !stored.contains(v);
        let mut variables: VarSet = body.variables.ids().filter(own).collect();
        let plain = |expr: &Expr, alike: &VarSet| is_alike(expr, alike);
        let same = |stmt: &Stmt, alike: &VarSet| sets_alike(stmt, alike);
        loop {
            let before = variables.len();
            narrow(&body.block, true, &phases::Alike { plain: &plain, same: &same }, &mut variables);
            variables.extend(body.variables.ids().filter(|v| far(*v)));
            variables.add(assumed);
            if variables.len() == before {
                return Alike { variables };
            }
        }
    }

    /// Whether all threads find the same value.
    pub fn expr(&self, expr: &Expr) -> bool {
        is_alike(expr, &self.variables)
    }

    /// Whether all threads do the same in statements.
    pub fn block(&self, block: &[Stmt]) -> bool {
        let mut alike = true;
        visit_stmts(block, &mut |stmt| {
            operands(stmt, &mut |e| alike &= self.expr(e));
            alike &= !is_of_group(stmt);
        });
        alike
    }

    /// From now on a variable has the same value in all threads.
    pub fn insert(&mut self, variable: VarId) {
        self.variables.insert(variable);
    }
}

fn is_alike(expr: &Expr, variables: &VarSet) -> bool {
    let mut alike = true;
    visit(expr, &mut |e| match &e.kind {
        ExprKind::Local(v) => alike &= variables.contains(v),
        ExprKind::Coordinate(Coordinate::Position | Coordinate::BlockPosition, _) | ExprKind::Global(_) => {
            alike = false;
        }
        _ => {}
    });
    alike
}

/// Whether all threads set the variables of a statement to the same values.
fn sets_alike(stmt: &Stmt, variables: &VarSet) -> bool {
    match &stmt.kind {
        StmtKind::Assign { .. } | StmtKind::For { .. } | StmtKind::Shared { .. } => {}
        // A function that writes to an array does so for its thread.
        StmtKind::Call { args, .. } if args.iter().all(|arg| !matches!(arg.ty, Type::Array(_))) => {}
        _ => return false,
    }
    let mut alike = true;
    operands(stmt, &mut |e| alike &= is_alike(e, variables));
    alike
}
