//! Blocks within tiles: `S : 'shared = x[pos - mod(pos,16) + (0..15)]` is one value for a block only if blocks lie within
//! the tiles.
//!
//! Tiles that all launches are known to respect cost nothing. Where the expansion needs others, launches that choose no
//! block get one that lies within a tile, and a test in the kernel refuses those that choose another at run time.

use super::expand;
use crate::analysis::tile_origin::Tile;
use crate::ir::build::{self, int};
use crate::ir::rewrite::{transform_stmts, visit_stmts};
use crate::ir::{Coordinate, Dims, Expr, ExprKind, KernelId, Program, Stmt, StmtKind, VarSet};
use crate::message::Sink;
use crate::target::gpu;
use crate::types::Type;
use quasar_devicelib::ops::find;
use std::collections::BTreeSet;

/// The blocks of the launches of a kernel.
#[derive(Clone, Default)]
struct Blocks {
    /// Those that constants give.
    constant: Vec<Vec<u32>>,
    /// Whether some launch chooses none.
    automatic: bool,
    /// Whether some launch chooses one at run time.
    unknown: bool,
}

impl Blocks {
    fn of(program: &Program, kernel: KernelId) -> Blocks {
        let mut blocks = Blocks::default();
        let decided = &program.kernels[kernel].attributes.block;
        let mut note = |stmt: &Stmt| {
            let StmtKind::Launch { kernel: launched, block, .. } = &stmt.kind else { return };
            if *launched != kernel {
                return;
            }
            match (block, decided) {
                (None, None) => blocks.automatic = true,
                (None, Some(decided)) => blocks.constant.push(decided.clone()),
                (Some(Dims::Each(dims)), _) => {
                    let known = dims.iter().map(|dim| u32::try_from(dim.constant_int()?).ok()).collect();
                    match known {
                        Some(known) => blocks.constant.push(known),
                        None => blocks.unknown = true,
                    }
                }
                (Some(Dims::Vector(_)), _) => blocks.unknown = true,
            }
        };
        for id in program.functions.ids() {
            visit_stmts(&program.functions[id].body.block, &mut note);
        }
        for id in program.kernels.ids() {
            visit_stmts(&program.kernels[id].body.block, &mut note);
        }
        blocks
    }

    /// Whether all blocks are known to lie within a tile.
    fn lie_within(&self, tile: Tile) -> bool {
        !self.automatic && !self.unknown && self.constant_within(tile)
    }

    fn constant_within(&self, tile: Tile) -> bool {
        self.constant.iter().all(|block| {
            let extent = block.get(tile.axis).copied().unwrap_or(1);
            extent > 0 && tile.extent.is_multiple_of(extent)
        })
    }
}

/// Expands the `'shared` variables of a kernel.
pub(super) fn expand_kernel(program: &mut Program, id: KernelId, declared: &VarSet, sink: &mut Sink) {
    let blocks = Blocks::of(program, id);
    let original = program.kernels[id].clone();
    let mut first = Sink::default();
    let known = blocks.clone();
    let covers = Box::new(move |tile| known.lie_within(tile));
    expand(&mut program.kernels[id], declared.clone(), covers, &mut first);
    if !first.has_errors() {
        return sink.extend(first);
    }
    let mut second = Sink::default();
    let expanded = std::mem::replace(&mut program.kernels[id], original);
    let known = blocks.clone();
    let covers = Box::new(move |tile| known.constant_within(tile));
    let tiles = expand(&mut program.kernels[id], declared.clone(), covers, &mut second);
    if second.has_errors() {
        program.kernels[id] = expanded;
        return sink.extend(first);
    }
    sink.extend(second);
    if blocks.automatic {
        choose_block(program, id, &tiles);
    }
    if blocks.unknown {
        test_block(program, id, &tiles);
    }
}

/// Gives the launches that choose no block one that lies within the tiles.
fn choose_block(program: &mut Program, id: KernelId, tiles: &BTreeSet<Tile>) {
    let kernel = &mut program.kernels[id];
    let most = if kernel.rank == 1 { gpu::USUAL_BLOCK_THREADS } else { gpu::BLOCK_SIDE };
    let mut block = vec![1; kernel.rank];
    let mut threads = 1;
    for axis in (0..kernel.rank).rev() {
        let extents = tiles.iter().filter(|tile| tile.axis == axis).map(|tile| tile.extent);
        let Some(common) = extents.reduce(common_divisor) else { continue };
        let most = most.min(gpu::USUAL_BLOCK_THREADS / threads);
        block[axis] = (1..=most).rev().find(|n| common.is_multiple_of(*n)).unwrap_or(1);
        threads *= block[axis];
    }
    kernel.attributes.block = Some(block.clone());
    let set = &mut |stmt: &mut Stmt| {
        let span = stmt.span;
        if let StmtKind::Launch { kernel, block: chosen @ None, .. } = &mut stmt.kind
            && *kernel == id
        {
            *chosen = Some(Dims::Each(block.iter().map(|&n| int(n as i32, span)).collect()));
        }
    };
    for id in program.functions.ids().collect::<Vec<_>>() {
        transform_stmts(&mut program.functions[id].body.block, set);
    }
    for id in program.kernels.ids().collect::<Vec<_>>() {
        transform_stmts(&mut program.kernels[id].body.block, set);
    }
}

fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// Tests at run time that blocks lie within the tiles.
fn test_block(program: &mut Program, id: KernelId, tiles: &BTreeSet<Tile>) {
    let kernel = &mut program.kernels[id];
    let span = kernel.span;
    let (Some(rest), Some(equal)) = (find("mod"), find("equal")) else { return };
    let tests = tiles.iter().map(|tile| {
        let extent = Expr::new(ExprKind::Coordinate(Coordinate::BlockDim, tile.axis), Type::INT, span);
        let rest = build::apply(rest, vec![int(tile.extent as i32, span), extent], Type::INT, span);
        let condition = build::apply(equal, vec![rest, int(0, span)], Type::INT, span);
        let text = format!("the block lies within the tiles of {} positions", tile.extent);
        let message = format!(
            "an array that is declared 'shared begins where tiles of {} positions begin, which blocks of this size \
             cross",
            tile.extent
        );
        let message = vec![Expr::new(ExprKind::Text(message), Type::Text, span)];
        Stmt::new(StmtKind::Assert { condition, text, message }, span)
    });
    let tests: Vec<Stmt> = tests.collect();
    kernel.body.block.splice(0..0, tests);
}
