//! Unroll-and-jam: rows that are neighbours along a component of the position go through the loops of a vector together, a
//! register tile. Each has variables of its own, so every position does what it did in the same order; what they all load is
//! loaded once.
//!
//! ```text
//!     for k                              for k
//!         lanes: s += a[i,k]*b[k,j]          lanes: s += a[i,k]*b[k,j], s1 += a[i+1,k]*b[k,j], ..
//!     lanes: c[i,j] = s                  lanes: c[i,j] = s, c[i+1,j] = s1, ..
//! ```

use crate::ir::rewrite::{
    operands_mut, rename, set_in, stored_in, transform, transform_stmts, visit, visit_block,
};
use crate::ir::schedule::{ColumnBound, Vector, VectorTile};
use crate::ir::{Block, Coordinate, Expr, ExprKind, Index, Kernel, Stmt, StmtKind, VarId, VarSet, build};
use crate::target::cpu::{TILE_BYTES, TILE_NODES, TILE_ROWS};
use crate::types::ElementType;
use crate::types::known::scalar;
use quasar_devicelib::ops::find;
use std::collections::BTreeMap;

/// Chooses the register tile of a kernel that has vectors, where its rows share what loops load.
pub(super) fn run(kernel: &mut Kernel) {
    // Rows along channels are short.
    let Some(vector) = kernel.schedule.vector.as_ref().filter(|_| kernel.schedule.collapsed.is_none()) else {
        return;
    };
    if !vector.stores.is_empty() {
        return;
    }
    let Some(axis) = best_axis(kernel, vector) else { return };
    let rows = rows(kernel, vector);
    if rows < 2 {
        return;
    }
    let vector = vector.as_ref().clone();
    let set = set_of_lanes(&vector.block);
    let variables = &mut kernel.body.variables;
    let mut copy = |v: VarId| {
        let copy = variables[v].clone();
        (v, variables.push(copy))
    };
    let jam = Jam { axis, copies: (1..rows).map(|_| set.iter().map(&mut copy).collect()).collect() };
    let copied = jam.copies.iter().flat_map(|copy| vector.wide.iter().map(|v| copy[v]));
    let wide = vector.wide.iter().copied().chain(copied).collect();
    let (columns, within) = (jam.bounds(&vector.columns), jam.bounds(&vector.within));
    let block = jam.block(vector.block);
    kernel.schedule.tile =
        Some(Box::new(VectorTile { axis, rows, vector: Vector { block, wide, columns, within, ..vector } }));
}

/// Whether a register tile shares elements of vectors.
pub(super) fn shares_vectors(kernel: &Kernel, vector: &Vector) -> bool {
    let shares = |axis: &usize| is_uniform(&vector.block, *axis) && loads(kernel, &vector.block, *axis).1 > 0;
    rows(kernel, vector) >= 2 && (0..kernel.rank - 1).any(|axis| shares(&axis))
}

/// How many rows fit into registers and into the bounds of the code.
fn rows(kernel: &Kernel, vector: &Vector) -> u32 {
    // Masks may not be variables yet.
    let known = vector.wide.iter().filter(|v| v.index() < kernel.body.variables.len());
    let types = known.filter_map(|v| scalar(&kernel.body.variables[*v].ty));
    let bytes: usize = types.map(ElementType::size).sum::<usize>() * vector.lanes as usize;
    let mut nodes = 0;
    visit_block(&vector.block, &mut |_| nodes += 1);
    let fits = |rows: &u32| bytes * *rows as usize <= TILE_BYTES && nodes * *rows as usize <= TILE_NODES;
    [TILE_ROWS, TILE_ROWS / 2].into_iter().find(fits).unwrap_or(1)
}

/// The component of the position along which rows share most of what loops load. Loops and branches are the same for all rows.
fn best_axis(kernel: &Kernel, vector: &Vector) -> Option<usize> {
    let uniform = |axis: usize| is_uniform(&vector.block, axis);
    let axes = (0..kernel.rank - 1).rev().filter(|axis| uniform(*axis));
    let shared = axes.map(|axis| (shared_loads(kernel, &vector.block, axis), axis));
    shared.filter(|(shared, _)| *shared > 0).max_by_key(|(shared, _)| *shared).map(|(_, axis)| axis)
}

fn mentions(expr: &Expr, axis: usize) -> bool {
    let mut found = false;
    visit(expr, &mut |e| {
        found |= matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, k) if k == axis);
    });
    found
}

/// Whether what lanes do together is the same for neighbouring positions along an axis.
fn is_uniform(block: &[Stmt], axis: usize) -> bool {
    block.iter().all(|stmt| match &stmt.kind {
        StmtKind::For { attributes, .. } if attributes.every_position => true,
        StmtKind::For { range, body, .. } => {
            !mentions(&range.from, axis) && !mentions(&range.to, axis) && is_uniform(body, axis)
        }
        StmtKind::If { condition, then, otherwise } => {
            !mentions(condition, axis) && is_uniform(then, axis) && is_uniform(otherwise, axis)
        }
        _ => false,
    })
}

/// The loads in loops that do not depend on an axis; those of vectors count twice.
fn shared_loads(kernel: &Kernel, block: &[Stmt], axis: usize) -> usize {
    let (single, vectors) = loads(kernel, block, axis);
    single + 2 * vectors
}

/// The loads in loops that do not depend on an axis: those of one element for all lanes, and those of vectors.
fn loads(kernel: &Kernel, block: &[Stmt], axis: usize) -> (usize, usize) {
    let (stored, own) = (stored_in(block), set_of_lanes(block));
    let (mut single, mut vectors) = (0, 0);
    let mut load = |e: &Expr| {
        let ExprKind::Load { array, index, .. } = &e.kind else { return };
        let ExprKind::Local(array) = array.kind else { return };
        let at = |each: &Index| match each {
            Index::At(e) => {
                let mut varies = mentions(e, axis);
                visit(e, &mut |e| varies |= matches!(e.kind, ExprKind::Local(v) if own.contains(&v)));
                (!varies).then(|| mentions(e, kernel.rank - 1))
            }
            _ => None,
        };
        let along: Option<Vec<bool>> = index.iter().map(at).collect();
        if let Some(along) = along.filter(|_| !stored.contains(&array)) {
            *if along.contains(&true) { &mut vectors } else { &mut single } += 1;
        }
    };
    for stmt in block {
        in_loops(stmt, &mut |body| visit_block(body, &mut load));
    }
    (single, vectors)
}

/// Visits the code of lanes inside of loops.
fn in_loops(stmt: &Stmt, f: &mut dyn FnMut(&Block)) {
    match &stmt.kind {
        StmtKind::For { body, attributes, .. } if !attributes.every_position => f(body),
        StmtKind::If { then, otherwise, .. } => {
            then.iter().chain(otherwise).for_each(|stmt| in_loops(stmt, f))
        }
        _ => {}
    }
}

/// The variables that lanes set.
fn set_of_lanes(block: &[Stmt]) -> VarSet {
    let mut set = VarSet::new();
    for stmt in block {
        match &stmt.kind {
            StmtKind::For { body, attributes, .. } if attributes.every_position => set.add(&set_in(body)),
            StmtKind::For { body, .. } => set.add(&set_of_lanes(body)),
            StmtKind::If { then, otherwise, .. } => {
                set.add(&set_of_lanes(then));
                set.add(&set_of_lanes(otherwise));
            }
            _ => {}
        }
    }
    set
}

/// Puts the rows of a tile together.
struct Jam {
    axis: usize,
    /// The variables of each row behind the first, by those of the first.
    copies: Vec<BTreeMap<VarId, VarId>>,
}

impl Jam {
    /// The columns of all rows.
    fn bounds(&self, bounds: &[ColumnBound]) -> Vec<ColumnBound> {
        let rows = 0..=self.copies.len();
        let of_row = |row: usize| {
            bounds.iter().cloned().map(move |mut bound| {
                if row > 0 {
                    move_expr(&mut bound.value, self.axis, row as i32);
                }
                bound
            })
        };
        rows.flat_map(of_row).collect()
    }

    fn block(&self, block: Block) -> Block {
        block.into_iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&self, mut stmt: Stmt) -> Stmt {
        match &mut stmt.kind {
            StmtKind::For { body, attributes, .. } => {
                let inner = std::mem::take(body);
                *body = if attributes.every_position { self.rows(inner) } else { self.block(inner) };
            }
            StmtKind::If { then, otherwise, .. } => {
                *then = self.block(std::mem::take(then));
                *otherwise = self.block(std::mem::take(otherwise));
            }
            _ => {}
        }
        stmt
    }

    /// What lanes do, for one row behind the other.
    fn rows(&self, first: Block) -> Block {
        let others = self.copies.iter().zip(1..).map(|(copies, row)| {
            let mut block = first.clone();
            rename(&mut block, &mut |v| copies.get(&v).copied().unwrap_or(v));
            move_by(&mut block, self.axis, row);
            block
        });
        let others: Vec<Block> = others.collect();
        first.into_iter().chain(others.into_iter().flatten()).collect()
    }
}

/// Puts the position of a row in the place of that of the first.
fn move_by(block: &mut Block, axis: usize, row: i32) {
    transform_stmts(block, &mut |stmt| operands_mut(stmt, &mut |e| move_expr(e, axis, row)));
}

fn move_expr(expr: &mut Expr, axis: usize, row: i32) {
    let Some(add) = find("add") else { return };
    transform(expr, &mut |e| {
        if matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, k) if k == axis) {
            let (ty, span) = (e.ty.clone(), e.span);
            *e = build::apply(add, vec![e.clone(), build::int(row, span)], ty, span);
        }
    });
}
