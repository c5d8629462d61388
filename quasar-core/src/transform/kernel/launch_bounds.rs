//! `{!kernel name=..}` and `{!cuda_launch_bounds ..}`: renames kernels, and sets block sizes that respect launch
//! bounds.

use crate::ir::barriers::waits;
use crate::ir::build::int;
use crate::ir::rewrite::{transform_stmts, visit_block, visit_stmts};
use crate::ir::{Coordinate, Dims, Expr, ExprKind, Kernel, KernelId, Program, StmtKind};
use crate::message::Sink;
use crate::target::gpu::USUAL_BLOCK_THREADS;
use crate::transform::{PassContext, messages};
use std::collections::{BTreeMap, BTreeSet};

/// Renames the kernels and sets the blocks of their launches.
pub(in crate::transform) fn run(program: &mut Program, _context: &PassContext<'_>, sink: &mut Sink) {
    rename(program);
    let bounded: BTreeMap<KernelId, u32> = program
        .kernels
        .iter()
        .filter(|(_, kernel)| depends_on_blocks(kernel))
        .filter_map(|(id, kernel)| Some((id, kernel.attributes.bounds?.threads)))
        .collect();
    if bounded.is_empty() {
        return;
    }
    let mut decided: BTreeMap<KernelId, Vec<u32>> = BTreeMap::new();
    for (id, most) in bounded.iter().filter(|(_, most)| **most < USUAL_BLOCK_THREADS) {
        let kernel = &mut program.kernels[*id];
        let block = extents(*most, kernel.rank);
        decided.insert(*id, kernel.attributes.block.get_or_insert(block).clone());
    }
    for id in program.functions.ids().collect::<Vec<_>>() {
        transform_stmts(&mut program.functions[id].body.block, &mut |stmt| {
            let span = stmt.span;
            let StmtKind::Launch { kernel, block, .. } = &mut stmt.kind else { return };
            let Some(&most) = bounded.get(kernel) else { return };
            match block {
                None => {
                    let usual = decided.get(kernel).map(|dims| dims.iter().map(|&n| int(n as i32, span)));
                    *block = usual.map(|dims| Dims::Each(dims.collect()));
                }
                Some(Dims::Each(dims)) => {
                    let threads = dims
                        .iter()
                        .map(Expr::constant_int)
                        .try_fold(1i64, |n, dim| Some(n * i64::from(dim?)));
                    if threads.is_some_and(|threads| threads > i64::from(most)) {
                        sink.push(messages::beyond_bounds(span, most));
                    }
                }
                Some(Dims::Vector(_)) => {}
            }
        });
    }
}

/// Gives kernels their requested names unless two would collide.
fn rename(program: &mut Program) {
    let mut taken: BTreeSet<String> = program.kernels.iter().map(|(_, kernel)| kernel.name.clone()).collect();
    for (_, kernel) in program.kernels.iter_mut() {
        let Some(name) = kernel.attributes.name.take() else { continue };
        let valid = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if valid && taken.insert(name.clone()) {
            kernel.name = name;
        }
    }
}

fn depends_on_blocks(kernel: &Kernel) -> bool {
    let mut found = waits(&kernel.body.block);
    visit_stmts(&kernel.body.block, &mut |stmt| found |= crate::ir::is_warp_function(stmt));
    visit_block(&kernel.body.block, &mut |e| {
        found |= matches!(e.kind, ExprKind::Coordinate(c, _) if !matches!(c, Coordinate::Position | Coordinate::WarpSize));
    });
    found
}

/// The extents of a block with at most `most` threads: along the last dimension and the one before.
fn extents(most: u32, rank: usize) -> Vec<u32> {
    let wide = if rank == 1 { most } else { most.min(16) };
    let mut dims = vec![1; rank];
    if let Some(last) = dims.last_mut() {
        *last = wide;
    }
    if rank > 1 {
        dims[rank - 2] = (most / wide).clamp(1, 16);
    }
    dims
}
