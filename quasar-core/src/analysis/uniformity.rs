//! Uniformity: which values and control flow are the same in all threads of a block. The analysis starts with all
//! variables and removes those that are assigned divergent values, up to the fixpoint.

use super::barrier_intervals::{self, narrow};
use super::tile_origin::{Tile, TileOrigins};
use crate::ir::dataflow::fixpoint;
use crate::ir::rewrite::{children, operands, set_in, stored_in, visit_stmts};
use crate::ir::{Body, Coordinate, Expr, ExprKind, Kernel, Stmt, StmtKind, VarId, VarSet, is_warp_function};
use crate::types::Type;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The uniform variables of a kernel. Loads from arrays that are not private count as uniform: the caller ensures that
/// the threads load between the same two barriers.
pub struct Uniformity {
    variables: VarSet,
    tiles: AssumedTiles,
}

/// The tiles that blocks are assumed to lie within.
pub struct AssumedTiles {
    origins: TileOrigins,
    /// Which tiles the assumption includes.
    covers: Box<dyn Fn(Tile) -> bool>,
    /// Those that an expression was taken as uniform for.
    used: RefCell<BTreeSet<Tile>>,
}

impl AssumedTiles {
    /// Assumes that the blocks of a kernel lie within the tiles that a condition holds for.
    pub fn of(body: &Body, covers: Box<dyn Fn(Tile) -> bool>) -> AssumedTiles {
        AssumedTiles { origins: TileOrigins::of(body), covers, used: RefCell::default() }
    }

    fn hold(&self, expr: &Expr) -> bool {
        let Some(tiles) = self.origins.tiles(expr) else { return false };
        let all = tiles.iter().all(|tile| (self.covers)(*tile));
        if all {
            self.used.borrow_mut().extend(tiles);
        }
        all
    }
}

impl Uniformity {
    /// Analyses a kernel with arrays that blocks `share`. Variables in `assumed` are uniform regardless of their
    /// definitions, and so are the origins of `tiles`.
    pub fn of(kernel: &Kernel, shared: &VarSet, assumed: &VarSet, tiles: AssumedTiles) -> Uniformity {
        let body = &kernel.body;
        let set = set_in(&body.block);
        let far = |v: VarId| shared.contains(&v) || body.params.contains(&v) && !set.contains(&v);
        let stored = stored_in(&body.block);
        let own = |v: &VarId| far(*v) || !body.results.contains(v) && !stored.contains(v);
        let mut variables: VarSet = body.variables.ids().filter(own).collect();
        variables.add(assumed);
        let plain = |expr: &Expr, alike: &VarSet| is_alike(expr, alike, &tiles);
        let same = |stmt: &Stmt, alike: &VarSet| sets_alike(stmt, alike, &tiles);
        let tests = barrier_intervals::UniformityTests { plain: &plain, same: &same };
        let variables = fixpoint(variables, |variables| {
            narrow(&body.block, true, &tests, variables);
            variables.extend(body.variables.ids().filter(|v| far(*v)));
            variables.add(assumed);
        });
        Uniformity { variables, tiles }
    }

    /// Whether an expression is uniform.
    pub fn expr(&self, expr: &Expr) -> bool {
        is_alike(expr, &self.variables, &self.tiles)
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

    /// The tiles that some expression is uniform for, which blocks must lie within.
    pub fn tiles(&self) -> BTreeSet<Tile> {
        self.tiles.used.borrow().clone()
    }

    /// Marks a variable as uniform from now on.
    pub fn insert(&mut self, variable: VarId) {
        self.variables.insert(variable);
    }
}

fn is_alike(expr: &Expr, variables: &VarSet, tiles: &AssumedTiles) -> bool {
    match &expr.kind {
        ExprKind::Local(v) => return variables.contains(v),
        ExprKind::Coordinate(Coordinate::Position | Coordinate::BlockPosition, _) | ExprKind::Global(_) => {
            return false;
        }
        _ => {}
    }
    let mut alike = true;
    children(expr, &mut |child| alike = alike && is_alike(child, variables, tiles));
    alike || tiles.hold(expr)
}

/// Whether a statement assigns uniform values to its variables.
fn sets_alike(stmt: &Stmt, variables: &VarSet, tiles: &AssumedTiles) -> bool {
    match &stmt.kind {
        StmtKind::Assign { .. } | StmtKind::For { .. } | StmtKind::Shared { .. } => {}
        // A function with an array argument writes to it for its thread.
        StmtKind::Call { args, .. } if args.iter().all(|arg| !matches!(arg.ty, Type::Array(_))) => {}
        _ => return false,
    }
    let mut alike = true;
    operands(stmt, &mut |e| alike &= is_alike(e, variables, tiles));
    alike
}
