//! Bounds of inner loops that are elements: they are computed once before the nest where its iterations store nothing that they
//! read, so that the inner loop is a dimension of the nest.
//!
//! ```text
//! for m = 0..dims[0]-1                    b = dims[1]-1
//!     for n = 0..dims[1]-1         =>     for m = 0..dims[0]-1
//!         y[m,n] = ..                         for n = 0..b
//! ```

use super::Pass;
use crate::analysis::points_to::Sharing;
use crate::ir::build::{self, int, of_ints};
use crate::ir::effects::may_fail;
use crate::ir::rewrite::{root, set_in, stored_in, visit, visit_stmts};
use crate::ir::{Block, Expr, ExprKind, LoopMode, Stmt, StmtKind, VarSet};
use crate::transform::host::outline::{depends_on, reads_elements, trip_count};
use crate::types::known::array_element;

/// What the iterations of a nest change.
struct Changes {
    set: VarSet,
    stored: VarSet,
}

impl Pass<'_> {
    /// What is to be computed before a nest, whose inner bounds become variables.
    pub(super) fn inner_bounds_before(&mut self, stmt: &mut Stmt) -> Block {
        let StmtKind::For { attributes, .. } = &stmt.kind else { return Block::new() };
        let may_be_parallel = matches!(attributes.mode, LoopMode::Automatic | LoopMode::Parallel);
        if !may_be_parallel || !self.context.auto_parallel || !is_plain(stmt) {
            return Block::new();
        }
        let whole = std::slice::from_ref(stmt);
        let changes = Changes { set: set_in(whole), stored: stored_in(whole) };
        let mut before = Block::new();
        self.bounds_inside(stmt, None, &changes, &mut before);
        before
    }

    /// Takes the bounds out of the loops inside of `stmt`, which has iterations where `reached` holds.
    fn bounds_inside(
        &mut self,
        stmt: &mut Stmt,
        reached: Option<Expr>,
        changes: &Changes,
        before: &mut Block,
    ) {
        let StmtKind::For { range, body, .. } = &mut stmt.kind else { return };
        // Whether a triangle has iterations is not known before.
        if depends_on(range, &changes.set) {
            return;
        }
        let some = of_ints("greater", trip_count(range), int(0, stmt.span));
        let [inner] = body.as_mut_slice() else { return };
        let reached = reached.map_or(some.clone(), |reached| build::and(reached, some));
        let StmtKind::For { range, .. } = &mut inner.kind else { return };
        for bound in [&mut range.from, &mut range.to] {
            if !reads_elements(bound) {
                continue;
            }
            if !self.stays_same(bound, changes) {
                return;
            }
            let variable = self.body.temporary(bound.ty.clone(), bound.span);
            let read = self.body.read(variable, bound.span);
            let value = std::mem::replace(bound, read);
            // Where the outer loop has no iterations, nothing fails.
            let value = match may_fail(&value) {
                true => build::select(reached.clone(), value.clone(), int(0, value.span)),
                false => value,
            };
            before.push(build::assign(variable, value));
            self.may_be_set.insert(variable);
        }
        self.bounds_inside(inner, Some(reached), changes, before);
    }

    /// Whether an integer is the same in all iterations, and nobody sees whether it was computed before or behind what the nest sets.
    fn stays_same(&self, bound: &Expr, changes: &Changes) -> bool {
        let is_seen = may_fail(bound) && changes.set.iter().any(|v| self.caught.contains(&v));
        let mut same = bound.ty == build::int_type() && !is_seen;
        visit(bound, &mut |e| {
            same &= match &e.kind {
                ExprKind::Local(v) => !changes.set.contains(v),
                ExprKind::Load { array, .. } => match array.kind {
                    ExprKind::Local(v) if array_element(&array.ty).is_some() => changes
                        .stored
                        .iter()
                        .all(|stored| matches!(self.aliases.sharing(v, stored), Sharing::Never)),
                    _ => false,
                },
                ExprKind::Constant(_)
                | ExprKind::Apply { .. }
                | ExprKind::Convert(_)
                | ExprKind::Extent(..)
                | ExprKind::Count(_) => true,
                _ => false,
            };
        });
        same
    }
}

/// Whether a nest calls nothing, and stores to variables only.
fn is_plain(stmt: &Stmt) -> bool {
    let mut plain = true;
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        plain &= match &stmt.kind {
            StmtKind::Store { array, .. } | StmtKind::Update { array, .. } => root(array).is_some(),
            StmtKind::For { .. }
            | StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::Repeat { .. }
            | StmtKind::Assign { .. }
            | StmtKind::Break { .. }
            | StmtKind::Continue { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Fail { .. } => true,
            _ => false,
        };
    });
    plain
}
