//! Chooses how devices run a kernel: how positions map to threads, what blocks privatise, which loop several blocks share. What
//! a device cannot run at all is refused here.

use super::block_loops::block_loops;
use super::block_tile::block_tile;
use crate::analysis::access_pattern::{self, by_reference};
use crate::analysis::barrier_intervals::{Phase, SyncScope, divide};
use crate::analysis::elementwise_kernel::{own_elements, vector_elements};
use crate::analysis::heap;
use crate::analysis::shared_memory;
use crate::analysis::split_reduction_candidate::long_loop;
use crate::ir::barriers::{has_grid_barriers, meets, uses_warps, waits};
use crate::ir::rewrite::{jumps_out, visit_block, visit_stmts};
use crate::ir::schedule::{BlockHistogram, DeviceSchedule, GridStride, Mapping, OnDevice};
use crate::ir::versions::CodeVersions;
use crate::ir::{Coordinate, ExprKind, Kernel, Program, StmtKind, Storage, Target, VarId};
use crate::source::Span;
use crate::target::gpu::POSITION_COMPONENTS;
use crate::types::ElementType;
use crate::types::known::array_element;

/// The construct that no device runs, and where it stands.
type Refused = (Span, String);

/// The choice for a kernel.
pub(super) fn choose(program: &Program, kernel: &Kernel) -> OnDevice {
    match schedule(program, kernel) {
        Ok(schedule) => OnDevice::Scheduled(Box::new(schedule)),
        Err((span, what)) => OnDevice::Refused { span, what },
    }
}

fn schedule(program: &Program, kernel: &Kernel) -> Result<DeviceSchedule, Refused> {
    runs_on_target(kernel)?;
    let blocks = in_blocks(kernel)?;
    let heap = heap::of_threads(program, &kernel.body);
    let grid_stride = if blocks || heap.used { None } else { grid_stride(program, kernel) };
    let mapping = match grid_stride {
        Some(grid_stride) => Mapping::GridStride(grid_stride),
        None if has_grid_barriers(&kernel.body.block) => {
            Mapping::CooperativeGrid { walks: keeps_nothing(program, kernel) }
        }
        None if blocks => Mapping::Blocks,
        None if kernel.strip.is_some() && !heap.used => Mapping::RegisterTiles,
        None => Mapping::Positions,
    };
    if waits(&kernel.body.block) {
        reached_by_all(kernel)?;
    }
    let alone = !blocks && !heap.used && !has_shared(kernel);
    let split = if alone { long_loop(kernel) } else { None };
    // For few positions, several blocks share what one block could.
    let block = if alone { block_loops(program, kernel, &mapping) } else { None };
    let block = block.filter(|block| block.along_rows || split.is_none());
    let tile = if alone { block_tile(program, kernel) } else { None };
    let shared = shared_memory::reserved(&kernel.body);
    Ok(DeviceSchedule {
        mapping,
        split,
        block: block.map(Box::new),
        tile: tile.map(Box::new),
        heap,
        shared,
        versions: CodeVersions::default(),
    })
}

fn refuse<T>(span: Span, what: &str) -> Result<T, Refused> {
    Err((span, what.to_owned()))
}

fn runs_on_target(kernel: &Kernel) -> Result<(), Refused> {
    let target = kernel.attributes.target;
    if target == Target::Processor {
        return refuse(kernel.span, "a kernel that is meant for the processor");
    }
    let open_cl = matches!(target, Target::OpenCl | Target::NvidiaOpenCl | Target::AmdOpenCl);
    if open_cl && uses_warps(kernel) {
        return refuse(kernel.span, "what threads of a warp do together, which OpenCL does not know");
    }
    if !kernel.parallel {
        return refuse(kernel.span, "a kernel whose positions are visited in order");
    }
    if kernel.rank == 0 || kernel.rank > POSITION_COMPONENTS {
        return refuse(kernel.span, "this number of components of a position");
    }
    Ok(())
}

fn has_shared(kernel: &Kernel) -> bool {
    kernel.body.variables.iter().any(|(_, variable)| variable.storage == Storage::Shared)
}

/// Whether the kernel depends on the blocks in which its positions run.
fn in_blocks(kernel: &Kernel) -> Result<bool, Refused> {
    let mut blocks = meets(&kernel.body.block);
    visit_block(&kernel.body.block, &mut |e| {
        blocks |= matches!(e.kind, ExprKind::Coordinate(c, _) if !matches!(c, Coordinate::Position | Coordinate::WarpSize));
    });
    if !kernel.body.results.is_empty() && kernel.accumulators.len() != kernel.body.results.len() {
        return refuse(kernel.span, "a result that is not accumulated");
    }
    Ok(blocks)
}

/// Devices do not report barrier divergence, so every branch around a barrier must provably be uniform over the block,
/// or over the grid for grid barriers.
fn reached_by_all(kernel: &Kernel) -> Result<(), Refused> {
    let whom = [(SyncScope::Block, "a block"), (SyncScope::Grid, "the grid")];
    for (together, whom) in whom {
        let phases = divide(kernel, together).map_err(|(span, what)| (span, what.to_owned()))?;
        if let Some(span) = phases.doubtful() {
            return refuse(span, &format!("a barrier that some threads of {whom} may not reach"));
        }
    }
    Ok(())
}

/// Whether no private state lives across a grid barrier, so that physical blocks may loop over several logical blocks.
fn keeps_nothing(program: &Program, kernel: &Kernel) -> bool {
    let Ok(phases) = divide(kernel, SyncScope::Grid) else { return false };
    let mut jumps = false;
    phases.each(&mut |phase| jumps |= matches!(phase, Phase::Threads(stmts) if jumps_out(stmts, 0)));
    let in_memory = |v: VarId| kernel.body.params.contains(&v) && by_reference(program, &kernel.body, v);
    phases.live_across.iter().all(in_memory) && !has_shared(kernel) && !jumps
}

/// The grid-stride schedule of a kernel, if it has one.
fn grid_stride(program: &Program, kernel: &Kernel) -> Option<GridStride> {
    let histograms = if has_shared(kernel) { Vec::new() } else { histograms(program, kernel) };
    let own = own_elements(program, kernel).unwrap_or_default();
    let gather = !histograms.is_empty() || !kernel.body.results.is_empty();
    if own.is_empty() && !gather {
        return None;
    }
    let vector = vector_elements(kernel, &own);
    Some(GridStride { own, histograms, vector, gather })
}

/// The arrays that a kernel only adds to, which can be privatised.
fn histograms(program: &Program, kernel: &Kernel) -> Vec<BlockHistogram> {
    let added = access_pattern::histograms(program, kernel);
    added.into_iter().filter_map(|array| block_histogram(kernel, array)).collect()
}

fn block_histogram(kernel: &Kernel, array: VarId) -> Option<BlockHistogram> {
    let element = array_element(&kernel.body.variables[array].ty)?;
    let has_atomics = matches!(
        element,
        ElementType::Single
            | ElementType::Double
            | ElementType::Int32
            | ElementType::UInt32
            | ElementType::Int64
            | ElementType::UInt64
    );
    let mut counts = true;
    visit_stmts(&kernel.body.block, &mut |stmt| {
        if let StmtKind::Update { array: a, value, .. } = &stmt.kind
            && matches!(a.kind, ExprKind::Local(v) if v == array)
        {
            counts &= value.constant().is_some_and(|c| c.as_f64() == 1.0);
        }
    });
    has_atomics.then_some(BlockHistogram { array, element, counts })
}
