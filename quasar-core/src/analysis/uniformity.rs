//! Uniformity: which values and control flow are the same in all threads of a block. The analysis starts with all
//! variables and removes those that are assigned divergent values, up to the fixpoint.

use super::barrier_intervals::{self, narrow};
use crate::ir::rewrite::{operands, set_in, stored_in, visit, visit_stmts};
use crate::ir::{Coordinate, Expr, ExprKind, Kernel, Stmt, StmtKind, VarId, VarSet, is_warp_function};
use crate::types::Type;

/// The uniform variables of a kernel. Loads from arrays that are not private count as uniform: the caller ensures that
/// the threads load between the same two barriers.
pub struct Uniformity {
    variables: VarSet,
}

impl Uniformity {
    /// Analyses a kernel with arrays that blocks `share`. Variables in `assumed` are uniform regardless of their
    /// definitions.
    pub fn of(kernel: &Kernel, shared: &VarSet, assumed: &VarSet) -> Uniformity {
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
            narrow(
                &body.block,
                true,
                &barrier_intervals::UniformityTests { plain: &plain, same: &same },
                &mut variables,
            );
            variables.extend(body.variables.ids().filter(|v| far(*v)));
            variables.add(assumed);
            if variables.len() == before {
                return Uniformity { variables };
            }
        }
    }

    /// Whether an expression is uniform.
    pub fn expr(&self, expr: &Expr) -> bool {
        is_alike(expr, &self.variables)
    }

    /// Whether statements are uniform.
    pub fn block(&self, block: &[Stmt]) -> bool {
        let mut alike = true;
        visit_stmts(block, &mut |stmt| {
            operands(stmt, &mut |e| alike &= self.expr(e));
            alike &= !is_warp_function(stmt);
        });
        alike
    }

    /// Marks a variable as uniform from now on.
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

/// Whether a statement assigns uniform values to its variables.
fn sets_alike(stmt: &Stmt, variables: &VarSet) -> bool {
    match &stmt.kind {
        StmtKind::Assign { .. } | StmtKind::For { .. } | StmtKind::Shared { .. } => {}
        // A function with an array argument writes to it for its thread.
        StmtKind::Call { args, .. } if args.iter().all(|arg| !matches!(arg.ty, Type::Array(_))) => {}
        _ => return false,
    }
    let mut alike = true;
    operands(stmt, &mut |e| alike &= is_alike(e, variables));
    alike
}
